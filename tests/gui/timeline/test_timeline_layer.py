import numpy as np
import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from inspector.gui import theme
from inspector.gui.settings import ThemeChoice
from inspector.gui.widgets.timeline_canvas import TimelineCanvas
from inspector.gui.widgets.timeline_layer import Frame, Layer
from inspector.gui.widgets.timeline_look import current_look
from inspector.gui.widgets.timeline_scene import QUIET, SHADES, build_scene
from inspector.gui.widgets.timeline_view import TimelineView
from tests.helpers.tables import table_from_outline

DRAWING = "agent 0-100\n  llm 0-50\n  search:tool 50-60 failed\n  fetch:tool 60-"


def layer(ratio: float, width: int = 400, height: int = 120) -> tuple[Layer, Frame]:
    scene = build_scene(table_from_outline(DRAWING))
    view = TimelineView.of_all(0, scene.end_ns, width)
    frame = Frame(
        view=view, scroll_px=0, width_px=width, height_px=height, gutter_px=0, ratio=ratio
    )
    return Layer(scene, frame, current_look(), lambda _row: ("", ""), {}), frame


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_a_sharp_screen_gets_a_sharp_picture_of_the_same_size(
    qapp: QApplication, ratio: float
) -> None:
    drawn, frame = layer(ratio)
    look = current_look()
    assert (drawn.image.width(), drawn.image.height()) == (400 * ratio, 120 * ratio)
    assert drawn.image.deviceIndependentSize().width() == 400
    y = (frame.top_of(look, 1) + look.bar_px / 2) * ratio
    pixel = drawn.image.pixelColor(round(frame.view.x_of(25e6) * ratio), round(y))
    assert pixel == look.tokens.for_kind("llm")


def test_what_has_not_ended_is_hatched_and_what_failed_is_red(qapp: QApplication) -> None:
    drawn, frame = layer(1.0)
    look = current_look()
    top = frame.top_of(look, 1)

    def colours(at_ns: float, width: int) -> set[str]:
        x = round(frame.view.x_of(at_ns))
        return {
            QColor(drawn.image.pixel(x + dx, top + dy)).name()
            for dx in range(width)
            for dy in range(look.bar_px)
        }

    assert colours(53e6, 8) == {look.tokens.failed.name()}
    hatched = colours(70e6, 12)
    assert look.tokens.tool.name() in hatched
    assert len(hatched) > 1


def test_another_theme_is_drawn_at_once(canvas: TimelineCanvas, qapp: QApplication) -> None:
    def ground() -> QColor:
        return canvas.grab().toImage().pixelColor(canvas.width() // 2, canvas.height() - 3)

    theme.apply(qapp, ThemeChoice.DARK)
    assert ground() == theme.current().panel
    theme.apply(qapp, ThemeChoice.LIGHT)
    assert ground() == theme.current().panel


def test_larger_text_makes_taller_lanes_that_still_hold_it(qapp: QApplication) -> None:
    heights = []
    for scale in (1.0, 2.0):
        theme.apply(qapp, ThemeChoice.LIGHT, text_scale=scale)
        look = current_look()
        assert look.bar_px >= look.metrics.height()
        assert look.axis_px >= look.metrics.height()
        heights.append(look.bar_px)
    theme.apply(qapp, ThemeChoice.LIGHT)
    assert heights[1] > heights[0]
    assert np.all(np.diff(heights) > 0)


def _light(colour: QColor) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part) for part in (colour.redF(), colour.greenF(), colour.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: QColor, other: QColor) -> float:
    lighter, darker = sorted((_light(one), _light(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("choice", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_every_bar_stands_out_and_so_do_the_words_in_it(
    qapp: QApplication, choice: ThemeChoice
) -> None:
    theme.apply(qapp, choice)
    look = current_look()
    loud, quiet = look.shades[:QUIET].tolist(), look.shades[QUIET:].tolist()
    for shade, meaning in zip(loud, SHADES, strict=True):
        bar = QColor.fromRgb(shade)
        assert _contrast(bar, look.tokens.panel) >= 3, meaning
        assert _contrast(bar, look.tokens.on_kind) >= 4.5, meaning
    for shade, meaning in zip(quiet, SHADES, strict=True):
        assert _contrast(QColor.fromRgb(shade), look.tokens.secondary) >= 4.5, meaning
    for ink in (look.tokens.text, look.tokens.secondary, look.tokens.failed):
        assert _contrast(ink, look.tokens.panel) >= 4.5
    theme.apply(qapp, ThemeChoice.LIGHT)
