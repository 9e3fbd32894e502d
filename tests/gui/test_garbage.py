"""Nothing of the window is ever freed on another thread than its own."""

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel, QWidget

from inspector.gui.tasks import garbage
from inspector.gui.tasks.runner import TaskRunner


@pytest.fixture(autouse=True)
def as_in_the_program():
    """Have Python collect by itself, as it does where the window runs."""
    gc.enable()
    yield
    gc.disable()


@pytest.fixture
def runner(qapp):
    runner = TaskRunner()
    yield runner
    runner.close()
    assert gc.isenabled()


class _Knot(QWidget):
    """A widget that only the collector can free."""

    def __init__(self) -> None:
        super().__init__()
        self.itself = self
        self.label = QLabel("in it", self)


def _many_objects() -> None:
    """Make as many objects as it takes for Python to collect several times."""
    kept = [[number] for number in range(50_000)]
    del kept[:25_000]


def test_widgets_in_cycles_are_freed_on_their_own_thread(qtbot, runner):
    freed: list[int] = []
    gc.collect()

    def drop_some() -> None:
        for _ in range(20):
            weakref.finalize(_Knot(), lambda: freed.append(threading.get_ident()))

    gc.disable()  # until the worker runs, so that there is something left for it
    drop_some()
    gc.enable()
    ended: list[object] = []
    runner.start(
        lambda _cancelled: _many_objects(), done=ended.append, failed=ended.append, key="work"
    )
    qtbot.waitUntil(lambda: bool(ended))
    gc.collect()
    assert len(freed) == 20
    assert set(freed) == {threading.get_ident()}


def test_python_collects_by_itself_only_while_no_worker_runs(qtbot, runner):
    go_on, seen = threading.Event(), []

    def work(_cancelled) -> bool:
        seen.append(gc.isenabled())
        go_on.wait(10)
        return gc.isenabled()

    ended: list[bool] = []
    runner.start(work, done=ended.append, failed=lambda error: None, key="one")
    runner.start(work, done=ended.append, failed=lambda error: None, key="two")
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert not gc.isenabled()
    go_on.set()
    qtbot.waitUntil(lambda: len(ended) == 2)
    assert seen == ended == [False, False]
    assert gc.isenabled()


def test_who_does_not_have_python_collect_is_left_so(qtbot, runner):
    gc.disable()
    ended: list[object] = []
    runner.start(lambda _cancelled: 1, done=ended.append, failed=ended.append, key="one")
    qtbot.waitUntil(lambda: bool(ended))
    assert not gc.isenabled()
    gc.enable()


def test_a_runner_that_is_closed_in_the_middle_gives_collecting_back(qapp):
    runner = TaskRunner()
    runner.start(lambda cancelled: cancelled._event.wait(10), done=print, failed=print, key="one")
    assert not gc.isenabled()
    runner.close()
    assert gc.isenabled()


def test_what_hears_of_the_end_is_let_go_of_on_the_gui_thread(qtbot, runner):
    class Listener(QObject):
        def hear(self, _result: object) -> None:
            heard.append(True)

    heard: list[bool] = []
    freed: list[int] = []
    listener = Listener()
    weakref.finalize(listener, lambda: freed.append(threading.get_ident()))
    runner.start(lambda _cancelled: 1, done=listener.hear, failed=print, key="one")
    del listener
    qtbot.waitUntil(lambda: bool(heard) and bool(freed))
    assert freed == [threading.get_ident()]


def test_sweeping_frees_what_came_together(qapp):
    garbage.hold()
    try:
        knots = [[] for _ in range(5_000)]
        for knot in knots:
            knot.append(knot)
        del knots, knot
        garbage.sweep()
        assert gc.get_count()[0] < 1_000
    finally:
        garbage.release()
