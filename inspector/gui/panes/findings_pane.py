"""What a person should look at in a run."""

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.findings import Severity
from inspector.gui import theme
from inspector.gui.models.findings_model import FindingsModel
from inspector.gui.models.roles import SPAN_ID_ROLE
from inspector.gui.tips import tip
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.findings_view import FindingsView
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import Hairline, PanelGround
from inspector.gui.widgets.rules_off_button import RulesOffButton
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.finding_list import (
    NOTHING,
    count_words,
    severity_look,
    severity_word,
)
from inspector.presentation.in_time import findings_in_time
from inspector.presentation.words import one_line, plural

_LOOKING = "Looking for what went wrong…"


class FindingsPane(QWidget):
    """Lists the findings of one `OpenRun`; a click goes to the spans that prove them."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._model = FindingsModel(self)
        self._is_following = False
        self._outside = 0  # findings that do not reach into the time that is looked at
        self._view = FindingsView()
        self._view.setModel(self._model)
        self._filters = {each: _FilterButton(each) for each in Severity}
        self._rules_off = RulesOffButton()
        self._note = Words(step=-1, colour="secondary", wrap=True)
        self._note.setContentsMargins(theme.GROUP_GAP_PX, 0, theme.GROUP_GAP_PX, theme.GRID_PX)
        self._note.hide()
        self._all_hidden = EmptyWords(words="")
        self._empty = EmptyWords(words=_LOOKING)
        self._lay_out()
        self.setFocusProxy(self._view)

        for button in self._filters.values():
            button.toggled.connect(self._on_filter_changed)
        switched = open_run.findings.switch_wanted
        self._rules_off.on_wanted.connect(lambda rule: switched.emit(rule, True))
        self._view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._view.customContextMenuRequested.connect(self._show_menu)
        self._view.place_chosen.connect(open_run.selection.select)
        self._view.selectionModel().currentChanged.connect(self._on_row_changed)
        self._view.clicked.connect(self._on_row_clicked)
        open_run.findings.changed.connect(self._show)
        open_run.range.changed.connect(self._show)
        open_run.selection.span_changed.connect(self._show_selected)
        self._show()

    @property
    def view(self) -> FindingsView:
        return self._view

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._open_run.findings.ask()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(theme.GAP_PX, theme.GRID_PX, theme.GAP_PX, theme.GRID_PX)
        head.setSpacing(theme.GRID_PX)
        for button in self._filters.values():
            head.addWidget(button)
        head.addStretch(1)
        head.addWidget(self._rules_off)
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._note)
        layout.addWidget(Hairline())
        layout.addWidget(self._view, 1)
        layout.addWidget(self._all_hidden, 1)
        PanelGround(self)
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(body)

    def _show(self) -> None:
        findings = self._open_run.findings
        if findings.found is None:
            told = f"The rules could not be applied. {one_line(findings.failure)}"
            self._empty.say(told if findings.failure else _LOOKING)
            self._stack.setCurrentIndex(0)
            return
        bounds = self._open_run.range.bounds
        rows = findings_in_time(self._open_run.run.table, findings.shown, bounds)
        self._outside = len(findings.shown) - len(rows)
        for severity, button in self._filters.items():
            button.show_count(sum(row.severity is severity for row in rows))
        self._empty.say(NOTHING)
        self._rules_off.show_rules(findings.off, findings.project_off)
        self._note.setText(one_line(findings.note))
        self._note.setVisible(bool(findings.note))
        self._stack.setCurrentIndex(1 if findings.shown or findings.off or findings.note else 0)
        self._is_following = True
        self._model.show_rows(rows)
        self._is_following = False
        self._show_whether_all_are_hidden()
        self._show_selected(self._open_run.selection.span_id)

    def _on_filter_changed(self) -> None:
        self._is_following = True
        self._model.hide(
            frozenset(each for each, button in self._filters.items() if not button.isChecked())
        )
        self._is_following = False
        self._show_whether_all_are_hidden()
        self._show_selected(self._open_run.selection.span_id)

    def _show_whether_all_are_hidden(self) -> None:
        found = len(self._open_run.findings.found or ()) - self._outside
        none = self._model.rowCount() == 0
        self._view.setVisible(not none)
        self._all_hidden.setVisible(none)
        if found:
            self._all_hidden.say(f"{plural(found, 'finding')} left out: choose above what to show.")
        elif self._outside:
            outside = plural(self._outside, "finding")
            self._all_hidden.say(
                f"Nothing was found in this stretch of time; {outside} outside of it. "
                "Backspace shows the whole run."
            )
        else:
            self._all_hidden.say(NOTHING)

    def _on_row_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._is_following:
            self._go_to(current)

    def _on_row_clicked(self, index: QModelIndex) -> None:
        # The row may be current already, while something else is selected.
        if not self._proves(index, self._open_run.selection.span_id):
            self._go_to(index)

    def _show_menu(self, at: QPoint) -> None:
        row = self._model.row_at(self._view.indexAt(at))
        if row is None:
            return
        rule, switched = row.rule, self._open_run.findings.switch_wanted
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(f"Switch off the rule {rule}", lambda: switched.emit(rule, False))
        menu.popup(self._view.viewport().mapToGlobal(at))

    def _go_to(self, index: QModelIndex) -> None:
        span_id = index.data(SPAN_ID_ROLE)
        if span_id:
            self._open_run.selection.select(span_id)

    def _show_selected(self, span_id: str | None) -> None:
        self._view.mark_span(span_id or "")
        if self._proves(self._view.currentIndex(), span_id):
            return
        index = self._model.index_of(span_id) if span_id else QModelIndex()
        self._is_following = True
        if index.isValid():
            self._view.setCurrentIndex(index)
        else:
            self._view.selectionModel().clear()
        self._is_following = False

    def _proves(self, index: QModelIndex, span_id: str | None) -> bool:
        row = self._model.row_at(index)
        return row is not None and any(place.span_id == span_id for place in row.places)


class _FilterButton(QToolButton):
    """Shows how many findings are of one severity, and leaves them out when it is let go."""

    def __init__(self, severity: Severity) -> None:
        super().__init__()
        self._severity = severity
        self.setAutoRaise(True)
        self.setCheckable(True)
        self.setChecked(True)
        self.setToolButtonStyle(self.toolButtonStyle().ToolButtonTextBesideIcon)
        self.setToolTip(tip(f"Show or leave out what is of the kind “{severity_word(severity)}”"))
        theme.changes.changed.connect(self._dress)
        self._dress()

    def show_count(self, number: int) -> None:
        """Say how many there are; nothing where there are none."""
        self.setText(count_words(self._severity, number))
        self.setAccessibleName(f"Show {count_words(self._severity, number)}")
        self.setVisible(number > 0)

    def _dress(self) -> None:
        self.setIcon(theme.icon(*severity_look(self._severity)))
