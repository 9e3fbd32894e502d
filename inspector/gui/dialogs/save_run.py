"""Asks where to put a run."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

_FILTERS = (
    "Run (*.run.json)",
    "Run, packed (*.run.json.gz)",
    "Run, packed tightly (*.run.json.zst)",
)
_SUFFIXES = ("run.json", "run.json.gz", "run.json.zst")
_SEALED = ("Sealed run (*.age)",)


def ask_where_to_save_run(
    parent: QWidget,
    suggested: Path,
    chosen: Callable[[Path], object],
    title: str = "Save the result",
) -> QFileDialog:
    """Let a person choose a file, beside the window; `chosen` is called with it."""
    dialog = _dialog(parent, title, _FILTERS, _SUFFIXES[0])
    dialog.filterSelected.connect(
        lambda filter_: dialog.setDefaultSuffix(_SUFFIXES[_FILTERS.index(filter_)])
    )
    return _opened(dialog, suggested, chosen)


def ask_where_to_save_sealed(
    parent: QWidget, suggested: Path, chosen: Callable[[Path], object]
) -> QFileDialog:
    """Let a person choose the file of a sealed copy; `chosen` is called with it."""
    dialog = _dialog(parent, "Save the sealed copy", _SEALED, "age")
    return _opened(dialog, suggested, chosen)


def _dialog(parent: QWidget, title: str, filters: Sequence[str], suffix: str) -> QFileDialog:
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setNameFilters(filters)
    dialog.setDefaultSuffix(suffix)
    return dialog


def _opened(dialog: QFileDialog, suggested: Path, chosen: Callable[[Path], object]) -> QFileDialog:
    dialog.setDirectory(str(suggested.parent))
    dialog.selectFile(suggested.name)
    dialog.fileSelected.connect(lambda path: chosen(Path(path)))
    dialog.open()
    return dialog
