from PySide6.QtCore import QModelIndex
from pytestqt.modeltest import ModelTester

from inspector.gui.models.roles import ROW_ROLE, SPAN_ID_ROLE
from inspector.gui.models.span_tree_model import AnyIndex, Column, SpanTreeModel
from inspector.runfile.model import PipelineRun
from tests.helpers.drawn_runs import run_from_outline


def drawn(model: SpanTreeModel, above: AnyIndex | None = None, indent: str = "") -> list[str]:
    above = above or QModelIndex()
    lines = []
    for row in range(model.rowCount(above)):
        cells = [model.index(row, column, above).data() for column in Column]
        lines.append(indent + " ".join(cell for cell in cells if cell).replace("\u202f", " "))
        lines += drawn(model, model.index(row, 0, above), indent + "  ")
    return lines


def test_the_model_keeps_qts_rules(looping_run: PipelineRun, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(SpanTreeModel(looping_run))


def test_a_run_is_shown_as_component_visit_step_and_call(looping_run: PipelineRun) -> None:
    assert drawn(SpanTreeModel(looping_run)) == [
        "pipeline 100 ms",
        "  prompt_builder 5.0 ms",
        "    visit 1 2.0 ms",
        "    visit 2 3.0 ms",
        "  agent 80 ms",
        "    step 0 38 ms",
        "      llm 28 ms 120",
        "      search 10 ms",
        "    step 1 38 ms",
        "      llm 20 ms 120",
        "      search 18 ms",
    ]


def test_a_range_leaves_what_ran_in_it_and_what_that_stands_in(looping_run: PipelineRun) -> None:
    model = SpanTreeModel(looping_run)
    model.show(looping_run, (91_000_000, 93_000_000))
    assert drawn(model) == ["pipeline 100 ms", "  prompt_builder 3.0 ms"]


def test_a_span_is_found_below_branches_nobody_has_opened(looping_run: PipelineRun) -> None:
    model = SpanTreeModel(looping_run)
    last = looping_run.spans[len(looping_run.spans) - 2]
    index = model.index_of(last.id)
    assert index.data(SPAN_ID_ROLE) == last.id
    assert index.data() == last.name


def test_a_span_outside_the_range_is_nowhere(looping_run: PipelineRun) -> None:
    model = SpanTreeModel(looping_run)
    model.show(looping_run, (91_000_000, 93_000_000))
    search = next(span for span in looping_run.spans if span.name == "search")
    assert not model.index_of(search.id).isValid()
    assert not model.index_of("s999").isValid()


def test_gathered_visits_stand_for_the_first_of_them(looping_run: PipelineRun) -> None:
    model = SpanTreeModel(looping_run)
    builders = model.index(0, 0, model.index(0, 0))
    assert model.key(builders).sort == "visits"
    assert builders.data(SPAN_ID_ROLE) == model.index(0, 0, builders).data(SPAN_ID_ROLE)


def test_every_row_can_be_listened_to(looping_run: PipelineRun) -> None:
    from PySide6.QtCore import Qt

    model = SpanTreeModel(looping_run)
    search = next(span for span in looping_run.spans if span.name == "search")
    spoken = model.index_of(search.id).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.replace("\u202f", " ") == "search, tool call, failed, TimeoutError, 10 ms"


def test_a_very_long_list_is_shown_in_pages() -> None:
    spans = "\n".join(f"  c{n}:component {n}-{n + 1}" for n in range(3_000))
    run = run_from_outline(f"pipeline 0-4000\n{spans}")
    model = SpanTreeModel(run)
    pipeline = model.index(0, 0)
    assert [model.index(row, 0, pipeline).data() for row in range(model.rowCount(pipeline))] == [
        "1 to 1\u202f000",
        "1\u202f001 to 2\u202f000",
        "2\u202f001 to 3\u202f000",
    ]
    last = model.index_of(run.spans[3_000].id)
    assert last.data() == "c2999"
    assert last.parent().row() == 2


def test_what_still_runs_is_told_from_what_never_ended() -> None:
    outline = "pipeline 0-\n  llm 2-"
    said = {}
    for status in ("running", "incomplete"):
        model = SpanTreeModel(run_from_outline(outline, status=status))
        row = model.index(0, 0).data(ROW_ROLE)
        said[status] = row.running, row.spoken.split(", ")[2]
    assert said == {"running": (True, "running"), "incomplete": (False, "unfinished")}
