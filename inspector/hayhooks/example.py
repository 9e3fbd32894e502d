"""The example of durable executions, served by Hayhooks on this machine, for trying.

It is the real server, in a process of its own: Hayhooks' server takes over the logging and reads
`.env` files, so nothing else of ours may run there. Where there is no Redis it gets our file.
"""

from __future__ import annotations

import os
import secrets
import socket
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.hayhooks.a2a.stores import REDIS_HINT, shown_place

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PORT = 1416
REDIS = "redis://localhost:6379/0"
HOST = "127.0.0.1"
TOKEN = "RUN_INSPECTOR_HAYHOOKS_TOKEN"  # noqa: S105 - a name
RUNS = "RUN_INSPECTOR_HAYHOOKS_RUNS"
_PIPELINES = "examples/hayhooks"
_ANSWER_S = 1.0
# Short, so that somebody who kills the server sees quickly how it goes on.
_SETTINGS = {
    "HAYHOOKS_DURABLE_MODE": "true",
    "HAYHOOKS_DURABLE_LEASE_DURATION_MS": "6000",
    "HAYHOOKS_DURABLE_POLL_INTERVAL_SECONDS": "0.5",
    "HAYHOOKS_DURABLE_MAINTENANCE_INTERVAL_SECONDS": "1",
    "HAYHOOKS_DURABLE_WORKER_CONCURRENCY": "2",
    "HAYHOOKS_DURABLE_MAX_STREAM_CHUNKS": "5000",
    # Ctrl+C should not have to wait for what runs: it goes on at the next start.
    "HAYHOOKS_DURABLE_SHUTDOWN_GRACE_SECONDS": "0.5",
    "HAYHOOKS_DURABLE_RELEASE_RUNNING_ON_SHUTDOWN": "true",
    "HAYHOOKS_GRACEFUL_SHUTDOWN_TIMEOUT": "1",
    "HAYHOOKS_DURABLE_REDIS_KEY_PREFIX": "run-inspector-example",
    "HAYHOOKS_LOG_LEVEL": "WARNING",
    # By default every page of the web that one looks at could submit work here.
    "HAYHOOKS_CORS_ALLOW_ORIGINS": '["http://127.0.0.1"]',
    "HAYSTACK_TELEMETRY_ENABLED": "False",
}


@dataclass(frozen=True, slots=True)
class Served:
    """What is going to be served.

    Args:
        url: Where.
        token: That lists executions; not needed to submit and watch them.
        place: Where executions are kept, in words.
        runs: The folder that they are recorded in.

    """

    url: str
    token: str
    place: str
    runs: str


def serve(
    *,
    port: int = PORT,
    redis_url: str | None = None,
    path: Path | None = None,
    announce: Callable[[Served], None],
) -> None:
    """Serve the example until somebody stops it. Takes the whole process for itself.

    Args:
        port: Where to listen, on this machine only. 0 for any that is free.
        redis_url: Keep executions there. None: in a Redis on the usual port, if one answers.
        path: Keep executions in this file, whether there is a Redis or not.
        announce: Told where it is, before it starts.

    Raises:
        InspectorError: The port is taken, the Redis does not answer, or the file cannot be used.

    """
    port = _free(port)
    url = None if path is not None else redis_to_use(redis_url)
    from platformdirs import user_state_path

    ours = user_state_path("run-inspector", appauthor=False)
    if url is None and path is None:
        path = ours / "hayhooks-example.db"
    runs = os.environ.setdefault(RUNS, str(ours / "hayhooks-example-runs"))
    token = os.environ.get(TOKEN) or secrets.token_urlsafe(24)
    with ExitStack() as stack:
        from importlib.resources import as_file

        from inspector.assets import asset

        pipelines = stack.enter_context(as_file(asset(_PIPELINES)))
        _set(pipelines, port, url, token)
        app = _app(path)
        place = f"Redis at {shown_place(url)}" if url else str(path)
        announce(Served(f"http://{HOST}:{port}", token, place, runs))
        from hayhooks.server.app import run_app

        run_app(app, host=HOST, port=port)


def _set(pipelines: Path, port: int, url: str | None, token: str) -> None:
    os.environ.update(_SETTINGS)
    os.environ["HAYHOOKS_HOST"], os.environ["HAYHOOKS_PORT"] = HOST, str(port)
    os.environ["HAYHOOKS_PIPELINES_DIR"] = str(pipelines)
    os.environ["HAYHOOKS_TRACING_TOKEN"] = token
    # In memory is what Hayhooks believes, until `_app` gives it our file.
    os.environ["HAYHOOKS_DURABLE_STORE"] = "redis" if url else "memory"
    if url:
        os.environ["HAYHOOKS_DURABLE_REDIS_URL"] = url


def _app(path: Path | None) -> Any:
    """Make Hayhooks' server, in front of our file unless `path` is None."""
    try:
        from hayhooks.server.app import create_app

        from inspector.hayhooks.store import ExecutionDatabase, SQLiteExecutionStore
        from inspector.hayhooks.store.file import prepare
    except ImportError as error:
        raise InspectorError(
            "The example cannot be served without Hayhooks.",
            hint="Install it: pip install 'haystack-run-inspector[hayhooks]'.",
        ) from error
    if path is not None:
        prepare(path)  # says what is wrong with it before anything else does
    app = create_app()
    if path is not None:
        database = ExecutionDatabase(path)
        for deployment in app.state.durable_runtime._deployments.values():  # noqa: SLF001
            deployment.store = SQLiteExecutionStore(
                database, deployment.name, config=deployment.store.config
            )
        # Hayhooks closes what stands there once no execution needs it.
        app.state.durable_redis_clients = (_Closing(database),)
    return app


class _Closing:
    """Closes a file in the way that Hayhooks closes a client of Redis."""

    def __init__(self, database: Any) -> None:
        self._database = database

    async def aclose(self) -> None:
        await self._database.close()


def redis_to_use(asked: str | None) -> str | None:
    """Return the Redis that was asked for, or the usual one if it answers; None where none does.

    Raises:
        InspectorError: The one that was asked for does not answer.

    """
    url = asked or REDIS
    if _answers(url):
        return url
    if asked:
        raise InspectorError(
            f"No Redis answers at {shown_place(asked)}.",
            hint="Start it, or leave the option away.",
        )
    return None


def _answers(url: str) -> bool:
    try:
        from redis import Redis
        from redis.exceptions import RedisError
    except ImportError:
        return False
    try:
        client = Redis.from_url(
            url, socket_connect_timeout=_ANSWER_S, socket_timeout=_ANSWER_S, retry=None
        )
    except ValueError as error:
        raise InspectorError(
            f"{shown_place(url)} is no address of a Redis.", hint=REDIS_HINT
        ) from error
    with suppress(RedisError, OSError):
        return bool(client.ping())
    return False


def _free(port: int) -> int:
    try:
        with socket.socket() as found:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind((HOST, port))
            return int(found.getsockname()[1])
    except OverflowError as error:
        raise InspectorError(f"There is no port {port}.") from error
    except OSError as error:
        raise InspectorError(
            f"Port {port} of this machine cannot be had: {error.strerror}.",
            hint="Choose another with --port.",
        ) from error
