"""The gutter beside the tree of a replay: where it pauses, and where it is held now."""

from PySide6.QtCore import QModelIndex, QPoint
from PySide6.QtWidgets import QTreeView, QWidget

from inspector.gui.models.replay_tree_model import AnyIndex, ReplayTreeModel
from inspector.gui.widgets.breakpoint_gutter import BreakpointGutter
from inspector.gui.widgets.breakpoint_menu import show_breakpoint_menu
from inspector.gui.workspace.open_replay import OpenReplay
from inspector.presentation.breakpoints import BreakpointSpec, GutterMark, breakpoint_at, mark_at


class ReplayGutter(BreakpointGutter):
    """Sets the breakpoints of one replay, which its worker is told of at once."""

    def __init__(
        self, replay: OpenReplay, view: QTreeView, model: ReplayTreeModel, parent: QWidget
    ) -> None:
        super().__init__(view, self._mark, parent)
        self._replay = replay
        self._model = model
        self._marks: dict[int, GutterMark | None] = {}
        self._held: set[int] = set()
        model.say_with(self.spoken)
        self.toggled.connect(self._toggle)
        self.menu_requested.connect(self._offer)
        replay.breakpoints.changed.connect(self._forget)
        replay.rows_changed.connect(self._forget)
        replay.held_changed.connect(self._show_held)
        model.modelReset.connect(self._forget)

    def spoken(self, index: AnyIndex) -> str:
        """Return what is said of a row's breakpoint beside its name."""
        mark = self._mark(index) if self._replay.breakpoints.specs else None
        return mark.spoken if mark is not None else ""

    def _forget(self) -> None:
        self._marks.clear()
        self.update()

    def _show_held(self) -> None:
        live, table = self._replay.live, self._replay.table
        spans = [live.span(call.span_id) for call in live.held] if live is not None else []
        rows = {table.row_of(span) for span in spans if span is not None} if table else set()
        if rows != self._held:
            self._held = rows
            self._forget()

    def _mark(self, index: AnyIndex) -> GutterMark | None:
        row = self._model.own_row(index)
        if row is None:
            return None
        if row not in self._marks:
            mark = self._made(row)
            if row in self._held:
                mark = (mark or GutterMark(""))._replace(paused=True)
            self._marks[row] = mark
        return self._marks[row]

    def _made(self, row: int) -> GutterMark | None:
        call = self._call(row)
        return None if call is None else mark_at(self._replay.breakpoints.specs, *call)

    def _call(self, row: int) -> tuple[str, str, str, str, int] | None:
        """Return kind, role, name, path and visit of what stands in a row."""
        table = self._replay.table
        if table is None:
            return None
        if row < table.recorded:
            span = table.live.recording.spans[row]
            return str(span.kind), span.role, span.name, span.path, span.visit
        replayed = table.span_of(row)
        if replayed is None:
            return None
        return replayed.kind, replayed.role, replayed.name, replayed.path, replayed.visit

    def _spec(self, index: QModelIndex) -> BreakpointSpec | None:
        row = self._model.own_row(index)
        call = None if row is None else self._call(row)
        return None if call is None else breakpoint_at(call[0], call[3])

    def _toggle(self, index: QModelIndex) -> None:
        if (spec := self._spec(index)) is not None:
            self._replay.breakpoints.toggle(spec)

    def _offer(self, index: QModelIndex, at: QPoint) -> None:
        if (spec := self._spec(index)) is not None:
            show_breakpoint_menu(self._replay.breakpoints, spec, at, self)
