"""Opening run files. Nothing in a file is imported, run or fetched by it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from inspector.errors import RunFileError
from inspector.runfile import index_cache
from inspector.runfile.assemble import assembled
from inspector.runfile.bounds import BLOCK, DEFAULT_LIMITS, IN_MEMORY, MIB, Limits
from inspector.runfile.intake import Intake, take_in
from inspector.runfile.lines import LineReader
from inspector.runfile.problems import Problems
from inspector.runfile.reading import Found, Watch, without_collection
from inspector.runfile.sniff import (
    FORMAT_NAME,
    UTF8_MARK,
    is_header_line,
    looks_like_journal,
    require_run,
)
from inspector.runfile.source import ByteSource, MemorySource

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.runfile.follow import RunFollower
    from inspector.runfile.model import PipelineRun

_SAYS_FORMAT = re.compile(rb'\s*\{\s*"format"\s*:\s*"')


def load_run(
    source: str | Path | bytes | BinaryIO,
    *,
    use_cache: bool = True,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> PipelineRun:
    """Open a run file, a journal, or either of them compressed.

    Spans and values are found, not decoded: that happens when somebody looks at them.
    What cannot be read is in `run.problems`; everything else is shown.

    Args:
        source: A path, the bytes themselves, or an open binary file such as a pipe.
        use_cache: Whether an index of a large file may be kept for the next time.
        progress: Called now and then with how much was read, from 0 to 1.
        cancelled: Asked now and then whether to stop.
        limits: Where to stop reading what would fill memory or disk.

    Raises:
        RunFileError: It cannot be read, or holds no run.

    """
    intake = take_in(source, limits, cancelled=cancelled)
    return read_taken(intake, limits, use_cache=use_cache, progress=progress, cancelled=cancelled)


def read_taken(
    intake: Intake,
    limits: Limits = DEFAULT_LIMITS,
    *,
    use_cache: bool = True,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> PipelineRun:
    """Read the run whose bytes are at hand already; see `load_run`.

    Raises:
        RunFileError: It holds no run.

    """
    with without_collection():
        watch = Watch(intake.name, intake.source.size, progress, cancelled)
        run = _read(intake, watch, limits, use_cache=use_cache)
    watch.at(intake.source.size)
    return run


def is_journal(path: Path) -> bool:
    """Whether a file begins as the journal of a run does; one that cannot be read does not."""
    try:
        with path.open("rb") as file:
            line = file.read(BLOCK).lstrip(UTF8_MARK)
    except OSError:
        return False
    first, ended, _ = line.partition(b"\n")
    return not line.strip() or looks_like_journal(first, whole=bool(ended))


def is_run(intake: Intake) -> bool:
    """Whether a file begins as a run of ours does: as a journal, or saying its format."""
    source = intake.source
    start = len(UTF8_MARK) if source.read_at(0, min(3, source.size)) == UTF8_MARK else 0
    line, ended = _first_line(source, start)
    if looks_like_journal(line, whole=ended) or (ended and is_header_line(line)):
        return True
    return bool(_SAYS_FORMAT.match(source.read_at(start, min(1024, source.size - start))))


def follow_run(path: str | Path) -> RunFollower:
    """Open a run that is being recorded and keep up with it.

    Raises:
        RunFileError: It cannot be read, or holds no run.

    """
    from inspector.runfile.follow import RunFollower

    return RunFollower(Path(path))


def _read(intake: Intake, watch: Watch, limits: Limits, *, use_cache: bool) -> PipelineRun:
    source = intake.source
    start = len(UTF8_MARK) if source.read_at(0, min(3, source.size)) == UTF8_MARK else 0
    line, ended = _first_line(source, start)
    if looks_like_journal(line, whole=ended):
        from inspector.runfile.journal_reader import read_journal

        return read_journal(intake, start, watch)
    if ended and is_header_line(line):
        return _read_lines(intake, start, watch, limits, use_cache=use_cache)
    return _read_whole(intake, start, watch, limits)


def _first_line(source: ByteSource, start: int) -> tuple[bytes, bool]:
    pieces = []
    at = start
    while at < min(source.size, IN_MEMORY):
        block = source.read_at(at, min(BLOCK, source.size - at))
        end = block.find(b"\n")
        if end >= 0:
            pieces.append(block[:end])
            return b"".join(pieces), True
        pieces.append(block)
        at += len(block)
    return b"".join(pieces), False


def _read_lines(
    intake: Intake, start: int, watch: Watch, limits: Limits, *, use_cache: bool
) -> PipelineRun:
    file = intake.plain_file if use_cache else None
    if file is not None and (kept := index_cache.load(file, intake)) is not None:
        return kept
    problems = Problems()
    found = LineReader(intake.source, start, problems=problems, watch=watch, limits=limits).read()
    if not found.fits and intake.source.size <= IN_MEMORY:
        otherwise = _read_otherwise(intake, start, found)
        if otherwise is not None:
            return otherwise
    run = assembled(intake, found, intake.source)
    if file is not None and found.complete and found.fits:
        index_cache.save(file, run)
    return run


def _read_otherwise(intake: Intake, start: int, found: Found) -> PipelineRun | None:
    """Read a file that broke the layout as one piece of JSON, where that shows more."""
    from inspector.runfile.whole import read_whole

    text = intake.source.read_at(start, intake.source.size - start)
    problems = Problems()
    other = read_whole(text, problems)
    if not (other.complete and other.fits) and len(other.columns) <= len(found.columns):
        return None
    return assembled(intake, other, MemorySource(text))


def _read_whole(intake: Intake, start: int, watch: Watch, limits: Limits) -> PipelineRun:
    from inspector.runfile.whole import read_whole

    size = intake.source.size
    if size > IN_MEMORY and not _mentions_format(intake.source):
        members = _members_at_head(intake.source, start)
        require_run(members, intake.name, complete=True, size=size)
    if size > limits.whole_bytes:
        raise RunFileError(
            f"{intake.name} has {size / MIB:,.0f} MiB and is not kept one record a line; "
            f"of such files up to {limits.whole_bytes / MIB:,.0f} MiB are read.",
            hint="A file as Run Inspector saves it opens at any size.",
        )
    pieces = []
    for at in range(start, size, BLOCK):
        watch.at(at)
        pieces.append(intake.source.read_at(at, min(BLOCK, size - at)))
    text = b"".join(pieces)
    del pieces
    return assembled(intake, read_whole(text, intake.problems), MemorySource(text))


def _mentions_format(source: ByteSource) -> bool:
    word = FORMAT_NAME.encode()
    tail = max(0, source.size - MIB)
    return word in source.read_at(0, MIB) or word in source.read_at(tail, source.size - tail)


def _members_at_head(source: ByteSource, start: int) -> dict[str, bytes]:
    from inspector.runfile.shallow import members_of

    text = source.read_at(start, min(MIB, source.size - start))
    return {member.key: b"null" for member in members_of(text)[0]}
