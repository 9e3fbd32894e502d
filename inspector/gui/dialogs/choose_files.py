"""Asks which run files to open."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

FILTERS = ";;".join(
    (
        "Run files (*.run.json *.run.json.gz *.run.json.zst *.run.jsonl)",
        "JSON (*.json *.jsonl *.gz *.zst)",
        "All files (*)",
    )
)


def choose_files(parent: QWidget, folder: str) -> list[Path]:
    """Return the files that a person chose; empty when they thought better of it."""
    chosen, _filter = QFileDialog.getOpenFileNames(parent, "Open runs", folder, FILTERS)
    return [Path(path) for path in chosen]
