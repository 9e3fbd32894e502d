"""A run with secrets in it, and the dialog that shares a copy of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QStyle,
    QStyleOptionViewItem,
)
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.dialogs.share_dialog import ShareDialog
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.redaction_tree import RedactionTree
from inspector.presentation.redaction_preview import RedactionPreview
from tests.gui.conftest import open_file
from tests.gui.hands import name_file
from tests.helpers.secret_world import AT
from tests.redaction.runs import made_bytes, span

MAIL = f"jo.doe{AT}example.org"
OTHER = f"kim{AT}example.org"
CARD = "4111 1111 1111 1111"
LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """Return a file with two mail addresses and a card in it."""
    path = tmp_path / "pump.run.json"
    path.write_bytes(
        made_bytes(
            span(1, inputs={"q": f"Please write to {MAIL} about the pump"}),
            span(2, inputs={"q": f"{OTHER} and {MAIL}", "card": CARD}),
            span(3, outputs={"note": f"Project Bluebird:\nsaid {MAIL}", "meta": {"who": "Ada"}}),
        )
    )
    return path


class Sharing:
    """The dialog in the hands of a person."""

    def __init__(self, program: Program, dialog: ShareDialog, qtbot: QtBot) -> None:
        self.program = program
        self.dialog = dialog
        self._qtbot = qtbot
        self.wait()

    @property
    def preview(self) -> RedactionPreview:
        assert self.dialog.preview is not None
        return self.dialog.preview

    @property
    def tree(self) -> RedactionTree:
        tree = self.dialog.findChild(RedactionTree)
        assert isinstance(tree, RedactionTree)
        return tree

    def wait(self) -> None:
        self._qtbot.waitUntil(lambda: not self.dialog.busy)

    def said(self, name: str) -> str:
        words = self.dialog.findChild(Words, name)
        assert isinstance(words, Words)
        return words.text().replace("\u202f", " ")

    def button(self, name: str) -> QPushButton:
        button = self.dialog.findChild(QPushButton, name)
        assert isinstance(button, QPushButton)
        return button

    def press(self, name: str) -> None:
        button = self.button(name)
        assert button.isVisible(), name
        assert button.isEnabled(), name
        QTest.mouseClick(button, LEFT)

    def keys(self, key: Qt.Key, held: Qt.KeyboardModifier = CONTROL) -> None:
        QTest.keyClick(self.dialog, key, held)

    def write(self, name: str, text: str) -> None:
        line = self.dialog.findChild(QLineEdit, name)
        assert isinstance(line, QLineEdit)
        QTest.mouseClick(line, LEFT)
        line.selectAll()
        QTest.keyClicks(line, text)

    def text(self, name: str) -> QPlainTextEdit:
        (text,) = [
            each
            for each in self.dialog.findChildren(QPlainTextEdit)
            if each.accessibleName() == name
        ]
        return text

    def choose_form(self, place: int) -> None:
        """Choose how placeholders look, with the arrow keys."""
        forms = self.dialog.findChild(QComboBox, "form")
        assert isinstance(forms, QComboBox)
        forms.setFocus()
        key = Qt.Key.Key_Down if place > forms.currentIndex() else Qt.Key.Key_Up
        QTest.keyClick(forms, key)
        assert forms.currentIndex() == place

    def row(self, rule: str, place: int | None = None) -> QModelIndex:
        """Return where a kind stands, or a place of it."""
        tree = self.tree
        rules = [kind.rule for kind in tree.rows.kinds]
        kind = tree.rows.index(rules.index(rule), 0)
        return kind if place is None else tree.rows.index(place, 0, kind)

    def click(self, index: QModelIndex, *, box: bool = False) -> None:
        """Click on a row, or on the box of it."""
        tree = self.tree
        tree.scrollTo(index)
        place = tree.visualRect(index)
        at = self._box(index, place).center() if box else place.center()
        QTest.mouseClick(tree.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, at)
        self.wait()

    def _box(self, index: QModelIndex, place: QRect) -> QRect:
        option = QStyleOptionViewItem()
        option.initFrom(self.tree)
        option.rect = place
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
        part = QStyle.SubElement.SE_ItemViewItemCheckIndicator
        return self.tree.style().subElementRect(part, option, self.tree)

    def select(self, words: str) -> None:
        """Put the caret before words in the text as it is, and select them with the keys."""
        text = self.text("The text as it is")
        at = text.toPlainText().index(words)
        start = QTextCursor(text.document())
        start.setPosition(at)
        place = text.cursorRect(start)
        QTest.mouseClick(text.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, place.center())
        for _ in words:
            QTest.keyClick(text, Qt.Key.Key_Right, SHIFT)

    def save_as(self, place: Path) -> None:
        """Press Save, and name a file in the dialog that asks for one."""
        self.press("save")
        asking = self.dialog.findChildren(QFileDialog)[-1]
        self._qtbot.waitUntil(asking.isVisible)
        name_file(asking, place)


@pytest.fixture
def share(program: Program, original: Path, qtbot: QtBot) -> Callable[[], Sharing]:
    """Return what opens the run, and the dialog by its keys."""

    def shared() -> Sharing:
        open_file(program, original, qtbot)
        QTest.keyClick(program.window, Qt.Key.Key_S, CONTROL | SHIFT)
        (dialog,) = program.window.findChildren(ShareDialog)
        qtbot.waitExposed(dialog)
        return Sharing(program, dialog, qtbot)

    return shared


@pytest.fixture
def sharing(share: Callable[[], Sharing], monkeypatch: pytest.MonkeyPatch) -> Sharing:
    """Return the dialog on that run, with no salt in the environment."""
    monkeypatch.delenv("RUN_INSPECTOR_SALT", raising=False)
    return share()
