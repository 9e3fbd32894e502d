"""Something of a recording is changed by hand, replayed, and what followed is seen."""

import pytest

pytest.importorskip("haystack", reason="a replay runs a pipeline, which needs the framework")

from haystack.dataclasses import ChatMessage
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeView
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from inspector.gui.dialogs.documents_dialog import DocumentsDialog
from inspector.gui.dialogs.template_dialog import TemplateDialog
from inspector.gui.dialogs.value_dialog import ValueDialog
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.span_detail import Tab
from tests.gui.conftest import open_file, run_window, wait_until_quiet
from tests.gui.replaying.conftest import Replaying
from tests.gui.replaying.editing import (
    button,
    choose,
    dialog,
    entries,
    menu_of_current,
    open_menu,
    press,
    rag,
    replace_all,
    span_id,
)
from tests.helpers.openai_script import Call, Reply, Request, call, say

__all__ = ["rag"]

LONG_MS = 60_000


def test_a_prompt_is_edited_with_its_preview_and_replayed_against_a_server(
    replaying: Replaying, rag: OpenRun, qtbot: QtBot
) -> None:
    program = replaying.program
    rag.selection.select(span_id(rag, "llm#1"))
    QTest.keyClick(program.window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    editor = dialog(program, TemplateDialog)
    recorded = "The vents open at 27 degrees. When do the vents open?"
    qtbot.waitUntil(lambda: recorded in editor.preview.toPlainText(), timeout=LONG_MS)
    replace_all(editor.editor, "In one word: {{ query }} {{ nobody }}")
    qtbot.waitUntil(
        lambda: "In one word: When do the vents open?" in editor.preview.toPlainText(),
        timeout=LONG_MS,
    )
    names = [
        editor.variables.cells.index(row, 0).data()
        for row in range(editor.variables.cells.rowCount())
    ]
    assert set(names) == {"query", "nobody", "documents"}
    nobody = editor.variables.cells.index(names.index("nobody"), 2).data()
    assert nobody == "required, and never given"
    replace_all(editor.editor, "In one word: {{ query }}")
    press(editor, "Keep change")
    (words,) = rag.changes.words()
    assert words.startswith("Template of prompt: ")
    status = run_window(program).findChild(StatusLine)
    assert isinstance(status, StatusLine)
    said = status.words.text().replace("\u202f", " ")
    assert said.startswith("1 change to the recording: Ctrl+R replays")

    replaying.project.server.script = lambda request: say(f"<{request.text}>")
    asked = replaying.project.server.count()
    replay = replaying.ended(
        "garden:rag", mode="drift_ok", allow_live=True, live_budget=1,
        overrides=rag.changes.overrides(), changes=rag.changes.words(),
    )  # fmt: skip
    assert replaying.project.server.count() == asked + 1
    (reply,) = replay.result().outputs["llm"]["replies"]
    assert reply["content"][0]["text"] == "<In one word: When do the vents open?>"
    assert replaying.is_untouched()
    # The result opens as a comparison with the original, by itself.
    qtbot.waitUntil(lambda: program.workspace.current_comparison is not None)
    compared = program.workspace.current_comparison
    assert compared is not None
    qtbot.waitUntil(lambda: compared.comparison is not None, timeout=LONG_MS)
    assert compared.comparison is not None
    assert "prompt" in {str(each.kind) for each in compared.comparison.decisions if each.differs}


def test_a_template_that_is_wrong_says_where_and_marks_the_line(
    replaying: Replaying, rag: OpenRun, qtbot: QtBot
) -> None:
    QTest.keyClick(replaying.program.window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    editor = dialog(replaying.program, TemplateDialog)
    replace_all(editor.editor, "one")
    QTest.keyClick(editor.editor, Qt.Key.Key_Return)
    QTest.keyClicks(editor.editor, "two {{ query")
    qtbot.waitUntil(lambda: "Line 2" in editor.preview.toPlainText(), timeout=LONG_MS)
    assert editor.editor.marked_line == 2
    assert "Line 2" in editor.said
    replace_all(editor.editor, "fine again")
    qtbot.waitUntil(lambda: "fine again" in editor.preview.toPlainText(), timeout=LONG_MS)
    assert editor.editor.marked_line is None
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert rag.changes.changes == ()


def test_a_template_bomb_leaves_the_window_as_it_is(
    replaying: Replaying, rag: OpenRun, qtbot: QtBot
) -> None:
    QTest.keyClick(replaying.program.window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    editor = dialog(replaying.program, TemplateDialog)
    editor.editor.setPlainText(
        "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}"
    )
    qtbot.waitUntil(lambda: "longer than" in editor.preview.toPlainText(), timeout=LONG_MS)
    editor.editor.setPlainText("{{ 'a' * 100000000000 }}")
    qtbot.waitUntil(lambda: "memory" in editor.preview.toPlainText(), timeout=LONG_MS)
    editor.editor.setPlainText("harmless")
    qtbot.waitUntil(lambda: editor.preview.toPlainText().endswith("harmless"), timeout=LONG_MS)
    editor.reject()


def test_a_document_is_taken_out_by_its_context_menu_and_the_prompt_follows(
    replaying: Replaying, rag: OpenRun, qtbot: QtBot
) -> None:
    program = replaying.program
    rag.selection.select(span_id(rag, "retriever#1"))
    wait_until_quiet(program, qtbot)
    window = run_window(program)
    window.span_pane.show_tab(Tab.DOCUMENTS)
    table = next(
        each for each in window.span_pane.findChildren(QTreeView)
        if each.accessibleName() == "Documents"
    )  # fmt: skip
    table.setCurrentIndex(table.model().index(0, 0))
    menu = menu_of_current(table)
    assert "Change the documents of retriever#1…" in entries(menu)
    choose(menu, "Change the documents of retriever#1")
    editor = dialog(program, DocumentsDialog)
    QTest.keyClick(editor.table, Qt.Key.Key_Delete)
    editor.add()
    replace_all(editor.content, "The vents never open.")
    replace_all(editor.score, "0.5")
    editor.check()
    assert "added" in editor.said
    press(editor, "Keep change")
    replay = replaying.ended(
        "garden:rag", mode="drift_ok", overrides=rag.changes.overrides(),
        changes=rag.changes.words(),
    )  # fmt: skip
    assert replay.live is not None
    report = (replay.live.finished or {})["report"]
    live = [each.get("live") for each in report["drifts"]]
    assert any("The vents never open." in str(each) for each in live)


def test_what_is_no_score_and_no_meta_is_said_and_cannot_be_kept(
    replaying: Replaying, rag: OpenRun
) -> None:
    span = rag.run.at("retriever#1")
    assert span is not None
    from inspector.presentation.what_if_places import answer_place

    place = answer_place(span)
    assert place is not None
    rag.changes.ask(place)
    editor = dialog(replaying.program, DocumentsDialog)
    keep = button(editor, "Keep change")
    replace_all(editor.score, "much")
    assert not editor.check()
    assert "'much' is no number" in editor.said
    assert not keep.isEnabled()
    replace_all(editor.score, "0.25")
    replace_all(editor.meta, "{")
    assert not editor.check()
    assert editor.said.startswith("Meta: Line 1")
    count = editor.table.cells.rowCount()
    editor.add()  # which would lose what is half written
    assert editor.table.cells.rowCount() == count
    assert editor.meta.toPlainText() == "{"
    replace_all(editor.meta, '{"page": 1}')
    editor.add()
    assert editor.table.cells.rowCount() == count + 1
    replace_all(editor.score, "1e999")
    editor.table.setFocus()
    QTest.keyClick(editor.table, Qt.Key.Key_Home)
    assert editor.table.currentIndex().row() == 1, "it stays where something is wrong"
    assert editor.score.text() == "1e999"
    assert "'1e999' is no number" in editor.said
    press(editor, "As recorded")
    assert editor.check()
    assert editor.said == "As it was recorded: this is no change."


def test_a_recorded_answer_is_edited_as_a_text_and_as_json(
    replaying: Replaying, rag: OpenRun, qtbot: QtBot
) -> None:
    program = replaying.program
    rag.selection.select(span_id(rag, "llm#1"))
    tree = run_window(program).tree_pane.view
    qtbot.waitUntil(lambda: tree.currentIndex().isValid())
    menu = menu_of_current(tree)
    assert {"Change the answer of llm#1…", "Change the template of prompt…"} <= set(entries(menu))
    choose(menu, "Change the answer of llm#1")
    editor = dialog(program, ValueDialog)
    replace_all(editor.editor, "They never open.")
    editor.forms.setCurrentIndex(1)
    assert '"They never open."' in editor.editor.toPlainText()
    replace_all(editor.editor, "{")
    assert not editor.check()
    assert editor.said.startswith("Line 1")
    editor.forms.setCurrentIndex(0)
    assert editor.forms.currentIndex() == 1, "what is no JSON cannot be shown as a text"
    replace_all(editor.editor, '{"replies": []}')
    assert not editor.check()
    assert "not empty" in editor.said
    press(editor, "As recorded")
    editor.forms.setCurrentIndex(0)
    replace_all(editor.editor, "They never open.")
    press(editor, "Keep change")
    replay = replaying.ended(
        "garden:rag", mode="drift_ok", overrides=rag.changes.overrides(),
        changes=rag.changes.words(),
    )  # fmt: skip
    (reply,) = replay.result().outputs["llm"]["replies"]
    assert reply["content"][0]["text"] == "They never open."


def test_a_parameter_and_an_input_are_what_the_replay_is_made_with(
    replaying: Replaying, rag: OpenRun, qtbot: QtBot
) -> None:
    from inspector.presentation.what_if_places import input_places, parameter_places

    program = replaying.program
    retriever, llm = rag.run.at("retriever#1"), rag.run.at("llm#1")
    assert retriever is not None
    assert llm is not None
    (place,) = [each for each in parameter_places(rag.run, llm) if each.name == "model"]
    rag.changes.ask(place)
    editor = dialog(program, ValueDialog)
    replace_all(editor.editor, "gpt-4o")
    press(editor, "Keep change")
    (place,) = [each for each in input_places(rag.run) if each.at == "prompt"]
    rag.changes.ask(place)
    editor = dialog(program, ValueDialog)
    replace_all(editor.editor, "And at night?")
    press(editor, "Keep change")
    assert rag.changes.overrides() == {
        "parameters": {"llm": {"model": "gpt-4o"}},
        "inputs": {"prompt": {"query": "And at night?"}},
    }
    models: list[str] = []

    def script(request: Request) -> Reply:
        models.append(request.body["model"])
        return say(f"<{request.text}>")

    replaying.project.server.script = script
    replay = replaying.ended(
        "garden:rag", mode="drift_ok", allow_live=True, overrides=rag.changes.overrides(),
        changes=rag.changes.words(),
    )  # fmt: skip
    (reply,) = replay.result().outputs["llm"]["replies"]
    assert "And at night?" in reply["content"][0]["text"]
    assert models == ["gpt-4o"]


def test_a_message_is_changed_from_the_conversation(
    replaying: Replaying, rag: OpenRun, qtbot: QtBot
) -> None:
    from inspector.gui.widgets.turn_widget import TurnWidget

    program = replaying.program
    rag.selection.select(span_id(rag, "llm#1"))
    wait_until_quiet(program, qtbot)
    window = run_window(program)
    window.span_pane.show_tab(Tab.MESSAGES)
    qtbot.waitUntil(lambda: len(window.span_pane.findChildren(TurnWidget)) == 2)
    prompt, reply = window.span_pane.findChildren(TurnWidget)
    for turn, words in ((prompt, "Change the template of prompt…"),
                        (reply, "Change the answer of llm#1…")):  # fmt: skip
        menu = open_menu(turn, QPoint(2, 2))
        assert words in entries(menu)
        menu.close()
        qtbot.waitUntil(lambda menu=menu: not isValid(menu))


def test_closing_a_run_closes_the_editors_of_it(replaying: Replaying, rag: OpenRun) -> None:
    QTest.keyClick(replaying.program.window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert dialog(replaying.program, TemplateDialog)
    replaying.program.workspace.remove(rag)
    assert not [
        each for each in replaying.program.window.findChildren(TemplateDialog) if each.isVisible()
    ]


def test_values_offer_what_made_them(replaying: Replaying, rag: OpenRun, qtbot: QtBot) -> None:
    program = replaying.program
    rag.selection.select(span_id(rag, "prompt#1"), "inputs.documents[0]")
    wait_until_quiet(program, qtbot)
    window = run_window(program)
    values = next(
        each for each in window.span_pane.findChildren(QTreeView)
        if each.accessibleName() == "Input: values" and each.isVisible()
    )  # fmt: skip
    qtbot.waitUntil(lambda: values.currentIndex().isValid())
    menu = menu_of_current(values)
    assert "Change the documents of retriever#1…" in entries(menu)
    choose(menu, "Change the documents of retriever#1")
    assert dialog(program, DocumentsDialog).content.toPlainText() == "The vents open at 27 degrees."


def test_a_tool_result_and_a_system_prompt_of_an_agent_are_changed(
    replaying: Replaying, qtbot: QtBot
) -> None:
    def script(request: Request) -> Reply:
        if not request.turn:
            return call(Call("read_probe", {"bed": "basil"}))
        return say(f"{request.body['messages'][0]['content']} It reads {request.tool_results[-1]}")

    replaying.project.server.script = script
    replaying.record("agent", {"messages": [ChatMessage.from_user("How is the basil?")]})
    opened = open_file(replaying.program, replaying.path, qtbot)
    opened.selection.select(span_id(opened, "step0/tool:read_probe[0]"))
    wait_until_quiet(replaying.program, qtbot)
    window = replaying.program.window
    QTest.keyClick(
        window, Qt.Key.Key_W,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )  # fmt: skip
    editor = dialog(replaying.program, ValueDialog)
    assert editor.editor.toPlainText() == "basil: 31 %"
    replace_all(editor.editor, "basil: 99 %")
    press(editor, "Keep change")
    QTest.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    prompt = dialog(replaying.program, TemplateDialog)
    replace_all(prompt.editor, "Be a pirate.")
    press(prompt, "Keep change")
    replay = replaying.ended(
        "garden:agent", mode="drift_ok", allow_live=True,
        overrides=opened.changes.overrides(), changes=opened.changes.words(),
    )  # fmt: skip
    last = replay.result().outputs["last_message"]["content"][0]["text"]
    assert last == "Be a pirate. It reads basil: 99 %"
