"""What a search asks for, as a value: `kind:tool name:search -status:ok cost:>0.01 "free text"`.

`parse_query` in `query_parser` reads one, `str()` writes it so that it reads back the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from inspector.errors import InspectorError
from inspector.runfile.kinds import SpanKind, SpanStatus

if TYPE_CHECKING:
    from decimal import Decimal


class QueryError(InspectorError):
    """A search that cannot be understood, with the place where that begins.

    Args:
        message: One sentence on what is wrong.
        start: The first character that is wrong.
        end: One past the last of them.
        hint: What to write instead.

    """

    def __init__(self, message: str, start: int, end: int, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.start = start
        self.end = max(end, start + 1)


class Sort:
    """What may stand behind a key."""

    WORD = "word"  # one of a few
    TEXT = "text"  # that is somewhere in it; `=` before it asks for exactly that
    NUMBER = "number"
    TOKENS = "tokens"
    DURATION = "duration"
    MONEY = "money"


class Key(NamedTuple):
    """One word that can stand before a colon."""

    name: str
    sort: str
    about: str
    words: tuple[str, ...] = ()  # those of a key that takes one of a few
    aliases: tuple[str, ...] = ()


HAS = (
    "documents", "messages", "error", "usage", "cost", "model", "input", "output", "state",
    "stream", "note", "bookmark",
)  # fmt: skip

KEYS: dict[str, Key] = {
    key.name: key
    for key in (
        Key("kind", Sort.WORD, "what sort of span", tuple(map(str, SpanKind))),
        Key("name", Sort.TEXT, "its name holds this"),
        Key("status", Sort.WORD, "how it ended", tuple(map(str, SpanStatus))),
        Key("duration", Sort.DURATION, "how long it took", aliases=("took", "time")),
        Key("tokens", Sort.TOKENS, "tokens it used"),
        Key("cost", Sort.MONEY, "estimated price of the call"),
        Key("type", Sort.TEXT, "its class holds this", aliases=("class",)),
        Key("path", Sort.TEXT, "its path holds this"),
        Key("model", Sort.TEXT, "the model's name holds this", aliases=("llm",)),
        Key("visit", Sort.NUMBER, "which visit of its component"),
        Key("step", Sort.NUMBER, "which step of its agent"),
        Key("error", Sort.TEXT, "the error's type or message holds this"),
        Key("has", Sort.WORD, "what was recorded of it", HAS),
        Key("input", Sort.TEXT, "inputs or arguments hold this", aliases=("inputs", "in")),
        Key("output", Sort.TEXT, "outputs hold this", aliases=("outputs", "out")),
        Key("note", Sort.TEXT, "your note on it holds this", aliases=("notes",)),
    )
}
ALIASES: dict[str, str] = {alias: key.name for key in KEYS.values() for alias in key.aliases}

WORD_ALIASES: dict[str, dict[str, str]] = {
    "kind": {"components": "component", "tools": "tool", "llms": "llm", "steps": "step"},
    "status": {
        "completed": "ok", "error": "failed", "cancelled": "canceled", "running": "unfinished",
    },
    "has": {
        "inputs": "input", "arguments": "input", "outputs": "output", "tokens": "usage",
        "document": "documents", "message": "messages", "errors": "error", "chunks": "stream",
        "streaming": "stream", "notes": "note", "bookmarks": "bookmark",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Everything:
    """Asks for nothing in particular."""

    def __str__(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class Words:
    """Text that stands somewhere in a span: its name, its values, its error."""

    text: str

    def __str__(self) -> str:
        return quoted_if_needed(self.text)


@dataclass(frozen=True, slots=True)
class Holds:
    """A field that holds a text, or with `whole` is that text."""

    key: str
    text: str
    whole: bool = False

    def __str__(self) -> str:
        return f"{self.key}:{'=' if self.whole else ''}{quoted_value(self.text)}"


@dataclass(frozen=True, slots=True)
class Is:
    """A field that is one of a few words, such as a kind."""

    key: str
    word: str

    def __str__(self) -> str:
        return f"{self.key}:{self.word}"


@dataclass(frozen=True, slots=True)
class Within:
    """A number in bounds: durations in ns, money in the currency of the prices.

    A bound that is `None` is open; `low_in` and `high_in` say whether it is in itself.
    """

    key: str
    low: Decimal | None = None
    high: Decimal | None = None
    low_in: bool = True
    high_in: bool = True

    def holds(self, number: Decimal | int) -> bool:
        """Say whether a number is in the bounds."""
        if self.low is not None and (number < self.low or (number == self.low and not self.low_in)):
            return False
        return self.high is None or number < self.high or (number == self.high and self.high_in)

    def __str__(self) -> str:
        unit = KEYS[self.key].sort
        low, high = _number_text(self.low, unit), _number_text(self.high, unit)
        if self.low == self.high:
            return f"{self.key}:{low}"
        if self.high is None:
            return f"{self.key}:>{'=' if self.low_in else ''}{low}"
        if self.low is None:
            return f"{self.key}:<{'=' if self.high_in else ''}{high}"
        return f"{self.key}:{low}..{high}"


@dataclass(frozen=True, slots=True)
class Not:
    """Everything that a part does not ask for."""

    of: Query

    def __str__(self) -> str:
        return f"-{_grouped(self.of)}"


@dataclass(frozen=True, slots=True)
class All:
    """Several parts at once."""

    parts: tuple[Query, ...] = field(default=())

    def __str__(self) -> str:
        return " ".join(_grouped(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Any:
    """One of several parts, or more of them."""

    parts: tuple[Query, ...] = field(default=())

    def __str__(self) -> str:
        return " OR ".join(_grouped(part) for part in self.parts)


Query = Everything | Words | Holds | Is | Within | Not | All | Any

UNITS_NS = {
    "ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 10**9, "sec": 10**9,
    "m": 60 * 10**9, "min": 60 * 10**9, "h": 3_600 * 10**9, "d": 86_400 * 10**9,
}  # fmt: skip
UNITS_TOKENS = {"": 1, "k": 1_000, "m": 1_000_000, "tok": 1}
OPERATORS = ("OR", "AND", "NOT")
_WRITTEN_UNITS = (("h", 3_600 * 10**9), ("min", 60 * 10**9), ("s", 10**9), ("ms", 10**6))


def all_of(parts: list[Query]) -> Query:
    """Put parts together that all have to be so; parts of parts become parts."""
    flat: list[Query] = []
    for part in parts:
        flat += part.parts if isinstance(part, All) else [part]
    return flat[0] if len(flat) == 1 else All(tuple(flat))


def any_of(parts: list[Query]) -> Query:
    """Put parts together of which one has to be so."""
    flat: list[Query] = []
    for part in parts:
        flat += part.parts if isinstance(part, Any) else [part]
    return flat[0] if len(flat) == 1 else Any(tuple(flat))


def parts_of(query: Query) -> tuple[Query, ...]:
    """Return what a query is put together from."""
    match query:
        case All(parts) | Any(parts):
            return parts
        case Not(of):
            return (of,)
    return ()


def quoted(text: str) -> str:
    """Return a text between quotation marks."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def quoted_if_needed(text: str) -> str:
    """Return free text so that it is read as that."""
    plain = is_one_word(text) and ":" not in text and text not in OPERATORS
    return text if plain and text[0] not in "-|" else quoted(text)


def quoted_value(text: str) -> str:
    """Return what stands behind a colon so that it is read as one text."""
    return text if is_one_word(text) and text[0] != "=" else quoted(text)


def is_one_word(text: str) -> bool:
    """Say whether nothing in a text would end a word, or begin a quotation."""
    return bool(text) and not any(sign.isspace() or sign in '()"' for sign in text)


def _grouped(part: Query) -> str:
    return f"({part})" if isinstance(part, All | Any) else str(part)


def _number_text(number: Decimal | None, unit: str) -> str:
    if number is None:
        return ""
    if unit != Sort.DURATION:
        return f"{number:f}"
    for name, size in _WRITTEN_UNITS:
        if number and number % size == 0:
            return f"{number / size:f}{name}"
    return f"{number:f}ns"
