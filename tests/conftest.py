"""Fixtures that tests of every layer may ask for."""

import asyncio
import gc
import inspect
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.helpers.hayhooks_fixtures import (  # noqa: F401 - fixtures
    hayhooks,
    hayhooks_cluster,
    hayhooks_some,
)
from tests.helpers.openai_server import OpenAIServer

# Read when Haystack is imported, so it has to stand here before any test does that.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Exports of tests are none of the log that a person keeps.
os.environ["RUN_INSPECTOR_EXPORT_LOG"] = "off"

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


_FULL_COLLECTION_EVERY = 50
_tests_since_qt = 0


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Keep Python from collecting on the threads of a test, which may free widgets of another.

    A widget that is freed on a thread other than its own ends the process. The window sees to
    that itself while it has threads; here the threads are those of any test that comes later.
    """
    if "PySide6" not in sys.modules:
        return
    if _tests_since_qt == 0:
        gc.collect()
        gc.freeze()  # modules and tests stay: looking at them took a tenth of all time
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Collect what Python would have collected by now, on the thread that may."""
    global _tests_since_qt
    if "PySide6" not in sys.modules:
        return
    _tests_since_qt += 1
    is_full = _tests_since_qt % _FULL_COLLECTION_EVERY == 0
    gc.collect(2 if is_full else 1)
