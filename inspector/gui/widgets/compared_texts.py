"""Texts side by side, with a way from difference to difference."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QTabBar, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import ElidedWords, Words
from inspector.gui.widgets.plain import Hairline, IconButton
from inspector.gui.widgets.side_by_side_view import EMPTY, SideBySideView
from inspector.presentation.compare_detail import DetailText
from inspector.presentation.side_by_side import folded
from inspector.presentation.words import number_words, plural, visible_text


class ComparedTexts(QWidget):
    """One of several pairs of texts at a time: what was sent, what came back."""

    def __init__(self, parent: QWidget | None = None, *, name: str = "Texts side by side") -> None:
        super().__init__(parent)
        self._texts: Sequence[DetailText] = ()
        self.view = SideBySideView(self)
        self.view.setAccessibleName(name)
        self.view.change_moved.connect(self._on_change_moved)
        self._names = QTabBar()
        self._names.setAccessibleName("Which text")
        self._names.setDrawBase(False)
        self._names.setExpanding(False)
        self._names.setDocumentMode(True)
        self._names.currentChanged.connect(self._show_current)
        self._title = Words(step=-1, colour="secondary")
        self._note = ElidedWords(step=-1, colour="secondary")
        self._count = Words(step=-1, colour="secondary")
        self._previous = IconButton(
            "previous-change", "Previous difference (Shift+F7)", lambda: self.view.step(-1)
        )
        self._next = IconButton("next-change", "Next difference (F7)", lambda: self.view.step(1))
        self._wrap = IconButton("wrap", "Wrap long lines", self._on_wrap_pressed, checkable=True)
        self._wrap.setChecked(True)
        self._fold = IconButton(
            "fold-all", "Fold lines that are the same", self._on_fold_pressed, checkable=True
        )
        self.view.fold_chosen.connect(lambda: self.set_folded(False))
        head = QHBoxLayout()
        head.setContentsMargins(theme.GAP_PX, 2, theme.GRID_PX, 2)
        head.setSpacing(theme.GRID_PX)
        head.addWidget(self._names)
        head.addWidget(self._title)
        head.addWidget(self._note, 1)
        head.addWidget(self._count)
        for button in (self._previous, self._next, self._fold, self._wrap):
            head.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(Hairline(self))
        layout.addWidget(self.view, 1)
        self.setFocusProxy(self.view)

    def show_texts(self, texts: Sequence[DetailText], title: str = "") -> None:
        """Show texts; the first of them comes to the front."""
        self._texts = texts
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._names.blockSignals(True)
        while self._names.count():
            self._names.removeTab(0)
        for text in texts:
            mark = "" if text.equal else "≠ "
            self._names.addTab(f"{mark}{visible_text(text.title)}".replace("&", "&&"))
        self._names.setVisible(bool(texts) and (len(texts) > 1 or not title))
        self._names.blockSignals(False)
        self._show_current()

    def show_named(self, title: str) -> bool:
        """Bring one of the texts to the front; say whether there is one of that name."""
        place = next((at for at, text in enumerate(self._texts) if text.title == title), -1)
        if place >= 0:
            self._names.setCurrentIndex(place)
        return place >= 0

    def _show_current(self) -> None:
        place = self._names.currentIndex()
        shown = self._texts[place].shown if 0 <= place < len(self._texts) else EMPTY
        if self._fold.isChecked():
            shown = folded(shown)
        self._note.setText(shown.note or "")
        self.view.show_texts(shown)

    def _on_change_moved(self, current: int, total: int) -> None:
        if not total:
            self._count.setText("The same on both sides" if self._texts else "")
        elif current < 0:
            self._count.setText(plural(total, "difference"))
        else:
            self._count.setText(f"{number_words(current + 1)} of {plural(total, 'difference')}")
        self._previous.setEnabled(current > 0)
        self._next.setEnabled(current + 1 < total)

    def set_folded(self, is_folded: bool) -> None:
        """Fold lines that are the same, or show them; the current difference stays in sight."""
        current = self.view.current_change
        self._fold.setChecked(is_folded)
        self._show_current()
        if current >= 0:
            self.view.go_to_change(current)

    def _on_fold_pressed(self) -> None:
        self.set_folded(self._fold.isChecked())

    def _on_wrap_pressed(self) -> None:
        self.view.set_wrap(self._wrap.isChecked())
