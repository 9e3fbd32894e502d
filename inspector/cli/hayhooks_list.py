"""List durable executions, newest first: from the server, and from what was seen of it before."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE
from inspector.cli.hayhooks_asking import add_server_choice, asking, say_refused
from inspector.cli.hayhooks_telling import row_line, row_tree
from inspector.cli.output import note, to_json, write_json, write_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_STATUSES = ("queued", "running", "waiting", "completed", "failed", "canceled")


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    add_server_choice(parser)
    parser.add_argument("--deployment", metavar="NAME", help="of this one only")
    parser.add_argument("--status", choices=_STATUSES, metavar="STATUS", help="in this one only")
    parser.add_argument("--search", default="", metavar="TEXT", help="in ids and waiting reasons")
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="at most (default: 50)")
    parser.add_argument("--oldest-first", action="store_true", help="the other way round")
    parser.add_argument("--offline", action="store_true", help="ask nobody: what is known here")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """List executions.

    Raises:
        InspectorError: The server does not list them.

    """
    from inspector.hayhooks.client.model import ExecutionStatus

    status = ExecutionStatus(args.status) if args.status else None
    with asking(args) as at:
        if not args.offline:
            wanted = [args.deployment] if args.deployment else None
            at.index.refresh(at.client, wanted, _say, refused=say_refused)
        rows = at.index.rows(
            server=at.server, deployment=args.deployment, status=status, search=args.search,
            newest_first=not args.oldest_first, limit=max(args.limit, 0),
        )  # fmt: skip
        total = at.index.count(
            server=at.server, deployment=args.deployment, status=status, search=args.search
        )
    if args.json:
        write_json([to_json({"total": total, "executions": [row_tree(row) for row in rows]})])
        return FINE
    for row in rows:
        write_line(row_line(row))
    if total > len(rows):
        note(f"note: {total:,} altogether; --limit shows more.")
    return FINE


def _say(came: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{came:,} executions… \r")
        sys.stderr.flush()
