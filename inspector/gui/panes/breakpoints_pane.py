"""Where a replay of this run is to pause: all of it in a list, and the one that is written."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QListView,
    QStackedLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionButton,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.breakpoints_model import BreakpointsModel
from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.widgets.breakpoint_form import BreakpointForm
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.plain import Hairline, LinkButton, PanelGround
from inspector.gui.widgets.row_paint import paint_ground, write_line
from inspector.gui.workspace.run_breakpoints import RunBreakpoints
from inspector.presentation.breakpoints import BreakpointSpec

_NOTHING = (
    "A replay pauses at breakpoints. Click in the strip beside the tree, press F9 at a selected "
    "call, or set one here. They are kept with this run."
)
_REMOVE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
_QUICK = (("tool", "Every tool call"), ("llm", "Every LLM call"))


class BreakpointsPane(QWidget):
    """Lists the breakpoints of one run or replay, and takes new ones."""

    def __init__(
        self, breakpoints: RunBreakpoints, names: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._breakpoints = breakpoints
        self._model = BreakpointsModel(breakpoints, self)
        self._view = _BreakpointsView()
        self._view.setModel(self._model)
        self._view.setItemDelegate(_BreakpointDelegate(self._view))
        self._form = BreakpointForm(names)
        self._empty = EmptyWords(self, words=_NOTHING)
        self._quick = {kind: QCheckBox(words) for kind, words in _QUICK}
        self._new = LinkButton("New", self._begin_new)
        self._new.setToolTip("Write a new breakpoint below")
        self._remove = LinkButton("Remove", self._remove_current)
        self._remove.setToolTip("Remove the chosen breakpoint (Del)")
        self._lay_out()
        self.setFocusProxy(self._view)

        for kind, box in self._quick.items():
            box.clicked.connect(lambda on, kind=kind: self._on_quick(kind, on))
        self._view.remove_asked.connect(self._remove_current)
        self._view.activated.connect(lambda _index: self._form.begin_condition())
        self._view.selectionModel().currentChanged.connect(self._on_current_changed)
        self._form.wanted.connect(self._on_wanted)
        breakpoints.changed.connect(self._on_changed)
        theme.changes.changed.connect(self._view.doItemsLayout)
        self._on_changed()

    @property
    def view(self) -> QListView:
        return self._view

    @property
    def form(self) -> BreakpointForm:
        return self._form

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(theme.GROUP_GAP_PX, theme.GRID_PX, theme.GAP_PX, theme.GRID_PX)
        head.setSpacing(theme.GROUP_GAP_PX)
        for box in self._quick.values():
            head.addWidget(box)
        head.addStretch(1)
        head.addWidget(self._new)
        head.addWidget(self._remove)
        pages = QWidget()
        self._stack = QStackedLayout(pages)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._view)
        ground = QWidget()
        PanelGround(ground)
        inside = QVBoxLayout(ground)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.addLayout(head)
        inside.addWidget(Hairline())
        inside.addWidget(pages, 1)
        inside.addWidget(Hairline())
        inside.addWidget(self._form)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(ground)

    def _on_quick(self, kind: str, on: bool) -> None:
        spec = BreakpointSpec(kinds=(kind,))
        if not on:
            self._breakpoints.remove(spec.key)
        elif self._breakpoints.at(spec.key) is None:
            self._breakpoints.put(spec)
        else:
            self._breakpoints.enable(spec.key, True)

    def _on_wanted(self, spec: BreakpointSpec, instead_of: str) -> None:
        self._breakpoints.put(spec, instead_of)
        if self._breakpoints.at(spec.key) is not None:
            self._choose(spec.key)
            self._form.show_spec(spec)

    def _on_changed(self) -> None:
        specs = self._breakpoints.specs
        self._stack.setCurrentIndex(1 if specs else 0)
        self.setFocusProxy(self._view if specs else self._form)
        for kind, box in self._quick.items():
            there = self._breakpoints.at(BreakpointSpec(kinds=(kind,)).key)
            box.setChecked(there is not None and there.enabled)
        if self._form.shown is not None and not self._view.currentIndex().isValid():
            self._choose(self._form.shown.key)  # the one that is written, though others came
        self._show_current()

    def _on_current_changed(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        self._show_current()

    def _show_current(self) -> None:
        spec = self._model.spec(self._view.currentIndex())
        self._remove.setEnabled(spec is not None)
        if spec != self._form.shown:  # else something may be half written in it
            self._form.show_spec(spec)

    def _choose(self, key: str) -> None:
        self._view.setCurrentIndex(self._model.index_of(key))

    def edit(self, key: str) -> None:
        """Put the caret where the condition of a breakpoint is written."""
        self._choose(key)
        self._form.begin_condition()

    def _begin_new(self) -> None:
        self._view.setCurrentIndex(QModelIndex())
        self._form.show_spec(None)
        self._form.setFocus(Qt.FocusReason.OtherFocusReason)

    def _remove_current(self) -> None:
        index = self._view.currentIndex()
        spec = self._model.spec(index)
        if spec is None:
            return
        row = index.row()
        self._breakpoints.remove(spec.key)
        left = self._model.rowCount()
        if left:
            self._view.setCurrentIndex(self._model.index(min(row, left - 1)))


class _BreakpointsView(QListView):
    remove_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Breakpoints")
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme.dress_rows(self)

    def event(self, event: QEvent) -> bool:
        # Here, Space switches and Backspace removes before either does anything else.
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and not event.modifiers()
            and event.key() in (Qt.Key.Key_Space, *_REMOVE)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _REMOVE:
            self.remove_asked.emit()
        else:
            super().keyPressEvent(event)


class _BreakpointDelegate(QStyledItemDelegate):
    """Draws a box to switch a breakpoint off, where it pauses, and below what has to be so."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # type: ignore[override]  # Qt says so
        return QSize(super().sizeHint(option, index).width(), theme.row_height())

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex,  # type: ignore[override]  # Qt says so
    ) -> None:
        spec = index.data(ROW_ROLE)
        if not isinstance(spec, BreakpointSpec):
            return
        painter.save()
        paint_ground(painter, option)
        style = option.widget.style()
        box = QStyleOptionButton()
        box.rect = self._box(option)
        box.state = QStyle.StateFlag.State_Enabled
        on = QStyle.StateFlag.State_On if spec.enabled else QStyle.StateFlag.State_Off
        box.state |= on
        style.drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorCheckBox, box, painter)
        left = box.rect.right() + theme.GAP_PX
        place = QRect(left, option.rect.top(), option.rect.right() - theme.GAP_PX - left, 0)
        place.setBottom(option.rect.bottom())
        words = spec._replace(condition="", enabled=True).words
        colour = "text" if spec.enabled else "secondary"
        used = write_line(painter, place, words, theme.font(), colour)
        if spec.condition:
            place.setLeft(left + used + theme.GAP_PX)
            if place.width() > QFontMetrics(theme.font()).averageCharWidth() * 4:
                ink = "accent" if spec.enabled else "secondary"
                right = Qt.TextElideMode.ElideRight
                write_line(painter, place, f"if {spec.condition}", theme.monospace(-1), ink, right)
        painter.restore()

    def _box(self, option: QStyleOptionViewItem) -> QRect:
        size = option.widget.style().pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth)
        top = option.rect.center().y() - size // 2
        return QRect(option.rect.left() + theme.GROUP_GAP_PX, top, size, size)

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: QModelIndex,  # type: ignore[override]  # Qt says so
    ) -> bool:
        """Switch a breakpoint on or off where its box is pressed, or Space is."""
        pressed = (
            event.type() == QEvent.Type.MouseButtonRelease
            and isinstance(event, QMouseEvent)
            and event.button() is Qt.MouseButton.LeftButton
            and self._box(option).adjusted(-4, -4, 4, 4).contains(event.position().toPoint())
        )
        spaced = (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Space
        )
        if not pressed and not spaced:
            return False
        spec = index.data(ROW_ROLE)
        state = Qt.CheckState.Unchecked if spec.enabled else Qt.CheckState.Checked
        return bool(model.setData(index, state, Qt.ItemDataRole.CheckStateRole))
