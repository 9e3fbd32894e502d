"""Where the search bar of a run stands, and what it shows of the search."""

from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui.widgets.search_bar import SearchBar
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.completing import completions
from inspector.presentation.words import number_words, percent_words, plural


class SearchPlace(QWidget):
    """Takes no room until somebody searches; then ties a bar to the run's search."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._search = open_run.search
        self._bar: SearchBar | None = None
        self._came_from: QWidget | None = None
        self._history_at = -1
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.hide()

    @property
    def bar(self) -> SearchBar:
        """The bar, made when it is first needed."""
        if self._bar is None:
            self._bar = self._make()
        return self._bar

    def _make(self) -> SearchBar:
        bar, search = SearchBar(self), self._search
        self._layout.addWidget(bar)
        bar.text_changed.connect(search.ask)
        bar.line.textEdited.connect(self._on_edited)
        bar.line.completions_wanted.connect(self._offer)
        bar.line.earlier_wanted.connect(self._show_earlier)
        bar.stepped.connect(self._on_stepped)
        bar.filter_toggled.connect(search.set_filter)
        bar.stop_wanted.connect(search.stop)
        bar.closed.connect(search.close)
        search.asked_changed.connect(self._show_asked)
        search.found_changed.connect(self._show_count)
        search.current_changed.connect(lambda _place: self._show_count())
        search.busy_changed.connect(self._on_busy)
        search.moved.connect(self._on_moved)
        search.filter_changed.connect(bar.show_filter)
        search.failed.connect(self._on_failed)
        return bar

    def show_open(self, is_open: bool) -> None:
        """Bring the bar into sight with the caret in it, or give its room back."""
        focus = QApplication.focusWidget()
        if is_open:
            if focus is None or not self.isAncestorOf(focus):
                self._came_from = focus
            bar = self.bar
            self.show()
            bar.begin()
            self._show_asked()
            return
        held = focus is not None and self.isAncestorOf(focus)
        self.bar.show_text("")
        self.bar.show_error("")
        self.hide()
        if held and self._came_from is not None and self._came_from.isVisible():
            self._came_from.setFocus()

    def _on_edited(self, _text: str) -> None:
        self._history_at = -1

    def _offer(self, line: str, caret: int) -> None:
        self.bar.line.offer(completions(line, caret, self._search.vocabulary()))
        self._show_asked()

    def _on_stepped(self, by: int) -> None:
        self._show_asked()
        self._search.step(by)

    def _show_earlier(self, by: int) -> None:
        """Bring back what was searched for before."""
        at = self._history_at + by
        history = self._search.history
        if by > 0 and at < len(history) and history[at] == self.bar.line.text():
            at += 1
        if -1 <= at < len(history):
            self._history_at = at
            self.bar.show_text(history[at] if at >= 0 else "")

    def _show_asked(self) -> None:
        error = self._search.error
        # While one can still choose what comes next, nothing is wrong yet.
        if error is None or self.bar.line.is_offering:
            self.bar.show_error("")
        else:
            said = " ".join(part for part in (str(error), error.hint) if part)
            self.bar.show_error(said, (error.start, error.end))
        self._show_count()

    def _show_count(self) -> None:
        search = self._search
        count = len(search.hits)
        if search.query is None:
            words = ""
        elif search.current >= 0:
            words = f"{number_words(search.current + 1)} of {number_words(count)}"
        elif count:
            words = plural(count, "result")
        else:
            words = "searching…" if search.is_busy else "nothing found"
        found = bool(count) or search.query is None or search.is_busy
        self.bar.say(words, found=found, steps=bool(count))

    def _on_busy(self, busy: bool) -> None:
        self.bar.show_busy(busy)
        self._show_count()

    def _on_moved(self, fraction: float) -> None:
        if self._search.is_busy and self._search.current < 0:
            count = len(self._search.hits)
            words = plural(count, "result") if count else "searching"
            self.bar.say(f"{words} · {percent_words(fraction, 1)}", found=True, steps=bool(count))

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, InspectorError):
            self.bar.show_error("The search went wrong. The window goes on.")
            raise error
        self.bar.show_error(" ".join(part for part in (str(error), error.hint) if part))
