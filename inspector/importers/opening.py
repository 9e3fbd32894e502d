"""Opening whatever holds runs: a run file of ours, or what another program wrote."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from inspector.errors import InspectorError, RunFileError
from inspector.runfile.bounds import BLOCK, DEFAULT_LIMITS, Limits
from inspector.runfile.intake import Intake, take_in
from inspector.runfile.load import is_run, read_taken
from inspector.runfile.naming import in_a_sentence
from inspector.runfile.reading import without_collection
from inspector.runfile.sniff import refuse_others, refuse_what_is_no_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.importers.head import Head
    from inspector.importers.imported import Context
    from inspector.importers.plugins import Plugin
    from inspector.importers.registry import Importer
    from inspector.runfile.model import PipelineRun

# Attempts of a durable execution, each in a file. What makes one run of them is above this room
# of the house, so it is named here and imported when there is something for it.
_SEGMENTS = "inspector.hayhooks.recorder.stitch"
_MANIFEST = "execution.json"

_ZIP = b"PK\x03\x04"
_NAMED = 8


class Opened(NamedTuple):
    """Runs of a file, and how many there are in all."""

    runs: list[PipelineRun]
    total: int


def load_run(
    source: str | Path | bytes | BinaryIO,
    *,
    number: int = 1,
    use_cache: bool = True,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> PipelineRun:
    """Open a run: a run file, or any file of another program that we know.

    Nothing in it is imported, run or fetched. Of a file that holds several runs this is the
    first, unless `number` says otherwise; `load_runs` opens all.

    Args:
        source: A path, the bytes themselves, or an open binary file such as a pipe.
        number: Which run of the file, from 1.
        use_cache: Whether an index of a large file may be kept for the next time.
        progress: Called now and then with how much was read, from 0 to 1.
        cancelled: Asked now and then whether to stop.
        limits: Where to stop reading what would fill memory or disk.

    Raises:
        RunFileError: It cannot be read, or holds no run.

    """
    opened = open_runs(
        source, only=number, use_cache=use_cache, progress=progress, cancelled=cancelled,
        limits=limits,
    )  # fmt: skip
    return opened.runs[0]


def load_runs(
    source: str | Path | bytes | BinaryIO,
    *,
    use_cache: bool = True,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> list[PipelineRun]:
    """Open all runs of a file, in their order there: one, or more of some foreign formats.

    Of logs with thousands of runs these are the first; `load_run` opens any by its number.

    Raises:
        RunFileError: It cannot be read, or holds no run.

    """
    return open_runs(
        source, use_cache=use_cache, progress=progress, cancelled=cancelled, limits=limits
    ).runs


def open_runs(
    source: str | Path | bytes | BinaryIO,
    *,
    only: int | None = None,
    most: int = 1_000,
    use_cache: bool = True,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Opened:
    """Open one run of a file, or all up to a number; see `load_run` and `load_runs`.

    Raises:
        RunFileError: It cannot be read, or holds no such run.

    """
    if isinstance(source, (str, Path)) and (runs := _of_segments(Path(source))) is not None:
        return _chosen(runs, len(runs), only)
    intake = take_in(source, limits, cancelled=cancelled, refuse=_refuse)
    if intake.source.size > len(_ZIP) and intake.source.read_at(0, len(_ZIP)) == _ZIP:
        _take_out(intake, limits)
    if is_run(intake):
        run = read_taken(
            intake, limits, use_cache=use_cache, progress=progress, cancelled=cancelled
        )
        return _chosen([run], 1, only)
    from inspector.importers.head import BYTES, Head
    from inspector.importers.imported import Context

    head = Head(intake.source.read_at(0, min(BYTES, intake.source.size)), intake.source.size)
    importer = _importer_for(head, intake)
    if importer is None:
        refuse_others(head.data, intake.source.size, intake.name)
    if importer is None or (importer.name == "json" and _calls_itself_a_run(intake)):
        run = read_taken(
            intake, limits, use_cache=use_cache, progress=progress, cancelled=cancelled
        )
        return _chosen([run], 1, only)
    context = Context(
        intake, importer.name, importer.words, progress, cancelled, only=only, most=most
    )
    with without_collection():
        runs = _imported(importer, context)
    if context.total is not None:
        return _chosen(runs, context.total, None if runs else only)
    return _chosen(runs, len(runs), only)


def _chosen(runs: list[PipelineRun], total: int, only: int | None) -> Opened:
    """Return the one of the runs that was asked for, or all.

    Raises:
        RunFileError: There is none with that number.

    """
    if only is None:
        return Opened(runs, total)
    if not 1 <= only <= len(runs):
        several = f"{total:,} runs" if total != 1 else "one run"
        raise RunFileError(
            f"There is no run {only:,}: the file holds {several}.", hint="Runs are counted from 1."
        )
    return Opened([runs[only - 1]], total)


def _refuse(head: bytes, size: int, name: str) -> None:
    """Say what a file is that no run can be read from; an archive may be a log."""
    if not head.startswith(_ZIP):
        refuse_what_is_no_text(head, size, name)


def _take_out(intake: Intake, limits: Limits) -> None:
    """Go on with the file in an archive, as people attach one to an issue; a log is one itself.

    Raises:
        RunFileError: It holds several files, or one that cannot be read.

    """
    from inspector.importers.archive import Archive, MemberError
    from inspector.importers.inspect_log import is_archive_of_log

    archive = Archive(intake.source, intake.name)
    names = [name for name in archive.members if not _is_left_by_a_system(name)]
    if not names or is_archive_of_log(names):
        return  # which is said like of any file that nothing can be read from
    if len(names) > 1:
        listed = ", ".join(sorted(names)[:_NAMED]) + (" …" if len(names) > _NAMED else "")
        raise RunFileError(
            f"{intake.name} is a ZIP archive of {len(names):,} files.",
            hint=f"Unpack it, and open those that hold runs: {listed}",
        )
    try:
        data = archive.read(names[0])
    except MemberError as error:
        raise RunFileError(
            f"{names[0]} in {in_a_sentence(intake.name)} cannot be read: {error}.",
            hint="Unpack it by another program, or download it again.",
        ) from error
    inside = f"{names[0]} in {in_a_sentence(intake.name)}"
    inner = take_in(data, limits, refuse=lambda head, size, _: _refuse(head, size, inside))
    intake.source, intake.whole = inner.source, inner.whole
    intake.problems.take(inner.problems)


def _is_left_by_a_system(name: str) -> bool:
    return name.startswith("__MACOSX/") or name.rsplit("/", 1)[-1] in {".DS_Store", "Thumbs.db"}


def _of_segments(path: Path) -> list[PipelineRun] | None:
    try:
        if path.name != _MANIFEST and not path.is_dir():
            return None
    except (OSError, ValueError):
        return None  # whoever opens it says why
    runs: list[PipelineRun] | None = import_module(_SEGMENTS).runs_at(path)
    return runs


def _importer_for(head: Head, intake: Intake) -> Importer | Plugin | None:
    from inspector.importers.plugins import plugins
    from inspector.importers.registry import best_for

    ours = best_for(head)
    theirs, troubles = plugins()
    for trouble in troubles:
        intake.problems.add(trouble)
    scored = [(each.detect(head), each) for each in theirs]
    for _, each in scored:
        if each.trouble:
            intake.problems.add(each.trouble)
    best = max(scored, key=lambda pair: pair[0], default=None)
    if best is not None and best[0] > (ours.detect(head) if ours is not None else 0):
        return best[1]
    return ours


def _calls_itself_a_run(intake: Intake) -> bool:
    word = b'"haystack-run"'
    size = intake.source.size
    tail = max(0, size - BLOCK)
    return word in intake.source.read_at(0, min(BLOCK, size)) or word in intake.source.read_at(
        tail, size - tail
    )


def _imported(importer: Importer | Plugin, context: Context) -> list[PipelineRun]:
    try:
        found = list(importer.read(context))
    except InspectorError:
        raise
    except Exception as error:
        from inspector.importers.plugins import Plugin

        if not isinstance(importer, Plugin):
            raise
        raise RunFileError(
            f"{context.name} cannot be opened: the importer {importer.entry} failed "
            f"({type(error).__name__}: {error}).",
            hint="It is of another package: report it there.",
        ) from error
    if not found and context.only is not None and context.total:
        if not 1 <= context.only <= context.total:
            return []
        raise RunFileError(
            f"Run {context.only:,} of {context.name} cannot be read.",
            hint="; ".join(
                f"{each['what']}: {each.get('why', '')}" for each in context.losses.skipped
            ),
        )
    if not found:
        raise RunFileError(
            f"{context.name} is {context.words} without a single span.",
            hint="It may have been written before anything ran, or its spans were filtered out.",
        )
    if context.total is not None and context.only is None and context.total > context.most:
        context.losses.problem(
            f"The file holds {context.total:,} runs; these are the first {context.most:,}.",
            hint="Open any other by its number.",
        )
    context.losses.tell()
    runs = []
    for number, each in enumerate(found, 1):
        # Whatever was said of the file while its later parts were read holds for all its runs.
        each.builder.take_problems(context.intake.problems)
        note = each.header["extensions"]["import"]
        if of_all := context.losses.skipped:
            counted = {what["what"] for what in of_all}
            own = [what for what in note.get("skipped", []) if what["what"] not in counted]
            note["skipped"] = [*own, *of_all]
        total = context.total or len(found)
        if total > 1:
            note["run"], note["runs"] = context.only or number, total
        runs.append(each.run())
    context.check(1.0)
    return runs
