from PySide6.QtGui import QTextDocument

from inspector.gui.tips import tip

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
