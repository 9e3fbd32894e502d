import ast
from pathlib import Path

from PySide6.QtGui import QTextDocument

import inspector.gui
from inspector.gui.tips import tip

GUI = Path(inspector.gui.__file__).parent
HOSTILE = "<b>bold</b> <img src='file:///etc/passwd'> & more"


def test_a_tip_shows_markup_as_text(qapp):
    seen = QTextDocument()
    seen.setHtml(tip(HOSTILE))
    assert seen.toPlainText() == HOSTILE


def test_a_tip_keeps_lines_and_is_never_endless():
    assert "a\nb" in tip("a\nb")
    assert len(tip("x" * 1_000_000)) < 1_200


def test_nothing_to_say_is_no_tip():
    assert tip("") == ""


def test_every_tip_with_words_that_are_not_ours_goes_through_it():
    bare = [
        f"{path.name}:{call.lineno}"
        for path in sorted(GUI.rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("setToolTip", "setTabToolTip", "setStatusTip", "setWhatsThis")
        and not is_safe(call.args[-1])
    ]
    assert bare == []


def is_safe(given):
    """Say whether an argument is a text of ours, or one that was made harmless."""
    if isinstance(given, ast.IfExp):
        return is_safe(given.body) and is_safe(given.orelse)
    if isinstance(given, ast.Call) and isinstance(given.func, ast.Name):
        return given.func.id in ("tip", "tip_of")
    return isinstance(given, ast.Constant)
