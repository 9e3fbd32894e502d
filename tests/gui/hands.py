"""What a person does with a mouse or a touchpad."""

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

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
