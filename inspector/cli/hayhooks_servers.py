"""List, add and remove the Hayhooks servers you know. Secrets go into the keyring, by `login`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from inspector.cli.asking import secret_from
from inspector.cli.exit_codes import FINE
from inspector.cli.output import note, to_json, write_json, write_line
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("--json", action="store_true", help="list them for programs")
    commands = parser.add_subparsers(dest="does", metavar="COMMAND")
    add = commands.add_parser("add", help="add one", description="Add a server.")
    add.add_argument("name", help="what you call it")
    add.add_argument("url", help="its address, such as http://localhost:1416")
    add.add_argument(
        "--replica", action="append", default=[], metavar="URL", help="another on the same store"
    )
    add.add_argument(
        "--owner-header", action="append", default=[], metavar="HEADER",
        help="a header that says who owns an execution",
    )  # fmt: skip
    add.add_argument(
        "--redis", metavar="URL", help="its store, without a password, if you may read it"
    )
    for name, told in (
        ("remove", "Forget a server and what is known of its executions."),
        ("login", "Keep the operator's token, and who you are, in the keyring."),
    ):
        one = commands.add_parser(name, help=told[0].lower() + told[1:-1], description=told)
        one.add_argument("name", help="of the server")
        if name == "login":
            one.add_argument(
                "--token-from", default="prompt", metavar="PLACE", help="prompt, env:NAME or none"
            )


def run(args: Namespace) -> int:
    """List servers, or change what is known.

    Raises:
        InspectorError: It cannot be done.

    """
    from inspector.hayhooks.client.model import Server
    from inspector.hayhooks.client.servers import add_server, known_servers, remove_server

    if args.does == "add":
        kept = add_server(
            Server(args.name, args.url, tuple(args.replica), tuple(args.owner_header), args.redis)
        )
        note(f"added {kept.name} ({kept.url})")
    elif args.does == "remove":
        removed = remove_server(args.name)
        _forget(removed)
        note(f"removed {removed.name}; a token in the keyring stays there")
    elif args.does == "login":
        _login(args)
    elif args.json:
        write_json([to_json([asdict(server) for server in known_servers()])])
    else:
        if not (servers := known_servers()):
            note("No server is known yet.", "run-inspector hayhooks servers add NAME URL")
        for server in servers:
            more = f"  (+{len(server.replicas)})" if server.replicas else ""
            write_line(f"{server.name}  {server.url}{more}")
    return FINE


def _forget(server: object) -> None:
    from inspector.hayhooks.client.index import ExecutionIndex
    from inspector.hayhooks.client.model import Server

    assert isinstance(server, Server)
    index = ExecutionIndex()
    try:
        index.forget(server)
    finally:
        index.close()


def _login(args: Namespace) -> None:
    from inspector.hayhooks.client.access import Access, keep_in_keyring
    from inspector.hayhooks.client.servers import known_servers, server_called

    server = server_called(args.name, known_servers())
    token = None
    place = args.token_from
    if place != "none":
        token = secret_from(place, "", f"The operator's token for {server.name}") or None
    owner = {}
    if sys.stdin is not None and sys.stdin.isatty():
        for header in server.owner_headers:
            if value := secret_from("prompt", "", f"{header} for {server.name}"):
                owner[header] = value
    if problem := keep_in_keyring(server, Access(token, owner)):
        raise InspectorError(f"Nothing was kept: {problem}")
    note(f"kept for {server.name} in the keyring")
