"""A stretch of somebody's words, as high as they need."""

from typing import Any

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import (
    QImage,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrame,
    QTextFrameFormat,
    QTextImageFormat,
    QTextOption,
    QTextTable,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QTextEdit, QWidget

from inspector.gui import theme
from inspector.presentation.visible import visible_text


class TextBlock(QTextEdit):
    """Text from a run: selectable, wrapped, never scrolled by itself.

    Plain unless asked to be laid out as Markdown, and then without HTML, without
    fetching pictures and without links that can be followed.
    """

    def __init__(self, text: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = visible_text(text)
        self._markdown = False
        self._colour = "text"
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFrameShape(QTextEdit.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.viewport().setAutoFillBackground(False)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        # Laid out once before it has a place: quick when lines are long.
        self.resize(4_000, 40)
        self._write()
        theme.changes.changed.connect(self._write)

    def set_colour(self, colour: str) -> None:
        self._colour = colour
        self._write()

    def set_markdown(self, on: bool) -> None:
        """Lay the text out as Markdown, or show it as it was written."""
        if on != self._markdown:
            self._markdown = on
            self._write()

    def set_text(self, text: str) -> None:
        self._text = visible_text(text)
        self._write()
        self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        document = self.document()
        if document.textWidth() != width:
            document.setTextWidth(width)
        return int(document.size().height()) + 1

    def sizeHint(self) -> QSize:
        width = max(self.width(), 200)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.fontMetrics().height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        # The column scrolls, not its parts.
        event.ignore()

    def _write(self) -> None:
        colour = getattr(theme.current(), self._colour)
        palette = self.palette()
        if palette.color(palette.ColorRole.Text) != colour:
            palette.setColor(palette.ColorRole.Text, colour)
            self.setPalette(palette)
        # A finished document is handed over: an editor lays out again at every change.
        # The one before belongs to the editor, which throws it away.
        document = InertDocument(self)
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        font = theme.font() if self._markdown else theme.monospace()
        document.setDefaultFont(font)
        option = document.defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)
        if self._markdown:
            lay_out_markdown(document, self._text)
        else:
            document.setPlainText(self._text)
        self.setFont(font)
        self.setDocument(document)
        self.updateGeometry()


class InertDocument(QTextDocument):
    """A document that fetches nothing: Qt would read local files for pictures."""

    def loadResource(self, _type: int, _name: QUrl | str) -> Any:
        empty = QImage(1, 1, QImage.Format.Format_ARGB32)
        empty.fill(Qt.GlobalColor.transparent)
        return empty


def lay_out_markdown(document: QTextDocument, text: str) -> None:
    """Fill a document with a text laid out as Markdown: no HTML, no pictures, no links."""
    features = QTextDocument.MarkdownFeature
    document.setMarkdown(text, features.MarkdownDialectGitHub | features.MarkdownNoHTML)
    _take_out_pictures(document)
    _spell_out_links(document)
    _dress_code(document)
    _dress_tables(document.rootFrame())


def _dress_code(document: QTextDocument) -> None:
    """Put code on a ground of its own, so that it is not taken for what is said about it."""
    fence = QTextFormat.Property.BlockCodeFence
    block = document.begin()
    while block.isValid():
        shape = block.blockFormat()
        if shape.hasProperty(fence):
            shape.setBackground(theme.current().hover)
            cursor = QTextCursor(block)
            cursor.setBlockFormat(shape)
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            look = QTextCharFormat()
            look.setFont(theme.monospace())
            cursor.mergeCharFormat(look)
        block = block.next()


def _dress_tables(frame: QTextFrame) -> None:
    """Draw tables with hairlines and room around them."""
    for inner in frame.childFrames():
        if isinstance(inner, QTextTable):
            shape = inner.format().toTableFormat()
            shape.setBorderCollapse(True)
            shape.setBorder(1)
            shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            shape.setBorderBrush(theme.current().border)
            shape.setCellPadding(theme.GRID_PX)
            shape.setTopMargin(theme.GAP_PX)
            shape.setBottomMargin(theme.GAP_PX)
            inner.setFormat(shape)
        _dress_tables(inner)


def _take_out_pictures(document: QTextDocument) -> None:
    """Put where a picture was asked for in words instead of the picture."""
    cursor = QTextCursor(document)
    while True:
        cursor = document.find("\ufffc", cursor)
        if cursor.isNull():
            return
        shape = cursor.charFormat()
        if shape.isImageFormat():
            name = QTextImageFormat(shape.toImageFormat()).name()
            cursor.insertText(f"[picture {name}, not fetched]", document.begin().charFormat())


def _spell_out_links(document: QTextDocument) -> None:
    """Put the address behind each link: its words may claim another."""
    ends: list[tuple[int, str]] = []
    block = document.begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            piece = pieces.fragment()
            address = piece.charFormat().anchorHref()
            if address and address != piece.text():
                end = piece.position() + piece.length()
                # Words in bold inside a link are a piece of their own.
                if ends and ends[-1] == (piece.position(), address):
                    ends.pop()
                ends.append((end, address))
            pieces += 1
        block = block.next()
    cursor = QTextCursor(document)
    for position, address in reversed(ends):
        cursor.setPosition(position)
        cursor.insertText(f" ({visible_text(address)})", QTextCharFormat())
