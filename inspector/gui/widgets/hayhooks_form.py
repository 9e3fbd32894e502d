"""A form for a value that a server takes, with what is wrong beside each field."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.edit_field import EditField
from inspector.gui.widgets.hayhooks_fields import Wrong, json_spelled
from inspector.gui.widgets.hayhooks_form_rows import FormRow, ObjectEditor, rows_in
from inspector.gui.widgets.json_edit import JsonEdit
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import LinkButton
from inspector.presentation.json_form import NOTHING, Field
from inspector.presentation.json_form_check import Path, Problem, json_from, nearest, problems_of


class _FittingArea(QScrollArea):
    """As high as what is in it, where there is room for that."""

    def sizeHint(self) -> QSize:
        inner = self.widget()
        if inner is None:
            return super().sizeHint()
        layout = inner.layout()
        high = layout.totalHeightForWidth(self.viewport().width()) if layout is not None else -1
        return QSize(super().sizeHint().width(), max(high, inner.minimumSizeHint().height()) + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()  # words wrap otherwise


class HayhooksForm(QWidget):
    """The whole form, and the same value as JSON for whoever would rather write that."""

    changed = Signal()
    done = Signal()  # Ctrl+Enter, or Enter in a line

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = Field()
        self._whole: FormRow | None = None
        self._json_wrong = Words("", step=-1, colour="failed", wrap=True)
        self._as_json = JsonEdit("The whole value as JSON")
        self._as_json.setObjectName("whole-json")
        self._as_json.textChanged.connect(lambda: self._json_wrong.setText(""))
        self._as_json.done.connect(self.done)
        self._scroll = _FittingArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setAccessibleName("Form")
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        json_page = self._json_page = QWidget()
        column = QVBoxLayout(json_page)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(EditField(self._as_json), 1)
        column.addWidget(self._json_wrong)
        self._pages = QStackedLayout()
        self._pages.addWidget(self._scroll)
        self._pages.addWidget(json_page)
        self._pages.currentChanged.connect(self._fit)
        self._fit()
        self._switch = LinkButton("Write it as JSON", self._swap)
        self._switch.setObjectName("as-json")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID_PX)
        layout.addLayout(self._pages, 1)

    @property
    def switch(self) -> LinkButton:
        """What goes over to JSON and back; whoever shows the form says where it stands."""
        return self._switch

    @property
    def is_json(self) -> bool:
        return self._pages.currentIndex() == 1

    def show_form(self, field: Field, value: Any = NOTHING) -> None:
        """Show another form, with a value in it or with the defaults."""
        self._field = field
        whole = self._whole = FormRow(field, is_whole=True)
        ground = QWidget()
        column = QVBoxLayout(ground)
        column.setContentsMargins(2, 2, theme.GAP_PX, 2)
        column.addWidget(whole)
        column.addStretch(1)
        self._scroll.setWidget(ground)
        whole.editor.write(field.default if value is NOTHING else value)
        whole.changed.connect(self.changed)
        whole.done.connect(self.done)
        self._pages.setCurrentIndex(0)
        self._switch.say("Write it as JSON")

    def read(self) -> Any:
        """Return the value when nothing is wrong with it, and show what is; `Wrong` otherwise."""
        if self.is_json:
            value, words = json_from(self._as_json.toPlainText() or "null")
            self._json_wrong.setText(words)
            return Wrong(words) if words else value
        assert self._whole is not None
        value = self._whole.editor.read()
        wrong = [Problem(path, words) for path, words in _wrong_in(value)]
        if not wrong:
            if value is NOTHING:
                value = None if not self._field.required or self._field.kind == "json" else value
            wrong = problems_of(self._field, value)
        self.show_problems(wrong)
        return Wrong(wrong[0].words) if wrong else value

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Say what is wrong beside each field, or beside what is around it."""
        rows = self._rows()
        for row in rows.values():
            row.say_wrong("")
        said: dict[Path, list[str]] = {}
        for problem in problems:
            said.setdefault(nearest(problem.path, rows), []).append(problem.words)
        for place, words in said.items():
            if place in rows and not self.is_json:
                rows[place].say_wrong(" ".join(words))
        first = next((rows[place] for place in said if place in rows), None)
        if first is not None and not self.is_json:
            (first.editor.focusProxy() or first.editor).setFocus(Qt.FocusReason.OtherFocusReason)
            self._scroll.ensureWidgetVisible(first, 0, theme.GROUP_GAP_PX)
        if self.is_json:
            self._json_wrong.setText(
                " ".join(f"{_spelled(each.path)} {each.words}".strip() for each in problems)
            )

    @property
    def problems(self) -> dict[Path, str]:
        """What is said beside which field."""
        return {path: row.problem for path, row in self._rows().items() if row.problem}

    def event(self, event: QEvent) -> bool:
        # A list that grows makes the form higher, which a scroll area does not tell by itself.
        if event.type() is QEvent.Type.LayoutRequest:
            self._scroll.updateGeometry()
        return super().event(event)

    @property
    def json_problem(self) -> str:
        """What is said below the value as JSON."""
        return self._json_wrong.text()

    def take_focus(self) -> None:
        """Put the focus into the first field."""
        rows = list(self._rows().values())
        inner = next((row for row in rows if not isinstance(row.editor, ObjectEditor)), None)
        if inner is not None:
            (inner.editor.focusProxy() or inner.editor).setFocus(Qt.FocusReason.OtherFocusReason)

    def _fit(self) -> None:
        # A page that is not seen asks for no room.
        high = QSizePolicy.Policy.Expanding if self.is_json else QSizePolicy.Policy.Ignored
        self._json_page.setSizePolicy(QSizePolicy.Policy.Preferred, high)

    def _swap(self) -> None:
        assert self._whole is not None
        if self.is_json:
            value, words = json_from(self._as_json.toPlainText() or "null")
            if words:
                self._json_wrong.setText(words)
                return
            self._whole.editor.write(value)
            self._pages.setCurrentIndex(0)
            self._switch.say("Write it as JSON")
            return
        value = self._whole.editor.read()
        self._as_json.setPlainText(json_spelled(_without_wrong(value)))
        self._pages.setCurrentIndex(1)
        self._switch.say("Back to the form")
        self._as_json.setFocus(Qt.FocusReason.OtherFocusReason)

    def _rows(self) -> dict[Path, FormRow]:
        return dict(rows_in(self._whole)) if self._whole is not None else {}


def _wrong_in(value: Any, path: Path = ()) -> list[tuple[Path, str]]:
    match value:
        case Wrong(words):
            return [(path, words)]
        case dict():
            return [found for key, each in value.items() for found in _wrong_in(each, (*path, key))]
        case list():
            return [
                found for at, each in enumerate(value) for found in _wrong_in(each, (*path, at))
            ]
    return []


def _without_wrong(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_wrong(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_wrong(each) for each in value]
    return None if isinstance(value, Wrong) or value is NOTHING else value


def _spelled(path: Path) -> str:
    return ".".join(str(step) for step in path)
