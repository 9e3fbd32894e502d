"""Where a server of any kind is, and what it is shown. Secrets go to the keyring or the session."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.widgets.labels import Words
from inspector.presentation.visible import one_line

_WIDE_LETTERS = 84


class ServedServerDialog(QDialog):
    """Says how it went, and ends what it asks for with itself.

    Args:
        title: Of the dialog.
        verb: What is on the button that saves.
        keep: What the keyring would keep.
        note: Who is shown what is typed, and for how long it is kept.

    """

    def __init__(
        self, title: str, verb: str, *, keep: str, note: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._note = note
        self._tasks = TaskRunner(self)
        self._stop: Callable[[], None] | None = None
        self._keep = QCheckBox(keep)
        self._keep.setObjectName("keep")
        self._said = Words("", colour="secondary", wrap=True)
        self._said.setObjectName("said")
        self._save = QPushButton(verb)
        self._save.setObjectName("save")
        self._save.setDefault(True)
        self.finished.connect(self._on_finished)

    @property
    def said(self) -> str:
        """What is said of how it went."""
        return self._said.text()

    def show_answer(self, problem: str) -> None:
        """Take note that it was saved, or why not."""
        if problem:
            self._say(one_line(problem), "failed")
            self._save.setEnabled(True)
        else:
            self.accept()

    def _lay_out(
        self,
        lines: Iterable[tuple[str, QLineEdit]],
        *others: QPushButton,
        more: QFormLayout | None = None,
    ) -> None:
        """Put lines below each other, then more of them, and buttons beside that which saves."""
        rows = QFormLayout()
        dress_rows(rows)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for words, line in lines:
            rows.addRow(words, line)
        if more is not None:
            rows.addRow(more)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(theme.GROUP_GAP_PX)
        layout.addLayout(rows)
        layout.addWidget(self._keep)
        layout.addWidget(Words(self._note, step=-1, colour="secondary", wrap=True))
        layout.addWidget(self._said)
        layout.addStretch(1)
        row = close_row(self, self._save, *others)
        row.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        layout.addWidget(row)
        self.resize(self.fontMetrics().averageCharWidth() * _WIDE_LETTERS, self.sizeHint().height())

    def _say(self, words: str, colour: str) -> None:
        self._said.setText(words)
        self._said.set_colour(colour)

    def _say_error(self, error: InspectorError) -> None:
        self._say(one_line(f"{error} {error.hint}"), "failed")

    def _say_bug(self, error: Exception) -> None:
        # By its class only: what it says may hold what was to be shown to the server.
        self._say(f"It cannot be asked ({type(error).__name__}).", "failed")

    def _on_finished(self) -> None:
        if self._stop is not None:
            self._stop()
        self._tasks.close()


def dress_rows(rows: QFormLayout) -> None:
    """Leave as much room between the lines of a form as everywhere here."""
    rows.setHorizontalSpacing(theme.GROUP_GAP_PX)
    rows.setVerticalSpacing(theme.GAP_PX)


def kept(*, has: bool) -> str:
    """Return what stands in the line of a secret that is kept, or is not."""
    return "kept; type another" if has else "optional"


def typed(name: str, spoken: str, hint: str, *, secret: bool = False) -> QLineEdit:
    """Return a line to type in."""
    line = QLineEdit()
    line.setObjectName(name)
    line.setAccessibleName(spoken)
    line.setPlaceholderText(hint)
    line.setMaxLength(4_096)
    if secret:
        line.setEchoMode(QLineEdit.EchoMode.Password)
    return line
