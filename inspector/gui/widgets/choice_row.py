"""A row that is a button: an icon, a title, and a line about it."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from inspector.gui import theme

_RING_PX = 2


class ChoiceRow(QAbstractButton):
    """Offers one thing to open. Reached by Tab and the arrow keys, chosen by Enter."""

    def __init__(
        self,
        title: str,
        detail: str = "",
        *,
        icon: str = "file",
        colour: str = "secondary",
        aside: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._detail = detail
        self._icon = icon
        self._colour = colour
        self._aside = aside
        self.setText(title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(detail)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.changes.changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        title = QFontMetrics(theme.font())
        detail = QFontMetrics(theme.font(-1))
        lines = title.height() + (detail.height() + 2 if self._detail else 0)
        return QSize(260, lines + 2 * (theme.GRID_PX + 2))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, tokens)
        left = theme.GAP_PX
        size = theme.ICON_PX
        title_font, detail_font = theme.font(), theme.font(-1)
        title_height = QFontMetrics(title_font).height()
        top = theme.GRID_PX + 2
        painter.drawPixmap(
            left, top + (title_height - size) // 2, theme.pixmap(self._icon, self._colour, size)
        )
        left += size + theme.GAP_PX
        width = self.width() - left - theme.GAP_PX
        aside_width = self._paint_aside(painter, tokens.secondary, title_height, top)
        painter.setFont(title_font)
        painter.setPen(tokens.text)
        self._paint_line(painter, self.text(), QRect(left, top, width - aside_width, title_height))
        if self._detail:
            painter.setFont(detail_font)
            painter.setPen(tokens.secondary)
            height = QFontMetrics(detail_font).height()
            place = QRect(left, top + title_height + 2, width, height)
            self._paint_line(painter, self._detail, place)
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

    def _paint_aside(self, painter: QPainter, ink: QColor, height: int, top: int) -> int:
        if not self._aside:
            return 0
        font = theme.font(-1)
        width = QFontMetrics(font).horizontalAdvance(self._aside)
        painter.setFont(font)
        painter.setPen(ink)
        place = QRect(self.width() - theme.GAP_PX - width, top, width, height)
        painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), self._aside)
        return width + theme.GAP_PX

    def _paint_line(self, painter: QPainter, text: str, place: QRect) -> None:
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, place.width())
        painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), shown)
