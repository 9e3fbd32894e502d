"""The panes of a run, in one table."""

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from inspector.gui.workspace.open_run import OpenRun

LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
TOP = Qt.DockWidgetArea.TopDockWidgetArea


class PaneSpec(NamedTuple):
    """One line of the window: adding a pane to it is adding one of these."""

    key: str  # also the object name, under which Qt keeps the layout
    title: str
    shortcut: str
    area: Qt.DockWidgetArea
    make: Callable[[OpenRun], QWidget]


# Panes are loaded when the first run is shown: the start page needs none of them.


def _timeline(open_run: OpenRun) -> QWidget:
    from inspector.gui.panes.timeline_pane import TimelinePane

    return TimelinePane(open_run)


def _tree(open_run: OpenRun) -> QWidget:
    from inspector.gui.panes.tree_pane import TreePane

    return TreePane(open_run)


def _span(open_run: OpenRun) -> QWidget:
    from inspector.gui.panes.span_pane import SpanPane

    return SpanPane(open_run)


def _info(open_run: OpenRun) -> QWidget:
    from inspector.gui.panes.run_info_pane import RunInfoPane

    return RunInfoPane(open_run)


def _graph(open_run: OpenRun) -> QWidget:
    from inspector.gui.panes.graph_pane import GraphPane

    return GraphPane(open_run)


def _findings(open_run: OpenRun) -> QWidget:
    from inspector.gui.panes.findings_pane import FindingsPane

    return FindingsPane(open_run)


def _cost(open_run: OpenRun) -> QWidget:
    from inspector.gui.panes.cost_pane import CostPane

    return CostPane(open_run)


def _search(open_run: OpenRun) -> QWidget:
    from inspector.gui.panes.search_pane import SearchPane

    return SearchPane(open_run)


def _notes(open_run: OpenRun) -> QWidget:
    from inspector.gui.panes.notes_pane import NotesPane

    return NotesPane(open_run)


def _breakpoints(open_run: OpenRun) -> QWidget:
    from inspector.gui.panes.breakpoints_pane import BreakpointsPane
    from inspector.presentation.breakpoints import names_in

    return BreakpointsPane(open_run.breakpoints, names_in(open_run.run))


def _what_if(open_run: OpenRun) -> QWidget:
    from inspector.gui.panes.what_if_pane import WhatIfPane

    return WhatIfPane(open_run)


def _spans(open_run: OpenRun) -> QWidget:
    from inspector.gui.panes.spans_table_pane import SpansTablePane

    return SpansTablePane(open_run)


def load_first() -> None:
    """Import what is needed to show of a run what is shown first."""
    from inspector.gui.panes import run_window, tree_pane  # noqa: F401 - kept by Python


def load_all() -> None:
    """Import what the first run will need, while the window has nothing else to do."""
    from inspector.gui.panes import (  # noqa: F401 - kept by Python, for when they are asked for
        run_info_pane,
        span_pane,
        timeline_pane,
    )

    load_first()


PANES: tuple[PaneSpec, ...] = (
    PaneSpec("timeline", "Timeline", "Ctrl+1", TOP, _timeline),
    PaneSpec("tree", "Components", "Ctrl+2", LEFT, _tree),
    PaneSpec("span", "Span", "Ctrl+3", RIGHT, _span),
    PaneSpec("info", "Run", "Ctrl+4", RIGHT, _info),
    PaneSpec("graph", "Graph", "Ctrl+5", LEFT, _graph),
    PaneSpec("findings", "Findings", "Ctrl+6", RIGHT, _findings),
    PaneSpec("cost", "Cost", "Ctrl+7", RIGHT, _cost),
    PaneSpec("search", "Results", "Ctrl+8", LEFT, _search),
    PaneSpec("notes", "Notes", "Ctrl+9", RIGHT, _notes),
    PaneSpec("breakpoints", "Breakpoints", "Ctrl+Shift+2", RIGHT, _breakpoints),
    PaneSpec("what-if", "What if", "Ctrl+Shift+3", RIGHT, _what_if),
    PaneSpec("spans", "Spans", "Ctrl+Shift+1", LEFT, _spans),
)
