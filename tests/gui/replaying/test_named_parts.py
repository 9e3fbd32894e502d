"""Editors of what-ifs and tables of runs: every part has a name and can be reached by keys."""

from collections.abc import Callable

import pytest

pytest.importorskip("haystack", reason="a replay runs a pipeline, which needs the framework")

from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.dialogs.cohort_dialog import CohortDialog
from inspector.gui.dialogs.documents_dialog import DocumentsDialog
from inspector.gui.dialogs.news_dialog import NewsDialog
from inspector.gui.dialogs.template_dialog import TemplateDialog
from inspector.gui.dialogs.value_dialog import ValueDialog
from inspector.gui.workspace.open_cohort import CohortMember, OpenCohort
from inspector.gui.workspace.open_comparison import ComparedRun
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.what_if_places import answer_place, template_places
from inspector.replay.extend import NewCall, News
from tests.gui.compare.conftest import example
from tests.gui.conftest import open_file
from tests.gui.manners.test_accessibility import check
from tests.gui.replaying.editing import dialog

Show = Callable[[Program, OpenRun], QDialog]


def _template(program: Program, opened: OpenRun) -> QDialog:
    opened.changes.ask(template_places(opened.run)[0])
    return dialog(program, TemplateDialog)


def _documents(program: Program, opened: OpenRun) -> QDialog:
    place = answer_place(opened.run.span("s2"))
    assert place is not None
    opened.changes.ask(place)
    return dialog(program, DocumentsDialog)


def _value(program: Program, opened: OpenRun) -> QDialog:
    place = answer_place(opened.run.span("s4"))
    assert place is not None
    opened.changes.ask(place)
    return dialog(program, ValueDialog)


def _cohort(program: Program, opened: OpenRun) -> QDialog:
    member = CohortMember(ComparedRun(opened.run, opened.path, opened.title))
    made = CohortDialog([member, member], parent=program.window)
    made.show()
    return made


def _news(program: Program, opened: OpenRun) -> QDialog:
    call = NewCall("llm#1", 2, "component", "llm", "a.b.Generator", "live")
    made = NewsDialog(News((call,), 100), "pump.run.json", program.window)
    made.show()
    return made


DIALOGS: list[Show] = [_template, _documents, _value, _cohort, _news]


@pytest.fixture
def opened(program: Program, qtbot: QtBot) -> OpenRun:
    return open_file(program, example("rag-answer"), qtbot)


@pytest.mark.parametrize("show", DIALOGS)
def test_every_editor_can_be_used_without_eyes_and_mouse(
    show: Show, program: Program, opened: OpenRun, qtbot: QtBot
) -> None:
    shown = show(program, opened)
    qtbot.waitExposed(shown)
    check(shown)
    shown.reject()


def test_the_table_of_runs_has_names_everywhere(
    program: Program, opened: OpenRun, qtbot: QtBot
) -> None:
    other = open_file(program, example("rag-other-prompt"), qtbot)
    members = [
        CohortMember(ComparedRun(each.run, each.path, each.title)) for each in (opened, other)
    ]
    cohort = OpenCohort(members)
    program.workspace.add(cohort)
    qtbot.waitUntil(lambda: cohort.cohort is not None and not cohort.tasks.busy, timeout=30_000)
    window = program.content.tabs.current_cohort_window
    assert window is not None
    check(window)
