"""Shows every setting there is; a change counts at once."""

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from inspector.findings import Rule, all_rules
from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.settings import Settings, SettingsStore, ThemeChoice
from inspector.gui.tips import tip
from inspector.gui.widgets.labels import Words
from inspector.presentation.words import elided, one_line

_THEMES = (
    ("Follow the system", ThemeChoice.SYSTEM),
    ("Light", ThemeChoice.LIGHT),
    ("Dark", ThemeChoice.DARK),
)
_LONGEST_RULE = 80
_RULES_IN_SIGHT = 9
_SIZES = (0.75, 0.875, 1.0, 1.125, 1.25, 1.5, 1.75, 2.0)


class SettingsDialog(QDialog):
    """One row a setting."""

    def __init__(self, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setWindowTitle("Settings")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

        self._theme = QComboBox()
        for words, theme_choice in _THEMES:
            self._theme.addItem(words, theme_choice)
        self._size = QComboBox()
        for size in _SIZES:
            self._size.addItem(f"{100 * size:g} %", size)
        self._motion = QCheckBox("Show no movement")
        self._reuse = QCheckBox("Open files in the window that is already there")
        self._tabs = QCheckBox("Open what was open when the window was closed")

        self._rules = {rule.name: _rule_box(rule) for rule in all_rules()}

        form = QFormLayout()
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(theme.GROUP_GAP_PX)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignRight)
        form.addRow("Colours", self._theme)
        form.addRow("Text size", self._size)
        form.addRow("Movement", self._motion)
        form.addRow("Windows", self._reuse)
        form.addRow("At the start", self._tabs)
        form.addRow("Findings", _rule_list(self._rules.values()))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(16)
        layout.addLayout(form)
        layout.addWidget(Words("Changes count at once.", step=-1, colour="secondary"))
        layout.addWidget(close_row(self))

        self._show(settings.current)
        settings.changed.connect(self._show)
        self._theme.activated.connect(
            lambda _row: settings.update(theme=ThemeChoice(self._theme.currentData()))
        )
        self._size.activated.connect(
            lambda _row: settings.update(text_scale=float(self._size.currentData()))
        )
        self._motion.toggled.connect(lambda on: settings.update(reduce_motion=on))
        self._reuse.toggled.connect(lambda on: settings.update(reuse_window=on))
        self._tabs.toggled.connect(lambda on: settings.update(restore_tabs=on))
        for box in self._rules.values():
            box.clicked.connect(self._choose_rules)

    def _show(self, chosen: Settings) -> None:
        self._theme.setCurrentIndex([choice for _, choice in _THEMES].index(chosen.theme))
        nearest = min(_SIZES, key=lambda size: abs(size - chosen.text_scale))
        self._size.setCurrentIndex(_SIZES.index(nearest))
        self._motion.setChecked(chosen.reduce_motion)
        self._reuse.setChecked(chosen.reuse_window)
        self._tabs.setChecked(chosen.restore_tabs)
        for name, box in self._rules.items():
            box.setChecked(name not in chosen.rules_off)

    def _choose_rules(self) -> None:
        off = tuple(name for name, box in self._rules.items() if not box.isChecked())
        # A newer version may have switched off what this one does not know.
        unknown = [one for one in self._settings.current.rules_off if one not in self._rules]
        self._settings.update(rules_off=(*off, *unknown))


def _rule_box(rule: Rule) -> QCheckBox:
    box = QCheckBox(elided(one_line(f"{rule.name}: {rule.says.partition(';')[0]}"), _LONGEST_RULE))
    box.setToolTip(tip(rule.says))
    return box


def _rule_list(boxes: Iterable[QCheckBox]) -> QScrollArea:
    """Return the rules in a list that scrolls: there are more than a screen is high."""
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(theme.GRID_PX, theme.GRID_PX, theme.GRID_PX, theme.GRID_PX)
    column.setSpacing(theme.GRID_PX)
    for box in boxes:
        column.addWidget(box)
    area = QScrollArea()
    area.setWidget(holder)
    area.setWidgetResizable(True)
    area.setFixedHeight(_RULES_IN_SIGHT * (holder.fontMetrics().height() + 2 * theme.GRID_PX))
    area.setMinimumWidth(holder.sizeHint().width() + area.verticalScrollBar().sizeHint().width())
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    return area
