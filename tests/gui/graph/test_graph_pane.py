from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QToolTip
from pytestqt.qtbot import QtBot

from inspector.gui import theme
from inspector.gui.models.graph_table_model import Column, GraphTableModel
from inspector.gui.models.roles import SPAN_ID_ROLE
from inspector.gui.panes.graph_pane import GraphPane
from inspector.gui.settings import ThemeChoice
from inspector.gui.widgets.labels import ElidedWords
from inspector.gui.widgets.plain import IconButton
from tests.gui.graph.conftest import (
    CONTROL,
    LEFT,
    NONE,
    Show,
    click,
    example,
    middle,
    node,
    on_edge,
    path,
    press,
    select,
)
from tests.helpers.made_pipelines import component, large_run, run_of, topology


def drawn(pane: GraphPane) -> set[str]:
    scene = pane.canvas.scene
    assert scene is not None
    return {"/".join(scene.graph.labels(card.number)) for card in scene.arrangement.cards}


# Choosing


def test_a_click_selects_the_first_visit_and_more_clicks_the_others(loop: GraphPane) -> None:
    at = middle(loop, "llm")
    paths = []
    for _ in range(4):
        click(loop, at)
        paths.append(path(loop))
    assert paths == ["llm#1", "llm#2", "llm#3", "llm#1"]


def test_clicking_what_is_selected_elsewhere_goes_on_to_its_next_visit(loop: GraphPane) -> None:
    select(loop.open_run, "llm#2")
    click(loop, middle(loop, "llm"))
    assert path(loop) == "llm#3"


def test_selecting_a_span_elsewhere_marks_its_node(branch: GraphPane) -> None:
    select(branch.open_run, "technician#1/pipeline#1/agent#1/step1/llm")
    assert branch.canvas.node == node(branch, "technician", "agent", "llm")
    assert "ran 2 times" in branch.canvas.accessibleDescription()


def test_a_span_inside_of_a_node_marks_that_node(branch: GraphPane) -> None:
    select(branch.open_run, "technician#1/pipeline#1/agent#1/step1")
    assert branch.canvas.node == node(branch, "technician", "agent")


def test_the_whole_run_is_no_node(loop: GraphPane) -> None:
    click(loop, middle(loop, "llm"))
    select(loop.open_run, "")
    assert loop.canvas.node is None
    assert loop.frame.words == "4 of 4\u202fcomponents ran"


def test_a_component_that_did_not_run_can_be_looked_at(branch: GraphPane) -> None:
    select(branch.open_run, "router#1")
    click(branch, middle(branch, "technician", "agent", "read_sensor"))
    assert path(branch) == "router#1"
    assert branch.frame.words == "read_sensor · did not run · tool"


def test_an_edge_leads_to_the_input_that_its_value_became(loop: GraphPane) -> None:
    at = on_edge(loop, "validator", "joiner")
    seen = []
    for _ in range(3):
        click(loop, at)
        seen.append((path(loop), loop.open_run.selection.field))
    assert seen == [
        ("joiner#2", "inputs.value"),
        ("joiner#3", "inputs.value"),
        ("joiner#2", "inputs.value"),
    ]
    assert loop.frame.words == "validator.validation_error → joiner.value"


def test_an_edge_that_was_not_taken_says_so_and_selects_nothing(branch: GraphPane) -> None:
    click(branch, on_edge(branch, "router", "technician"))
    assert path(branch) == "nothing"
    assert branch.frame.more == "not taken · str"


def test_the_edge_of_a_tool_leads_to_its_calls(show: Show) -> None:
    pane = show(example("agent-tools"))
    at = on_edge(pane, "llm", "read_sensor")
    click(pane, at)
    first = path(pane)
    click(pane, at)
    assert (first, path(pane)) == (
        "assistant#1/step0/tool:read_sensor[0]",
        "assistant#1/step0/tool:read_sensor[1]",
    )


def test_a_chosen_node_shows_its_sockets_and_types(branch: GraphPane) -> None:
    click(branch, middle(branch, "router"))
    assert branch.frame.more == "in question: Any  ·  out fault: str (not taken), general: str"


def test_hovering_shows_what_a_node_is_and_what_went_over_an_edge(branch: GraphPane) -> None:
    canvas = branch.canvas
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QHelpEvent

    def tip(at: QPoint) -> str:
        QApplication.sendEvent(canvas, QHelpEvent(QEvent.Type.ToolTip, at, canvas.mapToGlobal(at)))
        return QToolTip.text()

    assert "out general: str" in tip(middle(branch, "router"))
    assert "router.general → front_desk.question" in tip(on_edge(branch, "router", "front_desk"))


# Keys


def test_arrow_keys_walk_from_node_to_node(loop: GraphPane) -> None:
    scene = loop.canvas.scene
    assert scene is not None
    onward = Qt.Key.Key_Down if scene.arrangement.down else Qt.Key.Key_Right
    back = Qt.Key.Key_Up if scene.arrangement.down else Qt.Key.Key_Left
    paths = []
    for key in (onward, onward, onward, onward, back):
        press(loop, key)
        paths.append(path(loop))
    assert paths == ["prompt_builder#1", "joiner#1", "llm#1", "validator#1", "llm#1"]


def test_return_goes_on_to_the_next_visit(loop: GraphPane) -> None:
    select(loop.open_run, "llm#1")
    press(loop, Qt.Key.Key_Return)
    assert path(loop) == "llm#2"


def test_letters_move_the_graph_while_it_has_the_focus(loop: GraphPane) -> None:
    zoom = loop.canvas.view.zoom
    press(loop, Qt.Key.Key_W)
    assert loop.canvas.view.zoom > zoom
    press(loop, Qt.Key.Key_S)
    assert loop.canvas.view.zoom == zoom
    left = loop.canvas.view.x
    press(loop, Qt.Key.Key_D)
    assert loop.canvas.view.x < left
    press(loop, Qt.Key.Key_Home)
    assert loop.canvas.is_fitted


def test_keys_that_are_held_with_others_are_left_to_the_window(loop: GraphPane) -> None:
    zoom = loop.canvas.view.zoom
    press(loop, Qt.Key.Key_W, CONTROL)
    assert loop.canvas.view.zoom == zoom


def test_frame_shows_the_chosen_node_large(loop: GraphPane) -> None:
    select(loop.open_run, "validator#1")
    press(loop, Qt.Key.Key_F)
    rect = loop.canvas.rect_of(node(loop, "validator"))
    assert rect is not None
    assert abs(rect.center().x() - loop.canvas.width() / 2) < 2
    assert loop.canvas.view.zoom > 1


# Folding


def test_a_click_on_its_chevron_folds_a_pipeline_and_unfolds_it_again(branch: GraphPane) -> None:
    assert "technician/agent/llm" in drawn(branch)
    rect = branch.canvas.rect_of(node(branch, "technician"))
    assert rect is not None
    click(branch, QPoint(round(rect.left()) + 8, round(rect.center().y())))
    assert drawn(branch) == {"router", "front_desk", "llm", "technician"}
    rect = branch.canvas.rect_of(node(branch, "technician"))
    assert rect is not None
    click(branch, QPoint(round(rect.right()) - 8, round(rect.center().y())))
    assert "technician/agent/llm" in drawn(branch)
    assert path(branch) == "nothing"


def test_brackets_fold_and_unfold_everything(branch: GraphPane) -> None:
    press(branch, Qt.Key.Key_BracketLeft)
    assert drawn(branch) == {"router", "front_desk", "llm", "technician"}
    press(branch, Qt.Key.Key_BracketRight)
    assert "technician/agent/search_manual" in drawn(branch)


def test_o_folds_what_is_around_the_chosen_node(branch: GraphPane) -> None:
    select(branch.open_run, "technician#1/pipeline#1/agent#1/step1/llm")
    press(branch, Qt.Key.Key_O)
    assert "technician/agent" in drawn(branch)
    assert "technician/agent/llm" not in drawn(branch)


def test_what_is_chosen_inside_of_a_folded_node_is_marked_on_that(branch: GraphPane) -> None:
    press(branch, Qt.Key.Key_BracketLeft)
    select(branch.open_run, "technician#1/pipeline#1/agent#1/step1/llm")
    assert branch.canvas.node == node(branch, "technician", "agent", "llm")
    press(branch, Qt.Key.Key_Return)
    assert path(branch) == "technician#1"


def test_a_double_click_unfolds(branch: GraphPane) -> None:
    press(branch, Qt.Key.Key_BracketLeft)
    QTest.mouseDClick(branch.canvas, LEFT, NONE, middle(branch, "technician"))
    assert "technician/agent" in drawn(branch)


# The range


def test_what_did_not_run_in_the_range_is_dimmed(loop: GraphPane) -> None:
    span = loop.open_run.run.at("llm#2")
    assert span is not None
    assert span.end_ns is not None
    loop.open_run.range.set(span.start_ns + 1, span.end_ns - 1)
    scene = loop.canvas.scene
    assert scene is not None
    ran = {scene.graph.nodes[one].name for one in scene.graph.outermost if scene.words(one).ran}
    assert ran == {"llm"}
    click(loop, middle(loop, "llm"))
    assert path(loop) == "llm#2"
    loop.open_run.range.clear()
    scene = loop.canvas.scene
    assert scene is not None
    assert all(scene.words(one).ran for one in scene.graph.outermost)


def test_a_range_moves_nothing(loop: GraphPane) -> None:
    press(loop, Qt.Key.Key_W)
    view = loop.canvas.view
    loop.open_run.range.set(0, 1000)
    assert loop.canvas.view == view


# Listening instead of looking


def test_the_graph_is_a_list_too(branch: GraphPane) -> None:
    branch.toggle_list()
    table, model = branch.frame.table, branch.frame.model
    assert table.isVisible()
    rows = [
        [model.index(row, column).data() for column in Column] for row in range(model.rowCount())
    ]
    assert rows[0][:3] == ["router", "ConditionalRouter", "1"]
    assert rows[0][Column.SENT_TO] == "front_desk, not technician"
    assert rows[3][Column.STATE] == "ran although its route was not taken"
    assert rows[8][Column.NAME] == "technician › agent › read_sensor"
    assert rows[8][Column.STATE] == "did not run"


def test_the_list_and_the_selection_follow_each_other(branch: GraphPane) -> None:
    branch.toggle_list()
    table, model = branch.frame.table, branch.frame.model
    table.setCurrentIndex(model.index(2, 0))
    assert path(branch) == "llm#1"
    select(branch.open_run, "router#1")
    assert table.currentIndex().row() == 0
    assert table.currentIndex().data(SPAN_ID_ROLE) == "s2"


def test_the_list_keeps_qts_rules(branch: GraphPane) -> None:
    model = GraphTableModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    scene = branch.canvas.scene
    assert scene is not None
    model.show(scene.traces, None)
    assert tester.model() is model


def test_everything_has_a_name_for_those_who_listen(branch: GraphPane) -> None:
    assert branch.canvas.accessibleName() == "Graph of the pipeline"
    assert branch.frame.table.accessibleName()
    assert all(button.accessibleName() for button in branch.findChildren(IconButton))
    click(branch, middle(branch, "technician"))
    spoken = branch.canvas.accessibleDescription()
    assert spoken.startswith("technician, SuperComponent, ran although its route was not taken, ")


# What there is to show


def test_a_run_without_topology_says_so(show: Show) -> None:
    pane = show(run_of(None, [{"name": "made", "role": "pipeline"}]))
    assert pane.canvas.scene is None
    said = [label.text() for label in pane.findChildren(QLabel) if label.isVisible()]
    assert any("does not say how its pipeline is built" in words for words in said)


def test_a_pipeline_without_components_says_so(show: Show) -> None:
    pane = show(run_of(topology({}), [{"name": "made", "role": "pipeline"}]))
    said = [label.text() for label in pane.findChildren(QLabel) if label.isVisible()]
    assert said == ["The pipeline of this run has no components."]


def test_a_large_pipeline_begins_at_a_size_that_can_be_read(show: Show) -> None:
    pane = show(large_run(300))
    assert pane.canvas.view.zoom == 0.5
    pane.canvas.fit()
    assert pane.canvas.view.zoom < 0.5
    scene = pane.canvas.scene
    assert scene is not None
    assert len(scene.arrangement.cards) == 300


def test_more_components_than_can_be_drawn_are_listed(show: Show) -> None:
    built = topology({f"part_{number}": component() for number in range(4_001)})
    pane = show(run_of(built, [{"name": "made", "role": "pipeline"}, {"name": "part_7"}]))
    assert pane.frame.is_list
    assert (
        pane.frame.words
        == "4\u202f001\u202fcomponents are too many to draw. The list has them all."
    )
    assert pane.frame.model.rowCount() == 4_001
    pane.open_run.range.set(0, 10)
    assert pane.frame.model.index(7, Column.STATE).data() == "did not run"


def test_pressing_on_the_small_graph_goes_there(show: Show) -> None:
    from inspector.gui.widgets.graph_minimap import GraphMinimap

    pane = show(large_run(300))
    minimap = pane.canvas.findChild(GraphMinimap)
    assert isinstance(minimap, GraphMinimap)
    assert minimap.isVisible()
    before = pane.canvas.view
    QTest.mouseClick(minimap, LEFT, NONE, QPoint(minimap.width() // 2, minimap.height() - 6))
    assert pane.canvas.view != before
    assert path(pane) == "nothing"
    pane.canvas.fit()
    assert not minimap.isVisible()


def test_more_of_the_same_run_leaves_view_folds_and_choice(show: Show) -> None:
    built = topology({"one": component(), "two": component()}, "one.value two.value")
    root = {"name": "made", "role": "pipeline", "end_ns": None, "status": "unfinished"}
    one = {"name": "one", "outputs": {"value": 1}}
    pane = show(run_of(built, [root, one], status="running"))
    click(pane, middle(pane, "one"))
    press(pane, Qt.Key.Key_Plus)
    view = pane.canvas.view
    pane.open_run.replace_run(run_of(built, [root, one, {"name": "two"}], status="running"))
    assert pane.canvas.view == view
    assert pane.canvas.node == node(pane, "one")
    scene = pane.canvas.scene
    assert scene is not None
    assert scene.words(node(pane, "two")).ran


def test_larger_text_makes_larger_cards(branch: GraphPane, qapp: QApplication) -> None:
    scene = branch.canvas.scene
    assert scene is not None
    before = scene.arrangement.cards[0].height
    try:
        theme.apply(qapp, ThemeChoice.LIGHT, text_scale=1.5)
        scene = branch.canvas.scene
        assert scene is not None
        assert scene.arrangement.cards[0].height > 1.2 * before
    finally:
        theme.apply(qapp, ThemeChoice.LIGHT)


def test_the_menu_offers_what_can_be_done(branch: GraphPane, qtbot: QtBot) -> None:
    branch.canvas.menu_wanted.emit(branch.canvas.mapToGlobal(QPoint(5, 5)))
    menu = branch.findChild(QMenu)
    assert isinstance(menu, QMenu)
    words = [action.text() for action in menu.actions() if action.text()]
    assert "Save picture…" in words
    assert "Copy picture" in words
    menu.close()


def test_what_became_of_a_component_has_a_line_to_itself(branch: GraphPane) -> None:
    branch.resize(500, 400)
    select(branch.open_run, "technician#1/pipeline#1")
    lines = branch.findChildren(ElidedWords)
    (words,) = [line for line in lines if line.text() == branch.frame.words]
    assert "ran although its route was not taken" in words.text()
    assert words.toolTip() == ""  # all of it can be read
