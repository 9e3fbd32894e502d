"""The row of buttons below a dialog."""

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton


def close_row(dialog: QDialog, *others: QPushButton) -> QDialogButtonBox:
    """Return a row with Close, which Escape presses too, and `others` before it."""
    row = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    row.rejected.connect(dialog.reject)
    for button in others:
        row.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
    # Some platforms put a picture on Close, of a style that is not ours.
    row.button(QDialogButtonBox.StandardButton.Close).setIcon(QIcon())
    return row
