"""Ask that a durable execution ends, and say what that will and will not interrupt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE
from inspector.cli.hayhooks_asking import (
    add_execution_choice,
    add_server_choice,
    asking,
    execution_meant,
)
from inspector.cli.hayhooks_telling import execution_tree
from inspector.cli.output import note, to_json, write_json
from inspector.presentation.execution_words import cancel_words, status_look

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    add_execution_choice(parser)
    add_server_choice(parser)
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Cancel an execution.

    Raises:
        InspectorError: It could not be asked.

    """
    with asking(args) as at:
        known = execution_meant(at, args.execution, args.deployment)
        before = at.client.inspect(known.deployment, known.id).row
        execution = at.client.cancel(known.deployment, known.id)
        at.index.note_rows(at.server, [execution.row])
    words = cancel_words(replace(before, kind=known.kind or before.kind))
    if args.json:
        tree = execution_tree(execution)
        write_json([to_json({**tree, "will": words.will, "will_not": words.will_not})])
        return FINE
    if before.status.is_over:
        note(f"It was {status_look(before.status).word} already.")
    else:
        note(f"{words.will} {words.will_not}")
    return FINE
