"""Breakpoints of a run: set with mouse and keys, seen, said, listed, taken back and kept."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QModelIndex, QPoint, QSettings, Qt
from PySide6.QtGui import QContextMenuEvent, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui import theme
from inspector.gui.app_program import Program, build
from inspector.gui.models.span_tree_model import SpanTreeModel
from inspector.gui.panes.breakpoints_pane import BreakpointsPane
from inspector.gui.panes.tree_pane import TreePane
from inspector.gui.settings import ThemeChoice
from inspector.gui.workspace.run_breakpoints import RunBreakpoints
from inspector.presentation.breakpoints import FULL, MOST, BreakpointSpec
from tests.gui.conftest import open_file, run_window

NONE = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton
BUILDER = "prompt_builder#1"


def breakpoints(program: Program) -> RunBreakpoints:
    assert program.workspace.current is not None
    return program.workspace.current.breakpoints


def paths(program: Program) -> list[str]:
    return [spec.path for spec in breakpoints(program).specs]


def words(program: Program) -> list[str]:
    return [spec.words for spec in breakpoints(program).specs]


def tree(program: Program) -> TreePane:
    return run_window(program).tree_pane


def index_at(program: Program, path: str) -> QModelIndex:
    """Return the row of the tree for the call at a path, brought into sight."""
    assert program.workspace.current is not None
    run = program.workspace.current.run
    view = tree(program).view
    model = view.model()
    assert isinstance(model, SpanTreeModel)
    span = next(span for span in run.spans if span.path == path)
    index = model.index_of(span.id)
    assert index.isValid()
    view.scrollTo(index)
    return index


def click_gutter(program: Program, path: str) -> None:
    gutter = tree(program).gutter
    QTest.mouseClick(gutter, LEFT, NONE, gutter.place_of(index_at(program, path)))


def press(program: Program, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
    QTest.keyClick(program.window.focusWidget() or program.window, key, held)


def select(program: Program, path: str) -> None:
    view = tree(program).view
    view.setFocus()
    view.setCurrentIndex(index_at(program, path))


def spoken(program: Program, path: str) -> str:
    index = index_at(program, path)
    return str(index.data(Qt.ItemDataRole.AccessibleTextRole))


def pane_of(program: Program) -> BreakpointsPane:
    press(program, Qt.Key.Key_2, CTRL | SHIFT)
    pane = run_window(program).findChildren(BreakpointsPane)[0]
    assert pane.isVisible()
    return pane


def llm_path(program: Program) -> str:
    assert program.workspace.current is not None
    return next(s.path for s in program.workspace.current.run.spans if s.kind == "llm")


def test_a_click_in_the_gutter_sets_a_breakpoint_and_another_takes_it_away(opened: Program) -> None:
    assert "breakpoint" not in spoken(opened, BUILDER)
    click_gutter(opened, BUILDER)
    assert paths(opened) == [BUILDER]
    assert spoken(opened, BUILDER).endswith(f"breakpoint before {BUILDER}")
    click_gutter(opened, BUILDER)
    assert paths(opened) == []


def test_beside_a_step_there_is_nothing_to_set(opened: Program) -> None:
    assert opened.workspace.current is not None
    step = next(s.path for s in opened.workspace.current.run.spans if s.kind == "step")
    click_gutter(opened, step)
    assert paths(opened) == []
    select(opened, step)
    press(opened, Qt.Key.Key_F9)
    assert paths(opened) == []


def test_f9_does_it_for_the_selected_call_and_undo_takes_it_back(opened: Program) -> None:
    select(opened, llm_path(opened))
    press(opened, Qt.Key.Key_F9)
    assert paths(opened) == [llm_path(opened)]
    press(opened, Qt.Key.Key_F9, CTRL)
    assert words(opened) == [f"Before {llm_path(opened)}, switched off"]
    press(opened, Qt.Key.Key_Z, CTRL)
    assert words(opened) == [f"Before {llm_path(opened)}"]
    press(opened, Qt.Key.Key_Z, CTRL)
    assert words(opened) == []
    press(opened, Qt.Key.Key_Z, CTRL | SHIFT)
    assert paths(opened) == [llm_path(opened)]


@pytest.mark.parametrize("choice", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_marks_differ_by_shape_and_not_by_colour_alone(
    opened: Program, choice: ThemeChoice, qtbot: QtBot
) -> None:
    opened.settings.update(theme=choice)
    own = BreakpointSpec(path=BUILDER)
    shapes = {}
    for name, specs in {
        "nothing": (),
        "set": (own,),
        "conditional": (own._replace(condition="a == 1"),),
        "off": (own._replace(enabled=False),),
        "covered": (BreakpointSpec(kinds=("component",)),),
    }.items():
        breakpoints(opened).become(specs)
        shapes[name] = inked(opened, qtbot)
    assert not shapes["nothing"]
    assert len({frozenset(shape) for shape in shapes.values()}) == len(shapes)


def inked(program: Program, qtbot: QtBot) -> set[tuple[int, int]]:
    """Return which pixels of the mark are not of the ground, whatever their colour."""
    gutter = tree(program).gutter
    middle = gutter.place_of(index_at(program, BUILDER))
    picture = gutter.grab().toImage()
    ground = theme.current().panel.rgb()
    around = range(-7, 8)
    return {
        (x, y)
        for x in around
        for y in around
        if picture.pixelColor(middle + QPoint(x, y)).rgb() != ground
    }


def test_the_gutter_says_what_a_mark_means(opened: Program) -> None:
    breakpoints(opened).put(BreakpointSpec(kinds=("component",)))
    gutter = tree(opened).gutter
    place = gutter.place_of(index_at(opened, BUILDER))
    event = QHelpEvent(QEvent.Type.ToolTip, place, gutter.mapToGlobal(place))
    assert QApplication.sendEvent(gutter, event)
    from PySide6.QtWidgets import QToolTip

    assert "Breakpoint before every component" in QToolTip.text()


def test_a_menu_in_the_gutter_chooses_the_phase_and_leads_to_the_condition(
    opened: Program, qtbot: QtBot
) -> None:
    gutter = tree(opened).gutter

    def choose(words: str) -> None:
        place = gutter.place_of(index_at(opened, BUILDER))
        reason = QContextMenuEvent.Reason.Mouse
        event = QContextMenuEvent(reason, place, gutter.mapToGlobal(place))
        QApplication.sendEvent(gutter, event)
        menu = next(one for one in tree(opened).findChildren(QMenu) if one.isVisible())
        action = next(one for one in menu.actions() if one.text() == words)
        QTest.mouseClick(menu, LEFT, NONE, menu.actionGeometry(action).center())
        qtbot.waitUntil(lambda: not any(m.isVisible() for m in tree(opened).findChildren(QMenu)))

    choose("Pause after the call")
    assert words(opened) == [f"After {BUILDER}"]
    choose("Pause before and after the call")
    assert words(opened) == [f"Before and after {BUILDER}"]
    choose("Switch off")
    assert words(opened) == [f"Before and after {BUILDER}, switched off"]
    choose("Pause only when…")
    pane = run_window(opened).findChildren(BreakpointsPane)[0]
    assert pane.isVisible()
    assert pane.form.condition_line.hasFocus()
    choose("Remove the breakpoint")
    assert words(opened) == []


def test_a_condition_is_written_and_what_is_wrong_is_underlined(opened: Program) -> None:
    select(opened, BUILDER)
    press(opened, Qt.Key.Key_F9, SHIFT)
    form = run_window(opened).findChildren(BreakpointsPane)[0].form
    assert form.condition_line.hasFocus()
    QTest.keyClicks(form.condition_line, "query contains dry")
    QTest.keyClick(form.condition_line, Qt.Key.Key_Return)
    assert words(opened) == [f"Before {BUILDER} when query contains dry"]
    QTest.keyClick(form.condition_line, Qt.Key.Key_A, CTRL)
    QTest.keyClicks(form.condition_line, 'query = = "dry"')
    assert form.told.startswith("Character 9: A value is missing before ==.")
    assert form.condition_line.wrong == (8, 9)
    QTest.keyClick(form.condition_line, Qt.Key.Key_Return)
    assert words(opened) == [f"Before {BUILDER} when query contains dry"], "nothing was changed"
    QTest.keyClick(form.condition_line, Qt.Key.Key_A, CTRL)
    QTest.keyClicks(form.condition_line, 'query == "dry"')
    QTest.keyClick(form.condition_line, Qt.Key.Key_Return)
    assert words(opened) == [f'Before {BUILDER} when query == "dry"']


def test_the_pane_sets_kinds_with_a_tick_and_lists_switches_and_removes(opened: Program) -> None:
    pane = pane_of(opened)
    tools, llms = (box for box in pane.findChildren(QWidget) if box.inherits("QCheckBox"))
    for box in (tools, llms):
        QTest.mouseClick(box, LEFT, NONE, QPoint(8, box.height() // 2))
    assert words(opened) == ["Before every tool call", "Before every LLM call"]
    view = pane.view
    row = view.visualRect(view.model().index(0, 0))
    QTest.mouseClick(view.viewport(), LEFT, NONE, QPoint(20, row.center().y()))
    assert words(opened)[0] == "Before every tool call, switched off"
    assert not tools.property("checked"), "the tick above follows"
    view.setFocus()
    view.setCurrentIndex(view.model().index(0, 0))
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert words(opened)[0] == "Before every tool call"
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert words(opened) == ["Before every LLM call"]
    press(opened, Qt.Key.Key_F9, CTRL | SHIFT)
    assert words(opened) == []


def test_a_new_one_is_written_for_a_component_and_a_visit(opened: Program) -> None:
    pane = pane_of(opened)
    form = pane.form
    combos = [one for one in form.findChildren(QWidget) if one.inherits("QComboBox")]
    phase, where = combos
    choose_in(where, "prompt_builder")
    choose_in(phase, "After")
    (visit,) = (one for one in form.findChildren(QWidget) if one.inherits("QSpinBox"))
    visit.setFocus()
    QTest.keyClick(visit, Qt.Key.Key_Up)
    QTest.keyClick(visit, Qt.Key.Key_Up)
    (apply,) = (one for one in form.findChildren(QWidget) if one.inherits("QPushButton"))
    QTest.mouseClick(apply, LEFT, NONE, apply.rect().center())
    assert words(opened) == ["After visit 2 of prompt_builder"]
    mark_first, mark_second = spoken(opened, BUILDER), spoken(opened, "prompt_builder#2")
    assert "breakpoint" not in mark_first
    assert "breakpoint after visit 2 of prompt_builder" in mark_second


def test_what_is_half_written_stays_while_others_come_and_go(opened: Program) -> None:
    pane = pane_of(opened)
    line = pane.form.condition_line
    QTest.keyClicks(line, "query ==")
    click_gutter(opened, BUILDER)
    assert line.text() == "query =="
    view = pane.view
    view.setCurrentIndex(view.model().index(0, 0))
    assert line.text() == "", "another one is looked at"
    QTest.keyClicks(line, "query contains")
    breakpoints(opened).put(BreakpointSpec(kinds=("tool",)))
    assert line.text() == "query contains"
    assert view.currentIndex().row() == 0
    press(opened, Qt.Key.Key_F9, CTRL | SHIFT)
    assert line.text() == "", "it is gone with its breakpoint"


def test_where_there_are_as_many_as_there_can_be_that_is_said(opened: Program) -> None:
    for visit in range(1, MOST + 1):
        breakpoints(opened).put(BreakpointSpec(name="a", visit=visit))
    said: list[str] = []
    opened.content._parts.breaker.said.connect(said.append)
    click_gutter(opened, BUILDER)
    select(opened, BUILDER)
    press(opened, Qt.Key.Key_F9)
    press(opened, Qt.Key.Key_F9, SHIFT)
    pane = pane_of(opened)
    pane.form.wanted.emit(BreakpointSpec(kinds=("llm",)), "")
    assert said == [FULL] * 4
    assert len(breakpoints(opened).specs) == MOST


def test_undo_takes_back_what_was_done_and_nothing_that_came_past_it(opened: Program) -> None:
    mine = breakpoints(opened)
    mine.put(BreakpointSpec(path=BUILDER))
    mine.follow((), (BreakpointSpec(kinds=("tool",)),))  # as a replay of this run does
    press(opened, Qt.Key.Key_Z, CTRL)
    assert words(opened) == ["Before every tool call"]
    press(opened, Qt.Key.Key_Z, CTRL | SHIFT)
    assert sorted(words(opened)) == ["Before every tool call", f"Before {BUILDER}"]


def choose_in(combo: Any, words: str) -> None:
    """Choose an entry of a box by the keyboard."""
    combo.setFocus()
    QTest.keyClick(combo, Qt.Key.Key_Home)
    for _ in range(combo.count()):
        if combo.currentText() == words:
            return
        QTest.keyClick(combo, Qt.Key.Key_Down)
    raise AssertionError(f"there is no {words}")


def test_they_are_kept_with_the_run_and_no_other(
    qapp: QApplication, tmp_path: Path, run_file: Path, qtbot: QtBot
) -> None:
    disk = QSettings(str(tmp_path / "kept.ini"), QSettings.Format.IniFormat)

    def started() -> Program:
        made = build(qapp, disk)
        qtbot.addWidget(made.window)
        made.window.show()
        qtbot.waitExposed(made.window)
        open_file(made, run_file, qtbot)
        return made

    first = started()
    click_gutter(first, BUILDER)
    breakpoints(first).put(BreakpointSpec(kinds=("tool",), condition="a == 1", enabled=False))
    first.close()
    second = started()
    assert words(second) == [
        f"Before {BUILDER}", "Before every tool call when a == 1, switched off",
    ]  # fmt: skip
    assert not breakpoints(second).undo_stack.canUndo(), "what was there is nothing to take back"
    breakpoints(second).clear()
    second.close()
    third = started()
    assert words(third) == []
    third.close()
