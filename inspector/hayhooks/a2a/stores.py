"""Where the executions of served agents are kept, by the words of a command line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError

if TYPE_CHECKING:
    from hayhooks.durable import ExecutionStore, StoreConfig
    from hayhooks.durable.store import StoredExecution

    from inspector.hayhooks.store import ExecutionDatabase

_FORMS = "Say sqlite:PATH, redis://HOST:PORT/0, or memory for what may be forgotten."
REDIS_HINT = "Such as redis://HOST:PORT/0; signs such as / # ? @ of a password as %2F %23 %3F %40."
PREFIX_VARIABLE = "HAYHOOKS_DURABLE_REDIS_KEY_PREFIX"
_PREFIX = "hayhooks:durable"
_OUR_PREFIXES = ("run-inspector-example", "run-inspector")
"""What our example and embedded executions begin their keys with."""
_TIMEOUT_S = 5.0
_VIEWERS = 100
_LONGEST_READ_S = 30.0
"""A read of a stream blocks for less, so that no reader is cut off for waiting."""


class Stores:
    """Makes a store for each deployment, all in the same place.

    Args:
        words: `sqlite:PATH`, `sqlite:` for the usual file, a URL of Redis, or `memory`.
        redis_prefix: What keys begin with there; what the variable of Hayhooks says, unless given.

    Raises:
        InspectorError: The words name no place.

    """

    def __init__(self, words: str, *, redis_prefix: str | None = None) -> None:
        self._words = words
        self._prefix = redis_prefix or os.environ.get(PREFIX_VARIABLE) or _PREFIX
        self._clients: tuple[Any, ...] = ()
        self._database: ExecutionDatabase | None = None
        scheme = words.partition(":")[0].lower()
        if scheme not in {"sqlite", "redis", "rediss", "unix", "memory"}:
            raise InspectorError(f"{shown_place(words)} is no place for executions.", hint=_FORMS)
        self._scheme = scheme
        if scheme in {"redis", "rediss", "unix"}:
            self._clients = self._redis()

    @property
    def shown(self) -> str:
        """The place without a password, for people."""
        return shown_place(self._words)

    @property
    def file(self) -> Path | None:
        """The file, where it is one."""
        if self._scheme != "sqlite":
            return None
        from inspector.hayhooks.store import default_path

        place = self._words.partition(":")[2].removeprefix("//")
        return Path(place) if place else default_path()

    @property
    def survives(self) -> bool:
        """Whether tasks are there after the server was started again."""
        return self._scheme != "memory"

    def of(self, name: str, config: StoreConfig) -> ExecutionStore:
        """Return the store of a deployment."""
        store: ExecutionStore
        if self._scheme == "memory":
            from hayhooks.durable import MemoryExecutionStore

            return MemoryExecutionStore(name, config=config)
        if self._scheme == "sqlite":
            from inspector.hayhooks.store import ExecutionDatabase, SQLiteExecutionStore

            if self._database is None:
                self._database = ExecutionDatabase(self.file)
            store = SQLiteExecutionStore(self._database, name, config=config)
            return store
        return self._in_redis(name, config, self._prefix)

    async def read(
        self, name: str, execution: str, config: StoreConfig
    ) -> tuple[StoredExecution, ExecutionStore] | None:
        """Return what there is of an execution, and where; also of what we put there."""
        places = [self.of(name, config)]
        if self._clients:
            places += [self._in_redis(name, config, prefix) for prefix in _OUR_PREFIXES]
        for store in places:
            if (found := await store.read(execution)) is not None:
                return found, store
        return None

    def _in_redis(self, name: str, config: StoreConfig, prefix: str) -> ExecutionStore:
        from hayhooks.durable.redis import RedisExecutionStore

        worker, viewer = self._clients
        try:
            store: ExecutionStore = RedisExecutionStore(
                worker, name, viewer_client=viewer, config=config, key_prefix=prefix
            )
        except ValueError as error:
            raise InspectorError(f"{PREFIX_VARIABLE} cannot be that: {error}.") from error
        return store

    async def close(self) -> None:
        """Let go of what they share; call it when all deployments are drained."""
        if self._database is not None:
            await self._database.close()
        for client in self._clients:
            await client.aclose()

    def _redis(self) -> tuple[Any, Any]:
        """Return the client of the workers, and one for readers, who may wait long."""
        try:
            from hayhooks.durable import redis as _needed  # noqa: F401 - says what is missing
            from redis.asyncio import BlockingConnectionPool, Redis
        except ImportError as error:
            raise InspectorError(
                "Redis cannot be used without its client.",
                hint="Install it: pip install 'haystack-run-inspector[a2a]'.",
            ) from error
        common: dict[str, Any] = {"protocol": 2, "socket_connect_timeout": _TIMEOUT_S}
        try:
            worker = Redis.from_url(
                self._words, socket_timeout=_TIMEOUT_S, max_connections=2**31, **common
            )
            viewer = Redis.from_pool(
                BlockingConnectionPool.from_url(
                    self._words,
                    max_connections=_VIEWERS,
                    timeout=1.0,
                    socket_timeout=_LONGEST_READ_S,
                    **common,
                )
            )
        except (TypeError, ValueError) as error:
            # What Redis says of it may hold a piece of a password.
            raise InspectorError(
                f"{self.shown} is no address of a Redis.", hint=REDIS_HINT
            ) from error
        return worker, viewer


def shown_place(words: str) -> str:
    """Return a place without what it is opened with, for people, however it is misspelled."""
    scheme, colon, rest = words.partition(":")
    if not colon or scheme == "sqlite" or not {"@", "?"} & set(rest):
        return words
    before, _, query = rest.removeprefix("//").partition("?")
    if "@" in query:
        return f"{scheme}://…"  # nobody knows where in it a password ends
    return f"{scheme}://{before.rpartition('@')[2]}"
