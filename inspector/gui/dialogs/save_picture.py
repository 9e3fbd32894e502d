"""Asks where to put a picture."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QIODevice, QSaveFile, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

_FILTERS = ("SVG picture (*.svg)", "PNG picture (*.png)")


def ask_where_to_save(
    parent: QWidget, suggested: str, chosen: Callable[[Path], object]
) -> QFileDialog:
    """Let a person choose a file, beside the window; `chosen` is called with it."""
    dialog = QFileDialog(parent, "Save picture")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setNameFilters(_FILTERS)
    dialog.setDefaultSuffix("svg")
    dialog.filterSelected.connect(
        lambda filter_: dialog.setDefaultSuffix("png" if "png" in filter_ else "svg")
    )
    dialog.selectFile(suggested)
    dialog.fileSelected.connect(lambda path: chosen(Path(path)))
    dialog.open()
    return dialog


def write_whole(path: Path, data: bytes) -> str:
    """Write a file so that it is there whole or not at all; return what went wrong, if anything."""
    file = QSaveFile(str(path))
    if not file.open(QIODevice.OpenModeFlag.WriteOnly):
        return file.errorString()
    file.write(data)
    return "" if file.commit() else file.errorString()
