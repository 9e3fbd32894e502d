"""Make one run of what the recorder kept of a durable execution, attempt by attempt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE
from inspector.cli.output import note, place_to_write, to_json, write_json, write_line
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.runfile.model import PipelineRun


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("folder", help="the folder of an execution, or one that holds such folders")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the run file; without it, executions are listed"
    )
    parser.add_argument("--execution", metavar="ID", help="which one, where a folder holds several")
    parser.add_argument(
        "--uninterrupted",
        action="store_true",
        help="leave out what a later attempt did anew, so that the run can be replayed",
    )
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Write the run file, or list what there is to make one of.

    Raises:
        InspectorError: There is nothing of the kind, or the file cannot be written.

    """
    from inspector.hayhooks.recorder.stitch import executions_in, folder_of, stitch_to
    from inspector.runfile.load import load_run

    given = Path(args.folder)
    if not given.exists():
        raise InspectorError(f"There is no folder {args.folder}.")
    folder = folder_of(given)
    if folder is None:
        found = executions_in(given) if given.is_dir() else []
        if args.execution:
            found = [each for each in found if each.id.startswith(args.execution)]
        if not found:
            raise InspectorError(
                f"There is no recorded execution{' of that id' if args.execution else ''} in "
                f"{args.folder}.",
                hint="It is where the recorder was told to write: @recorded(folder=...).",
            )
        if not args.output:
            return _listed(found, as_json=args.json)
        if len(found) > 1:
            raise InspectorError(
                f"{args.folder} holds {len(found):,} executions.",
                hint=f"Name one of them, such as --execution {found[0].id}.",
            )
        folder = found[0].folder
    if not args.output:
        raise InspectorError("Nobody says where the run goes.", hint="Name a file with -o.")
    target = place_to_write(Path(args.output))
    for problem in stitch_to(folder, target, uninterrupted=args.uninterrupted):
        note(f"note: {problem}", problem.hint)
    made = load_run(target)
    if args.json:
        write_json([to_json(_told(target, made))])
        return FINE
    attempts = _attempts(made)
    count = "1 attempt" if len(attempts) == 1 else f"{len(attempts):,} attempts"
    write_line(f"{target}: {made.name or 'run'}, {made.status}, {count}, {len(made.spans):,} spans")
    for each in attempts:
        write_line(f"  attempt {each.get('attempt')}: {each.get('ended')}{_where(each)}")
    return FINE


def _listed(found: list[Any], *, as_json: bool) -> int:
    if as_json:
        keys = ("id", "deployment", "attempts")
        write_json([to_json([{key: getattr(each, key) for key in keys} for each in found])])
        return FINE
    for each in found:
        count = "1 attempt" if each.attempts == 1 else f"{each.attempts:,} attempts"
        write_line(f"{each.id}  {each.deployment or '-'}  {count}")
    return FINE


def _attempts(made: PipelineRun) -> list[dict[str, Any]]:
    told = made.extensions.get("hayhooks")
    return list(told.get("attempts", [])) if isinstance(told, dict) else []


def _where(attempt: dict[str, Any]) -> str:
    worker = attempt.get("worker")
    if not isinstance(worker, dict):
        return ""
    return f", on {worker.get('host', '?')} (process {worker.get('pid', '?')})"


def _told(target: Path, made: PipelineRun) -> dict[str, Any]:
    told = made.extensions.get("hayhooks")
    known = told if isinstance(told, dict) else {}
    return {
        "file": str(target), "id": made.id, "name": made.name, "status": str(made.status),
        "spans": len(made.spans), "execution": known.get("execution"),
        "attempts": known.get("attempts", []), "repeats": known.get("repeats", []),
    }  # fmt: skip
