"""Print all that a server tells of one durable execution. 1: it failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.hayhooks_asking import (
    add_execution_choice,
    add_server_choice,
    asking,
    execution_meant,
)
from inspector.cli.hayhooks_telling import event_tree, execution_tree, tell_execution
from inspector.cli.output import note, to_json, write_json

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    add_execution_choice(parser)
    add_server_choice(parser)
    parser.add_argument("--json", action="store_true", help="for programs, with what was witnessed")


def run(args: Namespace) -> int:
    """Print an execution. 1: it failed.

    Raises:
        InspectorError: It cannot be had.

    """
    from dataclasses import replace

    from inspector.hayhooks.client.model import ExecutionStatus

    with asking(args) as at:
        known = execution_meant(at, args.execution, args.deployment)
        execution = at.client.inspect(known.deployment, known.id)
        row = replace(execution.row, kind=known.kind, revision=known.revision)
        execution = replace(execution, row=row)
        at.index.note_rows(at.server, [row])
        witnessed = at.index.witnessed(at.server, known.id)
    if args.json:
        seen = [event_tree(event) for event in witnessed]
        write_json([to_json({**execution_tree(execution), "witnessed": seen})])
    else:
        tell_execution(execution)
        chunks = sum(event.kind == "chunk" for event in witnessed)
        if chunks:
            note(f"note: {chunks:,} chunks of it were seen here; see --json.")
    return FOUND if execution.row.status is ExecutionStatus.FAILED else FINE
