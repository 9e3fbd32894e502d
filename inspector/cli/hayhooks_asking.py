"""What the commands about durable executions share: which server, who asks, which execution."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.asking import secret_from
from inspector.cli.output import STDIN, note
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from inspector.hayhooks.client.access import Access
    from inspector.hayhooks.client.client import HayhooksClient
    from inspector.hayhooks.client.index import ExecutionIndex
    from inspector.hayhooks.client.model import ExecutionRow, HayhooksError, Server

_LARGEST_INPUT = 32 * 2**20


@dataclass(frozen=True, slots=True)
class Asking:
    """A server being asked, and what is known of its executions here."""

    client: HayhooksClient
    index: ExecutionIndex

    @property
    def server(self) -> Server:
        """Who is asked."""
        return self.client.server


def add_server_choice(parser: ArgumentParser) -> None:
    """Let a command say whom it asks, and how it is let in."""
    parser.add_argument(
        "--server", metavar="NAME", help="a server you know, or an address (default: the only one)"
    )
    parser.add_argument(
        "--token-from", default="auto", metavar="PLACE",
        help="of the operator: auto (RUN_INSPECTOR_HAYHOOKS_TOKEN, else the keyring), keyring,"
        " env:NAME, prompt or none",
    )  # fmt: skip
    parser.add_argument(
        "--owner", action="append", default=[], metavar="HEADER=PLACE",
        help="a header that says who you are, such as X-User=env:ME; keyring or prompt work too",
    )  # fmt: skip


def add_execution_choice(parser: ArgumentParser) -> None:
    """Let a command say which execution it means."""
    parser.add_argument("execution", metavar="ID", help="of the execution, or how it begins")
    parser.add_argument(
        "--deployment", metavar="NAME", help="that it is of; needed when not listed"
    )


def add_input(parser: ArgumentParser) -> None:
    """Let a command take JSON."""
    parser.add_argument("input", nargs="?", metavar="FILE", help="JSON; - is standard input")
    parser.add_argument("--json-input", metavar="JSON", help="the input itself")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="fields",
        help="a field of it; VALUE is JSON, or text where it is none",
    )  # fmt: skip


@contextmanager
def asking(args: Namespace) -> Iterator[Asking]:
    """Ask the server that was chosen, until the command is done.

    Raises:
        InspectorError: There is none such, or what it is shown is not there.

    """
    from inspector.hayhooks.client.client import HayhooksClient
    from inspector.hayhooks.client.index import ExecutionIndex

    server = chosen_server(args.server)
    client = HayhooksClient(server, access_for(server, args))
    index = ExecutionIndex()
    try:
        yield Asking(client, index)
    finally:
        client.close()
        index.close()


def chosen_server(named: str | None) -> Server:
    """Return the server of a name or an address; without one, the only one there is.

    Raises:
        InspectorError: There is none such.

    """
    from inspector.hayhooks.client.address import checked_url
    from inspector.hayhooks.client.model import Server
    from inspector.hayhooks.client.servers import known_servers, server_called

    known = known_servers()
    if named and "://" in named:
        url = checked_url(named)
        return next((one for one in known if url in one.addresses), Server(url, url))
    if named:
        return server_called(named, known)
    if len(known) == 1:
        return known[0]
    names = ", ".join(server.name for server in known[:10])
    raise InspectorError(
        "Which server is not clear." if known else "No server is known yet.",
        hint=f"Say --server with one of {names}."
        if known
        else "Say --server http://localhost:1416, or add it: run-inspector hayhooks servers add.",
    )


def access_for(server: Server, args: Namespace) -> Access:
    """Return what is shown to a server.

    Raises:
        InspectorError: Something that was named is not there.

    """
    from inspector.hayhooks.client.access import (
        Access,
        access_from_keyring,
        ring_name,
        with_environment,
    )
    from inspector.hayhooks.client.address import address_of
    from inspector.hayhooks.client.servers import known_servers

    place = args.token_from
    found = with_environment(Access()) if place == "auto" else Access()
    named = dict(_owner(given) for given in args.owner)
    is_known = any(one.name == server.name for one in known_servers())
    missing_owner = set(server.owner_headers) - set(named)
    if is_known and ((place == "auto" and not found.token) or missing_owner):
        kept, _problem = access_from_keyring(server)
        token = found.token or (kept.token if place == "auto" else None)
        found = Access(token, kept.owner)
    if place not in {"auto", "none"}:
        token = secret_from(place, ring_name(server), f"The operator's token for {server.name}")
        found = Access(token, found.owner)
    owner = {
        header: secret_from(where, ring_name(server, header), f"{header} for {server.name}")
        for header, where in named.items()
    }
    access = Access(found.token, {**found.owner, **owner})
    if (access.token or access.owner) and not all(
        address_of(url).is_secret for url in server.addresses
    ):
        note("note: what the server is shown goes there unencrypted: it has no https.")
    return access


def execution_meant(
    at: Asking, named: str, deployment: str | None, *, refresh: bool = True
) -> ExecutionRow:
    """Return the execution that a person means, from what is known here or from the server.

    Raises:
        InspectorError: There is none such, or several.

    """
    if not named.strip():
        raise InspectorError("The id of the execution is empty.", hint="See: hayhooks list")
    found = [row for row in at.index.find(at.server, named) if deployment in {None, row.deployment}]
    exact = [row for row in found if row.id == named]
    if exact or len(found) == 1:
        return (exact or found)[0]
    if found:
        raise InspectorError(
            f"Several executions begin with {named[:40]}.",
            hint=f"Such as {found[0].id} and {found[1].id}.",
        )
    if deployment is not None:
        row = at.client.inspect(deployment, named).row
        at.index.note_rows(at.server, [row])
        return row
    if refresh:
        at.index.refresh(at.client, refused=say_refused)
        return execution_meant(at, named, deployment, refresh=False)
    raise InspectorError(
        f"{at.server.name} lists no execution that begins with {named[:40]}.",
        hint="Name its deployment: --deployment NAME.",
    )


def say_refused(deployment: str, error: HayhooksError) -> None:
    """Say that the executions of a deployment are not listed."""
    note(f"note: {deployment} is left out. {error}", error.hint)


def input_given(args: Namespace) -> Any:
    """Return the JSON that a command was given; None when it was given none.

    Raises:
        InspectorError: It is none, or was given twice.

    """
    if args.input and args.json_input is not None:
        raise InspectorError("The input was given twice.", hint="A file, or --json-input.")
    given: Any = None
    if args.json_input is not None:
        given = _parsed(args.json_input, "What was given")
    elif args.input:
        given = _parsed(_read(args.input), args.input)
    if not args.fields:
        return given
    fields = dict(_field(entry) for entry in args.fields)
    if given is not None and not isinstance(given, dict):
        raise InspectorError("Only an object has fields that can be set.")
    return {**(given or {}), **fields}


def _owner(given: str) -> tuple[str, str]:
    header, sign, place = given.partition("=")
    if not sign or not header:
        raise InspectorError(
            "--owner takes a header and where its value is.", hint="Such as X-User=env:ME."
        )
    return header, place


def _field(given: str) -> tuple[str, Any]:
    name, sign, value = given.partition("=")
    if not sign or not name:
        raise InspectorError("--set takes a name and a value.", hint="Such as --set approved=true.")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


def _parsed(text: str | bytes, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InspectorError(f"{what} is no JSON.") from error


def _read(file: str) -> bytes:
    try:
        if file == STDIN:
            data = sys.stdin.buffer.read(_LARGEST_INPUT + 1)
        else:
            with Path(file).open("rb") as opened:
                data = opened.read(_LARGEST_INPUT + 1)
    except OSError as error:
        raise InspectorError(f"Cannot read {file}: {error.strerror}.") from error
    if len(data) > _LARGEST_INPUT:
        raise InspectorError(f"{file} is larger than any server takes.")
    return data
