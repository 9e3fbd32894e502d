"""Opening whatever holds runs: a run file of ours, or what another program wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from inspector.errors import InspectorError, RunFileError
from inspector.importers.head import BYTES, Head
from inspector.importers.imported import Context
from inspector.runfile.bounds import DEFAULT_LIMITS, Limits
from inspector.runfile.intake import Intake, take_in
from inspector.runfile.load import is_run, read_taken
from inspector.runfile.reading import without_collection
from inspector.runfile.sniff import refuse_others, refuse_what_is_no_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inspector.importers.plugins import Plugin
    from inspector.importers.registry import Importer
    from inspector.runfile.model import PipelineRun


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
    runs = load_runs(
        source, use_cache=use_cache, progress=progress, cancelled=cancelled, limits=limits
    )
    if not 1 <= number <= len(runs):
        several = f"{len(runs):,} runs" if len(runs) != 1 else "one run"
        raise RunFileError(
            f"There is no run {number:,}: the file holds {several}.", hint="Count from 1."
        )
    return runs[number - 1]


def load_runs(
    source: str | Path | bytes | BinaryIO,
    *,
    use_cache: bool = True,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> list[PipelineRun]:
    """Open all runs of a file, in their order there: one, or more of some foreign formats.

    Raises:
        RunFileError: It cannot be read, or holds no run.

    """
    intake = take_in(source, limits, cancelled=cancelled, refuse=refuse_what_is_no_text)
    if is_run(intake):
        return [
            read_taken(intake, limits, use_cache=use_cache, progress=progress, cancelled=cancelled)
        ]
    head = Head(intake.source.read_at(0, min(BYTES, intake.source.size)), intake.source.size)
    importer = _importer_for(head, intake)
    if importer is None:
        refuse_others(head.data, intake.source.size, intake.name)
    if importer is None or (importer.name == "json" and _calls_itself_a_run(intake)):
        return [
            read_taken(intake, limits, use_cache=use_cache, progress=progress, cancelled=cancelled)
        ]
    context = Context(intake, importer.name, importer.words, progress, cancelled)
    with without_collection():
        return _imported(importer, context)


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
    tail = max(0, size - BYTES)
    return word in intake.source.read_at(0, min(BYTES, size)) or word in intake.source.read_at(
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
    if not found:
        raise RunFileError(
            f"{context.name} is {context.words} without a single span.",
            hint="It may have been written before anything ran, or its spans were filtered out.",
        )
    context.losses.tell()
    runs = []
    for number, each in enumerate(found, 1):
        # Whatever was said of the file while its later parts were read holds for all its runs.
        each.builder.take_problems(context.intake.problems)
        note = each.header["extensions"]["import"]
        if context.losses.skipped:
            note["skipped"] = context.losses.skipped
        if len(found) > 1:
            note["run"], note["runs"] = number, len(found)
        runs.append(each.run())
    context.check(1.0)
    return runs
