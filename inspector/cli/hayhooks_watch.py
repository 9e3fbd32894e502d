"""Print what a durable execution streams, from where it was seen last. 1: it did not complete.

Stopping the command does not stop the execution.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from inspector.cli.exit_codes import COULD_NOT, FINE, FOUND, INTERRUPTED
from inspector.cli.hayhooks_asking import (
    Asking,
    add_execution_choice,
    add_server_choice,
    asking,
    execution_meant,
)
from inspector.cli.hayhooks_telling import event_tree, tell_execution
from inspector.cli.output import note, to_json, write, write_line
from inspector.presentation.chunk_text import piece_of
from inspector.presentation.execution_words import status_look
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.hayhooks.client.model import StreamEvent


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    add_execution_choice(parser)
    add_server_choice(parser)
    add_watching(parser)
    parser.add_argument("--json", action="store_true", help="one object a line, for programs")


def add_watching(parser: ArgumentParser) -> None:
    """Let a command say when it has seen enough."""
    parser.add_argument(
        "--until-waiting", action="store_true", help="stop when it waits for somebody; exit code 1"
    )


def run(args: Namespace) -> int:
    """Watch an execution. 1: it failed, was canceled, or waits.

    Raises:
        InspectorError: It cannot be attached to.

    """
    with asking(args) as at:
        known = execution_meant(at, args.execution, args.deployment)
        if not args.json:
            for event in at.index.witnessed(at.server, known.id):
                if event.kind in {"chunk", "attempt", "gap"}:
                    tell_event(event)
        return watched(at, known.deployment, known.id, args)


def watched(at: Asking, deployment: str, execution: str, args: Namespace) -> int:
    """Print an execution until it is over; return the exit code of that.

    Raises:
        HayhooksError: It cannot be attached to.

    """
    code = COULD_NOT
    try:
        for event in at.index.watch(at.client, deployment, execution):
            if args.json:
                sys.stdout.write(f"{to_json(event_tree(event))}\n")
            else:
                tell_event(event)
            sys.stdout.flush()
            if event.is_last:
                code = FINE if event.kind == "completed" else FOUND
            waits = event.execution is not None and event.execution.waiting is not None
            if waits and args.until_waiting:
                return FOUND
    except KeyboardInterrupt:
        where = f" --server {args.server}" if args.server else ""
        note(f"\nIt goes on without us: run-inspector hayhooks watch {execution}{where}")
        return INTERRUPTED
    return code


def tell_event(event: StreamEvent) -> None:
    """Print what came: what an execution streams as data, all else beside it."""
    if event.kind == "chunk":
        _tell_chunk(event)
    elif event.kind == "attempt":
        write_line()  # what it says is no end of what the one before was saying
        note(f"--- attempt {event.attempt} begins; what the one before said was abandoned ---")
    elif event.kind in {"gap", "reconnecting", "error"}:
        note(f"--- {event.kind}: {one_line(str(event.payload or ''))} ---")
    elif event.execution is not None and event.is_last:
        write_line()
        tell_execution(event.execution)
    elif event.execution is not None:
        row = event.execution.row
        reason = f": {one_line(row.waiting_reason)}" if row.waiting_reason else ""
        note(f"--- {status_look(row.status).word}, attempt {row.attempt}{reason} ---")


def _tell_chunk(event: StreamEvent) -> None:
    piece = piece_of(event.payload)
    if piece is None:
        return
    if piece.kind == "text":
        write(piece.text)
    else:
        write_line(f"\n[{piece.title}] {piece.text}")
