"""Remembers where the records of large files are, so that they open at once again.

An index holds places, times and names, and is used only for the very file it was made
from. It can be deleted at any time; one that is damaged, or of another version of
this program, is made anew without a word.
"""

from __future__ import annotations

import os
import sys
import time
from array import array
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from zlib import crc32

import orjson

from inspector.runfile.assemble import from_parts
from inspector.runfile.bounds import MIB
from inspector.runfile.kinds import KINDS, STATUSES
from inspector.runfile.table import NO_PARENT, SpanTable
from inspector.runfile.value_index import LineIndex, PlainIndex

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.runfile.intake import Intake
    from inspector.runfile.model import PipelineRun
    from inspector.runfile.source import FileSource

_MAGIC = b"run-inspector index 1\n"
_SEAL = 4
_WORTH_IT = 8 * MIB
_MOST_BYTES = 256 * MIB
_MOST_FILES = 200
_JUST_NOW_S = 2.0

_COLUMNS = {
    "start_ns": "q", "end_ns": "q", "parent_row": "i", "kind": "B", "status": "B",
    "name_code": "I", "marks": "B", "offset": "Q", "length": "Q",
}  # fmt: skip
_VALUES = ("heads", "offsets", "lengths")


def load(file: FileSource, intake: Intake) -> PipelineRun | None:
    """Return the run of a file whose index was kept, or None."""
    if file.size < _WORTH_IT or intake.path is None:
        return None
    try:
        path = _path_of(intake.path)
        data = path.read_bytes()
        run = _opened(data, file, intake)
        if run is not None:
            os.utime(path)
    except (OSError, ValueError, KeyError, TypeError, OverflowError, IndexError):
        return None
    return run


def save(file: FileSource, run: PipelineRun) -> None:
    """Keep the index of a file. That nothing can be kept is no reason to complain."""
    if file.size < _WORTH_IT or run.origin is None:
        return
    just_now = time.time() - file.status().st_mtime < _JUST_NOW_S
    if run.parts.digest is None and just_now:
        return  # it may change again without anybody being able to tell
    with suppress(OSError, ValueError):  # ... and no file whose header is broken text
        path = _path_of(run.origin)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(path, _sealed(file, run))
        _make_room(path.parent)


def directory() -> Path:
    """Return where indexes are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("run-inspector", appauthor=False) / "index"


def _path_of(origin: Path) -> Path:
    name = blake2b(os.fsencode(origin.absolute()), digest_size=16).hexdigest()
    return directory() / f"{name}.index"


def _stamp(file: FileSource) -> list[Any]:
    status = file.status()
    return [status.st_size, status.st_mtime_ns, status.st_ino, file.ends().hex()]


def _sealed(file: FileSource, run: PipelineRun) -> list[bytes]:
    parts, table = run.parts, run.table
    values = parts.index
    assert isinstance(values, LineIndex)
    columns = [getattr(table, name) for name in _COLUMNS]
    if not table.plain_ids:
        columns.append(table.depth)  # otherwise it follows from the parents, when it is asked for
    columns += [getattr(values, name) for name in _VALUES]
    head = {
        "stamp": _stamp(file),
        "order": sys.byteorder,
        "spans": len(table),
        "values": len(values.heads),
        "names": table.names,
        "ids": None if table.plain_ids else list(table.ids()),
        "members": {key: text.decode() for key, text in parts.members.items()},
        "odd": dict(values.odd),
        "problems": [[each.message, each.where, each.hint] for each in parts.problems],
    }
    text = orjson.dumps(head)
    pieces = [_MAGIC, len(text).to_bytes(8, "little"), text, *(each.tobytes() for each in columns)]
    seal = 0
    for piece in pieces:
        seal = crc32(piece, seal)
    return [*pieces, seal.to_bytes(_SEAL, "little")]


def _opened(data: bytes, file: FileSource, intake: Intake) -> PipelineRun | None:
    body = memoryview(data)[:-_SEAL]
    if not data.startswith(_MAGIC):
        return None
    at = len(_MAGIC) + 8
    size = int.from_bytes(data[len(_MAGIC) : at], "little")
    head = orjson.loads(data[at : at + size])
    if head["stamp"] != _stamp(file) or head["order"] != sys.byteorder:
        return None
    # Against damage, not against forgers: whoever can write here can do more than that.
    if crc32(body) != int.from_bytes(data[-_SEAL:], "little"):
        return None
    at += size
    columns: dict[str, array[int]] = {}
    counts = [(name, code, head["spans"]) for name, code in _COLUMNS.items()]
    if head["ids"] is not None:
        counts.append(("depth", "i", head["spans"]))
    counts += [(name, "Q", head["values"]) for name in _VALUES]
    for name, code, count in counts:
        column = array(code)
        length = count * column.itemsize
        column.frombytes(body[at : at + length])
        if len(column) != count:
            return None
        columns[name] = column
        at += length
    if not _holds_together(columns, head):
        return None
    values = LineIndex(file)
    for name in _VALUES:
        setattr(values, name, columns.pop(name))
    values.odd = PlainIndex({key: (place[0], place[1]) for key, place in head["odd"].items()})
    for message, where, hint in head["problems"]:
        intake.problems.add(message, where=where, hint=hint)
    members = {key: text.encode() for key, text in head["members"].items()}
    depth = columns.pop("depth", None)
    table = SpanTable(**columns, depth=depth, names=head["names"], ids=head["ids"])
    return from_parts(intake, members, table, values, file, complete=True)


def _holds_together(columns: dict[str, array[int]], head: dict[str, Any]) -> bool:
    """Whether no number points outside of what it points into."""
    count = head["spans"]
    if head["ids"] is not None and len(head["ids"]) != count:
        return False
    if not count:
        return True
    return (
        max(columns["kind"]) < len(KINDS)
        and max(columns["status"]) < len(STATUSES)
        and max(columns["name_code"]) < len(head["names"])
        and min(columns["parent_row"]) >= NO_PARENT
        and max(columns["parent_row"]) < count
    )


def _write(path: Path, pieces: list[bytes]) -> None:
    # Not flushed to the disk: the seal tells whether all of it arrived there.
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(pieces)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _make_room(folder: Path) -> None:
    """Delete what was not used for longest, until the rest is no burden."""
    found = []
    for path in folder.iterdir():
        with suppress(OSError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    found.sort(reverse=True)
    held = 0
    for number, (_, size, path) in enumerate(found):
        held += size
        if number >= _MOST_FILES or (held > _MOST_BYTES and number):
            with suppress(OSError):
                path.unlink()
