"""An event loop on a thread of its own, for those who have none."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


class LoopClosedError(Exception):
    """The loop was closed while somebody waited for it."""


class LoopThread:
    """Runs coroutines for other threads until it is closed."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        # A daemon: whoever forgets to close it can still end the program.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def ask(self, coroutine: Coroutine[Any, Any, T], timeout_s: float | None = None) -> T:
        """Run `coroutine` there and wait for what it returns, or raises.

        Raises:
            TimeoutError: It took longer than `timeout_s`; it was cancelled.
            LoopClosedError: This was closed before it was done.

        """
        try:
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        except RuntimeError as error:
            coroutine.close()
            raise LoopClosedError from error
        try:
            return future.result(timeout_s)
        except TimeoutError:
            future.cancel()
            raise
        except CancelledError as error:
            raise LoopClosedError from error

    def close(self) -> None:
        """Cancel what runs and end the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            # What was asked in the last moment becomes a task only while the others end.
            while left := asyncio.all_tasks(self._loop):
                for task in left:
                    task.cancel()
                self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()
