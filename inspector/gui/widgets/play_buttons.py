"""Keeps what one plays with in step with what is played."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QMainWindow

from inspector.gui import theme
from inspector.gui.actions import Actions
from inspector.gui.controllers.play_controller import PlayController
from inspector.gui.widgets.speed_button import SpeedButton


class PlayButtons(QObject):
    """Shows whether and how fast a run is played, and keeps keys where they belong.

    Esc stops playing only while something is played; until then it is left to others.
    Space presses the button that has the focus before it plays anything.
    """

    def __init__(self, actions: Actions, player: PlayController, window: QMainWindow) -> None:
        super().__init__(window)
        self._actions = actions
        self._player = player
        window.installEventFilter(self)
        player.playing_changed.connect(self._show)
        speed = window.findChild(SpeedButton)
        if speed is not None:
            speed.speed_chosen.connect(player.set_speed)
            player.speed_changed.connect(speed.show_speed)
            actions["play"].enabledChanged.connect(speed.setEnabled)
            speed.setEnabled(actions["play"].isEnabled())
        theme.changes.changed.connect(self._show)
        self._show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Comes here from whatever has the focus, if that has no use for the key itself.
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Space
            and isinstance(QApplication.focusWidget(), QAbstractButton)
        ):
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _show(self) -> None:
        playing = self._player.is_playing
        self._actions["play"].setIcon(theme.icon("paused" if playing else "play"))
        self._actions["stop"].setEnabled(playing)
