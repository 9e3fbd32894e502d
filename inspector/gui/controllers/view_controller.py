"""Changes how everything looks: colours and text size."""

from PySide6.QtCore import QObject

from inspector.gui import theme
from inspector.gui.settings import LARGEST_TEXT, SMALLEST_TEXT, SettingsStore, ThemeChoice

_STEP = 0.125


class ViewController(QObject):
    """Turns wishes about the look into settings; whoever draws listens to those."""

    def __init__(self, settings: SettingsStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings

    def toggle_theme(self) -> None:
        """Go to the other scheme than the one that is seen."""
        other = ThemeChoice.LIGHT if theme.current().dark else ThemeChoice.DARK
        self._settings.update(theme=other)

    def larger_text(self) -> None:
        self._scale(self._settings.current.text_scale + _STEP)

    def smaller_text(self) -> None:
        self._scale(self._settings.current.text_scale - _STEP)

    def normal_text(self) -> None:
        self._scale(1.0)

    def _scale(self, wanted: float) -> None:
        self._settings.update(text_scale=min(LARGEST_TEXT, max(SMALLEST_TEXT, wanted)))
