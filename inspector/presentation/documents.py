"""Documents that were found or passed on: rank, score, and what in them was asked for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isnan
from typing import Any

from inspector.presentation.previews import (
    array_words,
    bytes_words,
    media_words,
    preview,
    text_preview,
)
from inspector.presentation.values import entries_in, field_path, items_in
from inspector.runfile.value import tag_of

PREVIEW_LENGTH = 160

# Where a document says it came from, by the names converters and stores use.
_SOURCES = ("file_path", "source", "url", "file_name", "filename", "path", "link", "title", "name")
# Sockets and fields that hold the question documents were looked up for.
_QUERIES = ("query", "question", "queries", "text")
_DEEPEST = 4
_MOST_LISTS = 50
_MOST_PARTS = 4_000
_MOST_COMPONENTS = 1_000

_WORD = re.compile(r"\w+")
# Words so common that marking them would mark everything.
_COMMON = frozenset(
    _WORD.findall(
        "a about after all also an and any are as at be been but by can could did do does for from "
        "had has have how i if in into is it its me more most my no not of on or our out please "
        "she should so some tell than that the their them then there these they this to us was we "
        "were what when where which who whom whose why will with would you your"
    )
)


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One document at its place in a list."""

    rank: int
    score: float | None
    share: float | None  # of the best score in the list, from 0 to 1
    id: str
    source: str
    content: str | None  # `None`: not text, or not recorded
    preview: str
    path: str
    facts: tuple[tuple[str, str], ...] = ()
    rank_before: int | None = None  # in the list that came in


@dataclass(frozen=True, slots=True)
class DocumentList:
    """The documents of one socket, in their order."""

    title: str
    path: str
    rows: tuple[DocumentRow, ...]


@dataclass(frozen=True, slots=True)
class DocumentsView:
    """All lists of documents of a span, and the question they were found for."""

    lists: tuple[DocumentList, ...]
    query: str | None = None
    words: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.lists)


NO_DOCUMENTS = DocumentsView(())


def documents_view(inputs: Any, outputs: Any, retrieval: Any = None) -> DocumentsView:
    """Return the lists of documents in what went in and what came out, output first."""
    found_in = [_document_list(path, items) for path, items in _lists(inputs, "inputs")]
    before = {row.id: row.rank for each in found_in for row in each.rows if row.id}
    found_out = [_document_list(path, items, before) for path, items in _lists(outputs, "outputs")]
    query = _query(inputs, retrieval)
    return DocumentsView((*found_out, *found_in), query, query_words(query or ""))


def query_words(query: str) -> tuple[str, ...]:
    """Return the words of a question that are worth marking in a document."""
    words = dict.fromkeys(word.lower() for word in _WORD.findall(query[:10_000]))
    return tuple(word for word in words if word not in _COMMON and len(word) > 1)


def marks_in(content: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return where words that begin like one of `words` stand in a text.

    `find` also marks `finding`: that is how a person reads, and near to what
    stemming retrievers match.
    """
    if not words:
        return []
    longest_first = sorted(map(_stem, words), key=len, reverse=True)
    wanted = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\w*", re.IGNORECASE)
    return [found.span() for found in wanted.finditer(content)]


def _stem(word: str) -> str:
    # "lives" stands for "live" too. More than that is a stemmer's business.
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _query(inputs: Any, retrieval: Any, *, deeper: bool = True) -> str | None:
    if isinstance(retrieval, Mapping) and isinstance(retrieval.get("query"), str):
        return retrieval["query"]  # type: ignore[no-any-return]  # a file may say anything
    entries = dict(islice(entries_in(inputs), _MOST_COMPONENTS))
    for name in _QUERIES:
        value = entries.get(name)
        if isinstance(value, str):
            return value
        items = items_in(value)
        if items and all(isinstance(item, str) for item in items[:100]):
            return "\n".join(items[:100])
    # A nested pipeline's inputs stand one level down, under the component they go to.
    for part in islice(entries.values(), _MOST_COMPONENTS if deeper else 0):
        if isinstance(part, Mapping) and tag_of(part) is None:
            below = _query(part, None, deeper=False)
            if below:
                return below
    return None


def _lists(values: Any, root: str) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield every list of documents with its path, looking into lists and fields."""
    waiting: list[tuple[Any, str, int]] = [(values, root, 0)]
    looked_at = found = 0
    while waiting and looked_at < _MOST_PARTS and found < _MOST_LISTS:
        value, path, depth = waiting.pop()
        looked_at += 1
        items = items_in(value)
        if items is not None:
            if items and tag_of(items[0]) == "document":
                found += 1
                yield path, items
            elif items and depth < _DEEPEST and isinstance(items[0], Mapping | list):
                below = [
                    (items[at], f"{path}[{at}]", depth + 1) for at in range(min(100, len(items)))
                ]
                waiting.extend(reversed(below))
        elif tag_of(value) == "document":
            found += 1
            yield path, [value]
        elif depth < _DEEPEST and tag_of(value) in (None, "answer", "object", "state"):
            entries = islice(entries_in(value), 1_000)
            named = [(part, field_path(path, key), depth + 1) for key, part in entries]
            waiting.extend(reversed(named))


def _document_list(
    path: str, items: Sequence[Any], before: Mapping[str, int] | None = None
) -> DocumentList:
    scores = [_score(item) for item in items]
    best = max((score for score in scores if score is not None), default=None)
    least = min((score for score in scores if score is not None), default=None)
    rows = tuple(
        _row(
            rank, item, scores[rank - 1], _share(scores[rank - 1], least, best), path, before or {}
        )
        for rank, item in enumerate(items, 1)
    )
    root, _, socket = path.partition(".")
    side = "Output" if root == "outputs" else "Input"
    return DocumentList(f"{side} · {text_preview(socket, 60)}" if socket else side, path, rows)


def _score(document: Any) -> float | None:
    score = document.get("score") if isinstance(document, Mapping) else None
    if isinstance(score, bool) or not isinstance(score, int | float):
        return None
    return None if isnan(score) else float(score)


def _share(score: float | None, least: float | None, best: float | None) -> float | None:
    """Return how long a score's bar is: against the best one, or within the range below zero."""
    if score is None or best is None or least is None:
        return None
    if least >= 0:
        return score / best if best > 0 else 0.0
    # Cross-encoders score below zero: then only the place between the ends says something.
    return (score - least) / (best - least) if best > least else 1.0


def _row(
    rank: int,
    document: Any,
    score: float | None,
    share: float | None,
    path: str,
    before: Mapping[str, int],
) -> DocumentRow:
    place = f"{path}[{rank - 1}]"
    if tag_of(document) != "document":
        return DocumentRow(rank, None, None, "", "", None, preview(document, PREVIEW_LENGTH), place)
    identity = str(document.get("id") or "")
    meta = document.get("meta")
    content = document.get("content")
    text = content if isinstance(content, str) else None
    return DocumentRow(
        rank=rank,
        score=score,
        share=share,
        id=identity,
        source=_source(meta if isinstance(meta, Mapping) else {}),
        content=text,
        preview=text_preview(text, PREVIEW_LENGTH) if text is not None else _without_text(document),
        path=place,
        facts=tuple(_facts(document, meta)),
        rank_before=before.get(identity),
    )


def _without_text(document: Mapping[str, Any]) -> str:
    for key in ("content", "blob"):
        if document.get(key) is not None:
            return preview(document[key], PREVIEW_LENGTH)
    return "no text"


def _source(meta: Mapping[str, Any]) -> str:
    for key in _SOURCES:
        value = meta.get(key)
        if isinstance(value, Mapping) and tag_of(value) == "path":
            value = value.get("value")
        if isinstance(value, str) and value:
            return text_preview(value, 200)
    return ""


def _facts(document: Mapping[str, Any], meta: Any) -> Iterator[tuple[str, str]]:
    for key, value in entries_in(meta):
        yield text_preview(str(key), 60), preview(value, 300)
    embedding = document.get("embedding")
    if embedding is not None:
        yield "embedding", _embedding(embedding)
    if document.get("sparse_embedding") is not None:
        yield "sparse embedding", preview(document["sparse_embedding"], 80)
    blob = document.get("blob")
    if isinstance(blob, Mapping):
        yield "blob", media_words(blob) or bytes_words(blob)


def _embedding(value: Any) -> str:
    if tag_of(value) == "array":
        return array_words(value)
    items = items_in(value)
    # Numbers as they were, without a digest: their shape is what a person can use.
    return f"list · {len(items)} numbers" if items is not None else preview(value, 120)
