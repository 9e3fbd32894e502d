from itertools import product

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QLineEdit, QStyle, QTreeView
from pytestqt.qtbot import QtBot

from inspector.assets import asset
from inspector.gui import theme
from inspector.gui.actions import ACTIONS
from inspector.gui.settings import ThemeChoice
from inspector.presentation.tree_row import icon_of
from inspector.runfile.kinds import RunStatus, SpanKind

SCHEMES = {"light": theme.LIGHT, "dark": theme.DARK}
TEXTS = ("text", "secondary", "accent", "failed", "changed", "same", "live")
GROUNDS = ("window", "panel", "raised", "hover", "selection")
SPECIAL_GROUNDS = (
    "failed_ground", "changed_ground", "added_ground", "removed_ground", "notice_ground",
    "match_ground",
)  # fmt: skip
KINDS = ("pipeline", "component", "retrieval", "llm", "tool", "agent", "step", "other")
SYNTAX = ("syntax_name", "syntax_string", "syntax_number", "syntax_keyword", "syntax_comment")


def luminance(colour: QColor) -> float:
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: QColor, other: QColor) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def pairs(inks: tuple[str, ...], grounds: tuple[str, ...]) -> list[tuple[str, str, str]]:
    return [(scheme, ink, ground) for scheme in SCHEMES for ink, ground in product(inks, grounds)]


@pytest.mark.parametrize(
    ("scheme", "ink", "ground"),
    [
        *pairs(TEXTS, GROUNDS),
        *pairs(("text",), SPECIAL_GROUNDS),
        *pairs(("failed",), ("failed_ground", "removed_ground")),
        *pairs(("changed",), ("changed_ground",)),
        *pairs(("same",), ("added_ground",)),
        *pairs(("accent",), ("notice_ground",)),
        *pairs(SYNTAX, ("panel", "window")),
        *pairs(("on_kind",), (*KINDS, "changed", "failed")),
        *pairs(("on_accent",), ("accent",)),
    ],
)
def test_text_can_be_read_on_its_ground(scheme: str, ink: str, ground: str) -> None:
    tokens = SCHEMES[scheme]
    assert contrast(getattr(tokens, ink), getattr(tokens, ground)) >= 4.5


@pytest.mark.parametrize(
    ("scheme", "ink", "ground"),
    [*pairs((*KINDS, "outline"), ("window", "panel")), *pairs(KINDS, ("selection", "hover"))],
)
def test_marks_can_be_told_from_their_ground(scheme: str, ink: str, ground: str) -> None:
    tokens = SCHEMES[scheme]
    assert contrast(getattr(tokens, ink), getattr(tokens, ground)) >= 3


def test_every_kind_has_a_colour_and_an_icon() -> None:
    for kind in SpanKind:
        assert theme.LIGHT.for_kind(kind).isValid()
        assert asset(f"icons/{icon_of(str(kind))}.svg").is_file()


def test_a_component_that_retrieves_has_the_colour_of_retrieval() -> None:
    assert theme.DARK.for_kind("component", "retrieval") == theme.DARK.retrieval
    assert theme.DARK.for_kind("component", "joining") == theme.DARK.component


@pytest.mark.parametrize(
    "name",
    [
        *(spec.icon for spec in ACTIONS if spec.icon),
        *RunStatus,
        *("retrieval", "embedding", "ranking", "routing", "joining", "prompt", "validation"),
        *("conversion", "fetch", "write", "integrity", "live", "stale", "read-only", "app"),
    ],
)
def test_every_icon_that_is_named_is_shipped(name: str) -> None:
    drawing = asset(f"icons/{name}.svg").read_text(encoding="utf-8")
    assert 'viewBox="0 0 16 16"' in drawing or name == "app"
    assert "currentColor" in drawing or name == "app"


def test_an_icon_takes_the_colour_of_the_scheme(qapp: QApplication) -> None:
    for choice, tokens in ((ThemeChoice.LIGHT, theme.LIGHT), (ThemeChoice.DARK, theme.DARK)):
        theme.apply(qapp, choice)
        image = theme.pixmap("close", "failed", 32).toImage()
        assert image.pixelColor(16, 16) == tokens.failed


def test_switching_tells_those_who_keep_something(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, ThemeChoice.LIGHT)
    with qtbot.waitSignal(theme.changes.changed):
        theme.apply(qapp, ThemeChoice.DARK)
    assert theme.current() is theme.DARK
    assert qapp.palette().color(QPalette.ColorRole.Base) == theme.DARK.panel


def test_text_scales_and_comes_back(qapp: QApplication) -> None:
    theme.apply(qapp, ThemeChoice.LIGHT)
    normal = theme.font().pointSizeF()
    theme.apply(qapp, ThemeChoice.LIGHT, text_scale=1.5)
    assert theme.font().pointSizeF() == pytest.approx(1.5 * normal)
    assert theme.row_height() > theme.ROW_PX
    theme.apply(qapp, ThemeChoice.LIGHT)
    assert theme.font().pointSizeF() == pytest.approx(normal)


def test_chosen_rows_keep_their_colours_after_a_switch(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, ThemeChoice.LIGHT)
    view = QTreeView()
    qtbot.addWidget(view)
    theme.dress_rows(view)
    theme.apply(qapp, ThemeChoice.DARK)
    assert view.palette().color(QPalette.ColorRole.Highlight) == theme.DARK.selection


def test_with_reduced_motion_nothing_moves_by_itself(qapp: QApplication) -> None:
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    theme.apply(qapp, ThemeChoice.LIGHT)
    assert qapp.style().styleHint(hint) > 0
    theme.apply(qapp, ThemeChoice.LIGHT, still=True)
    assert qapp.style().styleHint(hint) == 0
    theme.apply(qapp, ThemeChoice.LIGHT)


@pytest.mark.parametrize("choice", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_the_edge_of_a_field_can_be_seen(qapp: QApplication, choice: ThemeChoice) -> None:
    theme.apply(qapp, choice)
    field = QLineEdit()
    field.resize(80, 28)
    image = field.grab().toImage()
    edge, ground = image.pixelColor(40, 0), theme.current().panel
    theme.apply(qapp, ThemeChoice.LIGHT)
    assert contrast(edge, ground) >= 3
