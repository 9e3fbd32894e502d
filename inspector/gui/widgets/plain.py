"""Small parts for words from a file, which must never be taken for markup."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from inspector.gui import theme
from inspector.gui.tips import tip
from inspector.gui.widgets.labels import Words

QUESTIONS = (
    ("origin", "Where did this come from? (O)", True),
    ("used", "Who used this? (U)", False),
)
"""What can be asked about any value: an icon, the words, and whether it looks back."""


class FileWords(Words):
    """Words from a file: in the fixed font, so that they never look like the program's."""

    def __init__(self, text: str = "", **look: Any) -> None:
        super().__init__(text, **look)
        # A word longer than the pane must not push it wider.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def _dress(self) -> None:
        super()._dress()
        made = theme.monospace(self._step)
        if self._strong:
            made.setWeight(made.Weight.DemiBold)
        self.setFont(made)


class PanelGround(QObject):
    """Gives a widget the ground that data stands on, whatever the theme."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        widget.setAutoFillBackground(True)
        # Not the role "base", which scroll areas have: labels inside would take their
        # ink from another role than the one that words are coloured by.
        widget.setBackgroundRole(QPalette.ColorRole.Window)
        self._dress()
        theme.changes.changed.connect(self._dress)

    def _dress(self) -> None:
        palette = self._widget.palette()
        palette.setColor(QPalette.ColorRole.Window, theme.current().panel)
        self._widget.setPalette(palette)


class IconButton(QToolButton):
    """A quiet button with one of our icons; its words are its name and its tool tip."""

    def __init__(
        self,
        icon: str,
        words: str,
        pressed: Callable[[], object] | None = None,
        parent: QWidget | None = None,
        *,
        checkable: bool = False,
        colour: str = "secondary",
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._colour = colour
        self.setAutoRaise(True)
        self.setCheckable(checkable)
        self.setIconSize(QSize(theme.ICON_PX, theme.ICON_PX))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.say(words)
        if pressed is not None:
            self.clicked.connect(lambda _checked: pressed())
        self._dress()
        theme.changes.changed.connect(self._dress)

    def say(self, words: str) -> None:
        self.setAccessibleName(words)
        self.setToolTip(tip(words))

    def show_icon(self, icon: str) -> None:
        """Show another icon."""
        self._icon = icon
        self._dress()

    def _dress(self) -> None:
        self.setIcon(theme.icon(self._icon, self._colour))


class LinkButton(QToolButton):
    """Words one can press, in the colour of links."""

    def __init__(
        self,
        words: str = "",
        pressed: Callable[[], object] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.say(words)
        if pressed is not None:
            self.clicked.connect(lambda _checked: pressed())
        self._dress()
        theme.changes.changed.connect(self._dress)

    def say(self, words: str) -> None:
        # An ampersand in somebody's words is not a shortcut.
        self.setText(words.replace("&", "&&"))
        self.setAccessibleName(words)

    def _dress(self) -> None:
        palette = self.palette()
        palette.setColor(palette.ColorRole.ButtonText, theme.current().accent)
        self.setPalette(palette)


class Hairline(QWidget):
    """One line of the colour of borders; lies, or stands with `upright`."""

    def __init__(self, parent: QWidget | None = None, *, upright: bool = False) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        if upright:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)
        self._dress()
        theme.changes.changed.connect(self._dress)

    def _dress(self) -> None:
        palette = self.palette()
        palette.setColor(self.backgroundRole(), theme.current().border)
        self.setPalette(palette)
