"""A row that is a button: an icon, a title, and a line about it."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from inspector.gui import theme

_RING_PX = 2
_PAD_PX = theme.GRID_PX + 2
_TEXT_LEFT = 2 * theme.GAP_PX + theme.ICON_PX
_HIGHEST_PX = 400
_MIDDLE = int(Qt.AlignmentFlag.AlignVCenter)
_WRAPPED = int(Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)


class ChoiceRow(QAbstractButton):
    """Offers one thing to open. Reached by Tab and the arrow keys, chosen by Enter."""

    def __init__(
        self,
        title: str,
        detail: str = "",
        *,
        icon: str = "file",
        colour: str = "secondary",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._detail = detail
        self._icon = icon
        self._colour = colour
        self.setText(title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(detail)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.changes.changed.connect(self.updateGeometry)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        height = QFontMetrics(theme.font()).height() + 2 * _PAD_PX
        return height + (self._detail_height(width) + 2 if self._detail else 0)

    def sizeHint(self) -> QSize:
        return QSize(260, self.heightForWidth(max(260, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.heightForWidth(max(120, self.width())))

    def _detail_height(self, width: int) -> int:
        """Return how high the words become in so wide a row."""
        metrics = QFontMetrics(theme.font(-1))
        room = QRect(0, 0, max(1, width - _TEXT_LEFT - theme.GAP_PX), _HIGHEST_PX)
        return max(metrics.height(), metrics.boundingRect(room, _WRAPPED, self._detail).height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Qt presses a button with Space alone, and this looks like a row of a list.
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, tokens)
        size = theme.ICON_PX
        title_font, detail_font = theme.font(), theme.font(-1)
        title_height = QFontMetrics(title_font).height()
        icon_top = _PAD_PX + (title_height - size) // 2
        painter.drawPixmap(theme.GAP_PX, icon_top, theme.pixmap(self._icon, self._colour, size))
        width = self.width() - _TEXT_LEFT - theme.GAP_PX
        painter.setFont(title_font)
        painter.setPen(tokens.text)
        title = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, width)
        painter.drawText(QRect(_TEXT_LEFT, _PAD_PX, width, title_height), _MIDDLE, title)
        if self._detail:
            painter.setFont(detail_font)
            painter.setPen(tokens.secondary)
            top = _PAD_PX + title_height + 2
            place = QRect(_TEXT_LEFT, top, width, self._detail_height(self.width()))
            painter.drawText(place, _WRAPPED, self._detail)
        painter.end()

    def _paint_ground(self, painter: QPainter, tokens: theme.Tokens) -> None:
        box = self.rect().adjusted(1, 1, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.isDown():
            painter.setBrush(tokens.selection)
            painter.drawRoundedRect(box, 4, 4)
        elif self.underMouse():
            painter.setBrush(tokens.hover)
            painter.drawRoundedRect(box, 4, 4)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(tokens.accent, _RING_PX))
            painter.drawRoundedRect(box, 4, 4)
