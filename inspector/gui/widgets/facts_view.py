"""Facts in two columns, as one text that can be read, searched and copied."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextLength,
    QTextTableCell,
    QTextTableFormat,
)
from PySide6.QtWidgets import QTextBrowser, QWidget

from inspector.gui import theme
from inspector.presentation.summary import Fact, FactGroup, Summary

_SPAN_SCHEME = "span"
_CELL_PADDING_PX = 2
_STATE_COLOURS = {"failed": "failed", "canceled": "changed", "unfinished": "secondary"}


class FactsView(QTextBrowser):
    """Shows groups of facts.

    Every word is put in as plain text; the only links are ours, to other spans,
    and nothing is ever loaded.
    """

    span_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None, *, name: str = "Facts") -> None:
        super().__init__(parent)
        self._head: Summary | None = None
        self._groups: Sequence[FactGroup] = ()
        self.setAccessibleName(name)
        self.setAcceptDrops(False)  # nothing is written here; files are left to the window
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setUndoRedoEnabled(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.anchorClicked.connect(self._on_link_pressed)
        self.document().setDocumentMargin(theme.GROUP_GAP_PX)
        theme.changes.changed.connect(self._write)

    def show_summary(self, shown: Summary) -> None:
        """Show a span: its name above, its facts below."""
        self._head, self._groups = shown, shown.groups
        self._write()

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Show facts without a head."""
        self._head, self._groups = None, (FactGroup("", tuple(facts)),) if facts else ()
        self._write()

    def loadResource(self, _type: int, _name: QUrl | str) -> Any:
        # Whatever a document asks for, there is nothing to fetch.
        return None

    def sizeHint(self) -> QSize:
        return QSize(360, 240)

    def _write(self) -> None:
        self.clear()
        cursor = QTextCursor(self.document())
        if self._head is not None:
            self._write_head(cursor, self._head)
        for number, group in enumerate(self._groups):
            self._write_group(cursor, group, first=number == 0 and self._head is None)
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        self.setTextCursor(cursor)

    def _write_head(self, cursor: QTextCursor, head: Summary) -> None:
        tokens = theme.current()
        block = QTextBlockFormat()
        block.setBottomMargin(theme.GRID_PX / 2)
        block.setLeftMargin(_CELL_PADDING_PX)
        cursor.setBlockFormat(block)
        # The name comes from the file: fixed font. What sort of thing it is, is ours.
        named = _look(theme.monospace(1), "text")
        named.setFontWeight(QFont.Weight.DemiBold)
        cursor.insertText(head.title, named)
        kind = _look(theme.font(), "secondary")
        kind.setForeground(tokens.for_kind(head.kind, head.role))
        cursor.insertBlock(block, kind)
        cursor.insertText(head.subtitle, kind)

    def _write_group(self, cursor: QTextCursor, group: FactGroup, *, first: bool) -> None:
        if group.title:
            block = QTextBlockFormat()
            block.setTopMargin(theme.GAP_PX)
            block.setLeftMargin(_CELL_PADDING_PX)
            cursor.insertBlock(block, _look(theme.font(), "text"))
            titled = _look(theme.font(strong=True), "text")
            cursor.insertText(group.title, titled)
        elif not first:
            cursor.insertBlock(QTextBlockFormat(), _look(theme.font(-4), "text"))
        shape = QTextTableFormat()
        shape.setBorder(0)
        shape.setCellSpacing(0)
        shape.setCellPadding(_CELL_PADDING_PX)
        shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        label_px = self._label_px()
        constraints = [QTextLength(QTextLength.Type.FixedLength, label_px)]
        if group.title and all(fact.number for fact in group.facts):
            # Figures stand under each other, not at the far edge.
            shape.setWidth(QTextLength(QTextLength.Type.VariableLength, 0))
            # Not the view's own font: on a change of size, that follows a moment later.
            metrics = QFontMetrics(theme.font())
            widest = max(metrics.horizontalAdvance(fact.text) for fact in group.facts)
            constraints.append(QTextLength(QTextLength.Type.FixedLength, widest + theme.GAP_PX))
        else:
            constraints.append(QTextLength(QTextLength.Type.VariableLength, 0))
        shape.setColumnWidthConstraints(constraints)
        table = cursor.insertTable(len(group.facts), 2, shape)
        figures = all(fact.number for fact in group.facts) and len(group.facts) > 1
        for row, fact in enumerate(group.facts):
            if not fact.label:
                table.mergeCells(row, 0, 1, 2)
                _put(table.cellAt(row, 0), fact.text, _fact_look(fact))
                continue
            _put(table.cellAt(row, 0), fact.label, _look(theme.font(), "secondary"))
            _put(table.cellAt(row, 1), fact.text, _fact_look(fact), right=figures)
        cursor.movePosition(QTextCursor.MoveOperation.End)

    def _label_px(self) -> int:
        metrics = QFontMetrics(theme.font())
        labels = [fact.label for group in self._groups for fact in group.facts]
        widest = max((metrics.horizontalAdvance(label) for label in labels), default=0)
        return min(widest, metrics.horizontalAdvance("m" * 25)) + theme.GROUP_GAP_PX

    def _on_link_pressed(self, link: QUrl) -> None:
        if link.scheme() == _SPAN_SCHEME:
            self.span_requested.emit(link.path())


def _put(cell: QTextTableCell, text: str, look: QTextCharFormat, *, right: bool = False) -> None:
    cursor = cell.firstCursorPosition()
    shape = QTextBlockFormat()
    # Two fonts stand side by side: lines of one height keep them on one line.
    height = max(QFontMetrics(theme.font()).height(), QFontMetrics(theme.monospace()).height())
    shape.setLineHeight(height, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    if right:
        shape.setAlignment(Qt.AlignmentFlag.AlignRight)
    cursor.setBlockFormat(shape)
    cursor.insertText(text, look)


def _look(font: QFont, colour: str) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setFont(font)
    made.setForeground(getattr(theme.current(), colour))
    return made


def _fact_look(fact: Fact) -> QTextCharFormat:
    made = _look(theme.monospace() if fact.from_file else theme.font(), "text")
    if fact.state:
        made.setForeground(getattr(theme.current(), _STATE_COLOURS.get(fact.state, "text")))
    if fact.target is not None:
        link = QUrl()
        link.setScheme(_SPAN_SCHEME)
        link.setPath(fact.target)
        made.setAnchor(True)
        made.setAnchorHref(link.toString())
        made.setForeground(theme.current().accent)
    return made
