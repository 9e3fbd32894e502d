"""What attaching must not leave behind, for the tests that ask for it."""

from typing import Any

import pytest

from inspector.recording.wrappers.install import INSTALLED
from inspector.recording.wrappers.shells import HELD_BY, HOLDING, OPEN, UNRECORDED


@pytest.fixture
def nothing_is_left_behind() -> Any:
    yield
    registers: list[dict[Any, Any]] = [INSTALLED, HOLDING, HELD_BY, OPEN, UNRECORDED]
    left = [dict(register) for register in registers]
    for register in registers:
        register.clear()  # one test's failure must not become the next one's
    assert not any(left)
