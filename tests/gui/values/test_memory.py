import sys

import pytest

from inspector.gui.tasks.memory import MemoryKeeper


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc can be asked to")
def test_memory_is_given_back_beside_the_window(tasks, qtbot):
    keeper = MemoryKeeper(tasks)
    keeper.trim()
    assert tasks.busy
    qtbot.waitUntil(lambda: not tasks.busy)


def test_after_the_last_task_nothing_is_trimmed_any_more(tasks):
    keeper = MemoryKeeper(tasks)
    tasks.close()
    keeper.trim()
    assert not tasks.busy
