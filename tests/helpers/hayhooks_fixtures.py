"""Hayhooks servers that the tests of a file share. A test that kills one need not revive it."""

import importlib.util
from collections.abc import Iterator

import pytest

from tests.helpers.hayhooks_server import HayhooksCluster
from tests.helpers.redis_server import RedisServer


@pytest.fixture(scope="module")
def hayhooks_cluster() -> Iterator[HayhooksCluster]:
    """Yield two servers on one Redis, started once a file (about four seconds).

    Not once a session: servers that nobody asks anything look for work several times a second.
    """
    if importlib.util.find_spec("hayhooks") is None:
        pytest.skip("there are no durable executions without hayhooks")
    if not RedisServer.is_installed():
        pytest.skip("redis-server is not on this machine")
    with HayhooksCluster() as cluster:
        yield cluster


@pytest.fixture
def hayhooks(hayhooks_cluster: HayhooksCluster) -> HayhooksCluster:
    """Return the shared servers, all of them up."""
    hayhooks_cluster.redis.thaw()
    for replica in hayhooks_cluster.replicas:
        replica.ensure()
    return hayhooks_cluster


@pytest.fixture
def hayhooks_some(hayhooks_cluster: HayhooksCluster) -> HayhooksCluster:
    """Return the shared servers, one of them up at least: for who ends them anyway."""
    hayhooks_cluster.redis.thaw()
    if not any(replica.is_running for replica in hayhooks_cluster.replicas):
        hayhooks_cluster.replicas[0].ensure()
    return hayhooks_cluster
