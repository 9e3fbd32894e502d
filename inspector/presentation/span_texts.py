"""Looks for texts in what spans hold: in the bytes of a record first, decoded only if need be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import orjson

from inspector.presentation.needle import Needle, refs_in
from inspector.presentation.query import Holds, Is, Query, Words
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.runfile.model import PipelineRun
    from inspector.runfile.store import ValueStore

_VALUES = ("inputs", "arguments", "outputs", "state_changes")
_VALUES_OF = {"input": ("inputs", "arguments"), "output": ("outputs",)}
_TAGS = {"documents": "document", "messages": "chat_message"}
_MOST_CAUSES = 20


class _Record(msgspec.Struct):
    """A record as far as texts are looked for in it; its values stay as they are written."""

    name: str = ""
    type: str = ""
    path: str = ""
    llm: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()
    inputs: msgspec.Raw = msgspec.Raw()
    arguments: msgspec.Raw = msgspec.Raw()
    outputs: msgspec.Raw = msgspec.Raw()
    state_changes: msgspec.Raw = msgspec.Raw()


_RECORD = msgspec.json.Decoder(_Record)
_UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)


class Texts(Protocol):
    """Answers one part of a query for one span after another."""

    def hold(self, row: int, text: bytes) -> bool:
        """Say whether it is so of the span in `row`, whose record is `text`."""
        ...


class TextLooker:
    """Looks for texts in the spans of a run; each value is looked into once for each text."""

    def __init__(self, run: PipelineRun) -> None:
        self._run = run
        self._made: dict[Query, Texts] = {}

    def of(self, part: Query) -> Texts:
        """Return what answers a part of a query; the same for the same part."""
        if (known := self._made.get(part)) is None:
            known = self._made[part] = self._make(part)
        return known

    def forget(self, kept: Iterable[Query]) -> None:
        """Let go of what was found out for all parts but these."""
        wanted = set(kept)
        self._made = {part: texts for part, texts in self._made.items() if part in wanted}

    def _make(self, part: Query) -> Texts:
        values = self._run.values
        match part:
            case Words(text):
                needle = Needle(text)
                return _Anywhere(self._run, needle, _InValues(values, needle.stands_in_json))
            case Holds("path" | "error" as key, text, whole):
                return _InField(self._run, key, Needle(text, whole=whole))
            case Holds(key, text, whole) if key in _VALUES_OF:
                needle = Needle(text, whole=whole)
                inside = _InValues(values, needle.stands_in_json)
                return _OfFields(self._run, _VALUES_OF[key], inside)
            case Is("has", word) if word in _TAGS:
                tag = re.compile(rf'"\$":\s*"{_TAGS[word]}"'.encode())
                inside = _InValues(values, lambda raw: tag.search(raw) is not None)
                return _OfFields(self._run, _VALUES, inside)
        raise AssertionError(f"{part!r} is answered by columns")


class _InValues:
    """Says of a piece of JSON whether it, or anything that it refers to, is what is wanted."""

    def __init__(self, values: ValueStore, wanted: Callable[[bytes], bool]) -> None:
        self._values = values
        self._wanted = wanted
        self._known: dict[str, bool] = {}

    def hold(self, raw: bytes) -> bool:
        return self._wanted(raw) or any(map(self._digest_holds, refs_in(raw)))

    def _digest_holds(self, digest: str) -> bool:
        known = self._known
        # Values refer to values, and a file may do so deeper than Python can recurse.
        trail = [(digest, iter(self._look(digest)))] if digest not in known else []
        while trail:
            at, inside = trail[-1]
            following = next(inside, None)
            if known[at] or following is None:
                trail.pop()
                if trail and known[at]:
                    known[trail[-1][0]] = True
            elif following not in known:
                trail.append((following, iter(self._look(following))))
            elif known[following]:
                known[at] = True
        return known[digest]

    def _look(self, digest: str) -> list[str]:
        """Look into one value, and return those that it refers to."""
        try:
            raw = self._values.raw(digest)
        except KeyError:
            self._known[digest] = False
            return []
        self._known[digest] = self._wanted(raw)
        return [] if self._known[digest] else refs_in(raw)


class _Anywhere:
    """Free text: in the name, type, model, error and values of a span."""

    def __init__(self, run: PipelineRun, needle: Needle, inside: _InValues) -> None:
        self._run = run
        self._needle = needle
        self._inside = inside

    def hold(self, row: int, text: bytes) -> bool:
        needle = self._needle
        if b'"$ref"' not in text and not needle.may_stand_in(text):
            return False
        record = record_of(self._run, row, text)
        if needle.stands_in(record.name) or needle.stands_in(record.type):
            return True
        values = self._run.values
        if record.error and any(map(needle.stands_in, error_texts(values, bytes(record.error)))):
            return True
        if record.llm and needle.stands_in(model_in(values, bytes(record.llm))):
            return True
        return _some_hold(record, _VALUES, self._inside)


class _OfFields:
    """Something in certain values of a span."""

    def __init__(self, run: PipelineRun, names: tuple[str, ...], inside: _InValues) -> None:
        self._run = run
        self._names = names
        self._inside = inside

    def hold(self, row: int, text: bytes) -> bool:
        return _some_hold(record_of(self._run, row, text), self._names, self._inside)


class _InField:
    """A text in the path or the error of a span."""

    def __init__(self, run: PipelineRun, key: str, needle: Needle) -> None:
        self._run = run
        self._key = key
        self._needle = needle

    def hold(self, row: int, text: bytes) -> bool:
        if b'"$ref"' not in text and not self._needle.may_stand_in(text):
            return False
        record = record_of(self._run, row, text)
        if self._key == "path":
            return self._needle.stands_in(record.path)
        if not record.error:
            return False
        return any(map(self._needle.stands_in, error_texts(self._run.values, bytes(record.error))))


def _some_hold(record: _Record, names: tuple[str, ...], inside: _InValues) -> bool:
    return any(bool(raw := getattr(record, name)) and inside.hold(bytes(raw)) for name in names)


def record_of(run: PipelineRun, row: int, text: bytes) -> _Record:
    """Take a record apart; what of it cannot be read is left out."""
    try:
        return _RECORD.decode(text)
    except _UNREADABLE:
        span = run.spans[row]
        raw = span.raw
        kept = {
            name: msgspec.Raw(orjson.dumps(raw[name]))
            for name in ("llm", "error", *_VALUES)
            if name in raw and _writes(raw[name])
        }
        return _Record(name=span.name, type=span.type, path=span.path, **kept)


def _writes(tree: Any) -> bool:
    try:
        orjson.dumps(tree)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def model_in(values: ValueStore, raw: bytes) -> str:
    """Return the name of a model from what a span says of it."""
    name = _tree(values, raw).get("name")
    return name if isinstance(name, str) else ""


def error_texts(values: ValueStore, raw: bytes) -> list[str]:
    """Return the types and messages of an error and of what led to it."""
    texts: list[str] = []
    error = _tree(values, raw)
    for _ in range(_MOST_CAUSES):
        texts += [said for key in ("type", "message") if isinstance(said := error.get(key), str)]
        cause = error.get("cause") or error.get("context")
        if not isinstance(cause, dict):
            break
        error = cause
    return texts


def _tree(values: ValueStore, raw: bytes) -> dict[str, Any]:
    try:
        tree = values.resolve_text(raw)[0]
    except LeafError:
        return {}
    return tree if isinstance(tree, dict) else {}
