"""Qt's palette, filled from the theme's colours."""

from typing import TYPE_CHECKING

from PySide6.QtGui import QPalette

if TYPE_CHECKING:
    from inspector.gui.theme import Tokens


def palette(tokens: "Tokens") -> QPalette:
    """Return Qt's palette for a scheme."""
    made = QPalette()
    roles = {
        QPalette.ColorRole.Window: tokens.window,
        QPalette.ColorRole.WindowText: tokens.text,
        QPalette.ColorRole.Base: tokens.panel,
        QPalette.ColorRole.AlternateBase: tokens.raised,
        QPalette.ColorRole.Text: tokens.text,
        QPalette.ColorRole.Button: tokens.raised,
        QPalette.ColorRole.ButtonText: tokens.text,
        QPalette.ColorRole.BrightText: tokens.on_accent,
        QPalette.ColorRole.Highlight: tokens.accent,
        QPalette.ColorRole.HighlightedText: tokens.on_accent,
        QPalette.ColorRole.Accent: tokens.accent,
        QPalette.ColorRole.Link: tokens.accent,
        QPalette.ColorRole.LinkVisited: tokens.agent,
        QPalette.ColorRole.PlaceholderText: tokens.secondary,
        QPalette.ColorRole.ToolTipBase: tokens.raised,
        QPalette.ColorRole.ToolTipText: tokens.text,
        QPalette.ColorRole.Light: tokens.panel,
        QPalette.ColorRole.Midlight: tokens.hover,
        QPalette.ColorRole.Mid: tokens.border,
        QPalette.ColorRole.Dark: tokens.outline,
        QPalette.ColorRole.Shadow: tokens.border,
    }
    for role, colour in roles.items():
        made.setColor(role, colour)
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
        QPalette.ColorRole.HighlightedText,
    ):
        made.setColor(QPalette.ColorGroup.Disabled, role, tokens.disabled)
    made.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, tokens.border)
    return made


def row_palette(tokens: "Tokens") -> QPalette:
    """Return the palette of trees, tables and lists: a chosen row has a tinted ground."""
    made = palette(tokens)
    made.setColor(QPalette.ColorRole.Highlight, tokens.selection)
    made.setColor(QPalette.ColorRole.HighlightedText, tokens.text)
    return made
