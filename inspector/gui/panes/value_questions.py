"""Asks where a value of a span came from and who used it, and goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from inspector.errors import InspectorError
from inspector.gui.widgets.origins_view import OriginsView
from inspector.gui.workspace.selection import Focus
from inspector.presentation.provenance import Provenance

if TYPE_CHECKING:
    from PySide6.QtWidgets import QVBoxLayout, QWidget

    from inspector.gui.tasks.runner import Cancelled
    from inspector.gui.workspace.open_run import OpenRun
    from inspector.presentation.provenance_answer import Answer, Candidate

_SAY_LOOKING_AFTER_MS = 200


class ValueQuestions(QObject):
    """Finds answers on a worker thread and shows them below the values.

    Where there is one place only, the selection goes there at once. The answer stays,
    with the way back.
    """

    def __init__(self, open_run: OpenRun, place: QVBoxLayout, pane: QWidget) -> None:
        super().__init__(pane)
        self._open_run = open_run
        self._provenance: Provenance | None = None
        self._asked = Focus()
        self._concerned: frozenset[str | None] = frozenset()
        self._pane = pane
        self.view = OriginsView(pane)
        self.view.hide()
        self.view.chosen.connect(self._go)
        self.view.back_requested.connect(self._go_back)
        self.view.closed.connect(self.close)
        place.addWidget(self.view)
        open_run.selection.span_changed.connect(self._on_span_changed)
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(_SAY_LOOKING_AFTER_MS)
        self._slow.timeout.connect(self._say_looking)

    def close(self) -> None:
        """Put the answer away."""
        had_focus = self.view.isAncestorOf(self.view.focusWidget() or self._pane)
        self.view.hide()
        if had_focus:
            self._pane.setFocus()

    def ask(self, span_id: str, path: str, *, backward: bool) -> None:
        """Ask where the value at a path of a span came from, or who used it."""
        run = self._open_run.run
        if self._provenance is None or self._provenance.run is not run:
            self._provenance = Provenance(run)
        asking = self._provenance
        self._asked = Focus(span_id, path)
        self._concerned = frozenset((span_id,))

        def answer(cancelled: Cancelled) -> Answer:
            ask = asking.where_from if backward else asking.who_used
            return ask(span_id, path, cancelled)

        self._slow.start()
        self._open_run.tasks.start(
            answer, done=self._show, failed=self._on_failed, key=(self, "ask")
        )

    def _say_looking(self) -> None:
        self.view.show_looking()
        self.view.show()

    def _show(self, answer: Answer) -> None:
        self._slow.stop()
        places = (each.span_id for each in answer.candidates)
        self._concerned = frozenset((self._asked.span_id, *places))
        self.view.show_answer(answer)
        self.view.show()
        if answer.only is not None:
            self._go(answer.only)
        if answer.candidates:
            self.view.take_focus()

    def _on_span_changed(self, span_id: str | None) -> None:
        # An answer under a span that it does not concern would be read as being about it.
        if not self.view.isHidden() and span_id not in self._concerned:
            self.close()

    def _on_failed(self, error: Exception) -> None:
        self._slow.stop()
        if not isinstance(error, InspectorError):
            self.view.show_failure("Something went wrong while looking.")
            self.view.show()
            raise error
        self.view.show_failure(" ".join(part for part in (str(error), error.hint) if part))
        self.view.show()

    def _go(self, candidate: Candidate) -> None:
        selection = self._open_run.selection
        if selection.focus != self._asked:
            # So that Alt+Left leads back to the value, not only to its span.
            selection.select(*self._asked)
        selection.select(candidate.span_id, candidate.path)
        self.view.offer_back(True)

    def _go_back(self) -> None:
        self._open_run.selection.select(*self._asked)
        self.view.offer_back(False)
