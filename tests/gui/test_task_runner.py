from threading import Event, current_thread, main_thread

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.tasks.progress import Progress
from inspector.gui.tasks.runner import Cancelled, TaskRunner


class Answers:
    """Keeps what a task answered, and on which thread."""

    def __init__(self) -> None:
        self.done: list[object] = []
        self.failed: list[Exception] = []
        self.threads: set[str] = set()

    def take(self, result: object) -> None:
        self.done.append(result)
        self.threads.add(current_thread().name)

    def fail(self, error: Exception) -> None:
        self.failed.append(error)
        self.threads.add(current_thread().name)


@pytest.fixture
def answers() -> Answers:
    return Answers()


def test_work_runs_beside_the_window_and_answers_on_its_thread(
    tasks: TaskRunner, answers: Answers, qtbot: QtBot
) -> None:
    tasks.start(
        lambda _cancelled: current_thread().name, done=answers.take, failed=answers.fail, key="k"
    )
    qtbot.waitUntil(lambda: bool(answers.done))
    assert answers.done != [main_thread().name]
    assert answers.threads == {main_thread().name}


def test_what_goes_wrong_is_handed_to_whoever_asked(
    tasks: TaskRunner, answers: Answers, qtbot: QtBot
) -> None:
    def work(_cancelled: Cancelled) -> None:
        raise ValueError("no")

    tasks.start(work, done=answers.take, failed=answers.fail, key="k")
    qtbot.waitUntil(lambda: bool(answers.failed))
    assert str(answers.failed[0]) == "no"
    assert answers.done == []


def test_a_newer_task_of_the_same_key_drops_the_older_ones_result(
    tasks: TaskRunner, answers: Answers, qtbot: QtBot
) -> None:
    go = Event()

    def slow(_cancelled: Cancelled) -> str:
        go.wait(5)
        return "old"

    tasks.start(slow, done=answers.take, failed=answers.fail, key="k")
    tasks.start(lambda _cancelled: "new", done=answers.take, failed=answers.fail, key="k")
    go.set()
    qtbot.waitUntil(lambda: not tasks.busy and bool(answers.done))
    assert answers.done == ["new"]


def test_a_cancelled_task_never_answers(tasks: TaskRunner, answers: Answers, qtbot: QtBot) -> None:
    def work(cancelled: Cancelled) -> str:
        while not cancelled():
            pass
        return "late"

    task = tasks.start(work, done=answers.take, failed=answers.fail, key="k")
    task.cancel()
    qtbot.waitUntil(lambda: not tasks.busy)
    assert answers.done == []
    assert answers.failed == []


def test_closing_stops_what_runs_and_starts_nothing_more(
    answers: Answers, qapp: QApplication
) -> None:
    tasks = TaskRunner()

    def work(cancelled: Cancelled) -> None:
        while not cancelled():
            pass

    tasks.start(work, done=answers.take, failed=answers.fail, key="one")
    tasks.close()
    task = tasks.start(work, done=answers.take, failed=answers.fail, key="two")
    assert task.cancelled()
    assert not tasks.busy


def test_a_busy_worker_does_not_flood_the_window(qapp: QApplication, qtbot: QtBot) -> None:
    progress = Progress()
    seen: list[float] = []
    progress.moved.connect(seen.append)
    for step in range(10_000):
        progress.report(step / 10_000)
    assert 1 <= len(seen) < 100
