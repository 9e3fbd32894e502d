"""Asks for a price list."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

FILTERS = ("Price lists (*.toml *.json)", "All files (*)")


def choose_prices(parent: QWidget, chosen: Callable[[Path], None]) -> QFileDialog:
    """Let a person choose a price list, and hand it on; the window stays usable meanwhile."""
    dialog = QFileDialog(parent, "Prices of your own")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilters(FILTERS)
    dialog.fileSelected.connect(lambda path: chosen(Path(path)))
    dialog.open()
    return dialog
