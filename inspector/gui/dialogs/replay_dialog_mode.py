"""How strict a replay is, and what may run live in it."""

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.widgets.labels import Words
from inspector.presentation.replay_choice import ReplayChoice
from inspector.presentation.replay_manifest import MODES
from inspector.replay.mode import ReplayMode

_INDENT_PX = 24
_FEW_CALLS = 10
_CALLS_WIDE, _MONEY_WIDE = 6, 8  # characters


class ModeSection(QWidget):
    """Offers the modes in words, and the budget of what runs live."""

    changed = Signal(object)  # ReplayChoice

    def __init__(self, choice: ReplayChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choice = choice
        self._group = QButtonGroup(self)
        self._radios: dict[ReplayMode, QRadioButton] = {}
        self._live = QCheckBox("Let calls without a recorded answer run live")
        self._live.setChecked(choice.live)
        self._verify = QCheckBox("Ask document stores what they find now")
        self._verify.setChecked(choice.verify)
        self._calls = _short_line(choice.budget, "Most live calls", _CALLS_WIDE)
        self._usd = _short_line(choice.usd, "Most US dollars for live calls", _MONEY_WIDE)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID_PX)
        if not choice.live_from:
            layout.addWidget(Words("When something differs", strong=True))
            for words in MODES:
                radio = self._radios[words.mode] = QRadioButton(words.title)
                radio.setAccessibleDescription(words.detail)
                radio.clicked.connect(lambda _on, mode=words.mode: self._take(mode=mode))
                self._group.addButton(radio)
                layout.addWidget(radio)
                layout.addLayout(_indented(Words(words.detail, step=-1, colour="secondary",
                                                 wrap=True)))  # fmt: skip
            layout.addSpacing(theme.GRID_PX)
            layout.addWidget(self._live)
        else:
            layout.addWidget(Words("How much may run live", strong=True))
        self._budget = QWidget()
        budget = QHBoxLayout(self._budget)
        budget.setContentsMargins(0 if choice.live_from else _INDENT_PX, 0, 0, 0)
        budget.setSpacing(theme.GRID_PX)
        for widget in (Words("At most"), self._calls, Words("calls, and $"), self._usd):
            budget.addWidget(widget)
        budget.addStretch(1)
        layout.addWidget(self._budget)
        layout.addWidget(self._verify)
        self._live.toggled.connect(self._on_live)
        self._verify.toggled.connect(lambda on: self._take(verify=on))
        self._calls.textChanged.connect(lambda text: self._take(budget=text))
        self._usd.textChanged.connect(lambda text: self._take(usd=text))
        self._asks_stores = False
        self.show_choice(choice, asks_stores=False)

    def show_choice(self, choice: ReplayChoice, *, asks_stores: bool | None = None) -> None:
        """Show what of this can be chosen, now that something else was."""
        self._choice = choice
        if asks_stores is not None:
            self._asks_stores = asks_stores
        own = choice.is_trusted
        for mode, radio in self._radios.items():
            radio.setChecked(mode is choice.mode)
        if ReplayMode.RECORD_NEW in self._radios:
            self._radios[ReplayMode.RECORD_NEW].setEnabled(own)
            self._live.setVisible(own)
            self._live.setEnabled(choice.mode is ReplayMode.DRIFT_OK)
        self._budget.setVisible(choice.runs_live)
        self._verify.setVisible(own and self._asks_stores)

    def _on_live(self, on: bool) -> None:
        self._take(live=on)
        if on:
            self.suggest_budget(_FEW_CALLS)

    def suggest_budget(self, calls: int) -> None:
        """Fill in how many calls may run live, where nobody said."""
        if calls and not self._choice.budget:
            self._calls.setText(str(calls))

    def _take(self, **fields: object) -> None:
        if fields.get("mode") not in (None, ReplayMode.DRIFT_OK):
            # Nothing drifts past STRICT, and what is new always runs live.
            fields["live"] = False
            self._live.blockSignals(True)
            self._live.setChecked(False)
            self._live.blockSignals(False)
        self._choice = replace(self._choice, **fields)  # type: ignore[arg-type]  # by name
        self.show_choice(self._choice)
        self.changed.emit(self._choice)


def _short_line(text: str, name: str, characters: int) -> QLineEdit:
    line = QLineEdit(text)
    line.setAccessibleName(name)
    line.setPlaceholderText("any")
    line.setMaxLength(20)
    line.setFixedWidth(line.fontMetrics().averageCharWidth() * characters + 3 * theme.GAP_PX)
    return line


def _indented(widget: QWidget) -> QHBoxLayout:
    layout = QHBoxLayout()
    layout.setContentsMargins(_INDENT_PX, 0, 0, 0)
    layout.addWidget(widget, 1)
    return layout
