"""An answer that goes on, read on a thread of its own: who watches it does other things too."""

from __future__ import annotations

import queue
import threading
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING

from inspector.hayhooks.client.wire import hang_up

if TYPE_CHECKING:
    import socket

_BLOCK = 64 * 1024
_MOST_WAITING = 256  # pieces that nobody took yet; then the server has to wait
_TICK_S = 0.2


class Line:
    """Pieces of an answer as they come. `hang_up` may come from any thread.

    Args:
        response: Whose body it is.
        sock: That it comes by.

    """

    def __init__(self, response: HTTPResponse, sock: socket.socket) -> None:
        self._response = response
        self._socket = sock
        self._pieces: queue.Queue[bytes | None] = queue.Queue(_MOST_WAITING)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read, name="hayhooks-stream", daemon=True)
        self._thread.start()

    def next(self, wait_s: float) -> bytes | None:
        """Return what came next; empty when nothing did in time, None when it ended."""
        try:
            return self._pieces.get(timeout=wait_s)
        except queue.Empty:
            return b""

    def hang_up(self) -> None:
        """Read no more, and wait for the thread."""
        self._ended.set()
        hang_up(self._socket)
        self._thread.join()

    def _read(self) -> None:
        piece: bytes | None = b""
        while piece is not None and not self._ended.is_set():
            try:
                piece = self._response.read1(_BLOCK) or None
            except (OSError, HTTPException, ValueError):
                piece = None
            self._put(piece)

    def _put(self, piece: bytes | None) -> None:
        while not self._ended.is_set():
            try:
                self._pieces.put(piece, timeout=_TICK_S)
            except queue.Full:
                continue
            return
