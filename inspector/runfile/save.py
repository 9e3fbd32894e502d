# ruff: noqa: PTH119, PTH122
"""Writing an open run to a file again, with everything in it that we do not know."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec
import orjson

from inspector.errors import RunFileError
from inspector.runfile.compact import compact
from inspector.runfile.files import replace
from inspector.runfile.layout import run_file
from inspector.runfile.leaf import LeafError, read_leaf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from inspector.runfile.model import PipelineRun

# Such a file would not be what its name says, and nobody could open it by that name.
_OTHER_COMPRESSIONS = frozenset({".7z", ".br", ".bz2", ".lz", ".lz4", ".lzma", ".xz", ".zip"})
_PIECE = 256 * 1024  # of which each is a block on its way to the disk
_NEEDLESS_SPACE = (b"\n", b'": ', b', "', b"[ ", b"{ ", b"\r", b"\t")


def save_run(run: PipelineRun, path: str | Path, *, indent: int | None = None) -> None:
    """Write a run to `path`, which holds all of it or what it held before.

    Args:
        run: Any run that was opened, complete or not.
        path: The suffix `.gz` or `.zst` compresses it; that of another compression is refused.
        indent: For people: spaces a level, in place of one record a line.

    Raises:
        RunFileError: The file cannot be written, or the run not be read to its end.

    """
    _write(_parts(run, indent), path, None)


def save_bytes(
    data: bytes, path: str | Path, *, watch: Callable[[float], None] | None = None
) -> None:
    """Write the bytes of a run's file to `path`, which holds all of them or what it held before.

    Args:
        data: What the file is to hold, not compressed.
        path: The suffix `.gz` or `.zst` compresses it; that of another compression is refused.
        watch: Told how much is written, from 0 to 1. What it raises ends this, and the file is
            as it was.

    Raises:
        RunFileError: The file cannot be written.

    """
    pieces = (data[at : at + _PIECE] for at in range(0, len(data), _PIECE))
    _write(pieces, path, None if watch is None else _Watched(watch, len(data)))


class _Watched:
    """Says how much of a file is written, a block at a time."""

    def __init__(self, watch: Callable[[float], None], size: int) -> None:
        self._watch = watch
        self._size = max(1, size)
        self._done = 0

    def __call__(self) -> None:
        self._done += _PIECE
        self._watch(min(1.0, self._done / self._size))


def _write(parts: Iterable[bytes], path: str | Path, step: Callable[[], None] | None) -> None:
    target = os.fspath(path)
    if (suffix := os.path.splitext(target)[1].lower()) in _OTHER_COMPRESSIONS:
        raise RunFileError(
            f"Cannot save {os.path.basename(target)}: runs are not compressed as {suffix}.",
            hint="Save it as .run.json.gz or .run.json.zst.",
        )
    try:
        writing = replace(target, parts, durable=True)
        with closing(writing):  # so that nothing is left beside it where `step` ends this
            for _ in writing:
                if step is not None:
                    step()
    except OSError as error:
        raise RunFileError(
            f"Cannot save {os.path.basename(target)}: {error.strerror or error}.",
            hint="The file is as it was before. Choose another place, or make room there.",
        ) from error
    except ImportError as error:
        raise RunFileError(
            f"Cannot save {os.path.basename(target)}: zstd is not installed.",
            hint="Install backports.zstd, or save as .run.json.gz.",
        ) from error


def to_bytes(run: PipelineRun, *, indent: int | None = None) -> bytes:
    """Return what a file of the run would hold, not compressed.

    Raises:
        RunFileError: The run cannot be read to its end.

    """
    return b"".join(_parts(run, indent))


def _parts(run: PipelineRun, indent: int | None) -> Iterator[bytes]:
    parts = run_file(
        header_text(run),
        (_compact(run.record_text(row)) for row in range(len(run.table))),
        ((digest, _compact(run.values.raw(digest))) for digest in run.values.digests()),
        named_by_digest=False,
        extra=((orjson.dumps(key), _compact(text)) for key, text in run.parts.extra.items()),
    )
    if indent is None:
        return parts
    # Laid out from the compact text, numbers as they stand there: the digests still hold.
    try:
        return iter((msgspec.json.format(b"".join(parts), indent=indent), b"\n"))
    except (msgspec.MsgspecError, RecursionError) as error:
        raise RunFileError(
            f"The run cannot be laid out for people ({error}).", hint="Save it without indent."
        ) from error


def header_text(run: PipelineRun) -> bytes:
    """Return the run header as it is saved."""
    if run.parts.status is None and (text := run.parts.members.get("run")):
        return _compact(text)
    # Of a journal without an end, only its reader knows what became of the run.
    return compact({**run.header, "status": str(run.status)}, str)


def _compact(text: bytes) -> bytes:
    """Return JSON without needless space, otherwise as it stands."""
    if not any(space in text for space in _NEEDLESS_SPACE):
        return text
    try:
        return msgspec.json.format(text, indent=-1)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        pass
    try:
        return compact(read_leaf(text)[0], str)
    except LeafError:
        return orjson.dumps(
            {"$": "opaque", "type": "json", "repr": text[:500].decode("utf-8", "replace")}
        )
