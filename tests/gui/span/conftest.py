"""What tests of the span pane share."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui import theme
from inspector.gui.panes.span_pane import SpanPane
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.workspace.open_run import OpenRun
from inspector.runfile.model import PipelineRun


@pytest.fixture(autouse=True)
def _dressed(qapp: QApplication) -> None:
    theme.apply(qapp, theme.ThemeChoice.LIGHT)


@pytest.fixture
def shown(qtbot: QtBot) -> Callable[[QWidget, int, int], QWidget]:
    """Return a function that shows a widget, active and in full."""

    def show(widget: QWidget, width: int = 600, height: int = 600) -> QWidget:
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()
        widget.activateWindow()
        qtbot.waitExposed(widget)
        return widget

    return show


@pytest.fixture
def quiet(tasks: TaskRunner, qtbot: QtBot) -> Callable[[], None]:
    """Return a function that waits until nothing runs beside the window."""
    return lambda: qtbot.waitUntil(lambda: not tasks.busy)


@pytest.fixture
def pane_of(
    shown: Callable[..., QWidget], qtbot: QtBot, qapp: QApplication
) -> Iterator[Callable[..., SpanPane]]:
    """Yield a function that opens a run in a span pane, at a span."""
    opened: list[OpenRun] = []

    def make(run: PipelineRun, span_id: str | None = None) -> SpanPane:
        open_run = OpenRun(run)
        opened.append(open_run)
        pane = SpanPane(open_run)
        pane.open_run = open_run
        pane.settle = lambda: qtbot.waitUntil(lambda: not open_run.tasks.busy)
        shown(pane)
        if span_id is not None:
            open_run.selection.select(span_id)
            pane.settle()
        return pane

    yield make
    for one in opened:
        one.close()
