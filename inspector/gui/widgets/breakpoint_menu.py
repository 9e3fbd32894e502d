"""What can be done to the breakpoint before one call, as a menu."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from inspector.gui.workspace.run_breakpoints import RunBreakpoints
from inspector.presentation.breakpoints import BreakpointSpec

_PHASES = (
    ("before", "Pause before the call"),
    ("after", "Pause after the call"),
    ("both", "Pause before and after the call"),
)


def show_breakpoint_menu(
    breakpoints: RunBreakpoints, spec: BreakpointSpec, at: QPoint, parent: QWidget
) -> QMenu:
    """Offer what can be done to the breakpoint of a call, or to have one there.

    Args:
        breakpoints: Where it stands, or would.
        spec: The breakpoint as it would be set.
        at: Where on the screen.
        parent: Who asks.

    """
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    there = breakpoints.at(spec.key)
    now = there or spec
    for phase, words in _PHASES:
        action = _add(menu, words)
        action.setCheckable(True)
        action.setChecked(there is not None and there.phase == phase)
        wanted = now._replace(phase=phase, enabled=True)
        action.triggered.connect(lambda _on=False, wanted=wanted: breakpoints.put(wanted))
    menu.addSeparator()

    def edit() -> None:
        if breakpoints.at(spec.key) is None:
            breakpoints.put(now)
        if breakpoints.at(spec.key) is not None:
            breakpoints.edit_asked.emit(spec.key)

    condition = "Change the condition…" if now.condition else "Pause only when…"
    _add(menu, condition).triggered.connect(edit)
    if there is not None:
        switch = _add(menu, "Switch off" if there.enabled else "Switch on")
        switch.triggered.connect(lambda: breakpoints.enable(there.key, not there.enabled))
        menu.addSeparator()
        remove = _add(menu, "Remove the breakpoint")
        remove.triggered.connect(lambda: breakpoints.remove(spec.key))
    menu.popup(at)
    return menu


def _add(menu: QMenu, words: str) -> QAction:
    return menu.addAction(words)
