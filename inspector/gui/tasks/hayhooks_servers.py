"""The file of servers, read and written on a worker. Each returns all servers as they are then."""

from pathlib import Path

from inspector.hayhooks.client.model import Server
from inspector.hayhooks.client.servers import (
    add_server,
    change_server,
    known_servers,
    remove_server,
)

Servers = tuple[Server, ...]


def read(file: Path | None) -> Servers:
    """Return the servers that are known.

    Raises:
        InspectorError: The file cannot be read; so for the others.

    """
    return known_servers(file)


def added(server: Server, file: Path | None) -> Servers:
    """Add a server."""
    add_server(server, file)
    return known_servers(file)


def changed(name: str, server: Server, file: Path | None) -> Servers:
    """Keep a server under another name, or with other addresses."""
    change_server(name, server, file)
    return known_servers(file)


def removed(name: str, file: Path | None) -> Servers:
    """Forget a server."""
    remove_server(name, file)
    return known_servers(file)
