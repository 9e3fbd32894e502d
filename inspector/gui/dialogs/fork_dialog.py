"""Asks what goes on from the checkpoint of an execution, and shows how it goes."""

from collections import deque

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.tasks.execution_runs import ForkRequest, has_hayhooks
from inspector.gui.tips import tip
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import FileWords
from inspector.presentation.visible import one_line

_WIDE_LETTERS, _HIGH_LINES = 88, 34
_LOOK_MS = 100
_ANSWER_LINES = 4
_BEFORE = (
    "A copy of its input and its last checkpoint goes on in a process of its own. What was done "
    "before the checkpoint is not done again. The execution itself stays as it is."
)
_LIVE = "What comes next may run live: models are called, tools act"
_NEEDS = (
    "Forking needs Hayhooks, which is not installed here: "
    "pip install 'haystack-run-inspector[hayhooks]'."
)


class ForkDialog(QDialog):
    """Nothing runs before somebody agreed that it runs live."""

    fork_requested = Signal(object)  # ForkRequest
    cancel_requested = Signal()

    def __init__(
        self, title: str, request: ForkRequest, waits_for: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Fork from checkpoint")
        self.reports: deque[str] = deque(maxlen=200)  # filled by a worker
        self._busy = False
        self._title = title
        self._store = _line(request.store, "store", "Store of the server",
                            "redis://localhost:6379/0")  # fmt: skip
        self._target = _line(request.target, "target", "What runs it",
                             "wrappers/approver, or my_project.pipelines:build")  # fmt: skip
        self._python = _line(request.python, "python", "Interpreter",
                             "that of the target's project")  # fmt: skip
        self._folder = _line(request.directory, "directory", "Project folder",
                             "the working folder")  # fmt: skip
        self._answer = QPlainTextEdit(request.answer)
        self._answer.setObjectName("answer")
        self._answer.setAccessibleName("Answer, as JSON")
        self._answer.setTabChangesFocus(True)
        self._answer.setPlaceholderText('{"approved": true}')
        self._waits_for = waits_for
        self._agreed = QCheckBox(_LIVE)
        self._agreed.setObjectName("agreed")
        self._said = Words("", colour="secondary", wrap=True)
        self._said.setObjectName("said")
        self._go = QPushButton("Fork")
        self._go.setObjectName("go")
        self._stop = QPushButton("Cancel")
        self._stop.setObjectName("stop")
        self._stop.hide()
        self._looking = QTimer(self)
        self._looking.setInterval(_LOOK_MS)
        self._looking.timeout.connect(self._look)
        self._lay_out()
        for line in (self._store, self._target):
            line.textChanged.connect(self._show)
        self._agreed.toggled.connect(self._show)
        self._go.clicked.connect(self._ask)
        self._stop.clicked.connect(self._cancel)
        self.finished.connect(lambda _code: self._cancel())
        self._show()
        (self._target if request.store else self._store).setFocus()

    def show_failure(self, error: Exception) -> None:
        """Say why there is no fork."""
        self._rest()
        if isinstance(error, InspectorError):
            self._say(one_line(f"{error} {error.hint}".strip()), "failed")
        else:
            self._say("That went wrong in here.", "failed")

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(theme.GAP_PX)
        form.setVerticalSpacing(theme.GRID_PX)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        choose = QPushButton("Choose…")
        choose.setAutoDefault(False)
        choose.setAccessibleName("Choose the folder of the wrapper")
        choose.setToolTip(tip("The folder with its pipeline_wrapper.py"))
        choose.clicked.connect(self._choose)
        row = QHBoxLayout()
        row.addWidget(self._target, 1)
        row.addWidget(choose)
        form.addRow("Store", self._store)
        form.addRow("Target", row)
        form.addRow("Interpreter", self._python)
        form.addRow("Project folder", self._folder)
        if self._waits_for:
            self._answer.setFixedHeight(self.fontMetrics().lineSpacing() * _ANSWER_LINES)
            form.addRow("It waits for", FileWords(self._waits_for, wrap=True))
            form.addRow("Answer", self._answer)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(theme.GROUP_GAP_PX)
        layout.addWidget(Words(self._title, step=1, strong=True, wrap=True))
        layout.addWidget(Words(_BEFORE, colour="secondary", wrap=True))
        layout.addLayout(form)
        layout.addWidget(self._agreed)
        layout.addStretch(1)
        foot = QHBoxLayout()
        foot.addWidget(self._said, 1)
        foot.addWidget(self._stop)
        buttons = close_row(self, self._go)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        foot.addWidget(buttons)
        layout.addLayout(foot)
        there = self.screen().availableGeometry().size()
        letters, lines = self.fontMetrics().averageCharWidth(), self.fontMetrics().lineSpacing()
        self.resize(
            min(letters * _WIDE_LETTERS, there.width() - 40),
            min(self.sizeHint().height(), lines * _HIGH_LINES),
        )

    def _show(self) -> None:
        if not has_hayhooks():
            self._say(_NEEDS, "failed")
            self._go.setEnabled(False)
            return
        ready = bool(self._store.text().strip() and self._target.text().strip())
        self._go.setEnabled(ready and self._agreed.isChecked() and not self._busy)
        if not self._busy:
            self._say("" if ready else "The store and the target are needed.")

    def _choose(self) -> None:
        # Not the system's own, which ours cannot be told apart from in tests or dark themes.
        dialog = QFileDialog(self, "Folder of the wrapper")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._target.setText)
        dialog.open()

    def _ask(self) -> None:
        if self._busy or not self._go.isEnabled():
            return
        self._busy = True
        self._go.setEnabled(False)
        self._stop.show()
        self._looking.start()
        self.reports.clear()
        answer = self._answer.toPlainText() if self._waits_for else ""
        self.fork_requested.emit(
            ForkRequest(
                self._store.text().strip(), self._target.text().strip(),
                self._python.text().strip(), self._folder.text().strip(), answer,
            )
        )  # fmt: skip

    def _cancel(self) -> None:
        if self._busy:
            self._rest()
            self._say("Stopped. What it had done is done.")
            self.cancel_requested.emit()

    def _rest(self) -> None:
        self._busy = False
        self._looking.stop()
        self._stop.hide()
        self._show()

    def _look(self) -> None:
        if self.reports:
            self._say(one_line(self.reports[-1]))

    def _say(self, words: str, colour: str = "secondary") -> None:
        self._said.setText(words)
        self._said.set_colour(colour)


def _line(text: str, name: str, label: str, example: str) -> QLineEdit:
    line = QLineEdit(text)
    line.setObjectName(name)
    line.setAccessibleName(label)
    line.setPlaceholderText(example)
    line.setMaxLength(4_096)
    return line
