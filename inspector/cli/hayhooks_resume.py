"""Answer what a durable execution waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cli.exit_codes import COULD_NOT, FINE
from inspector.cli.hayhooks_asking import (
    add_execution_choice,
    add_input,
    add_server_choice,
    asking,
    execution_meant,
    input_given,
)
from inspector.cli.hayhooks_telling import execution_tree, told_fields
from inspector.cli.hayhooks_watch import add_watching, watched
from inspector.cli.output import complain, note, to_json, write_json

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    add_execution_choice(parser)
    add_input(parser)
    parser.add_argument("--watch", action="store_true", help="print what comes of it")
    add_watching(parser)
    add_server_choice(parser)
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Resume an execution.

    Raises:
        InspectorError: It does not wait, or does not take that.

    """
    from inspector.hayhooks.client.model import HayhooksError

    given = input_given(args)
    with asking(args) as at:
        known = execution_meant(at, args.execution, args.deployment)
        try:
            execution = at.client.resume(known.deployment, known.id, given)
        except HayhooksError as error:
            if not error.fields:
                raise
            complain(f"{at.server.name} does not accept the answer.", "; ".join(told_fields(error)))
            return COULD_NOT
        at.index.note_rows(at.server, [execution.row])
        if args.json and not args.watch:
            write_json([to_json(execution_tree(execution))])
        elif not args.json:
            note(f"resumed {known.id}")
        return watched(at, known.deployment, known.id, args) if args.watch else FINE
