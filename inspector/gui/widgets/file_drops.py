"""Leaves files that are dragged over an editor to the window, which opens them."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QDragEnterEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget


def let_files_through(editor: QWidget) -> None:
    """Have an editor take words that are dropped on it, but no files.

    By itself it would write their addresses down. What it refuses Qt offers to what is around it.
    """
    target = editor.viewport() if isinstance(editor, QAbstractScrollArea) else editor
    target.installEventFilter(_Refusal(target))


class _Refusal(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent) and event.mimeData().hasUrls():
            event.ignore()
            return True
        return super().eventFilter(watched, event)
