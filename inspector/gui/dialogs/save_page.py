"""Asks where to save a page."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

_FILTER = "Page for a browser (*.html)"


def ask_where_to_save_page(
    parent: QWidget, folder: str, suggested: str, chosen: Callable[[Path], object]
) -> QFileDialog:
    """Let a person choose a file, beside the window; `chosen` is called with it."""
    dialog = QFileDialog(parent, "Save as a page", folder)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setNameFilter(_FILTER)
    dialog.setDefaultSuffix("html")
    dialog.selectFile(suggested)
    dialog.fileSelected.connect(lambda path: chosen(Path(path)))
    dialog.open()
    return dialog
