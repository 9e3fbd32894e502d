"""The watches of what is open in tabs, until the thread of each has come to its end."""

from collections.abc import Hashable, Iterator
from typing import Any, Generic, TypeVar

from inspector.gui.controllers.served_watch import ServedWatch

O = TypeVar("O", bound=Hashable)  # noqa: E741 - what is open
W = TypeVar("W", bound=ServedWatch[Any, Any, Any])


class ServedWatches(Generic[O, W]):
    """Knows who watches what; iterates over what is watched."""

    def __init__(self) -> None:
        self._watches: dict[O, W] = {}
        self._leaving: list[W] = []

    def __iter__(self) -> Iterator[O]:
        return iter(self._watches)

    def add(self, opened: O, watch: W) -> None:
        """Take note of who watches something."""
        self._watches[opened] = watch

    def leave(self, opened: O) -> None:
        """Watch something no more; never waits."""
        watch = self._watches.pop(opened, None)
        if watch is not None:
            watch.abandon()
            if watch.is_over:
                watch.deleteLater()
            else:
                self._leaving.append(watch)
                watch.over.connect(lambda: self._on_over(watch))

    def close(self) -> None:
        """End every watch, and wait until their threads are gone."""
        watches = (*self._watches.values(), *self._leaving)
        for watch in watches:
            watch.abandon()
        for watch in watches:
            watch.close()
        self._watches.clear()
        self._leaving.clear()

    def _on_over(self, watch: W) -> None:
        if watch in self._leaving:
            self._leaving.remove(watch)
            watch.deleteLater()
