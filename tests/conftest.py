"""Fixtures that tests of every layer may ask for."""

import asyncio
import inspect
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.helpers.openai_server import OpenAIServer

# Read when Haystack is imported, so it has to stand here before any test does that.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# The same examples every time, and no deadlines: a busy machine is no failure, and what was
# green stays green. `pytest --hypothesis-profile=fresh` looks for what nobody has seen yet.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("fresh", deadline=None)
settings.load_profile("steady")


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """Yield a local OpenAI that echoes; set `.script` to make it say something else."""
    with OpenAIServer() as server:
        yield server


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine on an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted}))
    return True
