"""What the tests of the recorder share: everything is said once, and nobody was told before."""

import importlib.util

import pytest

if importlib.util.find_spec("hayhooks") is None:
    collect_ignore_glob = ["test_recorded*.py"]


@pytest.fixture(autouse=True)
def nothing_was_said_before():
    from inspector.recording import guest
    from inspector.runfile import completion

    guest._SAID.clear()
    completion._SAID.clear()
