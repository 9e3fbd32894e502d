"""By which rules two runs are compared."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.widgets.labels import Words
from inspector.gui.workspace.open_comparison import ComparisonRules, OpenComparison
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_IGNORE_LINES = 4
_SYNC_LINES = 3


class RulesDialog(QDialog):
    """Lets a person say what does not count, what the answer is, and which spans belong together.

    Nothing changes before Compare is pressed.
    """

    rules_chosen = Signal(object)  # ComparisonRules

    def __init__(self, comparison: OpenComparison, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Rules of this comparison")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rules = comparison.rules
        self._sync = list(rules.sync)
        self._comparison = comparison
        self._ignore = QPlainTextEdit("\n".join(rules.ignore))
        self._ignore.setAccessibleName("Paths that do not count")
        self._ignore.setTabChangesFocus(True)
        self._ignore.setPlaceholderText("*.meta.session\nllm*.outputs.replies[0].meta.request")
        self._ignore.setFont(theme.monospace())
        line = self._ignore.fontMetrics().lineSpacing()
        self._ignore.setFixedHeight(_IGNORE_LINES * line + 2 * theme.GAP_PX)
        self._extract = QLineEdit(rules.extract)
        self._extract.setAccessibleName("What is taken out of the answers")
        self._extract.setPlaceholderText(r"regex:Answer: (yes|no)    or  field:verdict")
        self._extract.setFont(theme.monospace())
        self._points = QListWidget()
        self._points.setAccessibleName("Spans put side by side by hand")
        self._points.setFixedHeight(_SYNC_LINES * theme.row_height())
        self._remove = QPushButton("Take apart")
        self._remove.clicked.connect(self._take_apart)
        self._points.currentRowChanged.connect(lambda row: self._remove.setEnabled(row >= 0))
        self._list_points()

        form = QFormLayout()
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        form.setVerticalSpacing(theme.GAP_PX)
        form.addRow("Values that do not count, a path a line", self._ignore)
        form.addRow("", Words("Ids, times and durations never count.", step=-1,
                              colour="secondary"))  # fmt: skip
        form.addRow("What the answer is: a field or a regular expression", self._extract)
        form.addRow("Spans put side by side by hand", self._points)
        below = QHBoxLayout()
        below.addWidget(self._remove)
        below.addStretch(1)
        form.addRow("", below)
        compare = QPushButton("Compare")
        compare.setDefault(True)
        compare.clicked.connect(self._choose)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(close_row(self, compare))
        self.resize(520, self.sizeHint().height())

    def _list_points(self) -> None:
        self._points.clear()
        left, right = self._comparison.left.run, self._comparison.right.run
        for left_id, right_id in self._sync:
            names = [_name(left, left_id), _name(right, right_id)]
            self._points.addItem(one_line(" ↔ ".join(names)))
        self._remove.setEnabled(False)

    def _take_apart(self) -> None:
        row = self._points.currentRow()
        if row >= 0:
            del self._sync[row]
            self._list_points()

    def _choose(self) -> None:
        lines = (line.strip() for line in self._ignore.toPlainText().splitlines())
        self.rules_chosen.emit(
            ComparisonRules(
                ignore=tuple(line for line in lines if line),
                extract=self._extract.text().strip(),
                sync=tuple(self._sync),
            )
        )
        self.accept()


def _name(run: "PipelineRun", span_id: str) -> str:
    row = run.table.row_of(span_id)
    if row is None:
        return span_id
    span = run.spans[row]
    return span.path or span.name or span_id
