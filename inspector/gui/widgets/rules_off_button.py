"""Says how many rules are not applied, and applies them again."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMenu, QWidget

from inspector.gui.tips import tip
from inspector.gui.widgets.plain import LinkButton
from inspector.presentation.words import plural


class RulesOffButton(LinkButton):
    """Shown while there are any; pressed, it lists them."""

    on_wanted = Signal(str)  # a rule that is to be applied again

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", None, parent)
        self._off: Sequence[str] = ()
        self._of_project: Sequence[str] = ()
        self.clicked.connect(self._list)
        self.hide()

    def show_rules(self, off: Sequence[str], of_project: Sequence[str]) -> None:
        """Show which rules are off, and which of them by the project's own file."""
        self._off, self._of_project = off, of_project
        self.say(f"{plural(len(off), 'rule')} off")
        self.setToolTip(tip(f"Not applied: {', '.join(off)}"))
        self.setVisible(bool(off))

    def _list(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for rule in self._off:
            if rule in self._of_project:
                menu.addAction(f"{rule}: switched off in pyproject.toml").setEnabled(False)
            else:
                menu.addAction(f"Switch on {rule}", partial(self.on_wanted.emit, rule))
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))
