"""Several runs beside each other in a tab, and the replays of one recording among them."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.dialogs.cohort_dialog import CohortDialog
from inspector.gui.panes.cohort_window import CohortWindow
from inspector.gui.widgets.cohort_view import CohortView
from inspector.presentation.what_if_places import template_places
from tests.gui.compare.conftest import example
from tests.gui.conftest import open_file
from tests.gui.replaying.conftest import DATA, LONG_MS, Replaying
from tests.gui.replaying.editing import dialog, press
from tests.helpers.openai_script import say

THREE = ("rag-answer", "rag-other-prompt", "rag-other-document")


def shown(program: Program, qtbot: QtBot) -> CohortWindow:
    """Return the table in front, once it is there."""
    window = program.content.tabs.current_cohort_window
    assert window is not None
    cohort = window.open_cohort
    qtbot.waitUntil(
        lambda: (
            cohort.cohort is not None
            and len(cohort.cohort.members) == len(cohort.members) - 1
            and not cohort.tasks.busy
        ),
        timeout=LONG_MS,
    )
    return window


def view_of(window: CohortWindow) -> CohortView:
    assert window.view is not None
    return window.view


def column(window: CohortWindow, title: str) -> list[str]:
    """Return what stands in a column, from the top."""
    view = view_of(window)
    model = view.cells
    titles = [
        str(model.headerData(at, Qt.Orientation.Horizontal)) for at in range(model.columnCount())
    ]
    at = next(at for at, each in enumerate(titles) if each.rstrip(" ▴▾") == title)
    return [model.index(row, at).data() for row in range(model.rowCount())]


def press_title(window: CohortWindow, title: str) -> None:
    header = view_of(window).header()
    model = view_of(window).cells
    at = next(
        at
        for at in range(model.columnCount())
        if str(model.headerData(at, Qt.Orientation.Horizontal)).rstrip(" ▴▾") == title
    )
    x = header.sectionViewportPosition(at) + header.sectionSize(at) // 2
    QTest.mouseClick(
        header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, header.height() // 2)
    )


@pytest.fixture
def three(program: Program, qtbot: QtBot) -> CohortWindow:
    """Return the table of three bundled runs, asked for as a person does."""
    program.window.resize(1280, 800)
    for name in THREE:
        open_file(program, example(name), qtbot)
    program.content.action("cohort").trigger()
    press(dialog(program, CohortDialog), "Show table")
    return shown(program, qtbot)


def test_open_runs_stand_in_a_table_with_the_first_as_baseline(three: CohortWindow) -> None:
    assert three.verdict == "Both other runs decide otherwise, with another answer."
    assert column(three, "Run") == [f"{name}.run.json" for name in THREE]
    assert column(three, "Documents") == ["", "=", "≠"]
    assert column(three, "± tokens") == ["", "−49", "+12"]


def test_a_press_on_a_title_sorts_and_a_second_one_turns_it_round(three: CohortWindow) -> None:
    press_title(three, "Tokens")
    assert column(three, "Tokens") == ["451", "402", "463"]
    press_title(three, "Tokens")
    assert column(three, "Tokens") == ["451", "463", "402"], "the baseline stays on top"


def test_figures_are_seen_whole_at_every_size_of_text(
    three: CohortWindow, program: Program, qtbot: QtBot
) -> None:
    from inspector.presentation.cohort_table import ColumnKind, cohort_table

    cohort = three.open_cohort.cohort
    assert cohort is not None
    for scale in (1.0, 1.5):
        program.settings.update(text_scale=scale)
        view = view_of(three)
        for at, each in enumerate(cohort_table(cohort).columns):
            if each.kind in (ColumnKind.FIGURE, ColumnKind.DELTA):
                widest = max(
                    view.fontMetrics().horizontalAdvance(words)
                    for words in column(three, each.title)
                )
                assert view.header().sectionSize(at) >= widest
    program.settings.update(text_scale=1.0)


def test_keys_lead_from_a_row_to_the_comparison_and_from_the_baseline_to_its_run(
    three: CohortWindow, program: Program, qtbot: QtBot
) -> None:
    view = view_of(three)
    view.setFocus()
    view.setCurrentIndex(view.cells.index(1, 0))
    assert three.open_cohort.selected == 1
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert three.open_cohort.selected == 2
    assert "other content" in three.about
    QTest.keyClick(view, Qt.Key.Key_Return)
    compared = program.workspace.current_comparison
    assert compared is not None
    assert compared.title == "rag-answer.run.json ↔ rag-other-document.run.json"
    program.workspace.make_current(three.open_cohort)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert program.workspace.current_comparison is compared, "there is one tab for it"
    assert len(program.workspace.comparisons) == 1
    program.workspace.make_current(three.open_cohort)
    QTest.keyClick(view, Qt.Key.Key_Home)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert program.workspace.current is not None
    assert program.workspace.current.title == "rag-answer.run.json"


def test_another_run_becomes_the_baseline_and_one_is_taken_out(
    three: CohortWindow, program: Program, qtbot: QtBot
) -> None:
    three.open_cohort.select(1)
    three.open_cohort.make_baseline(1)
    shown(program, qtbot)
    assert column(three, "Run")[0] == "rag-other-prompt.run.json"
    assert column(three, "± tokens") == ["", "+49", "+61"]
    three.open_cohort.remove(1)
    shown(program, qtbot)
    assert column(three, "Run") == ["rag-other-prompt.run.json", "rag-other-document.run.json"]


def test_the_table_is_copied_for_a_pull_request(three: CohortWindow) -> None:
    three.copy_table()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("**Both other runs decide otherwise")
    assert "| rag-other-prompt.run.json |" in copied


def test_one_run_alone_makes_no_table(program: Program, qtbot: QtBot) -> None:
    open_file(program, example("rag-answer"), qtbot)
    program.content.action("cohort").trigger()
    assert program.workspace.cohorts == ()


def test_variants_of_a_prompt_are_kept_side_by_side_and_new_ones_join_them(
    replaying: Replaying, qtbot: QtBot
) -> None:
    program, project = replaying.program, replaying.project
    replaying.record("rag", DATA)
    opened = open_file(program, replaying.path, qtbot)
    project.server.script = lambda request: say(f"<{request.text}>")
    (place,) = template_places(opened.run)

    def replay(words: str) -> None:
        message = {"role": "user", "meta": {}, "name": None, "content": [{"text": words}]}
        opened.changes.put(place.changed([message]))
        made = replaying.start(
            "garden:rag", mode="drift_ok", allow_live=True, live_budget=1,
            overrides=opened.changes.overrides(), changes=opened.changes.words(),
        )  # fmt: skip
        qtbot.waitUntil(lambda: made.run is not None, timeout=LONG_MS)

    replay("Briefly: {{ query }}")
    replay("In French: {{ query }}")
    program.workspace.make_current(opened)
    program.content.action("variants").trigger()
    window = shown(program, qtbot)
    names = column(window, "Run")
    assert names[0] == "as recorded"
    assert ["Briefly" in names[1], "In French" in names[2]] == [True, True]
    assert "<Briefly: When do the vents open?>" in column(window, "Answer")[1]
    assert column(window, "± time")[1:] == ["n/c", "n/c"]
    assert "cannot be compared" in window.about
    replay("As a poem: {{ query }}")
    program.workspace.make_current(window.open_cohort)
    window = shown(program, qtbot)
    assert "As a poem" in column(window, "Run")[3]
    assert replaying.is_untouched()


def test_without_replays_there_are_no_variants_and_that_is_said(
    program: Program, qtbot: QtBot
) -> None:
    open_file(program, example("rag-answer"), qtbot)
    program.content.action("variants").trigger()
    assert program.workspace.cohorts == ()


def test_a_row_can_be_reached_and_heard(three: CohortWindow) -> None:
    view = view_of(three)
    assert view.accessibleName() == "Runs beside the baseline"
    assert view.selectionBehavior() == QAbstractItemView.SelectionBehavior.SelectRows
    assert Path(column(three, "Run")[0]).suffix == ".json"
