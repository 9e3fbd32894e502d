"""How the dot of a choice among several is drawn, in the colours of the theme."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyleOption

from inspector.gui import theme

_STATE = QStyle.StateFlag


def draw_radio(option: QStyleOption, painter: QPainter) -> None:
    """Draw the ring, and what fills it where it is chosen."""
    tokens = theme.current()
    is_on = bool(option.state & _STATE.State_On)
    is_enabled = bool(option.state & _STATE.State_Enabled)
    size = min(option.rect.width(), option.rect.height()) - 1
    ring = QRectF(option.rect.left() + 0.5, option.rect.top() + 0.5, size, size)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    edge = tokens.accent if is_on and is_enabled else tokens.outline
    painter.setPen(QPen(edge if is_enabled else tokens.border, 1))
    painter.setBrush(tokens.accent if is_on and is_enabled else tokens.panel)
    painter.drawEllipse(ring)
    if is_on:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tokens.on_accent if is_enabled else tokens.disabled)
        inset = size * 0.32
        painter.drawEllipse(ring.adjusted(inset, inset, -inset, -inset))
    painter.restore()
