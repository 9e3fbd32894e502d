"""Words and icons that follow the theme."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from inspector.gui import theme
from inspector.gui.tips import tip as tip_of


class Words(QLabel):
    """Plain text in one of the theme's sizes and colours.

    Whatever the text holds, it stays text: names and messages come from files.
    """

    def __init__(
        self,
        text: str = "",
        *,
        step: int = 0,
        strong: bool = False,
        colour: str = "text",
        wrap: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._step = step
        self._strong = strong
        self._colour = colour
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        self.setText(text)
        theme.changes.changed.connect(self._dress)
        self._dress()

    def set_colour(self, colour: str) -> None:
        """Use another of the theme's colours."""
        self._colour = colour
        self._dress()

    def _dress(self) -> None:
        self.setFont(theme.font(self._step, strong=self._strong))
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, getattr(theme.current(), self._colour))
        self.setPalette(palette)


class ElidedWords(Words):
    """One line that leaves out its middle where there is no room for all of it.

    Names end in what tells them apart. What is read as a sentence has its end left out.
    """

    def __init__(self, text: str = "", *, sentence: bool = False, **look: object) -> None:
        self._where = Qt.TextElideMode.ElideRight if sentence else Qt.TextElideMode.ElideMiddle
        super().__init__(text, **look)  # type: ignore[arg-type]  # Qt's properties by name
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        super().setText(text)
        self._tell()

    def minimumSizeHint(self) -> QSize:
        # What is short is never elided, and takes no more room than it needs.
        whole = super().sizeHint()
        least = self.fontMetrics().horizontalAdvance("abc…xyz")
        return QSize(min(least, whole.width()), whole.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        painter.drawText(self.contentsRect(), int(Qt.AlignmentFlag.AlignVCenter), self.shown)
        painter.end()

    @property
    def shown(self) -> str:
        """What there is room for."""
        return QFontMetrics(self.font()).elidedText(
            self.text(), self._where, self.contentsRect().width()
        )

    def _tell(self) -> None:
        self.setToolTip(tip_of(self.text()) if self.shown != self.text() else "")


class Icon(QLabel):
    """One icon in one of the theme's colours."""

    def __init__(
        self,
        name: str = "",
        *,
        colour: str = "secondary",
        size_px: int = theme.ICON_PX,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._name = name
        self._colour = colour
        self._size_px = size_px
        self.setFixedSize(size_px, size_px)
        theme.changes.changed.connect(self._dress)
        self._dress()

    def show_icon(self, name: str, colour: str) -> None:
        """Show another icon."""
        self._name = name
        self._colour = colour
        self._dress()

    def event(self, event: QEvent) -> bool:
        # Another screen may be sharper.
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._dress()
        return super().event(event)

    def _dress(self) -> None:
        if self._name:
            self.setPixmap(theme.pixmap(self._name, self._colour, self._size_px))


class Badge(QWidget):
    """A state in an icon and a word. Only the program draws these, never a file."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = Icon(size_px=14)
        self._words = Words(step=-1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID_PX)
        layout.addWidget(self._icon)
        layout.addWidget(self._words)
        self.hide()

    @property
    def text(self) -> str:
        return self._words.text()

    def say(self, icon: str, text: str, *, colour: str = "secondary", tip: str = "") -> None:
        """Show a state."""
        self._icon.show_icon(icon, colour)
        self._words.setText(text)
        self._words.set_colour(colour)
        self.setToolTip(tip_of(tip))
        self.setAccessibleName(text)
        self.setAccessibleDescription(tip)
        self.show()
