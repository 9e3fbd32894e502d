"""Replaying a stranger's run: on stubs, in a process that can reach nothing."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.output import (
    STDIN,
    note,
    note_problems,
    opened,
    to_json,
    write,
    write_json,
)
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import Namespace

    from inspector.replay.stub_plan import StubPlan
    from inspector.runfile.model import PipelineRun

_OTHERS = {
    "pipeline": "--pipeline", "data": "--data", "allow_live": "--allow-live",
    "live_budget": "--live-budget", "live_budget_usd": "--live-budget-usd",
    "verify_retrieval": "--verify-retrieval", "live_from": "--live-from",
}  # fmt: skip


def run_stub(args: Namespace) -> int:
    """List what would be built, build it in a process of its own, and replay it there."""
    from inspector.replay.stub_plan import OFFERED, plan_stub

    given = [option for name, option in _OTHERS.items() if getattr(args, name, None)]
    if given or args.mode == "record-new":
        option = given[0] if given else "--mode record-new"
        raise InspectorError(
            f"--stub replays on stubs only, where {option} means nothing.",
            hint="Leave one of them out.",
        )
    recorded = opened(args.file)
    note_problems(recorded)
    classes = (*OFFERED, *args.make) if args.make else None
    plan = plan_stub(recorded, classes)
    note(f"run-inspector: To replay {recorded.name or 'this run'}, this is built:")
    for line in plan.lines():
        note(f"  {line}")
    with tempfile.TemporaryDirectory(prefix="inspector-") as folder:
        return _replay(args, recorded, plan, classes, Path(folder))


def _replay(
    args: Namespace, recorded: PipelineRun, plan: StubPlan, classes: tuple[str, ...] | None,
    folder: Path,
) -> int:  # fmt: skip
    from inspector.replay.host import Worker
    from inspector.replay.limits import Limits
    from inspector.replay.protocol import Job, Outcome

    source, output = folder / "recorded.run.json", folder / "replay.run.json"
    recorded.save(source)
    job = Job(
        target="", stub=True, run=str(source), output=str(output),
        mode=args.mode.replace("-", "_"), asynchronous=args.asynchronous, classes=classes,
    )  # fmt: skip
    with Worker(job, python=sys.executable, directory=folder, limits=Limits()) as worker:
        for _event in worker.events():
            pass
        finished = worker.finished or {}
        error = finished.get("error") or {}
        if finished.get("outcome") == Outcome.COULD_NOT:
            raise InspectorError(str(error.get("message")), hint=str(error.get("hint") or ""))
        replay = worker.run() if finished.get("run") else None
        if args.output and replay is not None:
            replay.save(args.output)
    _tell(args, recorded, finished)
    for name in () if replay is None else _not_made(plan, replay):
        note(f"note: {name} was answered after all: it cannot be made as the file describes it.")
    if finished["outcome"] == Outcome.FAILED:
        said = f": {error['message']}" if error else "."
        note(f"run-inspector: The replay did not end as it was recorded{said}")
    fine = finished["outcome"] == Outcome.SAME
    if args.require_verified and (finished.get("report") or {}).get("not_verified"):
        fine = False
    return FINE if fine else FOUND


def _not_made(plan: StubPlan, replay: PipelineRun) -> list[str]:
    """Return what was listed as real and did not run: nothing of it was checked."""
    real = {part.name for part in plan.parts if part.how in ("real", "ticked")}
    answered = {
        span.name
        for span in replay.spans
        if span.kind == "component" and "/" not in span.path
        and span.raw.get("source") == "recorded"
    }  # fmt: skip
    return sorted(real & answered)


def _tell(args: Namespace, recorded: PipelineRun, finished: dict[str, Any]) -> None:
    from inspector.presentation.drift_report import drift_report
    from inspector.replay.protocol import Outcome
    from inspector.runfile.drift import DriftReport

    report = DriftReport.from_dict(finished.get("report") or {})
    if args.json:
        told = {"recording": args.file, "run": recorded.id, "mode": args.mode, "stub": True}
        told |= {"outcome": str(finished["outcome"]), **report.to_dict()}
        write_json([to_json(told, indent=2)])
        return
    name = "standard input" if args.file == STDIN else Path(args.file).name
    ending = ""
    if finished["outcome"] == Outcome.FAILED:
        ending = "no drift, but it did not end as it was recorded"
    write(drift_report(report, name=name, ending=ending))
