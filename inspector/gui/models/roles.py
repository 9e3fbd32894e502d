"""The roles under which models of spans answer beside Qt's own."""

from PySide6.QtCore import Qt

SPAN_ID_ROLE = Qt.ItemDataRole.UserRole
"""The id of the row's span."""

ROW_ROLE = SPAN_ID_ROLE + 1
"""Everything a delegate draws of the row, as one value."""
