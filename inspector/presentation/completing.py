"""What could come next in the search line: keys, and the values that this run has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.needle import folded
from inspector.presentation.query import ALIASES, KEYS, Sort, quoted_value
from inspector.presentation.query_parser import Token, tokens_of
from inspector.presentation.visible import one_line
from inspector.presentation.words import kind_words, status_words
from inspector.runfile.kinds import KIND_CODE, KINDS, STATUSES, SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from inspector.presentation.search import RunSearch

MOST = 12
_COMPARED = {
    Sort.NUMBER: (">1", ">2", "1"),
    Sort.TOKENS: (">1000", ">10k", "<100"),
    Sort.DURATION: (">100ms", ">1s", ">10s", ">1min"),
    Sort.MONEY: (">0.01", ">0.1", ">1"),
}


class Completion(NamedTuple):
    """One thing that could stand there."""

    text: str  # what replaces the piece
    shown: str
    about: str


class Completions(NamedTuple):
    """What could stand from `start` to `end` of the line."""

    start: int
    end: int
    choices: tuple[Completion, ...] = ()


class Vocabulary(NamedTuple):
    """The words that a run has for a key."""

    words: Mapping[str, tuple[str, ...]]


def vocabulary_of(search: RunSearch) -> Vocabulary:
    """Return the words of a run; types and models only once its records were read."""
    table, columns = search.run.table, search.columns
    kinds = {*table.kind, *([KIND_CODE[SpanKind.LLM]] if columns.llm_calls else [])}
    return Vocabulary(
        {
            "kind": tuple(str(KINDS[code]) for code in sorted(kinds)),
            "status": tuple(str(STATUSES[code]) for code in sorted(set(table.status))),
            "name": tuple(sorted(filter(None, columns.names()), key=folded)),
            "type": tuple(sorted(columns.types(), key=folded)),
            "model": tuple(sorted(columns.models(), key=folded)),
        }
    )


def completions(line: str, caret: int, vocabulary: Vocabulary) -> Completions:
    """Return what could stand at the caret; nothing inside of free text in quotation marks."""
    token = _at(line, caret)
    if token is None:
        return Completions(caret, caret, tuple(_keys("")))
    if token.quoted:
        return Completions(caret, caret)
    if not token.key:
        typed = line[token.start : caret]
        return Completions(token.start, token.end, tuple(_keys(typed))[:MOST] if typed else ())
    if caret < token.value_start:
        return Completions(token.start, token.value_start, tuple(_keys(line[token.start : caret])))
    name = ALIASES.get(token.key.casefold(), token.key.casefold())
    if name not in KEYS:
        return Completions(caret, caret)
    typed = line[token.value_start : caret].removeprefix('"')
    choices = tuple(_values(name, typed, vocabulary))[:MOST]
    return Completions(token.value_start, token.end, choices)


def _at(line: str, caret: int) -> Token | None:
    return next(
        (one for one in tokens_of(line) if one.sort == "term" and one.start < caret <= one.end),
        None,
    )


def _keys(typed: str) -> Iterable[Completion]:
    begun = typed.casefold()
    for key in KEYS.values():
        names = (key.name, *key.aliases)
        if any(name.startswith(begun) for name in names):
            yield Completion(f"{key.name}:", f"{key.name}:", key.about)


def _values(name: str, typed: str, vocabulary: Vocabulary) -> Iterable[Completion]:
    key = KEYS[name]
    if key.sort in _COMPARED:
        for text in _COMPARED[key.sort]:
            if text.startswith(typed):
                yield Completion(text, text, "")
        return
    wanted = folded(typed)
    words = vocabulary.words.get(name, key.words)
    begun = [word for word in words if folded(word).startswith(wanted)]
    inside = [word for word in words if wanted in folded(word) and word not in begun]
    for word in begun + inside:
        if folded(word) != wanted:
            yield Completion(quoted_value(word), one_line(word), _about(name, word))


def _about(name: str, word: str) -> str:
    said = kind_words(word) if name == "kind" else status_words(word) if name == "status" else ""
    return said if said.casefold() != word.casefold() else ""
