"""Run a pipeline or an agent once, and keep everything that it did in a run file."""

from __future__ import annotations

import asyncio
import traceback
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.output import (
    kept_for_data,
    note,
    place_to_write,
    to_json,
    write_json,
    write_line,
)
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.recording.recorder import PipelineRecorder
    from inspector.runfile.model import PipelineRun

_COMPRESSED = {".gz": "gz", ".zst": "zst"}


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument(
        "target",
        help="package.module:attribute (or a function that returns it), or a pipeline YAML",
    )
    parser.add_argument("--data", metavar="FILE", help="its inputs as JSON; - is standard input")
    parser.add_argument(
        "-o", "--output", default="run.json", metavar="FILE", help="default: run.json"
    )
    parser.add_argument(
        "--async", action="store_true", dest="asynchronous", help="call run_async, not run"
    )
    parser.add_argument("--json", action="store_true", help="say what was recorded as JSON")


def run(args: Namespace) -> int:
    """Record one run. 1: it failed, and what happened until then is in the file."""
    if find_spec("haystack") is None:
        raise InspectorError(
            "Recording needs Haystack, which is not installed here.", hint="pip install haystack-ai"
        )
    from inspector.cli.target import fitted, found_target, read_data

    output = Path(args.output)
    place = place_to_write(output)
    data = read_data(args.data)
    with kept_for_data():
        target = found_target(args.target)
        data = fitted(target, data)
        recorder = _recorder(place.parent, output.suffix)
        error = _run_recorded(target, data, recorder, asynchronous=args.asynchronous)
    _take_back_note(error, recorder)
    recorded = _kept(recorder, output, place)
    if isinstance(error, KeyboardInterrupt):
        note(f"What happened until then is in {output}.")
        raise error
    if error is not None:
        # The pipeline's own words come first; ours only say where the rest is.
        traceback.print_exception(error)
        note(f"run-inspector: The run failed. What happened until then is in {output}.")
    if args.json:
        write_json([to_json(_summary(recorded, output))])
    else:
        write_line(str(output))
        if error is None:
            note(_ending(recorded))
    return FINE if error is None else FOUND


def _recorder(directory: Path, suffix: str) -> PipelineRecorder:
    from inspector.recording.recorder import PipelineRecorder

    # Beside the output: what a killed process leaves is then found there, too.
    return PipelineRecorder(directory, compress=_COMPRESSED.get(suffix))


def _run_recorded(
    target: Any, data: Any, recorder: PipelineRecorder, *, asynchronous: bool
) -> BaseException | None:
    from inspector.recording.api import record_run, record_run_async

    try:
        if asynchronous:
            asyncio.run(record_run_async(target, data, recorder=recorder))
        else:
            record_run(target, data, recorder=recorder)
    except InspectorError:
        raise
    except BaseException as error:  # noqa: BLE001 - it is shown
        return error
    return None


def _take_back_note(error: BaseException | None, recorder: PipelineRecorder) -> None:
    """Take the note off the error that names the file as it is before it gets its own name."""
    notes: list[str] = getattr(error, "__notes__", [])
    paths = [str(path) for path in recorder.paths]
    notes[:] = [each for each in notes if not any(path in each for path in paths)]


def _kept(recorder: PipelineRecorder, output: Path, place: Path) -> PipelineRun:
    """Give the recorded file its name, and open it."""
    from inspector.runfile.load import load_run

    paths = recorder.paths
    if not paths:
        raise InspectorError("The run was not recorded.", hint="See the messages above.")
    *others, last = paths
    for other in others:
        with suppress(OSError):
            other.unlink()
    try:
        last.replace(place)
    except OSError as error:
        raise InspectorError(
            f"Cannot write {output}: {error.strerror}.", hint=f"The run is in {last}."
        ) from error
    return load_run(output)


def _summary(recorded: PipelineRun, output: Path) -> dict[str, Any]:
    return {
        "path": str(output),
        "id": recorded.id,
        "name": recorded.name,
        "status": str(recorded.status),
        "duration_ns": recorded.duration_ns,
        "spans": len(recorded.spans),
        "usage": recorded.usage,
    }


def _ending(recorded: PipelineRun) -> str:
    from inspector.presentation.verdict import verdict
    from inspector.presentation.words import plural

    said = verdict(recorded)
    return f"{said.name}: {said.ending}, {plural(len(recorded.spans), 'span')}"
