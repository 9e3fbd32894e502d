"""Documents as the rules read them, and whether a text speaks of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from inspector.findings.reading import parts_of
from inspector.runfile.value import is_document, is_message

_PROBE = 40
_PROBES = 6
_LONGEST_TEXT = 2_000_000
_DEEPEST = 6
_MOST_NAMED = 3
_LONGEST_NAME = 40
_SPACE = re.compile(r"\s+")
_SIGNS = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W\d_]{4,}|\d[\d.,]*\d|\d")
_STEM = 5
_COMMON = frozenset({
    "about", "also", "been", "between", "could", "does", "done", "each", "ever", "every",
    "from", "have", "here", "into", "just", "know", "like", "long", "make", "many", "more",
    "most", "much", "must", "need", "only", "over", "please", "said", "same", "shall",
    "should", "some", "such", "tell", "than", "that", "their", "them", "then", "there",
    "these", "they", "thing", "this", "those", "through", "very", "want", "well", "were",
    "what", "when", "where", "which", "while", "whom", "whose", "will", "with", "would",
    "your", "yours",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Passage:
    """One document: what it says, and what ranked it."""

    id: str
    content: str
    score: float | None
    meta: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What a sentence calls it."""
        if self.id and len(self.id) <= _LONGEST_NAME:
            return self.id
        head = _SPACE.sub(" ", self.content).strip()[:_LONGEST_NAME]
        return f"{head}…" if head else self.id[:12] or "without an id"


def passage(tree: Any) -> Passage | None:
    """Return a document; None where a value is none."""
    if not is_document(tree):
        return None
    named, content, meta = tree.get("id"), tree.get("content"), tree.get("meta")
    return Passage(
        named if isinstance(named, str) else "",
        content if isinstance(content, str) else "",
        number(tree.get("score")),
        meta if isinstance(meta, Mapping) else {},
    )


def number(value: Any) -> float | None:
    """Return a figure that can be compared; None for all else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return float(value)


def passages(value: Any) -> list[Passage] | None:
    """Return the documents of a list of documents, or of lists of them; None where it is none."""
    if not isinstance(value, list):
        return None
    found: list[Passage] = []
    for each in value:
        if isinstance(each, list):
            inner = passages(each)
            if inner is None:
                return None
            found += inner
        elif (one := passage(each)) is not None:
            found.append(one)
        else:
            return None
    return found


def among(sockets: Any) -> dict[str, list[Passage]]:
    """Return the documents of each socket that holds some, or that holds an empty list."""
    if not isinstance(sockets, Mapping):
        return {}
    found = {str(socket): passages(value) for socket, value in sockets.items()}
    return {socket: held for socket, held in found.items() if held is not None}


def names_of(found: Iterable[Passage]) -> str:
    """Return the documents of a sentence: `a`, `b`, `c` and 2 more."""
    names = [f"`{each.name}`" for each in found]
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + "".join(names[-1:])


def ids_of(found: Iterable[Passage]) -> tuple[str, ...]:
    """Return the documents of a finding, each once."""
    return tuple(dict.fromkeys(each.id or each.name for each in found))


def texts_in(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield what a prompt says: its text, or those of its messages."""
    if isinstance(value, str):
        yield value
    elif depth > _DEEPEST:
        return
    elif is_message(value):
        for part in parts_of(value):
            if isinstance(text := part.get("text"), str):
                yield text
            else:
                yield from texts_in(part.get("tool_result"), depth + 1)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each, depth + 1)
    elif isinstance(value, Mapping) and not is_document(value):
        for each in value.values():
            yield from texts_in(each, depth + 1)


def squeezed(value: Any) -> str:
    """Return all that a prompt says in one line."""
    return _SPACE.sub(" ", " ".join(texts_in(value))[:_LONGEST_TEXT])


def bare(text: str) -> str:
    """Return a text as templates leave it whatever they do: its words, in small letters."""
    return _SIGNS.sub(" ", text[:_LONGEST_TEXT].casefold()).strip()


def stands_in(one: Passage, text: str) -> bool:
    """Say whether a text, laid bare, holds a document, or a good piece of it.

    Templates shorten documents, so that one of its pieces is enough. One that has no text
    is nowhere missing.
    """
    content = bare(one.content)
    if not content:
        return True
    apart = max(1, (len(content) - _PROBE) // (_PROBES - 1))
    starts = range(0, max(1, len(content) - _PROBE + 1), apart)
    if any(content[start : start + _PROBE].strip() in text for start in starts):
        return True
    # Some templates show no more than what a document is called.
    told = (one.id, *(each for each in one.meta.values() if isinstance(each, str)))
    named = (word for word in map(bare, told) if len(word) >= 4 and word not in content)
    return any(word in text for word in named)


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text that tell what it is about, cut to their stems."""
    found = (word.lower() for word in _WORD.findall(text[:_LONGEST_TEXT]))
    return frozenset(word[:_STEM] for word in found if word not in _COMMON)


def covered(query: frozenset[str], text: str) -> float:
    """Return the share of a question's words that a text has; 0 for a question of no words."""
    return len(query & words_of(text)) / len(query) if query else 0.0
