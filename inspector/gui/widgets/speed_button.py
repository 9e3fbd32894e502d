"""How fast a run is played, on the toolbar."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from inspector.presentation.playback import Speed


class SpeedButton(QToolButton):
    """Says the speed; pressed, it lists all there are."""

    speed_chosen = Signal(object)  # Speed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setToolTip("How fast the run is played")
        menu = QMenu(self)
        group = QActionGroup(menu)
        self._choices = {}
        for speed in Speed:
            choice = self._choices[speed] = menu.addAction(str(speed))
            choice.setCheckable(True)
            group.addAction(choice)
            choice.triggered.connect(lambda _on=False, speed=speed: self.speed_chosen.emit(speed))
        self._menu = menu
        # Not by `setMenu`, which draws an arrow that says less than the speed does.
        self.clicked.connect(self._list)
        # As wide as its longest word, so that choosing moves nothing else.
        widest = max(self.fontMetrics().horizontalAdvance(_short(speed)) for speed in Speed)
        self.setMinimumWidth(widest + 16)
        self.show_speed(Speed.NORMAL)

    def _list(self) -> None:
        self._menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def show_speed(self, speed: Speed) -> None:
        """Show a speed as the chosen one."""
        self.setText(_short(speed))
        self.setAccessibleName(f"Speed of playing: {speed}")
        self._choices[speed].setChecked(True)


def _short(speed: Speed) -> str:
    return "10 s" if speed is Speed.FIT else str(speed)
