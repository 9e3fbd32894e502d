"""The ranges one came through, each a button; and the offer to fold idle time."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.tips import tip
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import LinkButton
from inspector.presentation.words import duration_words

Bounds = tuple[int, int]

_MOST_CRUMBS = 4


class RangeTrail(QWidget):
    """Shows `Whole run › 1.2 s to 3.4 s › 1.5 s to 2 s`. Empty while all of a run is shown."""

    left_all = Signal()
    crumb_chosen = Signal(int)  # counted from 0, the outermost
    kept = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Ranges")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)

    def show_range(self, bounds: Bounds | None, crumbs: tuple[Bounds, ...]) -> None:
        """Show the present range, behind those that it was narrowed from."""
        while (item := self._row.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        if bounds is None:
            self.setAccessibleDescription("The whole run")
            return
        kept = bool(crumbs) and crumbs[-1] == bounds
        before = crumbs[:-1] if kept else crumbs
        self._add(LinkButton("Whole run", self.left_all.emit))
        left_out = max(0, len(before) - _MOST_CRUMBS)
        if left_out:
            self._add_arrow()
            self._add(Words("…", step=-1, colour="secondary"))
        for number, crumb in list(enumerate(before))[left_out:]:
            self._add_arrow()
            self._add(LinkButton(range_words(crumb), partial(self.crumb_chosen.emit, number)))
        self._add_arrow()
        now = Words(range_words(bounds), step=-1, strong=True)
        now.setContentsMargins(theme.GRID_PX + 2, 0, theme.GRID_PX, 0)
        self._add(now)
        self._add(Words(f"· {duration_words(bounds[1] - bounds[0])}", step=-1, colour="secondary"))
        if not kept:
            keep = LinkButton("Keep", self.kept.emit)
            keep.setToolTip(tip("Keep this range, to come back to it (Enter in the timeline)"))
            self._add(keep)
        self.setAccessibleDescription(f"Narrowed to {range_words(bounds)}")

    def _add(self, widget: QWidget) -> None:
        if isinstance(widget, LinkButton):
            widget.setFont(theme.font(-1))
        self._row.addWidget(widget)
        widget.show()  # at once: Qt would do it a turn of the loop later

    def _add_arrow(self) -> None:
        self._add(Words("›", step=-1, colour="secondary"))


class IdleOffer(QWidget):
    """Says how much of a run is idle and offers to fold it; hidden where little is."""

    fold_wanted = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folded = False
        self._words = Words(step=-1, colour="secondary")
        self._button = LinkButton("Fold", lambda: self.fold_wanted.emit(not self._folded))
        self._button.setFont(theme.font(-1))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, theme.GRID_PX, 0)
        row.setSpacing(0)
        row.addWidget(self._words)
        row.addWidget(self._button)
        self.hide()

    def offer(self, words: str, *, folded: bool) -> None:
        """Offer to fold or to unfold; without words there is nothing to offer."""
        self._folded = folded
        self._words.setText(f"{words} ·")
        does = "Unfold" if folded else "Fold"
        self._button.say(does)
        self._button.setAccessibleName(f"{does} idle time: {words}")
        self._button.setToolTip(tip("Show idle time as narrow bands, or as long as it was (I)"))
        self.setVisible(bool(words))


def range_words(bounds: Bounds) -> str:
    """Return a range in words: `1.2 s to 3.4 s`."""
    return f"{duration_words(bounds[0])} to {duration_words(bounds[1])}"
