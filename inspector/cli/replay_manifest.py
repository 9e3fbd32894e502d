"""Saying what a replay would do before it does any of it, from the file alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE
from inspector.cli.output import note, note_problems, opened, to_json, write_json, write_line
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import Namespace

    from inspector.replay.live_price import LivePrice
    from inspector.runfile.model import PipelineRun


def show_manifest(args: Namespace) -> int:
    """Print what a replay would do. Nothing is imported, started or asked for it.

    Raises:
        InspectorError: The file or the span makes no sense.

    """
    from inspector.presentation.replay_manifest import manifest_lines
    from inspector.replay.manifest import manifest_of
    from inspector.replay.manifest_parts import Fate

    run = opened(args.file)
    manifest = manifest_of(run, live_from=args.live_from or "")
    price = _price(run, args.live_from) if args.live_from else None
    plan = _plan(run) if args.stub else []
    if args.json:
        told = {"recording": args.file, "run": run.id, **manifest.to_dict()}
        if price is not None:
            told["estimated_price"] = {
                "calls": price.calls, "unpriced": price.unpriced, "currency": price.currency,
                "amount": None if price.amount is None else f"{price.amount:f}",
                "prices": price.source, "prices_of": price.date or None,
            }  # fmt: skip
        if args.stub:
            told["stub"] = plan
        write_json([to_json(told, indent=2)])
        return FINE
    ticked = {part.word for part in manifest.parts if part.fate is Fate.ANSWERED}
    for line in manifest_lines(manifest, ticked=ticked, price=price):
        write_line(line)
    if plan:
        write_line()
        write_line("With --stub, this is built:")
        for line in plan:
            write_line(f"  {line}")
    note_problems(run)
    return FINE


def _plan(run: PipelineRun) -> list[str]:
    from inspector.presentation.visible import one_line
    from inspector.replay.stub_plan import plan_stub

    return [one_line(line) for line in plan_stub(run).lines()]


def _price(run: PipelineRun, path: str) -> LivePrice:
    from inspector.replay.live_price import price_from

    return price_from(run, path)


def say_price(args: Namespace, run: PipelineRun) -> None:
    """Say what running live from a call on is estimated to cost, and go on where that is allowed.

    Raises:
        InspectorError: Nobody allowed it yet, or there is no such call.

    """
    from inspector.presentation.replay_manifest import price_words_of

    words = price_words_of(_price(run, args.live_from))
    if not args.allow_live:
        raise InspectorError(
            f"Running live from {args.live_from} on may cost money. Estimated: {words}",
            hint="Say --allow-live to do it, and --live-budget for a limit.",
        )
    note(f"run-inspector: Running live from {args.live_from} on. Estimated: {words}")
