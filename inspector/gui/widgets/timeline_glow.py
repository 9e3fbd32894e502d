"""How a span on the timeline looks while it is played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from inspector.gui.widgets.timeline_look import see_through

if TYPE_CHECKING:
    from PySide6.QtGui import QColor, QPainter

    from inspector.gui.widgets.timeline_look import Look

_NARROWEST_PX = 3
_STRENGTH = 0.4
_ROOM_FOR_WORDS_PX = 40
_EDGE_PX = 2
_MARK = "≠"
_PAD_PX = 4


def draw_glow(painter: QPainter, rect: QRectF, ink: QColor) -> None:
    """Draw what says that a span runs now."""
    rect.setWidth(max(rect.width(), _NARROWEST_PX))
    # A veil over words would make them hard to read: only what has none gets one.
    if rect.width() < _ROOM_FOR_WORDS_PX:
        painter.fillRect(rect.adjusted(-2, -2, 2, 2), see_through(ink, _STRENGTH))
    painter.fillRect(QRectF(rect.left(), rect.bottom() - 3, rect.width(), 3), ink)
    painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), 1), ink)


def draw_difference(painter: QPainter, rect: QRectF, name: str, look: Look) -> None:
    """Draw a span that put out something else than in the run it is compared with.

    It changes its ground, and says it with a mark too: bars of LLMs have nearly the colour of
    what changed.
    """
    tokens = look.tokens
    wide = look.placer.width(_MARK) + 2 * _PAD_PX
    is_roomy = rect.width() >= _ROOM_FOR_WORDS_PX
    ground = rect if is_roomy else QRectF(rect.right(), rect.top(), wide, rect.height())
    painter.fillRect(ground, tokens.changed_ground)
    painter.setPen(QPen(tokens.changed, _EDGE_PX, j=Qt.PenJoinStyle.MiterJoin))
    painter.drawRect(rect.adjusted(1, 1, -1, -1))
    room = ground.width() - 2 * _PAD_PX
    words = f"{_MARK} {name}" if is_roomy else _MARK
    painter.setFont(look.font)
    painter.drawText(
        QPointF(ground.left() + _PAD_PX, look.baseline(ground.top(), ground.height())),
        look.metrics.elidedText(words, Qt.TextElideMode.ElideRight, room),
    )
