"""Every colour, font and icon of the window, by what it means.

Colours are asked for when they are used (`current().failed`), never kept: the
scheme can change while a widget lives. A widget that keeps something derived
from them listens to `changes.changed`.

What is current is kept in this module because Qt keeps a palette and a style
once for the whole application too.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetrics,
    QGuiApplication,
    QIcon,
    QPainter,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QStyle

from inspector.assets import asset
from inspector.gui.settings import Settings, ThemeChoice
from inspector.gui.theme_palette import palette, row_palette

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

GRID_PX = 4
GAP_PX = 8  # inside panes
GROUP_GAP_PX = 12  # between groups
ROW_PX = 24
ICON_PX = 16
MOTION_MS = 120


class Tokens(NamedTuple):
    """The colours of one scheme. Names say what a colour means, not how it looks."""

    dark: bool

    window: QColor  # behind everything
    panel: QColor  # what data stands on
    raised: QColor  # buttons, headers, cards on a panel
    hover: QColor
    border: QColor  # hairlines and grid lines
    outline: QColor  # the edge of a control that must be found

    text: QColor
    secondary: QColor
    disabled: QColor

    accent: QColor  # links, focus ring, the chosen thing
    on_accent: QColor
    selection: QColor  # ground of a chosen row; its text stays `text`

    pipeline: QColor
    component: QColor
    retrieval: QColor
    llm: QColor
    tool: QColor
    agent: QColor
    step: QColor
    other: QColor
    on_kind: QColor  # text inside a bar of any of these

    failed: QColor
    changed: QColor
    same: QColor
    live: QColor
    failed_ground: QColor
    changed_ground: QColor
    added_ground: QColor
    removed_ground: QColor
    notice_ground: QColor
    match_ground: QColor  # under words that a search found

    syntax_name: QColor
    syntax_string: QColor
    syntax_number: QColor
    syntax_keyword: QColor
    syntax_comment: QColor

    def for_kind(self, kind: str, role: str = "") -> QColor:
        """Return the colour of a span's kind; `role` tells retrievers and LLMs apart."""
        colour: QColor = getattr(self, self.name_for_kind(kind, role))
        return colour

    @staticmethod
    def name_for_kind(kind: str, role: str = "") -> str:
        """Return the name of that colour, for those who ask for an icon in it."""
        if kind == "component":
            kind = _COMPONENT_ROLES.get(role, kind)
        return _KINDS.get(kind, "other")


_KINDS: Mapping[str, str] = {
    "pipeline": "pipeline",
    "component": "component",
    "retrieval": "retrieval",
    "agent": "agent",
    "step": "step",
    "llm": "llm",
    "tool": "tool",
}

# Components are blue, but for those that do what another kind also does.
_COMPONENT_ROLES: Mapping[str, str] = {
    "retrieval": "retrieval",
    "llm": "llm",
    "agent": "agent",
    "pipeline": "pipeline",
    "tool": "tool",
}


def _tokens(*, dark: bool, **colours: str) -> Tokens:
    return Tokens(dark=dark, **{name: QColor(colour) for name, colour in colours.items()})


LIGHT = _tokens(
    dark=False,
    window="#F6F7F9",
    panel="#FFFFFF",
    raised="#FBFCFD",
    hover="#F0F3F6",
    border="#D0D7DE",
    outline="#858E98",
    text="#1B1F24",
    secondary="#57606A",
    disabled="#8B949E",
    accent="#0B62C4",
    on_accent="#FFFFFF",
    selection="#E4EFFC",
    pipeline="#515B66",
    component="#2F6DB5",
    retrieval="#0F7A92",
    llm="#A85F00",
    tool="#1F7A5E",
    agent="#6B4BB8",
    step="#7D68B7",
    other="#6B727B",
    on_kind="#FFFFFF",
    failed="#C62828",
    changed="#9A5B00",
    same="#1F7A3D",
    live="#0B62C4",
    failed_ground="#FDECEC",
    changed_ground="#FFF4E0",
    added_ground="#E6F6EA",
    removed_ground="#FDECEC",
    notice_ground="#EAF2FC",
    match_ground="#FFE9A8",
    syntax_name="#0B5394",
    syntax_string="#1F6B3A",
    syntax_number="#8A4B00",
    syntax_keyword="#7A3E9D",
    syntax_comment="#5F6873",
)

DARK = _tokens(
    dark=True,
    window="#16191D",
    panel="#1D2126",
    raised="#23282E",
    hover="#262C33",
    border="#30363D",
    outline="#6B7683",
    text="#E6E8EB",
    secondary="#A3ADB8",
    disabled="#6B7683",
    accent="#6CB2FF",
    on_accent="#10151B",
    selection="#17324F",
    pipeline="#8D99A6",
    component="#6CA3E0",
    retrieval="#45B8D1",
    llm="#F0A030",
    tool="#4DBB97",
    agent="#A58BEA",
    step="#8775C0",
    other="#8C949E",
    on_kind="#10151B",
    failed="#FF7B72",
    changed="#FFB454",
    same="#56C271",
    live="#6CB2FF",
    failed_ground="#3A2023",
    changed_ground="#372B17",
    added_ground="#1B3324",
    removed_ground="#3A2023",
    notice_ground="#1B2C40",
    match_ground="#5C4A12",
    syntax_name="#8CC2FF",
    syntax_string="#8FD19E",
    syntax_number="#F0B56A",
    syntax_keyword="#C9A6F0",
    syntax_comment="#98A2AD",
)


class _Changes(QObject):
    """Says that another scheme or text size became current."""

    changed = Signal()


changes = _Changes()
_current = LIGHT
_still = False
_style: QStyle | None = None


def current() -> Tokens:
    """Return the colours to draw with now."""
    return _current


def is_still() -> bool:
    """Say whether nothing is to move by itself."""
    return _still


def dress(app: QApplication, chosen: Settings) -> None:
    """Have everything look as a person chose."""
    apply(app, chosen.theme, text_scale=chosen.text_scale, still=chosen.reduce_motion)


def apply(
    app: QApplication, choice: ThemeChoice, *, text_scale: float = 1.0, still: bool = False
) -> None:
    """Dress the whole application; call it again when the choice or the system changes."""
    global _current, _still
    _still = still
    hints = app.styleHints()
    if choice is ThemeChoice.SYSTEM:
        hints.unsetColorScheme()
    else:
        hints.setColorScheme(_SCHEMES[choice])
    _current = DARK if _wants_dark(app, choice) else LIGHT
    _dress_style(app)
    app.setPalette(palette(_current))
    app.setFont(_interface_font(text_scale))
    _pixmap.cache_clear()
    _font.cache_clear()
    changes.changed.emit()


def _dress_style(app: QApplication) -> None:
    global _style
    if _style is None:
        from inspector.gui.theme_style import QuietStyle

        # Kept here too: the application owns the style, but Python the class it is of.
        _style = QuietStyle()
        app.setStyle(_style)


_SCHEMES = {ThemeChoice.LIGHT: Qt.ColorScheme.Light, ThemeChoice.DARK: Qt.ColorScheme.Dark}


def differs_from_system(app: QApplication, choice: ThemeChoice) -> bool:
    """Say whether what is shown is not what `choice` asks for now."""
    return _current.dark is not _wants_dark(app, choice)


def _wants_dark(app: QApplication, choice: ThemeChoice) -> bool:
    scheme = _SCHEMES.get(choice, app.styleHints().colorScheme())
    return scheme is Qt.ColorScheme.Dark


class _RowDress(QObject):
    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        changes.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self._view.setPalette(row_palette(_current))


def dress_rows(view: QAbstractItemView) -> None:
    """Give chosen rows a tinted ground, on which they keep the colours of what they say.

    Call it once for every tree, table and list. (A palette by class name would
    do this for all, but PySide6 does not hand the name on to Qt.)
    """
    _RowDress(view)


@lru_cache(maxsize=1)
def _system_font() -> QFont:
    # Kept before we first set a font of our own, from which scaling would drift.
    return QFont(QGuiApplication.font())


def _interface_font(text_scale: float) -> QFont:
    made = QFont(_system_font())
    size = made.pointSizeF() if made.pointSizeF() > 0 else 9.0
    made.setPointSizeF(max(9.0, size) * text_scale)
    return made


def font(step: int = 0, *, strong: bool = False) -> QFont:
    """Return the interface's font, `step` sizes up or down, with figures of one width."""
    return QFont(_font(step, strong))


@lru_cache(maxsize=32)
def _font(step: int, strong: bool) -> QFont:
    made = QFont(QGuiApplication.font())
    made.setPointSizeF(made.pointSizeF() * 1.125**step)
    if strong:
        made.setWeight(QFont.Weight.DemiBold)
    made.setFeature(QFont.Tag("tnum"), 1)
    return made


def monospace(step: int = 0) -> QFont:
    """Return the font that values and code stand in."""
    made = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    made.setPointSizeF(QGuiApplication.font().pointSizeF() * 1.125**step)
    return made


def row_height(*, compact: bool = False) -> int:
    """Return the height of a row in trees and tables at the present text size."""
    least = ROW_PX - GRID_PX if compact else ROW_PX
    return max(least, QFontMetrics(QGuiApplication.font()).height() + (4 if compact else 8))


def icon(name: str, colour: str = "text") -> QIcon:
    """Return the icon `resources/icons/<name>.svg` in the token named `colour`.

    Icons are drawn once a scheme: ask again when `changes.changed` is emitted.
    """
    made = QIcon()
    made.addPixmap(pixmap(name, colour), QIcon.Mode.Normal)
    made.addPixmap(pixmap(name, "disabled"), QIcon.Mode.Disabled)
    return made


def pixmap(name: str, colour: str = "text", size_px: int = ICON_PX) -> QPixmap:
    """Return an icon as a picture of `size_px` logical pixels for the sharpest screen."""
    app = QGuiApplication.instance()
    ratio = app.devicePixelRatio() if isinstance(app, QGuiApplication) else 1.0
    made = QPixmap(_pixmap(name, colour, round(size_px * ratio)))
    made.setDevicePixelRatio(ratio)
    return made


@lru_cache(maxsize=1)
def _icon_folder() -> "Traversable":
    return asset("icons")


@lru_cache(maxsize=512)
def _pixmap(name: str, colour: str, size_px: int) -> QPixmap:
    from PySide6.QtSvg import QSvgRenderer

    drawing = (_icon_folder() / f"{name}.svg").read_text(encoding="utf-8")
    ink: QColor = getattr(_current, colour)
    renderer = QSvgRenderer(QByteArray(drawing.replace("currentColor", ink.name()).encode()))
    made = QPixmap(QSize(size_px, size_px))
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    renderer.render(painter, QRectF(0, 0, size_px, size_px))
    painter.end()
    return made


COLOUR_NAMES = tuple(name for name in Tokens._fields if name != "dark")
