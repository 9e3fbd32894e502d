"""What pictures of a cost share: one goes from part to part by mouse and keys, and chooses."""

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from inspector.gui import theme
from inspector.gui.tips import tip


class CostPicture(QWidget):
    """A picture of parts, counted from 0. Left and Right go from part to part, Enter chooses.

    Those who derive from it draw the parts, say which is where, and tell of a choice.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._told = ""
        self._words: tuple[str, ...] = ()
        self._parts: tuple[int, ...] = ()
        self._current: int | None = None  # the part that keys and clicks are at
        self._hovered: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)
        theme.changes.changed.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            place = self._part_at(QPointF(event.pos()))
            words = "" if place is None else self._words[place]
            QToolTip.showText(event.globalPos(), tip(words), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._part_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self._part_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and place is not None:
            self._current = place
            self._choose()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self._move(-1)
            case Qt.Key.Key_Right:
                self._move(1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space:
                self._choose()
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def _take(
        self, title: str, told: str, words: Iterable[str], parts: Iterable[int], current: int | None
    ) -> None:
        """Take another picture.

        Args:
            title: What the picture is.
            told: All of it in a sentence or two.
            words: What is said of each part.
            parts: Those that can be chosen, in the order of the picture.
            current: The part that keys begin at.

        """
        self._told = told
        self._words = tuple(words)
        self._parts = tuple(parts)
        self._current, self._hovered = current, None
        self.setAccessibleName(title)
        self.setAccessibleDescription(told)
        self.update()

    def _head(self, title: str) -> str:
        """Say what the picture is, or what the part is that the mouse or the keys are at."""
        place = self._hovered
        if place is None and self.hasFocus():
            place = self._current
        return title if place is None else self._words[place]

    def _hover(self, place: int | None) -> None:
        if place == self._hovered:
            return
        self._hovered = place
        shape = Qt.CursorShape.ArrowCursor if place is None else Qt.CursorShape.PointingHandCursor
        self.setCursor(shape)
        self.update()

    def _move(self, by: int) -> None:
        """Go on to another part that can be chosen, and never beyond the last."""
        parts = self._parts
        if not parts:
            return
        if self._current in parts:
            at = parts.index(self._current) + by
            self._current = parts[min(len(parts) - 1, max(0, at))]
        else:
            self._current = parts[0]
        self._tell()

    def _tell(self) -> None:
        """Say the current part, and all of the picture, to those who do not see it."""
        if self._current is not None:
            self.setAccessibleDescription(f"{self._words[self._current]}. {self._told}")
        self.update()

    def _part_at(self, _at: QPointF) -> int | None:
        """Return the part below a place on the widget; none where nothing is drawn."""
        return None

    def _choose(self) -> None:
        """Tell that the current part is chosen."""
        self.update()
