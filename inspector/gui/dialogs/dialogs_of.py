"""The dialogs that are open about something, such as a run: they close with it."""

from functools import partial
from typing import Generic, TypeVar

from PySide6.QtWidgets import QDialog

About = TypeVar("About")


class DialogsOf(Generic[About]):
    """Knows which dialogs are open about what, until each is finished."""

    def __init__(self) -> None:
        self._open: dict[About, list[QDialog]] = {}

    def add(self, about: About, dialog: QDialog) -> None:
        """Take note of a dialog that is about to be shown."""
        self._open.setdefault(about, []).append(dialog)
        dialog.finished.connect(partial(self._forget, about, dialog))

    def of(self, about: About) -> tuple[QDialog, ...]:
        """Return those that are open about something, the oldest first."""
        return tuple(self._open.get(about, ()))

    def close(self, about: About) -> None:
        """Close all that are open about something; nothing is decided by it."""
        for dialog in self.of(about):
            dialog.reject()

    def _forget(self, about: About, dialog: QDialog, _result: int) -> None:
        left = [one for one in self._open.pop(about, []) if one is not dialog]
        if left:
            self._open[about] = left
