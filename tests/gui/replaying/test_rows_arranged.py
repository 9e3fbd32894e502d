"""The rows of a replay are arranged while they come: branches stay as they were left."""

import pytest
from PySide6.QtCore import QModelIndex, Qt

from inspector.gui.panes import replay_arranger
from inspector.gui.workspace.open_replay import OpenReplay, ReplayState
from inspector.presentation.breakpoints import BreakpointSpec, engine_fields
from tests.gui.replaying.conftest import DATA, MISCHIEF_DATA, Replaying
from tests.gui.replaying.replays import press

TWICE = '''
    """The same pipeline, with two parts in it that the recording does not have."""

    import garden
    from mischief import Mischief


    def rag():
        pipeline = garden.rag()
        pipeline.add_component("mischief", Mischief())
        pipeline.add_component("more", Mischief())
        pipeline.connect("mischief.query", "more.query")
        pipeline.connect("more.query", "prompt.query")
        return pipeline
'''


def paused_at_what_is_new(replaying: Replaying) -> OpenReplay:
    """Replay with two new parts, as far as the first of them, with that shown."""
    replaying.project.write("twice", TWICE)
    replaying.record("rag", DATA)
    first = BreakpointSpec(name="mischief", phase="before")
    replay = replaying.start(
        "twice:rag", mode="drift_ok", allow_live=True, data=MISCHIEF_DATA,
        breakpoints=engine_fields((first,)),
    )  # fmt: skip
    replaying.wait_for_pause(replay)
    replaying.wait_until(lambda: index_of(replaying, "mischief").isValid())
    replaying.settle(replay)
    assert not index_of(replaying, "more").isValid()
    return replay


def index_of(replaying: Replaying, words: str) -> QModelIndex:
    """Return the row of the tree that is called so, wherever it stands."""
    model = replaying.window.tree.model
    todo = [QModelIndex()]
    while todo:
        parent = todo.pop()
        for row in range(model.rowCount(parent)):
            index = model.index(row, 0, parent)
            if words in str(index.data()):
                return index
            todo.append(index)
    return QModelIndex()


def root(replaying: Replaying) -> QModelIndex:
    return replaying.window.tree.model.index(0, 0)


@pytest.mark.parametrize("chosen", ["", "mischief"])
def test_a_branch_that_a_person_collapsed_stays_so_when_there_are_new_rows_in_it(
    replaying: Replaying, chosen: str
) -> None:
    replay = paused_at_what_is_new(replaying)
    tree = replaying.window.tree
    view = tree.view
    assert view.isExpanded(root(replaying)), "what is new is seen"
    view.setCurrentIndex(index_of(replaying, chosen) if chosen else root(replaying))
    view.collapse(root(replaying))
    press(replaying, Qt.Key.Key_F5)
    replaying.wait_for(replay, ReplayState.ENDED)
    replaying.program.workspace.make_current(replay)
    replaying.wait_until(lambda: index_of(replaying, "more").isValid())
    replaying.wait_until(lambda: replaying.window.arranger.is_complete)
    replaying.settle(replay)
    assert not view.isExpanded(root(replaying))
    view.expand(root(replaying))
    assert view.visualRect(index_of(replaying, "more")).isValid()


def test_a_bug_while_arranging_is_told_although_something_is_shown_already(
    replaying: Replaying, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = paused_at_what_is_new(replaying)
    bugs: list[BaseException] = []
    replaying.program.messages.crash_reported.connect(bugs.append)
    bug = ZeroDivisionError("a bug")

    def break_down(*_given: object) -> None:
        raise bug

    monkeypatch.setattr(replay_arranger, "build_ghost", break_down)
    press(replaying, Qt.Key.Key_F5)
    replaying.wait_for(replay, ReplayState.ENDED)
    replaying.wait_until(lambda: bool(bugs))
    replaying.settle(replay)
    assert bugs == [bug], "and once, however often it is tried again"
