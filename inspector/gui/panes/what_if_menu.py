"""What a context menu offers to change for a replay, wherever it is opened."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from inspector.gui import theme

if TYPE_CHECKING:
    from inspector.gui.workspace.open_run import OpenRun

_MOST_PARAMETERS = 40


def offer_changes(menu: QMenu, open_run: "OpenRun", span_id: str, path: str = "") -> None:
    """Add to a menu what can be changed at a span, or at a value of it.

    Args:
        menu: The menu of whatever was clicked on.
        open_run: The run.
        span_id: The span that was clicked on, or whose value was.
        path: The value.

    """
    from inspector.presentation.what_if_places import menu_words, parameter_places, places_at

    run = open_run.run
    row = run.table.row_of(span_id)
    if row is None:
        return
    places = places_at(run, run.spans[row], path)
    parameters = [] if path else parameter_places(run, run.spans[row])
    if not places and not parameters:
        return
    if menu.actions():
        menu.addSeparator()
    for number, place in enumerate(places):
        words = menu_words(place)
        if open_run.changes.at(place.key) is not None:
            words = f"{words}  (changed)"
        action = menu.addAction(words.replace("&", "&&"))
        if not number:
            action.setIcon(theme.icon("what-if"))
        action.triggered.connect(partial(_ask, open_run, place))
    if parameters:
        inside = menu.addMenu(f"Change a parameter of {parameters[0].at}".replace("&", "&&"))
        for place in parameters[:_MOST_PARAMETERS]:
            action = inside.addAction(place.name.replace("&", "&&"))
            action.triggered.connect(partial(_ask, open_run, place))


def _ask(open_run: "OpenRun", place: object, _checked: bool = False) -> None:
    open_run.changes.ask(place)  # type: ignore[arg-type]  # a Place: partial keeps no types
