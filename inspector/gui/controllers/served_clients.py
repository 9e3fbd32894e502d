"""The clients that are at work for a window: each does one piece, and is closed with it."""

from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from inspector.gui.tasks.runner import Cancelled, TaskRunner


class Closes(Protocol):
    """Who ends what it asks for at once, on any thread."""

    def close(self) -> None:
        """End it."""


C = TypeVar("C", bound=Closes)
T = TypeVar("T")


class ServedClients(Generic[C]):
    """Has clients work beside the window, and ends them all when nobody wants to know."""

    def __init__(self) -> None:
        self._at_work: set[C] = set()

    def start(
        self,
        tasks: TaskRunner,
        client: C,
        ask: Callable[[C, Cancelled], T],
        *,
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
        key: Hashable,
    ) -> None:
        """Have a client asked for something on a worker; it is closed afterwards."""
        self._at_work.add(client)

        def work(cancelled: Cancelled) -> T:
            try:
                return ask(client, cancelled)
            finally:
                client.close()

        def finish(found: T) -> None:
            self._at_work.discard(client)
            done(found)

        def fail(error: Exception) -> None:
            self._at_work.discard(client)
            failed(error)

        tasks.start(work, done=finish, failed=fail, key=key)

    def close(self) -> None:
        """End whatever is asked for at once."""
        for client in tuple(self._at_work):
            client.close()
        self._at_work.clear()
