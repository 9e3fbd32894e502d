"""What the run file says about itself."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QFontMetrics,
    QGuiApplication,
    QKeySequence,
    QPalette,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.tips import tip
from inspector.gui.widgets.labels import Badge, Words
from inspector.gui.widgets.status_line import integrity_look
from inspector.gui.workspace.open_run import Freshness, OpenRun
from inspector.presentation.run_info import Section, run_info
from inspector.presentation.visible import one_line

_WIDEST_NAME_PX = 220
_MOST_NAMED = 8


class RunInfoPane(QWidget):
    """Lists when, where and with what a run was recorded, and what is not in the file."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._integrity = Badge()
        self._integrity_words = Words(colour="secondary", wrap=True)
        self._integrity_words.hide()
        self._tree = _tree()
        self.setAutoFillBackground(True)

        head = QVBoxLayout()
        head.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GAP_PX, theme.GRID_PX)
        head.setSpacing(2)
        head.addWidget(self._integrity)
        head.addWidget(self._integrity_words)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._tree, 1)

        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self._tree)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy)
        self._is_filled = False
        open_run.run_changed.connect(self._on_changed)
        open_run.integrity_changed.connect(self._show_integrity)
        open_run.freshness_changed.connect(self._show_integrity)
        theme.changes.changed.connect(self._on_changed)
        self._show_integrity()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_filled:
            self._fill()

    def _on_changed(self) -> None:
        # It stands behind another tab at first: filled when it is looked at.
        self._is_filled = False
        if self.isVisible():
            self._fill()

    def _fill(self) -> None:
        self._is_filled = True
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, theme.current().panel)
        self.setPalette(palette)
        closed = {
            self._tree.topLevelItem(place).text(0)  # type: ignore[union-attr]  # in range
            for place in range(self._tree.topLevelItemCount())
            if not self._tree.topLevelItem(place).isExpanded()  # type: ignore[union-attr]  # in range
        }
        first_time = self._tree.topLevelItemCount() == 0
        scrolled = self._tree.verticalScrollBar().value()
        self._tree.clear()
        sections = run_info(self._open_run.run)
        names = [entry.name for section in sections if section.open for entry in section.entries]
        self._tree.header().resizeSection(0, self._name_width(names))
        for section in sections:
            item = _section_item(section)
            self._tree.addTopLevelItem(item)
            item.setFirstColumnSpanned(True)
            if not section.entries and (note := item.child(0)) is not None:
                note.setFirstColumnSpanned(True)
            item.setExpanded(section.open if first_time else section.title not in closed)
        # A run that is followed comes again and again.
        self._tree.verticalScrollBar().setValue(scrolled)

    def _name_width(self, names: Sequence[str]) -> int:
        metrics = QFontMetrics(theme.font())
        widest = max((metrics.horizontalAdvance(name) for name in names), default=0)
        return min(widest, _WIDEST_NAME_PX) + 2 * theme.ICON_PX + 2 * theme.GAP_PX

    def _show_integrity(self) -> None:
        integrity = self._open_run.integrity
        if integrity is None and self._open_run.freshness is Freshness.LIVE:
            self._integrity.say("live", "Still being recorded", colour="live")
            return
        if integrity is None and self._open_run.freshness is Freshness.STALE:
            self._integrity.say("stale", "The file changed after it was read", colour="changed")
            return
        if integrity is None:
            self._integrity.say("clock", "Checking whether the file was changed…")
            return
        signature = self._open_run.signature
        icon, colour, words, message = integrity_look(integrity, signature)
        self._integrity.say(icon, words, colour=colour)
        named = [one_line(name) for name in integrity.changed[:_MOST_NAMED]]
        more = len(integrity.changed) - len(named)
        others = [f"and {more} more"] if more else []
        self._integrity_words.setText(f"{message} {', '.join([*named, *others])}".rstrip())
        self._integrity_words.setVisible(bool(message))

    def _copy(self) -> None:
        lines = [
            "\t".join(filter(None, (item.text(0), item.text(1))))
            for item in self._tree.selectedItems()
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))


def _section_item(section: Section) -> QTreeWidgetItem:
    tokens = theme.current()
    made = QTreeWidgetItem([section.title])
    made.setFont(0, theme.font(strong=True))
    made.setSizeHint(0, QSize(0, theme.row_height()))
    for entry in section.entries:
        item = QTreeWidgetItem([entry.name, entry.text])
        item.setForeground(0, QBrush(tokens.secondary))
        if section.named_by_file:
            item.setFont(0, theme.monospace())
        item.setSizeHint(0, QSize(0, theme.row_height(compact=True)))
        # What a file says stands in the fixed font, so that it cannot pose as ours.
        item.setFont(1, theme.monospace())
        item.setToolTip(1, tip(entry.tip or entry.text))
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{entry.name}: {entry.text}")
        made.addChild(item)
    if not section.entries:
        note = QTreeWidgetItem([section.empty])
        note.setForeground(0, QBrush(tokens.secondary))
        made.addChild(note)
    return made


def _tree() -> QTreeWidget:
    tree = QTreeWidget()
    tree.setAccessibleName("What the file says about the run")
    tree.setColumnCount(2)
    tree.setHeaderHidden(True)
    tree.setFrameShape(QTreeWidget.Shape.NoFrame)
    tree.setIndentation(theme.ICON_PX)
    tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
    tree.header().setStretchLastSection(True)
    theme.dress_rows(tree)
    return tree
