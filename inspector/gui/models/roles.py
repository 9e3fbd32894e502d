"""The roles under which models of spans answer beside Qt's own."""

from enum import IntEnum

from PySide6.QtCore import Qt

SPAN_ID_ROLE = Qt.ItemDataRole.UserRole
"""The id of the row's span."""

ROW_ROLE = SPAN_ID_ROLE + 1
"""Everything a delegate draws of the row, as one value."""

MATCH_ROLE = SPAN_ID_ROLE + 2
"""How a row stands to a search: a `Match`; `None` where nothing is searched for."""

MARK_ROLE = SPAN_ID_ROLE + 3
"""What a person left at the row's span: a `Mark`; `None` where there is nothing."""


class Match(IntEnum):
    """How a row stands to what is searched for."""

    FOUND = 1
    AROUND = 2  # only shown because something found is in it
