"""A thread of its own that watches one thing of a server, and touches nothing of Qt."""

import random
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from inspector.hayhooks.client.model import HayhooksError

_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0


class Trouble:
    """The server could not be asked; `for_good` when it is not asked again."""

    __slots__ = ("error", "for_good")

    def __init__(self, error: Exception, *, for_good: bool) -> None:
        self.error = error
        self.for_good = for_good


class _Closes(Protocol):
    def close(self) -> None:
        """End what is asked for at once."""


C = TypeVar("C", bound=_Closes)


class ServedThread(ABC, Generic[C]):
    """Starts and ends a thread with its client, and lets it wait longer and longer.

    Args:
        client: Asks the server; it is this thread's alone, and closed with it.
        name: Of the thread.

    """

    def __init__(self, client: C, name: str) -> None:
        self._client = client
        self._stopped = threading.Event()
        self._again = threading.Event()  # somebody does not want to wait for the next look
        self._pause_s = _FIRST_PAUSE_S
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether the thread has come to its end, and everything it said was taken."""
        return not self._thread.is_alive() and not self._has_more()

    def hurry(self) -> None:
        """Ask the server now, where the next look would be later."""
        self._again.set()

    def stop(self) -> None:
        """End the stream at once; never waits."""
        self._stopped.set()
        self._again.set()
        self._client.close()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until the thread has come to its end."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)

    # On the thread

    def _work(self) -> None:
        try:
            self._watch()
        except Exception as error:  # noqa: BLE001 - handed to the window
            self._fail(error, for_good=True)
        finally:
            self._client.close()

    @abstractmethod
    def _watch(self) -> None:
        """Watch it to its end, or until `_stopped` is set."""

    @abstractmethod
    def _has_more(self) -> bool:
        """Say whether the window has not taken all that came."""

    @abstractmethod
    def _put(self, what: Trouble) -> None:
        """Have the window take something."""

    def _fail(self, error: Exception, *, for_good: bool) -> None:
        if not self._stopped.is_set():
            self._put(Trouble(error, for_good=for_good))

    def _goes_on_after(self, error: "HayhooksError", passing: frozenset[str]) -> bool:
        """Tell of an error, and wait where it passes by itself; False where it does not."""
        for_good = error.kind not in passing
        self._fail(error, for_good=for_good)
        if for_good:
            return False
        pause = self._pause_s
        wait = error.retry_after_s or random.uniform(pause / 2, pause)  # noqa: S311
        self._wait(min(wait, _LONGEST_PAUSE_S))
        self._pause_s = min(2 * pause, _LONGEST_PAUSE_S)
        return True

    def _went_well(self) -> None:
        """Begin with a short pause when next something fails."""
        self._pause_s = _FIRST_PAUSE_S

    def _wait(self, pause_s: float) -> None:
        self._again.wait(pause_s)
        if not self._stopped.is_set():
            self._again.clear()
