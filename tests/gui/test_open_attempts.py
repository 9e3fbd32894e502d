"""The attempts of a durable execution open in the window as one run."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from pytestqt.qtbot import QtBot

from inspector.gui.controllers.open_controller import OpenController
from inspector.gui.messages import Messages
from inspector.gui.settings import Memory
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.workspace.workspace import Workspace
from tests.helpers.segments import killed_and_done_again


@pytest.mark.parametrize("name", ["", "execution.json"])
def test_a_folder_of_attempts_that_is_dropped_opens_as_a_run(
    name: str, tmp_path: Path, tasks: TaskRunner, memory: Memory, qtbot: QtBot
) -> None:
    workspace = Workspace()
    controller = OpenController(workspace, tasks, Messages(), memory)
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(killed_and_done_again(tmp_path) / name))])
    with qtbot.waitSignal(workspace.added):
        controller.open_mime(dropped)
    (opened,) = workspace.open_runs
    assert [span.path for span in opened.run.spans] == [
        "", "attempt1", "find#1", "charge#1", "attempt2", "charge#2",
    ]  # fmt: skip
    assert opened.run.at("charge#1").status == "unfinished"
