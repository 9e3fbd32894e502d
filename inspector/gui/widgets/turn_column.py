"""A long column of turns of which only those in sight exist."""

from itertools import accumulate

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from inspector.gui import theme
from inspector.gui.widgets.plain import PanelGround
from inspector.gui.widgets.turn_widget import TurnLook, TurnWidget, folded
from inspector.presentation.transcript import (
    EMPTY,
    CallPart,
    ResultPart,
    TextPart,
    Transcript,
    Turn,
    turn_text,
)

_STEP_PX = 48
_HEAD_PX = 36
_GAP_PX = theme.GRID_PX


class TurnColumn(QAbstractScrollArea):
    """Lays out turns by an estimate and makes them real when they come into sight.

    When a real turn is higher than was thought, what a person is reading stays
    where it is.
    """

    span_requested = Signal(str)
    text_requested = Signal(str, str)
    asked = Signal(str, bool)
    menu_opened = Signal(object, str)  # QMenu and path of a turn
    field_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._transcript: Transcript = EMPTY
        self._heights: list[int] = []
        self._real: dict[int, TurnWidget] = {}
        self._unfolded: dict[int, frozenset[int]] = {}
        self._markdown = False
        self._placing = False
        self._measured: set[int] = set()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Always there: one that comes and goes changes the width of every line.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setAccessibleName("Messages")
        PanelGround(self.viewport())
        self.verticalScrollBar().setSingleStep(_STEP_PX)
        self.verticalScrollBar().valueChanged.connect(self._place)
        theme.changes.changed.connect(self._measure_again)

    def show_transcript(self, shown: Transcript) -> None:
        """Show a conversation, at the first turn that is new in it."""
        self._drop_all()
        self._transcript = shown
        self._unfolded.clear()
        self._estimate()
        first = shown.first_new
        self.verticalScrollBar().setValue(0)
        if shown.compared_with and first is not None:
            self.show_turn(first)
        self._place()

    def set_markdown(self, on: bool) -> None:
        """Lay texts out as Markdown, or show them as they were written."""
        if on != self._markdown:
            self._markdown = on
            self._measure_again()

    def show_turn(self, number: int) -> None:
        """Bring a turn to the top."""
        if not 0 <= number < len(self._heights):
            return
        # Once by the estimate and once by what it turned out to be.
        for _ in range(2):
            self.verticalScrollBar().setValue(self._tops[number] - _GAP_PX)
            self._place()

    @property
    def turns_in_sight(self) -> range:
        """The turns that are at least partly visible."""
        top = self.verticalScrollBar().value()
        bottom = top + self.viewport().height()
        seen = [
            at
            for at, start in enumerate(self._tops)
            if start < bottom and start + self._heights[at] > top
        ]
        return range(seen[0], seen[-1] + 1) if seen else range(0)

    @property
    def path_in_sight(self) -> str:
        """The path of the first turn that stands in sight from its top, else of the one there."""
        seen = self.turns_in_sight
        top = self.verticalScrollBar().value()
        whole = (at for at in seen if self._tops[at] >= top)
        number = next(whole, seen.start if seen else None)
        return self._transcript.turns[number].path if number is not None else ""

    def step_turn(self, direction: int) -> None:
        """Go to the next turn, or back to the one before."""
        seen = self.turns_in_sight
        if not seen:
            return
        top = self.verticalScrollBar().value() + _GAP_PX
        first = next((at for at in seen if self._tops[at] >= top), seen.stop)
        self.show_turn(
            first
            if direction > 0 and self._tops[seen.start] < top - 2 * _GAP_PX
            else seen.start + direction
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        match event.key():
            case Qt.Key.Key_Down:
                self.step_turn(1) if control else bar.setValue(bar.value() + _STEP_PX)
            case Qt.Key.Key_Up:
                self.step_turn(-1) if control else bar.setValue(bar.value() - _STEP_PX)
            case Qt.Key.Key_PageDown | Qt.Key.Key_Space:
                bar.setValue(bar.value() + bar.pageStep() - _STEP_PX)
            case Qt.Key.Key_PageUp:
                bar.setValue(bar.value() - bar.pageStep() + _STEP_PX)
            case Qt.Key.Key_Home:
                bar.setValue(0)
            case Qt.Key.Key_End:
                bar.setValue(bar.maximum())
            case _:
                super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._measure_again()
        else:
            self._place()

    def viewportEvent(self, event: QEvent) -> bool:
        # A turn that became higher or lower, such as after a change of font.
        if event.type() == QEvent.Type.LayoutRequest and not self._placing:
            self._measured.clear()
            self._place()
        return super().viewportEvent(event)

    @property
    def _tops(self) -> list[int]:
        return list(accumulate((height + _GAP_PX for height in self._heights), initial=_GAP_PX))[
            :-1
        ]

    def _estimate(self) -> None:
        columns = max(10, self.viewport().width() // self.fontMetrics().averageCharWidth() - 6)
        line_px = self.fontMetrics().height()
        self._heights = [
            _HEAD_PX + line_px * _lines_of(turn, columns) for turn in self._transcript.turns
        ]
        self._set_range()

    def _set_range(self) -> None:
        total = sum(self._heights) + _GAP_PX * (len(self._heights) + 1)
        page = self.viewport().height()
        bar = self.verticalScrollBar()
        bar.setPageStep(page)
        bar.setRange(0, max(0, total - page))

    def _measure_again(self) -> None:
        """Forget what was measured, and keep the turn at the top where it is."""
        anchor = self.turns_in_sight.start if self._heights else 0
        self._drop_all()
        self._estimate()
        if anchor:
            self.show_turn(anchor)
        self._place()

    def _place(self) -> None:
        """Make the turns in sight, measure them, and put them where they belong."""
        if self._placing or self.viewport().width() < 2 * _STEP_PX:
            return
        self._placing = True
        try:
            # A turn that is lower than was thought lets others into sight.
            for _ in range(4):
                if not self._measure_sight():
                    break
            self._put_in_place()
        finally:
            self._placing = False

    def _measure_sight(self) -> bool:
        """Measure the turns in sight; say whether any height was another than thought."""
        bar = self.verticalScrollBar()
        top = bar.value()
        width = self.viewport().width()
        changed = False
        shift = 0
        tops = self._tops
        for number in self.turns_in_sight:
            widget = self._widget(number)
            if number in self._measured:
                continue
            self._measured.add(number)
            height = widget.heightForWidth(width)
            if height != self._heights[number]:
                # Above the edge: what is below must not move.
                if tops[number] < top:
                    shift += height - self._heights[number]
                self._heights[number] = height
                changed = True
        if changed:
            self._set_range()
            if shift:
                bar.setValue(top + shift)
        return changed

    def _put_in_place(self) -> None:
        top = self.verticalScrollBar().value()
        seen = self.turns_in_sight
        width = self.viewport().width()
        tops = self._tops
        focused = QApplication.focusWidget()
        for number, widget in list(self._real.items()):
            if number in seen:
                widget.setGeometry(0, tops[number] - top, width, self._heights[number])
                if widget.isHidden():
                    widget.show()
            elif focused is not None and widget.isAncestorOf(focused):
                widget.setGeometry(0, tops[number] - top, width, self._heights[number])
            else:
                del self._real[number]
                widget.hide()
                widget.deleteLater()

    def _widget(self, number: int) -> TurnWidget:
        widget = self._real.get(number)
        if widget is None:
            turns = self._transcript.turns
            turn = turns[number]
            look = TurnLook(self._markdown, self._unfolded.get(number, frozenset()))
            widget = TurnWidget(turn, number, len(turns), look)
            widget.setParent(self.viewport())
            widget.span_requested.connect(self.span_requested)
            widget.text_requested.connect(self.text_requested)
            widget.turn_requested.connect(self.show_turn)
            widget.unfold_requested.connect(lambda place: self._unfold(number, place))
            widget.copy_requested.connect(lambda: _copy(turn))
            widget.field_requested.connect(self.field_requested)
            widget.asked.connect(lambda backward: self.asked.emit(turn.path, backward))
            widget.menu_opened.connect(lambda menu: self.menu_opened.emit(menu, turn.path))
            self._real[number] = widget
        return widget

    def _unfold(self, number: int, place: int) -> None:
        self._unfolded[number] = self._unfolded.get(number, frozenset()) | {place}
        self._measured.discard(number)
        widget = self._real.pop(number, None)
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        self._place()

    def _drop_all(self) -> None:
        for widget in self._real.values():
            widget.hide()
            widget.deleteLater()
        self._real.clear()
        self._measured.clear()


def _copy(turn: Turn) -> None:
    QGuiApplication.clipboard().setText(turn_text(turn))


def _lines_of(turn: Turn, columns: int) -> int:
    lines = 0
    for part in turn.parts:
        match part:
            case TextPart(text=text) | ResultPart(text=text):
                shown = folded(text)
                lines += sum(1 + len(line) // columns for line in shown.split("\n"))
                lines += 1 if len(shown) < len(text) else 0
            case CallPart(arguments=arguments):
                lines += 4 + len(arguments)
            case _:
                lines += 1
    return lines
