"""Serve a durable pipeline and a durable agent of ours on this machine, for trying.

It is Hayhooks' own server. Executions are kept in a Redis if one answers on the usual port, else
in a file of ours. Ctrl+C ends it; what runs or waits then goes on at the next start.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE
from inspector.cli.output import note
from inspector.hayhooks.example import PORT, TOKEN, Served, serve

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument(
        "--port", type=int, default=PORT, help=f"default: {PORT}; 0 for any that is free"
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--redis", metavar="URL", help="keep executions in this Redis")
    place.add_argument("--file", type=Path, metavar="PATH", help="keep executions in this file")


def run(args: Namespace) -> int:
    """Serve until somebody stops it.

    Raises:
        InspectorError: The port, the Redis or the file cannot be had.

    """
    serve(port=args.port, redis_url=args.redis, path=args.file, announce=_announce)
    return FINE


def _announce(served: Served) -> None:
    at = f"--server {served.url}"
    note("Serving `answer`, a pipeline, and `refund`, an agent that asks before it pays:")
    note(f"  {served.url}   (executions: {served.place})")
    note("In another terminal:")
    note(f"  export {TOKEN}={served.token}")
    note(f"  run-inspector hayhooks submit refund {at}")
    note(f"  run-inspector hayhooks list {at}")
    note(f"  run-inspector hayhooks stitch {served.runs}   (what was recorded)")
