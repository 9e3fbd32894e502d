"""Draws values in the fixed font, coloured by what they are."""

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.value_tree_model import Column, ValueRole
from inspector.gui.tips import tip
from inspector.presentation.previews import preview
from inspector.presentation.values import ValueNode

_INKS = {
    "text": "syntax_string",
    "number": "syntax_number",
    "keyword": "syntax_keyword",
    "gap": "secondary",
}


class ValueDelegate(QStyledItemDelegate):
    """The look of a row in a value tree; tool tips show more of the value, as plain text."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        tokens = theme.current()
        palette: QPalette = option.palette
        colour = tokens.text
        match index.column():
            case Column.VALUE:
                ink = index.data(ValueRole.INK)
                option.font = theme.monospace()
                option.font.setItalic(ink == "gap")
                colour = getattr(tokens, _INKS.get(ink, "text"))
            case Column.ABOUT:
                option.font = theme.font(-1)
                colour = tokens.secondary
        palette.setColor(QPalette.ColorRole.Text, colour)
        palette.setColor(QPalette.ColorRole.HighlightedText, colour)

    def sizeHint(
        self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        # Not by the text: measuring a thousand previews is what makes trees slow.
        return QSize(80, theme.row_height())

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        node = index.data(ValueRole.NODE)
        if event.type() != QEvent.Type.ToolTip or not isinstance(node, ValueNode):
            return super().helpEvent(event, view, option, index)
        words = node.path if index.column() == Column.NAME else preview(node.value, 600)
        if index.column() == Column.ABOUT:
            words = str(index.data(Qt.ItemDataRole.DisplayRole))
        viewport: QWidget = view.viewport()
        QToolTip.showText(event.globalPos(), tip(words), viewport)
        return True
