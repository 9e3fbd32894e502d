"""A span drawn into a picture, whatever its file says."""

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from inspector.gui import theme
from inspector.gui.settings import ThemeChoice
from inspector.gui.widgets.span_card_picture import CardPicture
from inspector.presentation.span_card import span_card
from tests.helpers.span_runs import run_with


def picture(**span: object) -> CardPicture:
    run = run_with({"kind": "tool", **span})
    return CardPicture(span_card(run, run.spans[0]))


def test_names_and_values_from_a_file_stay_text(qapp: QApplication) -> None:
    evil = "<script>x</script>"
    drawn = picture(name=evil, arguments={evil: evil}, outputs={"result": f"</text>{evil}"}).svg()
    assert QSvgRenderer(QByteArray(drawn)).isValid()
    assert b"&lt;script&gt;" in drawn
    assert b"<script" not in drawn


def test_a_longer_text_makes_a_higher_picture_of_the_same_width(qapp: QApplication) -> None:
    short = picture(name="t", outputs={"result": "one"}).image()
    long = picture(name="t", outputs={"result": "word " * 100}).image()
    unbroken = picture(name="t", outputs={"result": "x" * 500}).image()
    assert short.width() == long.width() == unbroken.width()
    assert short.height() < long.height()
    assert short.height() < unbroken.height()


@pytest.mark.parametrize("choice", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_a_picture_has_the_colours_of_the_window(qapp: QApplication, choice: ThemeChoice) -> None:
    theme.apply(qapp, choice)
    try:
        image = picture(name="t", outputs={"result": "one"}).image()
        tokens = theme.current()
        assert image.pixelColor(1, 1) == tokens.panel
        assert any(image.pixelColor(x, image.height() // 2) == tokens.tool for x in range(80))
    finally:
        theme.apply(qapp, ThemeChoice.LIGHT)


def test_larger_text_makes_a_larger_picture(qapp: QApplication) -> None:
    usual = picture(name="t", outputs={"result": "one"}).image()
    theme.apply(qapp, ThemeChoice.LIGHT, text_scale=1.5)
    try:
        large = picture(name="t", outputs={"result": "one"}).image()
        assert large.width() > usual.width()
        assert large.height() > usual.height()
    finally:
        theme.apply(qapp, ThemeChoice.LIGHT)
