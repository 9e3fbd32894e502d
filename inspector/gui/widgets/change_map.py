"""A strip beside a tree that shows where in the runs something differs."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from inspector.gui import theme
from inspector.presentation.compare_tree import Change
from inspector.presentation.words import plural

_WIDTH_PX = 14
_LEAST_PX = 1
_FAINTEST = 0.35
_MARGIN_PX = 2


class ChangeMap(QWidget):
    """Marks of what differs, from the first span to the last; a click goes to the nearest."""

    node_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marks: Sequence[tuple[int, Change]] = ()
        self._total = 0
        self._ordinal: Callable[[int], int] = int
        self._current = -1
        self._top = 0
        self._row_px = 0
        self.setFixedWidth(_WIDTH_PX)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Map of changes")
        theme.changes.changed.connect(self.update)

    def show_marks(
        self,
        marks: Sequence[tuple[int, Change]],
        total: int,
        ordinal: Callable[[int], int] = int,
    ) -> None:
        """Show what differs.

        Args:
            marks: Nodes and how they differ, in order.
            total: How many rows there are.
            ordinal: Says at which of them a node stands.

        """
        self._marks = marks
        self._ordinal = ordinal
        self._total = total
        self.setAccessibleDescription(f"{plural(len(marks), 'change')} in {plural(total, 'row')}")
        self.update()

    def stand_beside(self, top: int, row_px: int) -> None:
        """Stand beside rows of this height that begin at `top`: where all fit, marks meet them."""
        if (top, row_px) != (self._top, self._row_px):
            self._top, self._row_px = top, row_px
            self.update()

    def make_current(self, node: int | None) -> None:
        """Point out a node."""
        self._current = -1 if node is None else node
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH_PX, 120)

    def mark_place(self, node: int) -> QRect:
        """Return where a node's mark is."""
        at = self._ordinal(node)
        above = self._top + _MARGIN_PX
        room = self.height() - above - _MARGIN_PX
        if self._row_px and self._total * self._row_px <= room:
            size = theme.GAP_PX
            middle = self._top + at * self._row_px + self._row_px // 2
            return QRect(4, middle - size // 2, _WIDTH_PX - 6, size)
        size = max(_LEAST_PX, min(theme.GAP_PX, room // max(1, self._total)))
        top = above + round((room - size) * at / max(1, self._total - 1))
        return QRect(4, top, _WIDTH_PX - 6, size)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.panel)
        painter.fillRect(0, 0, 1, self.height(), tokens.border)
        for (node, change), share in self._bins().values():
            box = self.mark_place(node)
            # Who stands alone fills its side only: told apart without colour, too.
            if change.mark == "−":
                box.setWidth(box.width() // 2)
            elif change.mark == "+":
                box.setLeft(box.left() + box.width() // 2)
            ink = QColor(getattr(tokens, change.ink))
            ink.setAlphaF(_FAINTEST + (1 - _FAINTEST) * share)
            painter.fillRect(box, ink)
        if self._current >= 0 and self._total:
            box = self.mark_place(self._current)
            painter.fillRect(0, box.center().y() - 1, _WIDTH_PX, 2, tokens.accent)
        if self.hasFocus():
            painter.setPen(tokens.accent)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _bins(self) -> dict[tuple[int, str], tuple[tuple[int, Change], float]]:
        """Return the marks that stand at one place as one, and how much there differs, 0 to 1."""
        held = max(1.0, self._total / max(1, self.height()))
        found: dict[tuple[int, str], tuple[tuple[int, Change], float]] = {}
        for mark in self._marks:
            place = (self.mark_place(mark[0]).top(), mark[1].mark)
            first, share = found.get(place, (mark, 0.0))
            found[place] = (first, min(1.0, share + 1 / held))
        return found

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self._marks:
            y = event.position().y()
            node, _ = min(self._marks, key=lambda mark: abs(self.mark_place(mark[0]).center().y()
                                                            - y))  # fmt: skip
            self.node_chosen.emit(node)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        nodes = [node for node, _ in self._marks]
        if event.key() == Qt.Key.Key_Down:
            ahead = [node for node in nodes if node > self._current]
        elif event.key() == Qt.Key.Key_Up:
            ahead = [node for node in reversed(nodes) if node < self._current]
        else:
            super().keyPressEvent(event)
            return
        if ahead:
            self.node_chosen.emit(ahead[0])
