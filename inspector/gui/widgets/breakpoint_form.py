"""Where one writes what a breakpoint fits: place, visit, phase and condition."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QPushButton, QSpinBox, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.marked_line import MarkedLine
from inspector.presentation.breakpoints import KINDS, LONGEST_CONDITION, BreakpointSpec

_MOST_VISITS = 9_999
_PHASES = (("before", "Before"), ("after", "After"), ("both", "Before and after"))
_EXAMPLES = 'bed == "basil"    length(documents) > 3    state.messages contains "dry"'
_NEW = BreakpointSpec(kinds=("tool",))


class BreakpointForm(QWidget):
    """Shows one breakpoint and takes another; without one, it makes a new one."""

    wanted = Signal(object, str)  # BreakpointSpec, the key of the one it takes the place of

    def __init__(self, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = names
        self._shown: BreakpointSpec | None = None
        self._phase = QComboBox()
        self._phase.setAccessibleName("Before or after the call")
        for phase, words in _PHASES:
            self._phase.addItem(words, phase)
        self._place = QComboBox()
        self._place.setAccessibleName("Which calls")
        self._place.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._place.setMinimumContentsLength(10)
        self._visit = QSpinBox()
        self._visit.setAccessibleName("Which visit")
        self._visit.setRange(0, _MOST_VISITS)
        self._visit.setSpecialValueText("any visit")
        self._condition = MarkedLine()
        self._condition.setAccessibleName("Only if this is so of the value")
        self._condition.setPlaceholderText("any value")
        self._condition.setMaxLength(LONGEST_CONDITION)
        self._condition.setClearButtonEnabled(True)
        self._told = Words(step=-1, colour="secondary", wrap=True)
        self._apply = QPushButton()
        self._apply.clicked.connect(self._on_apply)
        self._condition.returnPressed.connect(self._on_apply)
        self._condition.textChanged.connect(lambda _text: self._check())
        self._lay_out()
        self._dress()
        theme.changes.changed.connect(self._dress)
        self.setFocusProxy(self._place)
        self.show_spec(None)

    @property
    def condition_line(self) -> MarkedLine:
        return self._condition

    @property
    def told(self) -> str:
        """What is said below the condition: what is wrong, or what could be written."""
        return self._told.text()

    @property
    def shown(self) -> BreakpointSpec | None:
        """The breakpoint that is changed here; None where a new one is made."""
        return self._shown

    def show_spec(self, spec: BreakpointSpec | None) -> None:
        """Show a breakpoint; with None, what a new one could be."""
        self._shown = spec
        shown = spec or _NEW
        self._fill_places(shown)
        self._phase.setCurrentIndex([phase for phase, _ in _PHASES].index(shown.phase))
        self._visit.setValue(shown.visit or 0)
        self._visit.setEnabled(not shown.path)
        self._condition.setText(shown.condition)
        self._apply.setText("Set breakpoint" if spec is None else "Change breakpoint")
        self._check()

    def begin_condition(self) -> None:
        """Put the caret where the condition is written."""
        self._condition.setFocus(Qt.FocusReason.OtherFocusReason)
        self._condition.selectAll()

    def _lay_out(self) -> None:
        upper = QHBoxLayout()
        upper.setSpacing(theme.GAP_PX)
        upper.addWidget(self._phase)
        upper.addWidget(self._place, 1)
        upper.addWidget(self._visit)
        lower = QHBoxLayout()
        lower.setSpacing(theme.GAP_PX)
        lower.addWidget(self._told, 1, Qt.AlignmentFlag.AlignTop)
        lower.addWidget(self._apply, 0, Qt.AlignmentFlag.AlignTop)
        form = QFormLayout(self)
        gap = theme.GROUP_GAP_PX
        form.setContentsMargins(gap, theme.GAP_PX, theme.GAP_PX, theme.GAP_PX)
        form.setVerticalSpacing(theme.GAP_PX)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.addRow("Pause", upper)
        form.addRow("Only if", self._condition)
        form.addRow("", lower)

    def _dress(self) -> None:
        self._condition.setFont(theme.monospace())

    def _fill_places(self, shown: BreakpointSpec) -> None:
        self._place.clear()
        for kind, words in KINDS.items():
            self._place.addItem(words, BreakpointSpec(kinds=(kind,)))
        for name in self._names:
            self._place.addItem(BreakpointSpec(name=name).place, BreakpointSpec(name=name))
        place = BreakpointSpec(path=shown.path, kinds=shown.kinds, name=shown.name)
        at = next(
            (row for row in range(self._place.count()) if self._place.itemData(row) == place), None
        )
        if at is None:
            self._place.insertItem(0, place.place, place)
            at = 0
        self._place.setCurrentIndex(at)

    def _spec(self) -> BreakpointSpec:
        place: BreakpointSpec = BreakpointSpec(*self._place.currentData())
        return place._replace(
            visit=None if place.path else self._visit.value() or None,
            phase=self._phase.currentData(),
            condition=self._condition.text().strip(),
            enabled=self._shown is None or self._shown.enabled,
        )

    def _check(self) -> bool:
        """Say what is wrong with the condition, and where; return whether nothing is."""
        from inspector.replay.condition import read_condition
        from inspector.replay.condition_tokens import ConditionError

        text = self._condition.text()
        wrong: tuple[int, int] | None = None
        words = f"For example  {_EXAMPLES}"
        if text.strip():
            words = "Nothing is run by this: it is only compared with what the call holds."
            try:
                read_condition(text)
            except ConditionError as error:
                wrong = (error.start, error.end)
                words = f"Character {error.start + 1}: {error} {error.hint}".strip()
        self._condition.mark_wrong(wrong)
        self._told.setText(words)
        self._told.set_colour("failed" if wrong else "secondary")
        self._condition.setAccessibleDescription(words)
        self._apply.setEnabled(wrong is None)
        return wrong is None

    def _on_apply(self) -> None:
        if self._check():
            self.wanted.emit(self._spec(), self._shown.key if self._shown else "")
        else:
            self.begin_condition()
