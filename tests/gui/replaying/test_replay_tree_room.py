"""In a small window names come first: times go, then the words behind the marks."""

from inspector.gui.models.replay_tree_model import ReplayColumn
from inspector.gui.workspace.open_replay import ReplayState
from inspector.replay.limits import Limits
from tests.gui.replaying.conftest import Replaying


def test_names_have_room_in_a_small_window(example: Replaying) -> None:
    replay = example.start(limits=Limits())
    example.wait_for(replay, ReplayState.ENDED)
    example.settle(replay)
    tree = example.window.tree
    header = tree.view.header()
    window = example.program.window
    window.resize(1280, 800)
    example.wait_until(lambda: not tree.view.isColumnHidden(ReplayColumn.TIME))
    wide = header.sectionSize(ReplayColumn.HOW)
    window.resize(760, 520)
    example.wait_until(lambda: tree.view.isColumnHidden(ReplayColumn.TIME))
    letter = tree.view.fontMetrics().averageCharWidth()
    assert header.sectionSize(ReplayColumn.NAME) > 12 * letter
    tree.setFixedWidth(240)
    example.wait_until(lambda: header.sectionSize(ReplayColumn.HOW) < wide)
    assert header.sectionSize(ReplayColumn.NAME) > 12 * letter
    assert header.length() <= tree.view.viewport().width()
