"""Run a pipeline again with the recorded answers, and say what is different now.

Nothing is called that a recording answers: no model, no tool, no network. The pipeline is
yours and runs as code of yours; the run file supplies data only.
"""

from __future__ import annotations

import asyncio
import traceback
from decimal import Decimal, InvalidOperation
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.output import (
    STDIN,
    kept_for_data,
    note,
    note_problems,
    opened,
    place_to_write,
    to_json,
    write,
    write_json,
)
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.replay.api import Replayer
    from inspector.runfile.drift import DriftReport
    from inspector.runfile.model import PipelineRun

_MODES = ("strict", "drift-ok", "record-new")


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", help="a run file; - is standard input")
    parser.add_argument(
        "--pipeline",
        metavar="TARGET",
        help="package.module:attribute (or a function that returns it), or a pipeline YAML",
    )
    parser.add_argument(
        "--stub",
        action="store_true",
        help="for a run of a stranger: replay it on stubs that are listed first, in a process"
        " that reaches nothing; no --pipeline is needed",
    )
    parser.add_argument(
        "--make",
        action="append",
        metavar="CLASS",
        help="with --stub: also make components of this class, in that process; once for each"
        " class, and for what its parameters name",
    )
    parser.add_argument(
        "--manifest",
        action="store_true",
        help="say what would be answered, run again, run live and contact whom; nothing is done",
    )
    parser.add_argument(
        "--live-from",
        metavar="SPAN",
        help="answer what is before this call (a path or an id), and run it and what follows live;"
        " says the estimated price first, and needs --allow-live",
    )
    parser.add_argument(
        "--mode",
        choices=_MODES,
        default=_MODES[0],
        help="strict stops at the first difference; drift-ok lists them all, and runs live what"
        " drifted where --allow-live says so; record-new also adds what is new to FILE",
    )
    parser.add_argument("--data", metavar="FILE", help="other inputs, as JSON; - is standard input")
    parser.add_argument(
        "--allow-live",
        action="store_true",
        help="let calls that drifted run live; they may cost money",
    )
    parser.add_argument("--live-budget", type=_count, metavar="N", help="at most so many of them")
    parser.add_argument(
        "--live-budget-usd", type=_money, metavar="X", help="at most for so much, in US dollars"
    )
    parser.add_argument(
        "--verify-retrieval",
        action="store_true",
        help="run retrievers of remote stores live, and compare what they find",
    )
    parser.add_argument(
        "--require-verified",
        action="store_true",
        help="exit with 1 when documents were served that no store was asked for",
    )
    parser.add_argument(
        "--async", action="store_true", dest="asynchronous", help="call run_async, not run"
    )
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("-o", "--output", metavar="FILE", help="keep the replay as a run file")


def run(args: Namespace) -> int:
    """Replay one run. 1: something differs. 2: it could not be replayed."""
    if args.manifest:
        from inspector.cli.replay_manifest import show_manifest

        return show_manifest(args)
    if args.make and not args.stub:
        raise InspectorError("--make is for the stubs of a stranger's run.", hint="Add --stub.")
    if args.stub:
        return _run_stub(args)
    if not args.pipeline:
        raise InspectorError(
            "A replay needs the pipeline that was recorded.",
            hint="Name it with --pipeline package.module:attribute; --stub does without.",
        )
    need_haystack()
    from inspector.cli.target import fitted, found_target, read_data

    _check(args)
    recorded = opened(args.file)
    note_problems(recorded)
    if args.live_from:
        from inspector.cli.replay_manifest import say_price

        say_price(args, recorded)
        if args.mode == _MODES[0]:
            args.mode = _MODES[1]  # everything is another call from there on
    data = read_data(args.data)
    with kept_for_data():
        target = found_target(args.pipeline)
        data = None if data is None else fitted(target, data)
        replayer = _replayer(args, target, recorded)
        error = _play(replayer, data, asynchronous=args.asynchronous)
    return _tell(args, recorded, replayer, error)


def need_haystack() -> None:
    """Say in words that there is no Haystack, where there is none."""
    if find_spec("haystack") is None:
        raise InspectorError(
            "Replaying needs Haystack, which is not installed here.", hint="pip install haystack-ai"
        )


def _run_stub(args: Namespace) -> int:
    need_haystack()
    _check(args)
    from inspector.cli.replay_stub import run_stub

    return run_stub(args)


def _check(args: Namespace) -> None:
    if args.file == STDIN and args.mode == "record-new":
        raise InspectorError(
            "What comes from standard input cannot be extended.", hint="Name the file."
        )
    if args.file == STDIN and args.data == STDIN:
        raise InspectorError("Standard input cannot be both the run and its data.")
    if args.mode != "record-new" and not args.allow_live and _budgeted(args):
        raise InspectorError("A budget for live calls needs --allow-live.")
    if args.output:
        place_to_write(Path(args.output))


def _budgeted(args: Namespace) -> bool:
    return args.live_budget is not None or args.live_budget_usd is not None


def _replayer(args: Namespace, target: Any, recorded: PipelineRun) -> Replayer:
    from inspector.replay.api import Replayer

    return Replayer(
        target,
        # What is extended has to be a file; everything else was read already.
        Path(args.file) if args.mode == "record-new" else recorded,
        mode=args.mode.replace("-", "_"),
        allow_live=args.allow_live,
        live_budget=args.live_budget,
        live_budget_usd=args.live_budget_usd,
        verify_retrieval=args.verify_retrieval,
        live_from=args.live_from or "",
    )


def _play(replayer: Replayer, data: Any, *, asynchronous: bool) -> BaseException | None:
    """Replay, and return what the pipeline raised."""
    try:
        if asynchronous:
            asyncio.run(replayer.play_async(data))
        else:
            replayer.play(data)
    except (InspectorError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - it is told, or was recorded
        return error
    return None


def _tell(
    args: Namespace, recorded: PipelineRun, replayer: Replayer, error: BaseException | None
) -> int:
    from inspector.replay.failure import ReplayDriftError

    report = replayer.report
    if args.output:
        replayer.run.save(args.output)
    as_recorded = _ended_as_recorded(recorded, replayer, error)
    code = _code(args, report, as_recorded=as_recorded)
    if args.json:
        _write_json(args, recorded, report, error, as_recorded=as_recorded)
    else:
        drifted = error if isinstance(error, ReplayDriftError) else None
        ending = "" if as_recorded else _ending(error)
        _write_text(args, report, drifted, ending=ending)
    if error is not None and not as_recorded and not isinstance(error, ReplayDriftError):
        traceback.print_exception(error)
        note("run-inspector: The replay failed, and not as it was recorded.")
    elif error is None and not as_recorded:
        note("run-inspector: The recorded run failed, and the replay did not.")
    elif isinstance(error, ReplayDriftError) and error.hint:
        note(f"hint: {_as_options(error.hint)}")
    if report.not_verified:
        note(
            f"warning: retrieval not verified ({len(set(report.not_verified))})",
            "" if args.require_verified else "--require-verified makes this exit code 1.",
        )
    return code


def _code(args: Namespace, report: DriftReport, *, as_recorded: bool) -> int:
    if not as_recorded or not report.same:
        return FOUND
    return FOUND if args.require_verified and report.not_verified else FINE


def _ended_as_recorded(
    recorded: PipelineRun, replayer: Replayer, error: BaseException | None
) -> bool:
    """Say whether the replay ended the way the recording did: with the same error, or none."""
    if error is None:
        return recorded.error is None
    now = replayer.run.error
    then = recorded.error
    if now is None or then is None:
        return False
    return (now.type, now.message) == (then.type, then.message)


def _write_json(
    args: Namespace, recorded: PipelineRun, report: DriftReport, error: BaseException | None,
    *, as_recorded: bool,
) -> None:  # fmt: skip
    told: dict[str, Any] = {"recording": args.file, "run": recorded.id, "mode": args.mode}
    told["ended_as_recorded"] = as_recorded
    if error is not None:
        told["error"] = {"type": type(error).__qualname__, "message": str(error)}
    write_json([to_json({**told, **report.to_dict()}, indent=2)])


def _ending(error: BaseException | None) -> str:
    """Say of a replay without a drift how else it was not the recording."""
    if error is None:
        return "no drift, but the recorded run failed and this one did not"
    return f"no drift, but it raised {type(error).__name__}, which was not recorded"


def _as_options(hint: str) -> str:
    """Say with the options of the command what a hint says with those of the function."""
    for name in ("allow_live", "live_budget_usd", "live_budget", "verify_retrieval"):
        hint = hint.replace(f"{name}=True", name).replace(name, f"--{name.replace('_', '-')}")
    return hint


def _write_text(
    args: Namespace, report: DriftReport, error: BaseException | None, *, ending: str
) -> None:
    from inspector.presentation.drift_report import drift_report

    name = "standard input" if args.file == STDIN else Path(args.file).name
    write(drift_report(report, name=name, error=error, ending=ending))


def _count(words: str) -> int:
    from argparse import ArgumentTypeError

    try:
        count = int(words)
    except ValueError:
        count = -1
    if count < 0:
        raise ArgumentTypeError(f"{words!r} is no number of calls")
    return count


def _money(words: str) -> Decimal:
    from argparse import ArgumentTypeError

    try:
        amount = Decimal(words)
    except InvalidOperation:
        amount = Decimal(-1)
    if not amount.is_finite() or amount < 0:
        raise ArgumentTypeError(f"{words!r} is no amount of money")
    return amount
