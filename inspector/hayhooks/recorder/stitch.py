"""The segments of an execution as one run. Knows neither Haystack nor Hayhooks.

Nothing in a segment is run or fetched. Where some of it cannot be read the rest is shown, and
the run says what is missing.
"""

from __future__ import annotations

import socket
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.errors import RunFileError
from inspector.hayhooks.recorder.heading import header_of
from inspector.hayhooks.recorder.joining import joined
from inspector.hayhooks.recorder.layout import ALIVE, MANIFEST, manifest_of, segments_in
from inspector.hayhooks.recorder.pieces import Segment, Values
from inspector.runfile.compact import compact
from inspector.runfile.durable import EXTENSION
from inspector.runfile.files import replace as replaced
from inspector.runfile.kinds import RunStatus
from inspector.runfile.layout import run_file
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun, RunParts
from inspector.runfile.naming import in_a_sentence, shown_name
from inspector.runfile.problems import Problem
from inspector.runfile.table import NO_END

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


_MOST_EXECUTIONS = 10_000
_MOST_OPENED = 100
_LARGEST_IN_MEMORY = 2**30
_LATEST_NS = 10**18  # as much as a time may be at all
_ENDINGS = frozenset(
    {"completed", "waiting", "retried", "canceled", "failed", "lease lost", "handed back"}
)
_HINT = "The recorder of a durable wrapper writes such folders: one for each execution."


class Execution(NamedTuple):
    """A folder with the segments of an execution."""

    folder: Path
    id: str
    deployment: str
    attempts: int
    written_at_ns: int


def executions_in(folder: Path) -> list[Execution]:
    """Return the executions that are recorded in a folder, the newest first.

    Raises:
        RunFileError: The folder cannot be looked through.

    """
    found = []
    try:
        for number, each in enumerate(sorted(folder.iterdir())):
            if number >= _MOST_EXECUTIONS:
                break
            if each.is_dir() and (known := _execution(each)) is not None:
                found.append(known)
    except OSError as error:
        raise RunFileError(f"Cannot look into {shown_name(folder)}: {error.strerror}.") from error
    return sorted(found, key=lambda each: (-each.written_at_ns, each.id))


def _execution(folder: Path) -> Execution | None:
    try:
        segments = segments_in(folder)
        if not segments:
            return None
        written = max(each.path.stat().st_mtime_ns for each in segments)
    except OSError:
        return None
    said = manifest_of(folder)
    return Execution(
        folder=folder,
        id=str(said.get("execution") or folder.name),
        deployment=str(said.get("deployment") or ""),
        attempts=segments[-1].attempt,
        written_at_ns=written,
    )


def folder_of(path: Path) -> Path | None:
    """Return the folder of an execution that a path means: itself, or what its manifest is in."""
    try:
        if path.is_dir():
            return path if segments_in(path) else None
        if path.name == MANIFEST and manifest_of(path.parent):
            return path.parent
    except OSError:
        pass
    return None


def runs_at(path: Path) -> list[PipelineRun] | None:
    """Return the runs of a folder of segments, or of a folder of such folders; None for others.

    Raises:
        RunFileError: What is there cannot be read.

    """
    folder = folder_of(path)
    if folder is not None:
        return [stitched(folder, origin=path)]
    if not (path.is_dir() and (found := executions_in(path))):
        return None
    if len(found) > _MOST_OPENED:
        raise RunFileError(
            f"{in_a_sentence(path.name)} holds {len(found):,} executions.",
            hint=f"Open the folder of one of them, such as {found[0].folder}.",
        )
    return [stitched(each.folder) for each in found]


def stitched(
    folder: str | Path, *, origin: Path | None = None, uninterrupted: bool = False
) -> PipelineRun:  # fmt: skip
    """Return the run of an execution: all its attempts as one.

    Args:
        folder: Where its segments are.
        origin: What the run says it was opened from; the folder's manifest unless given.
        uninterrupted: Leave out what a later attempt did anew. Such a run can be replayed.

    Raises:
        RunFileError: There are none, or none that can be read.

    """
    folder = Path(folder)
    parts, problems = _parts(folder, whole=not uninterrupted)
    pieces: list[bytes] = []
    size = 0
    for part in parts:
        size += len(part)
        if size > _LARGEST_IN_MEMORY:
            raise RunFileError(
                f"The segments in {in_a_sentence(folder.name)} are too much to hold in memory.",
                hint=f"Make a file of them: run-inspector hayhooks stitch {folder} -o FILE",
            )
        pieces.append(part)
    run = load_run(b"".join(pieces))
    found: RunParts = replace(
        run.parts,
        origin=origin or folder / MANIFEST,
        problems=(*problems, *run.parts.problems),
    )
    return PipelineRun(found)


def stitch_to(
    folder: str | Path, target: Path, *, uninterrupted: bool = False
) -> tuple[Problem, ...]:  # fmt: skip
    """Write the run of an execution to a file; return what of it could not be read.

    See `stitched`.

    Raises:
        RunFileError: There is nothing to read, or the file cannot be written.

    """
    parts, problems = _parts(Path(folder), whole=not uninterrupted)
    try:
        for _ in replaced(str(target), parts, durable=True):
            pass
    except OSError as error:
        raise RunFileError(
            f"Cannot save {target.name}: {error.strerror or error}.",
            hint="The file is as it was before.",
        ) from error
    return problems


def _parts(folder: Path, *, whole: bool) -> tuple[Iterator[bytes], tuple[Problem, ...]]:
    """Return a run file piece by piece, and what could not be read."""
    segments, problems = _segments(folder)
    said = manifest_of(folder)
    values = Values()
    first = segments[0].run
    name = next((each.run.name for each in segments if each.run.name), "run")
    kind = next((k for each in segments if (k := each.run.kind) in ("agent", "pipeline")), "")
    made = joined(segments, kind or first.kind or "pipeline", name, values, whole=whole)
    if made.lost:
        problems.append(Problem(f"{made.lost:,} spans cannot be read; they are left out."))
    header = header_of(folder.name, said, segments, made)
    header |= {"kind": made.root["kind"], "name": name}
    spans = (compact(record, str) for record in made.records)
    file = run_file(compact(header, str), spans, _values(segments, values), named_by_digest=False)
    return file, tuple(problems)


def _values(segments: Sequence[Segment], values: Values) -> Iterator[tuple[str, bytes]]:
    """Yield each value once, after those that it refers to."""
    seen = set(values.left_out)
    for segment in segments:
        store = segment.run.values
        for digest in store.digests():
            if digest not in seen:
                seen.add(digest)
                yield digest, bytes(store.raw(digest))
    for digest, text in values.made.items():
        if digest not in seen:
            yield digest, text


def _segments(folder: Path) -> tuple[list[Segment], list[Problem]]:
    try:
        files = segments_in(folder)
    except OSError as error:
        raise RunFileError(
            f"Cannot look into {shown_name(folder)}: {error.strerror}.", hint=_HINT
        ) from error
    problems: list[Problem] = []
    opened: list[tuple[Path, int, PipelineRun]] = []
    for file in files:
        try:
            opened.append((file.path, file.attempt, _opened(file.path)))
        except RunFileError as error:
            problems.append(
                Problem(f"Attempt {file.attempt} cannot be read: {error}", where=file.path.name)
            )
    if not opened:
        raise RunFileError(
            f"There is no recorded attempt in {in_a_sentence(folder.name)} that can be read.",
            hint=problems[0].message if problems else _HINT,
        )
    segments: list[Segment] = []
    zero = _clock(opened[0][2])
    for at, (path, attempt, run) in enumerate(opened):
        problems += [Problem(each.message, where=path.name) for each in run.problems]
        is_last = at == len(opened) - 1
        facts = _facts(run)
        shift = _clock(run) - zero
        if segments and shift < segments[-1].shift_ns:
            problems.append(Problem(f"The clock of attempt {attempt} is behind that before it."))
            shift = segments[-1].shift_ns + segments[-1].last_ns
        after = None if is_last else _facts(opened[at + 1][2])
        ended = _ended(run, facts, after)
        segments.append(Segment(path, attempt, run, facts, ended, shift, _last_ns(run)))
    return segments, problems


def _opened(path: Path) -> PipelineRun:
    try:
        return load_run(path, use_cache=False)
    except RunFileError:
        # It may have ended while we looked: the file then has the place of the journal.
        finished = path.with_name(path.name.removesuffix("l"))
        if finished == path or not finished.exists():
            raise
        return load_run(finished, use_cache=False)


def _facts(run: PipelineRun) -> Mapping[str, Any]:
    facts = run.extensions.get(EXTENSION)
    return facts if isinstance(facts, dict) else {}


def _ended(
    run: PipelineRun, facts: Mapping[str, Any], after: Mapping[str, Any] | None
) -> str:  # fmt: skip
    """Say how an attempt ended. What says nothing was killed, if it is known not to go on.

    Args:
        run: Its segment.
        facts: What it says of itself.
        after: What the next attempt says of itself; None where there is none.

    """
    if (said := facts.get("ended")) in _ENDINGS:
        return str(said)
    if facts.get("ending") == "waiting" and (after is None or after.get("resumed")):
        # It was told to wait, and ended by somebody before it heard that it does.
        return "running" if run.status is RunStatus.RUNNING else "waiting"
    if after is not None:
        return "killed" if run.status is not RunStatus.RUNNING else "lease lost"
    if run.status is RunStatus.RUNNING:
        return "running"
    worker = facts.get("worker")
    host = worker.get("host") if isinstance(worker, dict) else None
    # Locks of another machine are not always seen here.
    return "killed" if host == socket.gethostname() else "silent"


def _last_ns(run: PipelineRun) -> int:
    """Return the last that is heard of a segment, on its own clock."""
    last = max(run.table.end_of_run(), run.duration_ns or 0)
    for root in run.roots[:1]:
        own = root.extensions.get(EXTENSION)
        alive = own.get(ALIVE) if isinstance(own, dict) else None
        if type(alive) is int and 0 < alive < _LATEST_NS:
            last = max(last, alive)
    for row, end in enumerate(run.table.end_ns):
        if end == NO_END and (chunks := run.spans[row].chunks):
            last = max(last, chunks[-1].at_ns)
    return last


def _clock(run: PipelineRun) -> int:
    """Return when a segment began, in nanoseconds since 1970; 0 where it does not say."""
    try:
        moment = datetime.fromisoformat(run.started_at or "")
        since = moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return 0
    return (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1_000
