"""What one visit changed against the visit before, as one text to read and copy."""

from typing import Any

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QFont, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextBrowser, QWidget

from inspector.diff.model import TextPart
from inspector.gui import theme
from inspector.presentation.visible import visible_text
from inspector.presentation.visit_difference import ChangedLeaf, ChangedSection, VisitDifference

_LONGEST_SAME = 400  # characters that stand whole between two changes
_KEPT = 120  # of longer ones, on each side
_SIDES = (("left", "−", "removed_ground"), ("right", "+", "added_ground"))
_GREYED = "Expected to differ"


class DifferenceView(QTextBrowser):
    """What stood there before is on red behind a minus, what stands there now on green.

    Every word is put in as plain text, and nothing is ever loaded.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: VisitDifference | None = None
        self.setAccessibleName("Changes since the visit before")
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(theme.GROUP_GAP_PX)
        theme.changes.changed.connect(self._write)

    def show_difference(self, shown: VisitDifference) -> None:
        """Show what changed, or that nothing did."""
        self._shown = shown
        self._write()

    def loadResource(self, _type: int, _name: QUrl | str) -> Any:
        # Whatever a document asks for, there is nothing to fetch.
        return None

    def sizeHint(self) -> QSize:
        return QSize(360, 240)

    def _write(self) -> None:
        shown = self._shown
        if shown is None:
            return
        self.clear()
        cursor = QTextCursor(self.document())
        head = _look(theme.font(1, strong=True), "text")
        if shown.is_nothing:
            cursor.insertText("Nothing changed", head)
            _paragraph(cursor, 2)
            words = "It was given the same as in the visit before, and gave the same back."
            cursor.insertText(words, _look(theme.font(), "secondary"))
        else:
            cursor.insertText("Changed since the visit before", head)
        for fact in shown.facts:
            _paragraph(cursor, 4)
            cursor.insertText(f"{fact.label}  ", _look(theme.font(), "secondary"))
            words = f"{fact.before or 'none'}  →  {fact.now or 'none'}"
            cursor.insertText(visible_text(words), _look(theme.monospace(), "text"))
        for section in shown.sections:
            _write_section(cursor, section)
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        self.setTextCursor(cursor)


def _write_section(cursor: QTextCursor, section: ChangedSection) -> None:
    counted = [leaf for leaf in section.leaves if not leaf.noise]
    greyed = [leaf for leaf in section.leaves if leaf.noise]
    if counted or section.note:
        _paragraph(cursor, theme.GROUP_GAP_PX)
        cursor.insertText(section.title, _look(theme.font(strong=True), "text"))
    for leaf in counted:
        _write_leaf(cursor, leaf)
    if section.note:
        _paragraph(cursor, 4)
        cursor.insertText(section.note, _look(theme.font(-1), "secondary"))
    if greyed:
        _paragraph(cursor, theme.GAP_PX)
        names = ", ".join(f"{leaf.leaf} ({leaf.noise})" for leaf in greyed)
        words = f"{_GREYED} in the {section.title.lower()}: {names}"
        cursor.insertText(visible_text(words), _look(theme.font(-1), "secondary"))


def _write_leaf(cursor: QTextCursor, leaf: ChangedLeaf) -> None:
    _paragraph(cursor, theme.GAP_PX)
    cursor.insertText(visible_text(leaf.leaf), _look(theme.monospace(-1), "secondary"))
    if leaf.kind != "changed":
        cursor.insertText(f"  {leaf.kind}", _look(theme.font(-1), "secondary"))
    for side, mark, ground in _SIDES:
        if any(part.kind == side for part in leaf.parts):
            _write_side(cursor, leaf.parts, side, mark, ground)
    if leaf.note:
        _paragraph(cursor, 2, indent=theme.GROUP_GAP_PX)
        cursor.insertText(leaf.note, _look(theme.font(-1), "secondary"))


def _write_side(
    cursor: QTextCursor, parts: tuple[TextPart, ...], side: str, mark: str, ground: str
) -> None:
    """Write what stood on one side, with what the other has not underlined."""
    block = QTextBlockFormat()
    block.setTopMargin(2)
    block.setLeftMargin(theme.GROUP_GAP_PX)
    block.setBackground(getattr(theme.current(), ground))
    cursor.insertBlock(block, QTextCharFormat())
    same, own = (_look(theme.monospace(), "text") for _ in range(2))
    own.setFontUnderline(any(part.kind == "same" for part in parts))
    cursor.insertText(f"{mark} ", same)
    for part in parts:
        text = part.text
        if part.kind == "same" and len(text) > _LONGEST_SAME:
            text = f"{text[:_KEPT]} … {text[-_KEPT:]}"
        if part.kind in ("same", side):
            # A line feed would end the paragraph, and with it its ground.
            shown = visible_text(text).replace("\n", "\u2028")
            cursor.insertText(shown, own if part.kind == side else same)


def _paragraph(cursor: QTextCursor, above_px: int, *, indent: int = 0) -> None:
    block = QTextBlockFormat()
    block.setTopMargin(above_px)
    block.setLeftMargin(indent)
    cursor.insertBlock(block, QTextCharFormat())


def _look(font: QFont, colour: str) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setFont(font)
    made.setForeground(getattr(theme.current(), colour))
    return made
