"""The bar over a replay: what may happen in it, where it is, and what moves it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.tips import tip
from inspector.gui.widgets.labels import Badge, ElidedWords, Icon, Words
from inspector.gui.widgets.plain import Hairline, IconButton
from inspector.presentation.replay_pace import PACES, pace_words

_COMMANDS = (
    ("go_on", "play", "Continue to the next breakpoint (F5)"),
    ("pause", "pause", "Pause at the next call (F6)"),
    ("over", "over", "Step over this call (F10)"),
    ("into", "in", "Step into this call (F11)"),
    ("out", "out", "Step out of what is around it (Shift+F11)"),
    ("stop", "stop", "Stop the replay (Shift+F5)"),
)
_OF_PAUSES = ("go_on", "over", "into", "out")
_STOP_AGAIN = "End the worker at once (Shift+F5)"


class ReplayBar(QWidget):
    """Says what it is told to, and passes on what is pressed."""

    command_chosen = Signal(str)  # go_on, pause, over, into, out, stop
    pace_chosen = Signal(object)  # float, or None for at once
    compare_requested = Signal()
    open_requested = Signal()
    save_requested = Signal()
    again_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = Icon(size_px=18)
        self._sentence = ElidedWords(step=1, strong=True, sentence=True)
        self._counts = ElidedWords(colour="secondary", sentence=True)
        self._mode = Badge()
        self._commands: dict[str, IconButton] = {}
        self._paces: dict[float | None, QToolButton] = {}
        self._compare = QPushButton("Compare with the recording")
        self._compare.setToolTip(tip("Compare with the recording (Ctrl+Shift+E)"))
        self._compare.clicked.connect(self.compare_requested)
        self._open = QPushButton("Open as a run")
        self._open.clicked.connect(self.open_requested)
        self._save = QPushButton("Save as…")
        self._save.setToolTip(tip("Save the result as… (Ctrl+S)"))
        self._save.clicked.connect(self.save_requested)
        self._again = QPushButton("Replay once more")
        self._again.clicked.connect(self.again_requested)

        said = QHBoxLayout()
        said.setSpacing(theme.GAP_PX)
        said.addWidget(self._icon)
        said.addWidget(self._sentence, 1)
        said.addWidget(self._mode)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(
            theme.GROUP_GAP_PX, theme.GAP_PX, theme.GROUP_GAP_PX, theme.GRID_PX
        )
        layout.setSpacing(theme.GRID_PX)
        layout.addLayout(said)
        layout.addLayout(self._controls())

    @property
    def sentence(self) -> str:
        """What is said of where the replay is."""
        return self._sentence.text()

    @property
    def counts(self) -> str:
        return self._counts.text()

    @property
    def mode(self) -> str:
        return self._mode.text

    def command(self, name: str) -> QToolButton:
        """Return the button of a command."""
        return self._commands[name]

    def pace(self, speed: float | None) -> QToolButton:
        """Return the button of a speed."""
        return self._paces[speed]

    @property
    def results(self) -> Sequence[QPushButton]:
        """What can be done with what a replay has left: compare, open, save, do it again."""
        return self._compare, self._open, self._save, self._again

    def say(self, icon: str, colour: str, sentence: str) -> None:
        """Say where the replay is."""
        self._icon.show_icon(icon, colour)
        self._sentence.setText(sentence)
        self._sentence.set_colour("text" if colour in ("secondary", "live") else colour)
        self.setAccessibleName(f"Replay: {sentence}")

    def say_counts(self, words: str) -> None:
        """Say how many spans there are of each sort."""
        self._counts.setText(words)

    def say_mode(self, words: str, sentence: str, *, live: bool) -> None:
        """Say what may happen in it."""
        icon, colour = ("live", "live") if live else ("read-only", "secondary")
        self._mode.say(icon, words, colour=colour, tip=sentence)

    def allow(self, *, paused: bool, running: bool, stopping: bool) -> None:
        """Enable what makes sense now."""
        for name, button in self._commands.items():
            if name in _OF_PAUSES:
                button.setEnabled(paused)
            elif name == "pause":
                button.setEnabled(running and not paused)
            else:
                button.setEnabled(running)
                button.say(_STOP_AGAIN if stopping else _COMMANDS[-1][2])
        for pace in self._paces.values():
            pace.setEnabled(running)

    def offer(self, *, ended: bool, result: bool, saved: bool) -> None:
        """Offer what can be done with what it has left, in place of what moves it."""
        self._moving.setVisible(not ended)
        for button in (self._compare, self._open, self._save):
            button.setVisible(ended and result)
        self._save.setEnabled(not saved)
        self._save.setText("Saved" if saved else "Save as…")
        self._again.setVisible(ended)

    def show_pace(self, speed: float | None) -> None:
        """Show a speed as the chosen one."""
        self._paces[speed].setChecked(True)

    def _controls(self) -> QHBoxLayout:
        self._moving = QWidget()  # what moves a replay; there is nothing to move once it is over
        row = QHBoxLayout(self._moving)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID_PX)
        for name, icon, words in _COMMANDS:
            command = self._commands[name] = IconButton(icon, words, colour="text")
            command.clicked.connect(lambda _on=False, name=name: self.command_chosen.emit(name))
            row.addWidget(command)
        row.addSpacing(theme.GAP_PX)
        row.addWidget(Hairline(upright=True))
        row.addSpacing(theme.GAP_PX)
        label = Words("Shown at", step=-1, colour="secondary")
        row.addWidget(label)
        self._add_paces(row, label)
        whole = QHBoxLayout()
        whole.setSpacing(theme.GRID_PX)
        whole.addWidget(self._moving)
        for button in self.results:
            button.hide()
            whole.addWidget(button)
        whole.addSpacing(theme.GROUP_GAP_PX)
        whole.addWidget(self._counts, 1)
        return whole

    def _add_paces(self, row: QHBoxLayout, label: QLabel) -> None:
        group = QButtonGroup(self)
        for speed in PACES:
            button = self._paces[speed] = QToolButton()
            words = pace_words(speed)
            button.setText(words)
            button.setCheckable(True)
            button.setAutoRaise(True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setAccessibleName(f"Show the replay at {words.lower()}")
            button.setToolTip(tip(_pace_tip(speed)))
            button.clicked.connect(lambda _on=False, speed=speed: self.pace_chosen.emit(speed))
            group.addButton(button)
            row.addWidget(button)
        label.setBuddy(self._paces[None])


def _pace_tip(speed: float | None) -> str:
    if speed is None:
        return "Show what comes as soon as it comes"
    return f"Show what comes at {pace_words(speed)} the speed of the recording"
