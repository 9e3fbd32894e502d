"""A server that answers with whatever bytes a test wants, and remembers what it was asked."""

import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, NamedTuple, Self


class Asked(NamedTuple):
    """A request. Names of headers are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


Answer = Callable[[Asked, socket.socket], bytes | None]


class RawServer:
    """Hands each request to `answer`, sends what that returns, and hangs up.

    `answer` runs on a thread of its own for each connection; it may send by itself, in pieces.
    """

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._lines: list[socket.socket] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        self._accepting.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for line in self._lines:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        for thread in self._threads:
            thread.join()

    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    def _accept(self) -> None:
        while True:
            try:
                line, _whence = self._listener.accept()
            except OSError:
                return
            self._lines.append(line)
            thread = threading.Thread(target=self._serve, args=(line,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, line: socket.socket) -> None:
        with line, suppress(OSError):
            asked = _read(line)
            if asked is None:
                return
            self.asked.append(asked)
            if (said := self.answer(asked, line)) is not None:
                line.sendall(said)


def reply(
    tree: Any = None, *, status: str = "200 OK", headers: str = "", body: bytes = b""
) -> bytes:
    """Return an answer with JSON, or with a body as it is."""
    body = body or json.dumps(tree).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return f"{head}Connection: close\r\n{headers}\r\n".encode() + body


def stream_head(kind: str = "text/event-stream") -> bytes:
    """Return the beginning of a stream that ends with its connection."""
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode()


def event(kind: str, tree: Any, *, number: str = "") -> bytes:
    """Return an event as Hayhooks sends it."""
    first = f"id: {number}\n" if number else ""
    return f"{first}event: {kind}\ndata: {json.dumps(tree)}\n\n".encode()


def execution(number: str = "e1", **fields: Any) -> dict[str, Any]:
    """Return an execution as Hayhooks tells it."""
    return {
        "execution_id": number, "status": "running", "attempt": 1, "sequence": 2, "progress": [],
        "result": None, "error": None, "waiting": None, "cancellation_requested_at": None,
        "created_at": "2026-01-02T03:04:05.678000Z", "updated_at": "2026-01-02T03:04:06Z",
        "links": {}, **fields,
    }  # fmt: skip


def _read(line: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = line.recv(65_536)
        if not piece:
            return None
        data += piece
    head, _blank, body = data.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    method, path, _version = first.split(" ", 2)
    headers = {
        name.lower(): value.strip() for name, _colon, value in (one.partition(":") for one in rest)
    }
    while len(body) < int(headers.get("content-length", 0)):
        body += line.recv(65_536)
    return Asked(method, path, headers, body)
