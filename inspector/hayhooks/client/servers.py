"""The servers a person knows, in one small file that the window and the commands share.

It holds no secret. Who wrote it last wins; a damaged one is said, and is not written over.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from inspector.errors import InspectorError
from inspector.hayhooks.client.access import checked_header
from inspector.hayhooks.client.address import checked_url
from inspector.hayhooks.client.model import HayhooksError, Server

FILE_VARIABLE = "RUN_INSPECTOR_HAYHOOKS_SERVERS"
_MOST = 100
_LARGEST = 1_000_000


def servers_file() -> Path:
    """Return where the servers are written down."""
    if named := os.environ.get(FILE_VARIABLE):
        return Path(named)
    from platformdirs import user_config_path

    return user_config_path("run-inspector", appauthor=False) / "hayhooks-servers.json"


def known_servers(file: Path | None = None) -> tuple[Server, ...]:
    """Return the servers, in the order they were added.

    Raises:
        InspectorError: The file cannot be read.

    """
    file = file or servers_file()
    try:
        with file.open("rb") as opened:
            data = opened.read(_LARGEST)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise InspectorError(f"Cannot read {file}: {error.strerror}.") from error
    try:
        listed = json.loads(data)["servers"]
        return tuple(_server(entry) for entry in listed[:_MOST])
    except (ValueError, TypeError, KeyError, RecursionError, HayhooksError) as error:
        raise InspectorError(
            f"{file} is no list of servers.", hint="Mend it or move it away."
        ) from error


def add_server(server: Server, file: Path | None = None) -> Server:
    """Add a server, and return it as it is kept.

    Raises:
        InspectorError: There is one of that name, or it cannot be kept.

    """
    kept, known = checked_server(server), known_servers(file)
    if any(other.name == kept.name for other in known):
        raise InspectorError(
            f"There is a server called {kept.name} already.", hint="Remove it, or take another."
        )
    if len(known) >= _MOST:
        raise InspectorError(f"There are {_MOST} servers; no more are kept.")
    _write((*known, kept), file)
    return kept


def change_server(name: str, changed: Server, file: Path | None = None) -> Server:
    """Keep a server under another name, or with other addresses, and return it.

    Raises:
        InspectorError: There is none of that name, or it cannot be kept.

    """
    kept, known = checked_server(changed), known_servers(file)
    server_called(name, known)
    if kept.name != name and any(other.name == kept.name for other in known):
        raise InspectorError(f"There is a server called {kept.name} already.")
    _write(tuple(kept if other.name == name else other for other in known), file)
    return kept


def rename_server(name: str, new: str, file: Path | None = None) -> Server:
    """Call a server something else.

    Raises:
        InspectorError: There is none of that name, or the new one is taken.

    """
    return change_server(name, replace(server_called(name, known_servers(file)), name=new), file)


def remove_server(name: str, file: Path | None = None) -> Server:
    """Forget a server, and return what it was. Its secrets stay in the keyring.

    Raises:
        InspectorError: There is none of that name.

    """
    known = known_servers(file)
    removed = server_called(name, known)
    _write(tuple(other for other in known if other.name != name), file)
    return removed


def server_called(name: str, known: tuple[Server, ...]) -> Server:
    """Return the server of a name.

    Raises:
        InspectorError: There is none.

    """
    for server in known:
        if server.name == name:
            return server
    names = ", ".join(server.name for server in known[:10])
    raise InspectorError(
        f"There is no server called {name[:60]}.",
        hint=f"There is {names}." if names else "Add one: run-inspector hayhooks servers add.",
    )


def checked_server(server: Server) -> Server:
    """Return a server as it is kept.

    Raises:
        HayhooksError: Its name or an address of it is none.

    """
    name = server.name.strip()
    if not name or len(name) > 100 or not name.isprintable():
        raise HayhooksError("A server needs a name that can be shown.", kind="invalid")
    return replace(
        server,
        name=name,
        url=checked_url(server.url),
        replicas=tuple(checked_url(url) for url in server.replicas[:_MOST]),
        owner_headers=tuple(checked_header(header) for header in server.owner_headers[:_MOST]),
        redis_url=_checked_redis(server.redis_url),
    )


def _checked_redis(url: str | None) -> str | None:
    from urllib.parse import urlsplit

    if not url:
        return None
    try:
        parts = urlsplit(str(url))
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"redis", "rediss", "unix"} or not url.isprintable():
        raise HayhooksError(
            "That is no address of a Redis.",
            kind="invalid",
            hint="Such as redis://localhost:6379/0.",
        )
    # Also one whose signs split the address elsewhere, such as a `#`.
    names = url.partition("://")[2].rpartition("@")[0]
    if ":" in names or "password=" in parts.query:
        raise HayhooksError(
            "An address with a password in it is not kept.", kind="invalid",
            hint="Say the whole address in RUN_INSPECTOR_HAYHOOKS_STORE.",
        )  # fmt: skip
    return url


def _server(entry: Any) -> Server:
    return checked_server(
        Server(
            str(entry["name"]),
            str(entry["url"]),
            tuple(map(str, entry.get("replicas") or ())),
            tuple(map(str, entry.get("owner_headers") or ())),
            entry.get("redis_url"),
        )
    )


def _write(servers: tuple[Server, ...], file: Path | None) -> None:
    from inspector.runfile.files import make_private_directory
    from inspector.runfile.files import replace as put

    file = file or servers_file()
    text = json.dumps({"servers": [asdict(server) for server in servers]}, indent=2)
    try:
        make_private_directory(str(file.parent))
        for _block in put(str(file), [text.encode() + b"\n"]):
            pass
    except OSError as error:
        raise InspectorError(f"Cannot write {file}: {error.strerror}.") from error
