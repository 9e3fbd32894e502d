"""Everything in the window has a name and can be reached without a mouse."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from inspector.gui.actions import ACTIONS
from inspector.gui.app_program import Program
from inspector.gui.panes.pane_table import PANES
from inspector.gui.tasks.crashes import crash_report
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.span_detail import Tab
from tests.gui.conftest import open_file, wait_until_quiet

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
ROLES = {
    QAccessible.Role.Button,
    QAccessible.Role.ButtonMenu,
    QAccessible.Role.ButtonDropDown,
    QAccessible.Role.CheckBox,
    QAccessible.Role.ComboBox,
    QAccessible.Role.EditableText,
    QAccessible.Role.Link,
    QAccessible.Role.List,
    QAccessible.Role.MenuItem,
    QAccessible.Role.PageTab,
    QAccessible.Role.PageTabList,
    QAccessible.Role.RadioButton,
    QAccessible.Role.ScrollBar,
    QAccessible.Role.Slider,
    QAccessible.Role.SpinBox,
    QAccessible.Role.Table,
    QAccessible.Role.Tree,
}
OPERABLE = (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
)
MOST_ROWS = 40  # of one view: rows are alike


def walk(
    node: QAccessibleInterface, above: tuple[str, ...] = ()
) -> Iterator[tuple[QAccessibleInterface, tuple[str, ...]]]:
    """Yield everything that is seen, as a screen reader comes upon it."""
    if not node.isValid() or node.state().invisible:
        return
    yield node, above
    told = f"{node.role().name}:{node.text(QAccessible.Text.Name)}"
    for place in range(min(node.childCount(), MOST_ROWS)):
        child = node.child(place)
        if child is not None:
            yield from walk(child, (*above, told))


def nameless(root: QWidget) -> list[str]:
    """Return what can be operated and has no name, by where it is."""
    node = QAccessible.queryAccessibleInterface(root)
    assert node is not None
    found = []
    for each, above in walk(node):
        if each.role() in ROLES and not each.text(QAccessible.Text.Name).strip():
            owner = each.object()
            is_ours = not isinstance(owner, QWidget) or owner.isVisible()
            if is_ours and not _is_part_of_a_scroll_area(each):
                found.append(
                    " > ".join((*above[-4:], f"{each.role().name} {type(owner).__name__}"))
                )
    return found


def _is_part_of_a_scroll_area(node: QAccessibleInterface) -> bool:
    # Its bars are moved by the keys of what scrolls, whose name they go by.
    return node.role() is QAccessible.Role.ScrollBar


def unreachable(root: QWidget) -> list[str]:
    """Return what a mouse can operate and keys cannot, by class and name."""
    return [
        f"{type(one).__name__} {one.accessibleName() or one.objectName()}"
        for one in root.findChildren(QWidget)
        if isinstance(one, OPERABLE)
        and one.isVisible()
        and one.isEnabled()
        and not one.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not _has_another_way(one)
    ]


def _has_another_way(widget: QWidget) -> bool:
    """Say whether keys do the same elsewhere, as each of these says where it is made."""
    name = widget.accessibleName()
    if name.startswith("Close the pane") or name == "What fits":
        return True
    # Arrows on a bar of tabs move along it; Ctrl+W closes the one in front.
    parent = widget.parentWidget()
    if parent is not None and parent.metaObject().className().endswith("TabBar"):
        return True
    # Parts of another one, which has the focus: a combo's list, the corner of a table.
    return any(
        isinstance(above, QComboBox | QLineEdit) for above in _ancestors(widget)
    ) or widget.metaObject().className() in ("QTableCornerButton", "QHeaderView")


def _ancestors(widget: QWidget) -> Iterator[QWidget]:
    above = widget.parentWidget()
    while above is not None:
        yield above
        above = above.parentWidget()


@pytest.fixture
def agent(program: Program, qtbot: QtBot) -> OpenRun:
    run = open_file(program, EXAMPLES / "agent-tools.run.json", qtbot)
    run.selection.select("s8")
    wait_until_quiet(program, qtbot)
    return run


def check(root: QWidget) -> None:
    assert nameless(root) == []
    assert unreachable(root) == []


def test_the_start_page_can_be_used_without_eyes_and_mouse(program: Program) -> None:
    check(program.window)


@pytest.mark.parametrize("key", [spec.key for spec in PANES])
def test_each_pane_can_be_used_without_eyes_and_mouse(
    program: Program, agent: OpenRun, qtbot: QtBot, key: str
) -> None:
    agent.notes.write("s8", "why")
    window = program.content.tabs.current_window
    assert window is not None
    window.show_pane(key)
    wait_until_quiet(program, qtbot)
    check(program.window)


@pytest.mark.parametrize("tab", list(Tab), ids=lambda tab: tab.value)
def test_each_tab_of_the_span_can_be_used_without_eyes_and_mouse(
    program: Program, agent: OpenRun, qtbot: QtBot, tab: Tab
) -> None:
    window = program.content.tabs.current_window
    assert window is not None
    agent.selection.select("s6" if tab in (Tab.MESSAGES, Tab.TURNS) else "s8")
    wait_until_quiet(program, qtbot)
    window.span_pane.show_tab(tab)
    wait_until_quiet(program, qtbot)
    check(program.window)


def test_a_comparison_can_be_used_without_eyes_and_mouse(program: Program, qtbot: QtBot) -> None:
    with qtbot.waitSignal(program.workspace.comparison_added):
        program.comparer.compare_files(
            EXAMPLES / "rag-answer.run.json", EXAMPLES / "rag-other-prompt.run.json"
        )
    comparison = program.workspace.current_comparison
    assert comparison is not None
    qtbot.waitUntil(lambda: comparison.comparison is not None and not comparison.tasks.busy)
    check(program.window)


def test_the_search_bar_and_the_palette_can_be_used_without_eyes_and_mouse(
    program: Program, agent: OpenRun, qtbot: QtBot
) -> None:
    program.content.action("find").trigger()
    check(program.window)
    program.content.action("palette").trigger()
    check(program.window)


Shown = Callable[[Program], object]
DIALOGS: dict[str, Shown] = {
    "settings": lambda program: program.content.action("settings").trigger(),
    "shortcuts": lambda program: program.content.action("shortcuts").trigger(),
    "about": lambda program: program.content.action("about").trigger(),
    "compare": lambda program: program.content.action("compare").trigger(),
    "crash": lambda program: program.messages.crashed(ValueError("x")),
}


@pytest.mark.parametrize("name", DIALOGS)
def test_each_dialog_can_be_used_without_eyes_and_mouse(
    program: Program, agent: OpenRun, name: str
) -> None:
    DIALOGS[name](program)
    (dialog,) = [one for one in program.window.findChildren(QDialog) if one.isVisible()]
    assert dialog.windowTitle()
    check(dialog)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_a_report_of_a_crash_has_its_words() -> None:
    assert crash_report(ValueError("x"), "1")


def test_tab_goes_round_everything_and_comes_back(
    program: Program, agent: OpenRun, qtbot: QtBot
) -> None:
    program.window.activateWindow()
    window = program.content.tabs.current_window
    assert window is not None
    window.show_pane("tree")
    begun = QApplication.focusWidget()
    assert begun is not None
    seen = [begun]
    while len(seen) < 400:
        QTest.keyClick(QApplication.focusWidget() or program.window, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        assert now is not None
        if now is begun:
            break
        assert now not in seen, f"Tab is caught at {now}"
        seen.append(now)
    assert QApplication.focusWidget() is begun
    panes = [window.host.dock(key) for key in ("timeline", "tree", "span")]
    assert all(any(dock.isAncestorOf(one) for one in seen) for dock in panes)


def test_every_action_has_words_and_every_menu_a_letter(program: Program) -> None:
    assert all(spec.text.strip() for spec in ACTIONS)
    titles = [action.text() for action in program.window.menuBar().actions()]
    letters = [title[title.index("&") + 1].lower() for title in titles]
    assert len(set(letters)) == len(letters)


def test_the_walk_comes_upon_what_has_no_name_and_what_keys_do_not_reach(
    program: Program, agent: OpenRun
) -> None:
    node = QAccessible.queryAccessibleInterface(program.window)
    assert node is not None
    met = {each.text(QAccessible.Text.Name) for each, _above in walk(node)}
    assert {"Components", "Timeline", "Next tool call", "Open runs"} <= met
    window = program.content.tabs.current_window
    assert window is not None
    dumb = QToolButton(window.tree_pane)
    dumb.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    dumb.show()
    assert [words for words in nameless(program.window) if "QToolButton" in words]
    assert len(unreachable(program.window)) == 1
