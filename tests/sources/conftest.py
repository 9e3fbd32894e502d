"""What tests of sources share."""

from collections.abc import Iterator

import pytest

from tests.helpers.github_server import GitHubServer


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    """Yield a GitHub on this machine."""
    with GitHubServer() as server:
        yield server
