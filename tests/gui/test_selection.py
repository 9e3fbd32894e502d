import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.workspace.selection import Focus, RunSelection


@pytest.fixture
def selection(qapp: QApplication) -> RunSelection:
    return RunSelection()


def test_selecting_says_which_span_is_current(selection: RunSelection, qtbot: QtBot) -> None:
    with qtbot.waitSignal(selection.span_changed) as caught:
        selection.select("s3")
    assert caught.args == ["s3"]
    assert selection.span_id == "s3"


def test_selecting_what_is_selected_does_nothing(selection: RunSelection, qtbot: QtBot) -> None:
    selection.select("s3", "outputs.replies")
    with qtbot.assertNotEmitted(selection.span_changed):
        selection.select("s3")
    assert selection.field == "outputs.replies"


def test_a_field_belongs_to_its_span(selection: RunSelection) -> None:
    selection.select("s3")
    selection.select_field("outputs.replies[0]")
    assert selection.focus == Focus("s3", "outputs.replies[0]")
    selection.select("s4")
    assert selection.focus == Focus("s4")


def test_back_and_forward_walk_what_was_looked_at(selection: RunSelection) -> None:
    selection.select("s1")
    selection.select("s2", "inputs.query")
    selection.select("s3")
    selection.back()
    assert selection.focus == Focus("s2", "inputs.query")
    selection.back()
    assert selection.focus == Focus("s1")
    assert not selection.can_go_back
    selection.forward()
    assert selection.focus == Focus("s2", "inputs.query")


def test_looking_elsewhere_forgets_the_way_forward(selection: RunSelection) -> None:
    for span_id in ("s1", "s2"):
        selection.select(span_id)
    selection.back()
    selection.select("s9")
    assert not selection.can_go_forward
    selection.back()
    assert selection.span_id == "s1"


def test_history_does_not_grow_for_ever(selection: RunSelection) -> None:
    for number in range(1_000):
        selection.select(f"s{number}")
    steps = 0
    while selection.can_go_back:
        selection.back()
        steps += 1
    assert steps < 1_000
    assert selection.span_id == f"s{999 - steps}"
