from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hayhooks", reason="a store of executions is nothing without hayhooks")

from loguru import logger

from tests.hayhooks.store.worlds import World, open_world
from tests.helpers.redis_server import RedisServer

Open = Callable[..., AbstractAsyncContextManager[World]]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Keep Hayhooks from saying on stderr what it does."""
    logger.disable("hayhooks")
    yield
    logger.enable("hayhooks")


@pytest.fixture(scope="session")
def store_redis() -> Iterator[str]:
    if not RedisServer.is_installed():
        pytest.skip("redis-server is not on this machine")
    with RedisServer() as server:
        yield server.url


@pytest.fixture(params=["memory", "redis", "sqlite"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Open one of the stores, with limits: `async with world(max_stream_chunks=3) as it:`."""
    kind: str = request.param
    url = request.getfixturevalue("store_redis") if kind == "redis" else None
    return partial(open_world, kind, tmp_path, url)


@pytest.fixture
def sqlite_world(tmp_path: Path) -> Open:
    """Open our store, with limits."""
    opened: Any = partial(open_world, "sqlite", tmp_path, None)
    return opened
