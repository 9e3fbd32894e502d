"""Reading a run file in any layout: held in memory, its records found but not decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import orjson

from inspector.runfile.columns import Columns, SpanHeader
from inspector.runfile.lines import header_fields
from inspector.runfile.reading import Found
from inspector.runfile.shallow import Member, items_of, members_of, open_end
from inspector.runfile.value_index import PlainIndex

if TYPE_CHECKING:
    from inspector.runfile.problems import Problems

_HEADER = msgspec.json.Decoder(SpanHeader)


def read_whole(text: bytes, problems: Problems) -> Found:
    """Return what a text holds: all of it, or up to where it is cut off or damaged."""
    members, complete = members_of(text)
    if not complete and (rest := _unfinished(text, members)) is not None:
        members.append(rest)
    found = Found(Columns(problems), PlainIndex(), complete=complete)
    for key, start, end in members:
        if key in found.members:
            problems.add(f"“{key}” stands there twice; the last one counts.")
        found.members[key] = b""
        if key == "spans":
            found.columns = Columns(problems)
            found.fits = _read_spans(text, start, end, found.columns, problems)
        elif key == "values":
            found.values = _read_values(text, start, end, problems)
        else:
            found.members[key] = _closed(text, start, end, whole=complete or end < len(text))
    return found


def _unfinished(text: bytes, members: list[Member]) -> Member | None:
    """Return the member in whose middle the text ends."""
    if members:
        after = text.find(b",", members[-1].end) + 1
        cut = open_end(text, after, len(text)) if after else None
    else:
        start = text.find(b"{") + 1
        cut = open_end(text, start, len(text)) if start else None
    return None if cut is None else Member(cut[0], cut[1], len(text))


def _closed(text: bytes, start: int, end: int, *, whole: bool) -> bytes:
    """Return a value's JSON; of an object that is cut off, an object of its whole members."""
    if whole or text[start : start + 1] != b"{":
        return text[start:end]
    members = members_of(text, start, end)[0]
    parts = (orjson.dumps(key) + b":" + text[at:stop] for key, at, stop in members)
    return b"{" + b",".join(parts) + b"}"


def _read_spans(text: bytes, start: int, end: int, columns: Columns, problems: Problems) -> bool:
    """Add every span; return whether everything was one."""
    if text[start : start + 1] != b"[":
        problems.add("Its spans are not a list.")
        return True
    fits = True
    for at, stop in items_of(text, start, end)[0]:
        record = text[at:stop]
        try:
            columns.append(_HEADER.decode(record), at, stop - at)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            if record.startswith(b"{"):
                columns.add(header_fields(record), at, stop - at)
            else:
                problems.add("This is not a span.", where=f"byte {at:,}")
                fits = False
    return fits


def _read_values(text: bytes, start: int, end: int, problems: Problems) -> PlainIndex:
    index = PlainIndex()
    if text[start : start + 1] != b"{":
        problems.add("Its values are not an object.")
        return index
    repeated = 0
    for key, at, stop in members_of(text, start, end)[0]:
        repeated += key in index
        index[key] = (at, stop - at)
    if repeated:
        problems.add(f"{repeated:,} values stand there twice; the last ones count.")
    return index
