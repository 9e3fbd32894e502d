"""Says what would leave this machine, in which form, before anything is written."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.export.kinds import KINDS, Options, export_run
from inspector.export.naming import file_stem
from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.widgets.labels import Words
from inspector.presentation.export_words import leaving_words
from inspector.presentation.visible import visible_text

if TYPE_CHECKING:
    from inspector.export.kinds import Exported
    from inspector.gui.workspace.open_run import OpenRun

_MOST_SHOWN = 20_000
_TASK = "export"


class ExportDialog(QDialog):
    """Makes an export beside the window, shows what it holds, and hands it on to be saved."""

    save_requested = Signal(object)  # Exported

    def __init__(self, open_run: "OpenRun", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Export")
        self._open_run = open_run
        self._made: Exported | None = None
        self._kinds = QComboBox()
        self._kinds.setAccessibleName("What to export the run as")
        for key, kind in KINDS.items():
            self._kinds.addItem(kind.title, key)
        self._says = Words(colour="secondary", wrap=True)
        self._redact = QCheckBox("Take out secrets and personal data first")
        self._redact.setChecked(True)
        self._span = QCheckBox("Only the selected span")
        self._span.setEnabled(open_run.selection.span_id is not None)
        self._target = QLineEdit()
        self._target.setPlaceholderText("my_project.pipelines:build")
        self._target.setAccessibleName("What makes the pipeline, for the test")
        self._target.setToolTip("What makes the pipeline: package.module:attribute")
        self._leaves = Words("", strong=True, wrap=True)
        self._leaves.setAccessibleName("What leaves this machine")
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setFont(theme.monospace(-1))
        self._text.setAccessibleName("The text that would be saved")
        self._save = QPushButton("Save as…")
        self._save.setDefault(True)
        self._copy = QPushButton("Copy")
        self._copy.setAutoDefault(False)
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.GAP_PX)
        for widget in (self._kinds, self._says, self._redact, self._span, self._target):
            layout.addWidget(widget)
        layout.addWidget(self._leaves)
        layout.addWidget(self._text, 1)
        layout.addStretch(0)
        layout.addWidget(close_row(self, self._save, self._copy))
        self._kinds.currentIndexChanged.connect(self._look)
        self._redact.toggled.connect(self._look)
        self._span.toggled.connect(self._look)
        self._target.editingFinished.connect(self._look)
        self._save.clicked.connect(self._ask_to_save)
        self._copy.clicked.connect(self._copy_text)
        self.resize(680, 520)
        self._look()

    @property
    def kind(self) -> str:
        return str(self._kinds.currentData())

    def choose(self, kind: str) -> None:
        """Choose a form."""
        self._kinds.setCurrentIndex(self._kinds.findData(kind))

    @property
    def leaving(self) -> str:
        """What is said to leave."""
        return self._leaves.text()

    def _look(self) -> None:
        """Make the export anew, and show it when it is there."""
        kind = KINDS[self.kind]
        self._made = None
        self._says.setText(kind.says)
        self._redact.setEnabled(not kind.always_redacted)
        self._span.setVisible(kind.takes_span)
        self._target.setVisible(kind.is_folder)
        self._text.setVisible(kind.is_read)
        self._text.clear()
        self._save.setEnabled(False)
        self._copy.setEnabled(False)
        self._copy.setVisible(kind.is_read)
        self._leaves.setText("Looking at what would leave…")
        run, key = self._open_run.run, self.kind
        redacted = self._redact.isChecked() or kind.always_redacted
        wants_span = kind.takes_span and self._span.isChecked()
        options = Options(
            name=file_stem(run),
            at=self._open_run.selection.span_id if wants_span else None,
            target=(self._target.text().strip() or None) if kind.is_folder else None,
        )

        def work(_cancelled: Cancelled) -> "Exported":
            from inspector.redaction.project import of_project
            from inspector.redaction.settings import Redaction

            rules = (of_project() or Redaction()) if redacted else None
            return export_run(run, key, redact=rules, options=options)

        self._open_run.tasks.start(work, done=self._show, failed=self._refuse, key=_TASK)

    def _show(self, made: "Exported") -> None:
        self._made = made
        self._leaves.set_colour("text")
        self._leaves.setText(leaving_words(made))
        if KINDS[made.kind].is_read:
            text = visible_text(made.main.decode("utf-8", "replace"))
            self._text.setPlainText(text[:_MOST_SHOWN])
        self._save.setEnabled(True)
        self._copy.setEnabled(True)

    def _refuse(self, error: Exception) -> None:
        said = f"{error} {error.hint}" if isinstance(error, InspectorError) else str(error)
        self._leaves.set_colour("failed")
        self._leaves.setText(said.strip())

    def _ask_to_save(self) -> None:
        if self._made is not None:
            self.save_requested.emit(self._made)

    def _copy_text(self) -> None:
        if self._made is not None:
            QApplication.clipboard().setText(self._made.main.decode("utf-8", "replace"))
