"""Fixtures that tests of every layer may ask for."""

import os
from collections.abc import Iterator

import pytest

from tests.helpers.openai_server import OpenAIServer

# Read when Haystack is imported, so it has to stand here before any test does that.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """Yield a local OpenAI that echoes; set `.script` to make it say something else."""
    with OpenAIServer() as server:
        yield server
