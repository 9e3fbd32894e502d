"""A picture from recorded bytes."""

from collections.abc import Sequence

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QImage,
    QImageReader,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QStackedLayout, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.tasks.runner import Cancelled, TaskRunner
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.plain import Hairline, IconButton, PanelGround
from inspector.gui.widgets.viewer_head import ViewerHead
from inspector.presentation.byte_text import Recorded
from inspector.presentation.words import byte_words, number_words, sentence

MOST_BYTES = 64_000_000
MOST_PIXELS = 100_000_000
_LONGEST_SIDE = 4_000  # pixels that are kept; larger pictures are made smaller while they are read
_MARGIN_PX = theme.GROUP_GAP_PX


class Drawn:
    """A picture that was decoded, or why it was not."""

    def __init__(self, image: QImage | None, size: QSize, why: str = "") -> None:
        self.image = image
        self.size = size  # of the whole picture; what is kept may be smaller
        self.why = why


class PictureView(QWidget):
    """Decodes a picture on a worker thread, and shows it as a whole or pixel by pixel."""

    escape_pressed = Signal()

    def __init__(
        self,
        tasks: TaskRunner,
        parent: QWidget | None = None,
        *,
        name: str = "Picture",
        buttons: Sequence[QWidget] = (),
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._recorded: Recorded | None = None
        self._name = name
        self._facts = ""
        self._head = ViewerHead(self)
        self._canvas = _Canvas(self)
        self._canvas.escape_pressed.connect(self.escape_pressed)
        self._empty = EmptyWords(self)
        self._actual = IconButton("frame", "One to one", self._on_actual_pressed, checkable=True)
        self._copy = IconButton("copy", "Copy the picture", self._on_copy_pressed)
        self._stack = QStackedLayout()
        self._stack.addWidget(self._canvas)
        self._stack.addWidget(self._empty)
        for button in (*buttons, *(self._actual, self._copy)):
            self._head.add_button(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(Hairline(self))
        layout.addLayout(self._stack, 1)
        self.setFocusProxy(self._canvas)

    def show_picture(self, recorded: Recorded, title: str) -> None:
        """Show the picture that bytes are."""
        self._facts = sentence(
            [title, recorded.mime_type or recorded.picture, byte_words(recorded.size)]
        )
        self._head.say(self._facts)
        if recorded == self._recorded:
            return
        self._recorded = recorded
        self._canvas.show_image(None)
        self._stack.setCurrentIndex(0)
        self._tasks.start(
            lambda cancelled: decoded(recorded, cancelled),
            done=self._on_decoded,
            failed=self._on_failed,
            key=(self, "decode"),
        )

    @property
    def image(self) -> QImage | None:
        return self._canvas.image

    def _on_decoded(self, drawn: Drawn) -> None:
        if drawn.image is None:
            self._empty.say(drawn.why)
            self._stack.setCurrentIndex(1)
            return
        self._canvas.show_image(drawn.image)
        size = f"{number_words(drawn.size.width())} × {number_words(drawn.size.height())}"
        smaller = "" if drawn.size == drawn.image.size() else "shown smaller than it is"
        self._head.say(sentence([self._facts, size, smaller]))
        self._canvas.setAccessibleName(sentence([self._name, self._facts, size]))

    def _on_failed(self, error: Exception) -> None:
        self._empty.say("This picture could not be drawn.")
        self._stack.setCurrentIndex(1)
        raise error

    def _on_actual_pressed(self) -> None:
        self._canvas.set_actual(self._actual.isChecked())

    def _on_copy_pressed(self) -> None:
        if self._canvas.image is not None:
            QGuiApplication.clipboard().setImage(self._canvas.image)


def decoded(recorded: Recorded, cancelled: Cancelled) -> Drawn:
    """Return a picture, within limits. Images may be made on any thread, unlike widgets."""
    nothing = QSize()
    if recorded.size > MOST_BYTES:
        return Drawn(None, nothing, f"This picture is too large to draw: "
                                    f"{byte_words(recorded.size)}.")  # fmt: skip
    buffer = QBuffer()
    buffer.setData(QByteArray(recorded.head(recorded.size)))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    # The format is what we saw in the bytes: nothing else may be tried on them.
    reader = QImageReader(buffer, QByteArray(recorded.picture.encode()))
    reader.setAutoDetectImageFormat(False)
    size = reader.size()
    if size.width() * size.height() > MOST_PIXELS:
        words = f"{number_words(size.width())} × {number_words(size.height())} pixels"
        return Drawn(None, size, f"This picture is too large to draw: {words}.")
    if max(size.width(), size.height()) > _LONGEST_SIDE:
        limit = QSize(_LONGEST_SIDE, _LONGEST_SIDE)
        reader.setScaledSize(size.scaled(limit, Qt.AspectRatioMode.KeepAspectRatio))
    image = QImage() if cancelled() else reader.read()
    buffer.close()
    if image.isNull():
        return Drawn(None, size, f"These bytes are not a whole picture: {reader.errorString()}.")
    return Drawn(image, size if size.isValid() else image.size())


class _Canvas(QAbstractScrollArea):
    """Draws the picture in the middle; never larger than it is."""

    escape_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.image: QImage | None = None
        self._actual = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Picture")
        PanelGround(self.viewport())

    def show_image(self, image: QImage | None) -> None:
        self.image = image
        self._set_range()
        self.viewport().update()

    def set_actual(self, actual: bool) -> None:
        self._actual = actual
        self._set_range()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_range()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
            event.ignore()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.image is None:
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        place = self.place()
        painter.fillRect(place, theme.current().raised)
        painter.drawImage(place, self.image)
        painter.setPen(theme.current().border)
        painter.drawRect(place.adjusted(-1, -1, 0, 0))
        painter.end()

    def place(self) -> QRectF:
        """Return where the picture stands in the viewport."""
        if self.image is None:
            return QRectF()
        room = self.viewport().size()
        size = self._wanted()
        left = max(_MARGIN_PX, (room.width() - size.width()) // 2)
        top = max(_MARGIN_PX, (room.height() - size.height()) // 2)
        bars = self.horizontalScrollBar(), self.verticalScrollBar()
        return QRectF(left - bars[0].value(), top - bars[1].value(), size.width(), size.height())

    def _wanted(self) -> QSize:
        assert self.image is not None
        size = self.image.size()
        room = self.viewport().size() - QSize(2 * _MARGIN_PX, 2 * _MARGIN_PX)
        fits = size.width() <= room.width() and size.height() <= room.height()
        if self._actual or fits:
            return size
        room = room.expandedTo(QSize(1, 1))
        return size.scaled(room, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(QSize(1, 1))

    def _set_range(self) -> None:
        room = self.viewport().size()
        size = QSize() if self.image is None else self._wanted()
        for bar, wanted, there in (
            (self.horizontalScrollBar(), size.width(), room.width()),
            (self.verticalScrollBar(), size.height(), room.height()),
        ):
            bar.setRange(0, max(0, wanted + 2 * _MARGIN_PX - there) if self._actual else 0)
            bar.setPageStep(there)
