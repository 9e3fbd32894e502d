"""What a person does with a mouse, a touchpad or a keyboard."""

from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QNativeGestureEvent, QPointingDevice, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QWidget

NONE = Qt.KeyboardModifier.NoModifier


def wheel(
    widget: QWidget,
    at: QPoint,
    *,
    down: int = 0,
    across: int = 0,
    held: Qt.KeyboardModifier = NONE,
    finger: bool = False,
) -> None:
    """Turn the wheel over a widget, or move two fingers on a touchpad."""
    delta = QPoint(across, down)
    event = QWheelEvent(
        QPointF(at),
        QPointF(widget.mapToGlobal(at)),
        delta if finger else QPoint(),
        delta,
        Qt.MouseButton.NoButton,
        held,
        Qt.ScrollPhase.ScrollUpdate if finger else Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def pinch(widget: QWidget, at: QPoint, by: float) -> None:
    """Move two fingers apart on a touchpad, or with a negative amount together."""
    place, everywhere = QPointF(at), QPointF(widget.mapToGlobal(at))
    event = QNativeGestureEvent(
        Qt.NativeGestureType.ZoomNativeGesture,
        QPointingDevice.primaryPointingDevice(),
        2,
        place,
        place,
        everywhere,
        by,
        QPointF(),
    )
    QApplication.sendEvent(widget, event)


def name_file(dialog: QFileDialog, path: Path) -> None:
    """Paste a path into a dialog that asks for a file, and press Enter."""
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    assert isinstance(field, QLineEdit)
    field.selectAll()
    QApplication.clipboard().setText(str(path))  # typed, Qt would complete it into another
    QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(field, Qt.Key.Key_Return)
