"""What the tests of the tab of a replay share."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest

from inspector.gui.models.replay_tree_model import ReplayColumn
from inspector.gui.workspace.open_replay import OpenReplay, ReplayState
from inspector.replay.limits import Limits
from tests.gui.replaying.conftest import DATA, Replaying
from tests.helpers.openai_script import say

NONE = Qt.KeyboardModifier.NoModifier


def started(example: Replaying, **more: object) -> OpenReplay:
    return example.start(limits=Limits(), **more)  # type: ignore[arg-type]


def ended(example: Replaying, **more: object) -> OpenReplay:
    replay = started(example, **more)
    example.wait_for(replay, ReplayState.ENDED)
    example.settle(replay)
    return replay


def live(replaying: Replaying, prompt: str = "Q: {{ query }}") -> OpenReplay:
    """Replay the RAG pipeline with another prompt, which runs live."""
    replaying.record("rag", DATA)
    replaying.project.server.script = lambda request: say(f"otherwise: {len(request.text)}")
    text = (replaying.project.folder / "garden.py").read_text()
    replaying.project.write("garden", text.replace("{{ query }}", prompt))
    replay = replaying.ended("garden:rag", mode="drift_ok", allow_live=True)
    replaying.settle(replay)
    return replay


def texts(replaying: Replaying, column: ReplayColumn) -> dict[str, str]:
    """Return what stands in a column of the tree, by what its row is called."""
    model = replaying.window.tree.model
    found: dict[str, str] = {}

    def walk(parent: QModelIndex) -> None:
        for row in range(model.rowCount(parent)):
            index = model.index(row, 0, parent)
            found[str(index.data())] = str(model.index(row, int(column), parent).data())
            walk(index)

    walk(QModelIndex())
    return found


def press(replaying: Replaying, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
    window = replaying.program.window
    QTest.keyClick(window.focusWidget() or window, key, held)
