"""Offering durable agents over A2A from one process, until somebody stops it."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

from inspector.errors import InspectorError
from inspector.hayhooks.a2a.app import create_a2a_app
from inspector.hayhooks.a2a.guard import is_loopback
from inspector.hayhooks.a2a.stores import Stores
from inspector.hayhooks.a2a.targets import agents_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from uvicorn import Server

    from inspector.hayhooks.a2a.app import ServedAgent

PORT = 1418
"""As Hayhooks' own A2A server."""
GRACE_S = 5
_LONGEST = 500
_LOCAL = ("127.0.0.1", "localhost", "::1")
_ANYWHERE = frozenset({"0.0.0.0", "::", "*", ""})  # noqa: S104 - to be refused, or told about


def serve(
    target: str,
    *,
    store: str,
    host: str = "127.0.0.1",
    port: int = PORT,
    external_url: str | None = None,
    token: str | None = None,
    announce: Callable[[str], None],
) -> None:
    """Serve the agents that a target names, until the process is told to stop.

    Args:
        target: A folder of wrappers, or `module:attribute`.
        store: Where executions are kept; see `Stores`.
        host: Where to listen; elsewhere than on this machine with a token or owners only.
        port: 0 for any that is free.
        external_url: Where clients reach it, if not there.
        token: What callers have to carry.
        announce: Told lines for people, such as where the agents are.

    Raises:
        InspectorError: It cannot be loaded, or the port cannot be had.

    """
    import uvicorn

    stores = Stores(store)
    agents = agents_at(target, stores)
    if not is_loopback(host) and token is None:
        open_ones = [agent.name for agent in agents if agent.owner is None]
        if open_ones:
            raise InspectorError(
                f"Anybody who reaches {host} could see and run the tasks of {open_ones[0]}.",
                hint="Set RUN_INSPECTOR_A2A_TOKEN, or give the wrapper a durable_owner_id.",
            )
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    shown_host = f"[{host}]" if ":" in host else host
    base_url = (external_url or f"http://{shown_host}:{port}").rstrip("/")
    app = create_a2a_app(
        agents, base_url=base_url, token=token, hosts=_hosts(host, base_url), closing=stores.close
    )
    for agent in agents:
        announce(f"{agent.name}: {base_url}/{agent.name}/")
    announce(f"Executions are kept in {stores.shown}.")
    if not stores.survives:
        announce("They are forgotten when this server ends.")
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=GRACE_S)
    try:
        with (
            said_in_lines(announce),
            asyncio.Runner(loop_factory=config.get_loop_factory()) as runner,
        ):
            runner.run(_served(agents, stores, uvicorn.Server(config), listening))
    finally:
        listening.close()


@contextmanager
def said_in_lines(announce: Callable[[str], None]) -> Iterator[None]:
    """Say in a line each what the SDK logs: anybody who sends nonsense makes it log tracebacks."""
    logger, lines = logging.getLogger("a2a"), _Lines(announce)
    passed_on, logger.propagate = logger.propagate, False
    logger.addHandler(lines)
    try:
        yield
    finally:
        logger.removeHandler(lines)
        logger.propagate = passed_on


class _Lines(logging.Handler):
    def __init__(self, announce: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._announce = announce

    def emit(self, record: logging.LogRecord) -> None:
        """Say what was logged, and the error that it was logged with."""
        error = record.exc_info[1] if record.exc_info else None
        words = record.getMessage() + (f": {type(error).__name__}: {error}" if error else "")
        self._announce(words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…")


async def _served(
    agents: Sequence[ServedAgent], stores: Stores, server: Server, listening: socket.socket
) -> None:
    """Serve, once what keeps the executions was seen to be there.

    Raises:
        InspectorError: It is not.

    """
    from hayhooks.durable.store import ExecutionStoreError

    try:
        for agent in agents:
            await agent.deployment.store.initialize()
    except (ExecutionStoreError, OSError) as error:
        await stores.close()
        raise InspectorError(
            f"What keeps the executions cannot be used: {error}".rstrip(".") + ".",
            hint=f"It is to be {stores.shown}.",
        ) from error
    await server.serve(sockets=[listening])
    if not server.started:
        raise InspectorError("The server did not start; what it said above is why.")


def _hosts(host: str, base_url: str) -> list[str]:
    """Return the names that the server answers to; none when it listens everywhere."""
    from urllib.parse import urlsplit

    named = urlsplit(base_url).hostname
    if host in _ANYWHERE:
        return []
    return [
        *dict.fromkeys((*(_LOCAL if is_loopback(host) else (host,)), *([named] if named else [])))
    ]


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere it would let two servers have one port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        raise InspectorError(
            f"Nobody can listen on {host}:{port}: {reason}.", hint="Choose another --port."
        ) from error
    return listening
