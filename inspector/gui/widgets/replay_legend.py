"""What the colours and marks of a replay's timeline mean."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from inspector.gui import theme
from inspector.gui.widgets.timeline_look import mixed
from inspector.presentation.live_replay import Match
from inspector.presentation.replay_words import MATCH_COLOURS, MATCH_MARKS, MATCH_WORDS

_SWATCH = (22, 10)
_STYLES = {
    Match.DRIFTED: Qt.BrushStyle.FDiagPattern,
    Match.EDITED: Qt.BrushStyle.DiagCrossPattern,
    Match.LIVE: Qt.BrushStyle.Dense6Pattern,
    Match.AROUND: Qt.BrushStyle.FDiagPattern,
}
_SHOWN = (Match.MATCHED, Match.DRIFTED, Match.EDITED, Match.LIVE, Match.AROUND)
_NOT_YET = "not yet"
_VEIL = 0.75
_PALE = 0.8


class ReplayLegend(QWidget):
    """One line: a small bar of each sort with its mark and its word."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        said = [_NOT_YET, *(f"{MATCH_MARKS[each]} {MATCH_WORDS[each]}" for each in _SHOWN)]
        self.setAccessibleName("Legend: " + ", ".join(said))
        theme.changes.changed.connect(self.updateGeometry)
        theme.changes.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(theme.font(-1))
        words = sum(metrics.horizontalAdvance(words) for words in self._words())
        width = words + (len(_SHOWN) + 1) * (_SWATCH[0] + theme.GRID_PX + 2 * theme.GAP_PX)
        return QSize(width, metrics.height() + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def _words(self) -> list[str]:
        return [_NOT_YET, *(f"{MATCH_MARKS[each]} {MATCH_WORDS[each]}" for each in _SHOWN)]

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = theme.current()
        painter.setFont(theme.font(-1))
        metrics = painter.fontMetrics()
        left = 0
        for match, words in zip((None, *_SHOWN), self._words(), strict=True):
            width = _SWATCH[0] + theme.GRID_PX + metrics.horizontalAdvance(words)
            if left + width > self.width():
                break
            top = (self.height() - _SWATCH[1]) / 2
            bar = QRectF(left, top, *_SWATCH)
            painter.fillRect(bar, self._ink(match, tokens))
            if match in _STYLES:
                veil = QColor(tokens.changed if match is Match.AROUND else tokens.panel)
                veil.setAlphaF(_VEIL)
                painter.fillRect(bar.adjusted(0, 4, 0, 0), QBrush(veil, _STYLES[match]))
            painter.setPen(tokens.secondary)
            place = QRect(left + _SWATCH[0] + theme.GRID_PX, 0, width, self.height())
            painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), words)
            left += width + 2 * theme.GAP_PX
        painter.end()

    @staticmethod
    def _ink(match: Match | None, tokens: theme.Tokens) -> QColor:
        if match is Match.AROUND:
            return mixed(tokens.changed, tokens.panel, _PALE)
        ink: QColor = tokens.border if match is None else getattr(tokens, MATCH_COLOURS[match])
        return ink
