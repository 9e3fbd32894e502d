"""What is replayed: a target of one's own, or what a file describes."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.tips import tip
from inspector.gui.widgets.labels import Words
from inspector.presentation.replay_choice import ReplayChoice, Source
from inspector.presentation.visible import one_line

_WAIT_MS = 200
_SOURCES = (
    (Source.PYTHON, "A Python target"),
    (Source.YAML, "A pipeline YAML"),
    (Source.FILE, "The definition in this file"),
)
_STRANGER = (
    "Anybody may have written this file. What it describes is built in a process of its own that "
    "has no network, no files and no variables of yours, 2\u202fGB of memory and 60\u202fs of "
    "processor time."
)
_YAML_WORDS = "Loading it imports and makes what it names: choose a file that you trust."


class SourceSection(QWidget):
    """Asks what runs, with which interpreter, and where it is looked for."""

    changed = Signal(object)  # ReplayChoice

    def __init__(self, choice: ReplayChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choice = choice
        self._group = QButtonGroup(self)
        self._radios: dict[Source, QRadioButton] = {}
        self._target = _line(choice.target, "Python target", "my_project.pipelines:build")
        self._yaml = _line(choice.yaml, "Pipeline YAML", "pipeline.yaml")
        self._python = _line(choice.python, "Interpreter", "")
        self._directory = _line(choice.directory, "Project folder", "")
        self._agreed = QCheckBox("Build something from this file")
        self._agreed.setChecked(choice.agreed)
        self._choose_yaml = _chooser("Choose the pipeline YAML")
        self._choose_python = _chooser("Choose the interpreter")
        self._choose_directory = _chooser("Choose the project folder")
        self._found = QTimer(self)
        self._found.setSingleShot(True)
        self._found.setInterval(_WAIT_MS)
        self._found.timeout.connect(self._say_interpreter)
        self._lay_out()
        self._connect()
        self._show()
        self._say_interpreter()

    @property
    def interpreter(self) -> Path:
        """The interpreter that would be used.

        Raises:
            InspectorError: The one that was typed is none.

        """
        return interpreter_of(self._choice)

    def begin(self) -> None:
        """Put the keyboard where something has to be typed first."""
        line = self._yaml if self._choice.source is Source.YAML else self._target
        line.setFocus(Qt.FocusReason.OtherFocusReason)
        line.selectAll()

    def say_problem(self, text: str) -> None:
        """Say what is wrong with the interpreter."""
        self._python_note.setText(one_line(text))
        self._python_note.show()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID_PX)
        layout.addWidget(Words("What runs", strong=True))
        self._yaml_place = _row(self._yaml, self._choose_yaml)
        self._yaml_note = Words(_YAML_WORDS, step=-1, colour="secondary", wrap=True)
        self._stranger = Words(_STRANGER, step=-1, colour="secondary", wrap=True)
        inside = {
            Source.PYTHON: (self._target,),
            Source.YAML: (self._yaml_place, self._yaml_note),
            Source.FILE: (self._stranger, self._agreed),
        }
        for source, words in _SOURCES:
            radio = self._radios[source] = QRadioButton(words)
            self._group.addButton(radio)
            layout.addWidget(radio)
            below = QVBoxLayout()
            below.setContentsMargins(24, 0, 0, theme.GRID_PX)
            for widget in inside[source]:
                below.addWidget(widget)
            layout.addLayout(below)
        self._own = QWidget()
        own = QVBoxLayout(self._own)
        own.setContentsMargins(24, 0, 0, 0)
        own.setSpacing(theme.GRID_PX)
        self._python_note = Words("", step=-1, colour="failed", wrap=True)
        own.addWidget(Words("Interpreter", step=-1, colour="secondary"))
        own.addWidget(_row(self._python, self._choose_python))
        own.addWidget(self._python_note)
        own.addWidget(Words("Project folder", step=-1, colour="secondary"))
        own.addWidget(_row(self._directory, self._choose_directory))
        layout.addWidget(self._own)

    def _connect(self) -> None:
        for source, radio in self._radios.items():
            radio.setChecked(source is self._choice.source)
            radio.clicked.connect(lambda _on, source=source: self._take(source=source))
        self._target.textChanged.connect(lambda text: self._take(target=text))
        self._yaml.textChanged.connect(lambda text: self._take(yaml=text))
        self._python.textChanged.connect(lambda text: self._take(python=text))
        self._directory.textChanged.connect(lambda text: self._take(directory=text))
        self._agreed.toggled.connect(lambda on: self._take(agreed=on))
        self._choose_yaml.clicked.connect(
            lambda: self._choose("Pipeline YAML", self._yaml, "Pipelines (*.yaml *.yml)")
        )
        self._choose_python.clicked.connect(
            lambda: self._choose("Interpreter", self._python, "All files (*)")
        )
        self._choose_directory.clicked.connect(
            lambda: self._choose("Project folder", self._directory, "")
        )

    def forbid_file(self) -> None:
        """Take away the choice of what a file describes: it never runs live."""
        self._radios[Source.FILE].setEnabled(False)
        self._radios[Source.FILE].setToolTip("What a file describes never runs live")

    def _take(self, **fields: object) -> None:
        self._choice = replace(self._choice, **fields)  # type: ignore[arg-type]  # by name
        self._show()
        self._found.start()
        self.changed.emit(self._choice)

    def take_choice(self, choice: ReplayChoice) -> None:
        """Go on from a choice that was changed elsewhere."""
        self._choice = choice

    def _show(self) -> None:
        source = self._choice.source
        self._target.setVisible(source is Source.PYTHON)
        self._yaml_place.setVisible(source is Source.YAML)
        self._yaml_note.setVisible(source is Source.YAML)
        self._stranger.setVisible(source is Source.FILE)
        self._agreed.setVisible(source is Source.FILE)
        self._own.setVisible(source is not Source.FILE)

    def _say_interpreter(self) -> None:
        try:
            found = self.interpreter
        except InspectorError as error:
            self.say_problem(str(error))
            return
        self._python.setPlaceholderText(str(found))
        self._python.setToolTip(tip(one_line(f"Runs with {found}")))
        self._python_note.hide()

    def _choose(self, title: str, into: QLineEdit, filters: str) -> None:
        dialog = QFileDialog(self, title, self._choice.directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if filters:
            dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
            dialog.setNameFilter(filters)
        else:
            dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(into.setText)
        dialog.open()


def interpreter_of(choice: ReplayChoice) -> Path:
    """Return the interpreter of a choice: the one typed, else that of the target's project.

    What a file describes is built by the one that runs this window: beside a stranger's file
    may lie a stranger's interpreter.

    Raises:
        InspectorError: The one that was typed is none.

    """
    import sys

    from inspector.replay.interpreter import checked_interpreter, interpreter_for

    if not choice.is_trusted:
        return Path(sys.executable)
    if choice.python.strip():
        return checked_interpreter(choice.python.strip())
    target = choice.target if choice.source is Source.PYTHON else choice.yaml
    return interpreter_for(target.strip(), Path(choice.directory).expanduser())


def _line(text: str, name: str, example: str) -> QLineEdit:
    line = QLineEdit(text)
    line.setAccessibleName(name)
    line.setPlaceholderText(example)
    line.setFont(theme.monospace())
    line.setMaxLength(1_000)
    return line


def _chooser(name: str) -> QPushButton:
    button = QPushButton("Choose…")
    button.setAccessibleName(name)
    button.setAutoDefault(False)
    return button


def _row(line: QLineEdit, button: QPushButton) -> QWidget:
    place = QWidget()
    layout = QHBoxLayout(place)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(theme.GAP_PX)
    layout.addWidget(line, 1)
    layout.addWidget(button)
    return place
