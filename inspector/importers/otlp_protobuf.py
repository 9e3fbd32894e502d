"""OTLP as protobuf: what exporters send, written to a file; alone, or each behind its length.

The few fields of it that we know are read by their numbers; whatever else there is, is passed over.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.importers.otlp import attributes_of, span_of
from inspector.importers.texts import LARGEST
from inspector.importers.traces import runs_of
from inspector.runfile.bounds import MIB

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.foreign import ForeignSpan
    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_DEEPEST = 60
_CUT = "It is cut off or damaged; what stands before that is shown."
_DOUBLE = struct.Struct("<d")

Fields = dict[int, list[Any]]


class _CutError(ValueError):
    """A message that breaks off, or none."""


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    data = head.data
    if data[:1] in (b"{", b"[", b"") or data.startswith(b"PK"):
        return 0
    try:
        if _is_request(data, 0):
            return 90
        for length_of in (_varint, _big_endian):
            length, at = length_of(data, 0, len(data))
            if at + length <= head.size and _is_request(data, at):
                return 88
    except _CutError:
        pass
    return 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each trace in the file.

    Raises:
        RunFileError: It is larger than what is read in one piece.

    """
    source = context.source
    if source.size > LARGEST:
        raise RunFileError(
            f"{context.name} has {source.size / MIB:,.0f} MiB of protobuf; "
            f"of such files up to {LARGEST / MIB:,.0f} MiB are read.",
            hint="Export it as one document of JSON a line, or in parts.",
        )
    resources: dict[str, dict[str, Any]] = {}
    yield from runs_of(_spans(context, resources), context, facts=resources)


def _spans(context: Context, facts: dict[str, dict[str, Any]]) -> Iterator[ForeignSpan]:
    data = context.source.read_at(0, context.source.size)
    for start, end in _requests(data, context):
        context.at(start)
        for of_resource in _messages(data, start, end, 1, context):
            said: dict[str, Any] | None = None
            for of_scope in _messages(data, *of_resource, 2, context):
                scope = _scope(data, of_scope, context)
                for place in _messages(data, *of_scope, 2, context):
                    try:
                        span = span_of(_span(data, *place))
                    except _CutError:
                        context.losses.skip("span that cannot be read")
                        continue
                    span.scope = scope
                    if span.trace not in facts:
                        said = _resource(data, of_resource, context) if said is None else said
                        facts[span.trace] = {"resource": said} if said else {}
                    yield span


def _requests(data: bytes, context: Context) -> Iterator[tuple[int, int]]:
    """Yield where each request stands; those that follow each other by themselves are one."""
    if _is_request(data, 0):
        yield 0, len(data)
        return
    # The Collector writes lengths of four bytes, most others as protobuf itself does.
    _, first = _varint(data, 0, len(data))
    length_of = _varint if _is_request(data, first) else _big_endian
    at = 0
    while at < len(data):
        try:
            length, start = length_of(data, at, len(data))
        except _CutError:
            break
        end = min(start + length, len(data))
        if start + length > len(data):
            context.losses.problem(_CUT)
        yield start, end
        at = end


def _resource(data: bytes, place: tuple[int, int], context: Context) -> dict[str, Any]:
    for inner in _messages(data, *place, 1, context):
        try:
            return attributes_of(_pairs(data, _fields(data, *inner), 1))
        except _CutError:
            context.losses.skip("resource that cannot be read")
    return {}


def _scope(data: bytes, place: tuple[int, int], context: Context) -> str:
    for inner in _messages(data, *place, 1, context):
        try:
            named = _fields(data, *inner)
            return f"{_text(data, named, 1)} {_text(data, named, 2)}".strip()
        except _CutError:
            context.losses.skip("scope that cannot be read")
    return ""


def _messages(
    data: bytes, start: int, end: int, wanted: int, context: Context
) -> Iterator[tuple[int, int]]:
    """Yield where the messages of one field stand; what breaks off ends there."""
    at = start
    try:
        while at < end:
            number, kind, value, at = _field(data, at, end, broken=True)
            if number == wanted and kind == _LENGTH:
                yield value
        if at > end:
            context.losses.problem(_CUT)
    except _CutError:
        context.losses.problem(_CUT)


def _span(data: bytes, start: int, end: int) -> dict[str, Any]:
    """Return a span as OTLP's JSON has it."""
    fields = _fields(data, start, end)
    status: dict[str, Any] = {}
    for place in fields.get(15, [])[-1:]:
        said = _fields(data, *_place(place))
        status = {"message": _text(data, said, 2), "code": _first(said, 3)}
    return {
        "traceId": _bytes(data, fields, 1).hex(),
        "spanId": _bytes(data, fields, 2).hex(),
        "parentSpanId": _bytes(data, fields, 4).hex(),
        "name": _text(data, fields, 5),
        "startTimeUnixNano": _first(fields, 7),
        "endTimeUnixNano": _first(fields, 8),
        "attributes": _pairs(data, fields, 9),
        "events": [
            {
                "timeUnixNano": _first(event, 1),
                "name": _text(data, event, 2),
                "attributes": _pairs(data, event, 3),
            }
            for event in (_fields(data, *_place(place)) for place in fields.get(11, []))
        ],
        "links": [
            {"traceId": _bytes(data, link, 1).hex(), "spanId": _bytes(data, link, 2).hex()}
            for link in (_fields(data, *_place(place)) for place in fields.get(13, []))
        ],
        "status": status,
    }


def _pairs(data: bytes, fields: Fields, number: int, level: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for place in fields.get(number, []):
        pair = _fields(data, *_place(place))
        value = _value(data, _place(pair[2][-1]), level + 1) if 2 in pair else {}
        found.append({"key": _text(data, pair, 1), "value": value})
    return found


def _value(data: bytes, place: tuple[int, int], level: int) -> dict[str, Any]:
    """Return an `AnyValue` as OTLP's JSON has it."""
    if level > _DEEPEST:
        return {"stringValue": "(nested too deeply)"}
    fields = _fields(data, *place)
    if 1 in fields:
        return {"stringValue": _text(data, fields, 1)}
    if 2 in fields:
        return {"boolValue": bool(_first(fields, 2))}
    if 3 in fields:
        number = _first(fields, 3) or 0
        return {"intValue": number - 2**64 if number >= 2**63 else number}
    if 4 in fields:
        bits = (_first(fields, 4) or 0).to_bytes(8, "little")
        return {"doubleValue": _DOUBLE.unpack(bits)[0]}
    if 5 in fields:
        inner = _fields(data, *_place(fields[5][-1]))
        values = [_value(data, _place(each), level + 1) for each in inner.get(1, [])]
        return {"arrayValue": {"values": values}}
    if 6 in fields:
        inner = _fields(data, *_place(fields[6][-1]))
        return {"kvlistValue": {"values": _pairs(data, inner, 1, level)}}
    return {"bytesValue": _bytes(data, fields, 7).hex()} if 7 in fields else {}


# The wire format


def _fields(data: bytes, start: int, end: int) -> Fields:
    """Return the values of a message by the numbers of their fields."""
    found: Fields = {}
    at = start
    while at < end:
        number, _, value, at = _field(data, at, end)
        found.setdefault(number, []).append(value)
    return found


def _field(data: bytes, at: int, end: int, *, broken: bool = False) -> tuple[int, int, Any, int]:
    """Return number, kind and value of a field, and where the next begins.

    What has a length is given as its place. With `broken` it may reach beyond the end.
    """
    tag, at = _varint(data, at, end)
    number, kind = tag >> 3, tag & 7
    if number == 0:
        raise _CutError
    if kind == _VARINT:
        value, at = _varint(data, at, end)
        return number, kind, value, at
    if kind == _LENGTH:
        length, at = _varint(data, at, end)
        if at + length > end and not broken:
            raise _CutError
        return number, kind, (at, min(at + length, end)), at + length
    size = {_FIXED64: 8, _FIXED32: 4}.get(kind)
    if size is None or at + size > end:
        raise _CutError
    return number, kind, int.from_bytes(data[at : at + size], "little"), at + size


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    value, shift = 0, 0
    while at < end and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (2**64 - 1), at
        shift += 7
    raise _CutError


def _big_endian(data: bytes, at: int, end: int) -> tuple[int, int]:
    if at + 4 > end:
        raise _CutError
    return int.from_bytes(data[at : at + 4], "big"), at + 4


def _place(value: Any) -> tuple[int, int]:
    if not isinstance(value, tuple):
        raise _CutError
    return value


def _bytes(data: bytes, fields: Fields, number: int) -> bytes:
    return data[slice(*_place(fields[number][-1]))] if number in fields else b""


def _text(data: bytes, fields: Fields, number: int) -> str:
    return _bytes(data, fields, number).decode("utf-8", "replace")


def _first(fields: Fields, number: int) -> int | None:
    value = fields.get(number, [None])[-1]
    return value if isinstance(value, int) else None


def _is_request(data: bytes, at: int) -> bool:
    """Whether a message of resources, scopes and spans may stand at a place, by how it begins."""
    end = len(data)
    try:
        number, kind, inner, _ = _field(data, at, end, broken=True)
        if (number, kind) != (1, _LENGTH):
            return False
        number, kind, inside, _ = _field(data, *inner, broken=True)
        if (number, kind) == (2, _LENGTH):
            return _field(data, *inside, broken=True)[:2] in ((1, _LENGTH), (2, _LENGTH))
        if (number, kind) != (1, _LENGTH):
            return False
        if inside[0] == inside[1]:  # a resource that says nothing
            return _field(data, inside[1], inner[1], broken=True)[:2] == (2, _LENGTH)
        number, kind, pair, _ = _field(data, *inside, broken=True)
        if (number, kind) != (1, _LENGTH):
            return False
        number, kind, key, _ = _field(data, *pair, broken=True)
    except _CutError:
        return False
    return (number, kind) == (1, _LENGTH) and data[slice(*key)].isascii() and key[1] > key[0]
