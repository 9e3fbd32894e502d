"""Start a durable execution, and print its id. The same --key starts the same one only once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cli.exit_codes import COULD_NOT, FINE
from inspector.cli.hayhooks_asking import add_input, add_server_choice, asking, input_given
from inspector.cli.hayhooks_telling import execution_tree, told_fields
from inspector.cli.hayhooks_watch import add_watching, watched
from inspector.cli.output import complain, note, to_json, write_json, write_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("deployment", help="what runs; see run-inspector hayhooks status")
    add_input(parser)
    parser.add_argument("--key", help="of your wish: submitted again, it finds what was started")
    parser.add_argument("--watch", action="store_true", help="print what comes of it")
    add_watching(parser)
    add_server_choice(parser)
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Start an execution.

    Raises:
        InspectorError: It was not started.

    """
    from inspector.hayhooks.client.model import HayhooksError

    given = input_given(args)
    with asking(args) as at:
        try:
            found = at.client.submit(args.deployment, {} if given is None else given, key=args.key)
        except HayhooksError as error:
            if not error.fields:
                raise
            complain(f"{at.server.name} does not accept the input.", "; ".join(told_fields(error)))
            return COULD_NOT
        row = found.execution.row
        at.index.note_rows(at.server, [row])
        if found.was_known:
            note("note: this key was used before; this is what it started.")
        if args.json and not args.watch:
            tree = {**execution_tree(found.execution), "was_known": found.was_known}
            write_json([to_json(tree)])
        elif not args.json:
            write_line(row.id)
        return watched(at, row.deployment, row.id, args) if args.watch else FINE
