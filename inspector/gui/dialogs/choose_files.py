"""Asks which run files to open."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

_NAMES = (
    "*.json *.jsonl *.ndjson *.gz *.zst *.txt *.log *.yaml *.yml *.csv *.eval *.traj *.pb *.age"
)
_FILTERS = (
    f"Runs, traces and snapshots ({_NAMES})",
    "JSON (*.json *.jsonl *.gz *.zst)",
    "All files (*)",
)


def choose_files(
    parent: QWidget, folder: str, chosen: Callable[[list[Path]], object]
) -> QFileDialog:
    """Let a person choose files; `chosen` is called with them. The window stays usable."""
    dialog = _dialog(parent, "Open runs", folder)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.filesSelected.connect(lambda paths: chosen([Path(path) for path in paths]))
    dialog.open()
    return dialog


def choose_file(
    parent: QWidget, title: str, folder: str, chosen: Callable[[Path], object]
) -> QFileDialog:
    """Let a person choose one file; `chosen` is called with it."""
    dialog = _dialog(parent, title, folder)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(lambda path: chosen(Path(path)))
    dialog.open()
    return dialog


def _dialog(parent: QWidget, title: str, folder: str) -> QFileDialog:
    dialog = QFileDialog(parent, title, folder)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setNameFilters(_FILTERS)
    return dialog
