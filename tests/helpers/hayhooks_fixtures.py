"""Hayhooks servers that the tests of a session share. A test that kills one need not revive it."""

import importlib.util
from collections.abc import Iterator

import pytest

from tests.helpers.hayhooks_server import HayhooksCluster
from tests.helpers.redis_server import RedisServer


@pytest.fixture(scope="session")
def hayhooks_session() -> Iterator[HayhooksCluster]:
    """Yield two servers on one Redis, started once a session (about four seconds)."""
    if importlib.util.find_spec("hayhooks") is None:
        pytest.skip("there are no durable executions without hayhooks")
    if not RedisServer.is_installed():
        pytest.skip("redis-server is not on this machine")
    with HayhooksCluster() as cluster:
        yield cluster


@pytest.fixture
def hayhooks(hayhooks_session: HayhooksCluster) -> HayhooksCluster:
    """Return the shared servers, all of them up."""
    hayhooks_session.redis.thaw()
    for replica in hayhooks_session.replicas:
        replica.ensure()
    return hayhooks_session


@pytest.fixture
def hayhooks_some(hayhooks_session: HayhooksCluster) -> HayhooksCluster:
    """Return the shared servers, one of them up at least: for who ends them anyway."""
    hayhooks_session.redis.thaw()
    if not any(replica.is_running for replica in hayhooks_session.replicas):
        hayhooks_session.replicas[0].ensure()
    return hayhooks_session
