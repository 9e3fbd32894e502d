"""Estimate what a run cost, by list prices, and show how that was worked out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE
from inspector.cli.output import (
    add_run_choice,
    note,
    note_problems,
    opened,
    to_json,
    write_json,
    write_line,
)
from inspector.presentation.cost_table import GROUPINGS, CostRowKind, cost_table

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence

    from inspector.presentation.cost_table import CostRow, CostTable
    from inspector.runfile.estimate import CallCost, CostEstimate

_INDENT = "  "


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", help="a run file; - is standard input")
    add_run_choice(parser)
    parser.add_argument("--prices", metavar="FILE", help="a price list of your own (TOML or JSON)")
    parser.add_argument(
        "--as-of",
        metavar="WHEN",
        default="run",
        help="whose day's prices: run (the default), today, or a date such as 2026-11-01",
    )
    parser.add_argument(
        "--by", choices=GROUPINGS, default="component", help="what to add up (default: component)"
    )
    parser.add_argument(
        "--explain", action="store_true", help="unfold every amount to its multiplications"
    )
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Print the estimate. What the file says of its cost is not asked: this is made anew.

    Raises:
        InspectorError: The file, the price list or the day makes no sense.

    """
    from inspector.cost import estimate

    loaded = opened(args.file, args.number)
    made = estimate(loaded, args.prices, as_of=args.as_of)
    if args.json:
        write_json([to_json(_tree(made))])
        return FINE
    table = cost_table(made, args.by)
    if not table.rows:
        write_line("No call of a model was recorded in this run.")
    else:
        for line in _lines(table, explain=args.explain):
            write_line(line)
    write_line(table.provenance)
    if table.gaps:
        note(table.gaps)
    note_problems(loaded)
    return FINE


def _tree(made: CostEstimate) -> dict[str, object]:
    """Return what a file holds, and each call with its multiplications beside it."""
    return {
        "estimate": True,
        **made.to_dict(),
        "by_call": [_call_tree(each) for each in made.calls],
    }


def _call_tree(call: CallCost) -> dict[str, object]:
    told = {
        "span": call.span_id, "path": call.path, "llm": call.llm, "component": call.component,
        "step": call.step, "tool": call.tool, "standing": str(call.standing),
        "amount": None if call.amount is None else f"{call.amount:f}",
        "multiplications": [
            {"what": each.what, "count": each.count, "price": f"{each.price:f}", "per": each.per,
             "amount": f"{each.amount:f}"}
            for each in call.lines
        ],
    }  # fmt: skip
    more = {"tier": call.tier, "matched": call.matched, "why": call.why}
    return {**told, **{key: word for key, word in more.items() if word}}


def _lines(table: CostTable, *, explain: bool) -> Iterator[str]:
    rows = list(_cells(table.rows, 0, explain=explain))
    rows.append(("estimated total", table.calls, table.total, ""))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for label, calls, cost, note_ in rows:
        line = f"{label:{widths[0]}}  {calls:>{widths[1]}}  {cost:>{widths[2]}}"
        yield f"{line}  {note_}".rstrip()


def _cells(
    rows: Sequence[CostRow], depth: int, *, explain: bool
) -> Iterator[tuple[str, str, str, str]]:
    for row in rows:
        beside = row.share_words if row.kind is CostRowKind.GROUP else ""
        told = "  ".join(filter(None, (beside, row.note if explain or not row.share else "")))
        yield f"{_INDENT * depth}{row.label}", row.calls, row.cost, told
        if explain:
            yield from _cells(row.children, depth + 1, explain=True)
