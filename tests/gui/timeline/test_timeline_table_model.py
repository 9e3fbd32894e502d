import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester

from inspector.gui.models.roles import SPAN_ID_ROLE
from inspector.gui.models.timeline_table_model import TimelineTableModel
from inspector.runfile.model import PipelineRun
from tests.gui.timeline.conftest import AGENT
from tests.helpers.drawn_runs import run_from_outline


@pytest.fixture
def run() -> PipelineRun:
    return run_from_outline(AGENT)


@pytest.fixture
def model(run: PipelineRun, qapp: QApplication) -> TimelineTableModel:
    return TimelineTableModel(run)


def lines(model: TimelineTableModel) -> list[str]:
    return [
        " | ".join(
            str(model.index(row, column).data()).replace("\u202f", " ")
            for column in range(model.columnCount())
        )
        for row in range(model.rowCount())
    ]


def test_the_model_keeps_qts_rules(model: TimelineTableModel, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]


def test_the_timeline_can_be_read_row_by_row(model: TimelineTableModel) -> None:
    assert lines(model)[:6] == [
        "pipeline | Pipeline | 0 ns | 1.00 s | completed |  | ",
        "retriever | Component | 10 ms | 50 ms | completed | pipeline | ",
        "agent | Agent | 100 ms | 900 ms | completed | pipeline | ",
        "step 0 | Agent step | 100 ms | 400 ms | completed | agent | ",
        "llm | LLM call | 100 ms | 200 ms | completed | step 0 | ",
        "search | Tool call | 300 ms | 150 ms | failed | step 0 | ",
    ]


def test_a_range_leaves_only_what_happened_in_it(
    model: TimelineTableModel, run: PipelineRun
) -> None:
    model.show(run, (20_000_000, 70_000_000))
    assert [line.split(" | ")[0] for line in lines(model)] == ["pipeline", "retriever"]
    assert not model.index_of("s6").isValid()
    model.show(run, None)
    assert model.index_of("s6").data(SPAN_ID_ROLE) == "s6"
