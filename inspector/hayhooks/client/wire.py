"""One address of a server, asked over HTTP: no redirect is followed, no answer grows for ever."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, NamedTuple

from inspector.hayhooks.client.address import address_of
from inspector.hayhooks.client.model import HayhooksError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MIB = 2**20
_LARGEST_ANSWER = 32 * _MIB
_BLOCK = 64 * 1024
_CONNECT_S = 5.0
_ALL_S = 120.0  # for an answer as a whole, however it trickles
_KEPT_S = 3.0  # servers let go of an idle connection after five seconds
_MOST_KEPT = 4


class Answer(NamedTuple):
    """What came back. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    data: bytes
    url: str


class Wire:
    """Asks one address. Any thread may; `close` ends what the others wait for.

    Args:
        url: The address.
        timeout_s: How long to wait for each part of an answer.

    """

    def __init__(self, url: str, timeout_s: float) -> None:
        self.url = url
        self._address = address_of(url)
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._kept: list[tuple[float, HTTPConnection]] = []
        self._busy: set[socket.socket] = set()
        self._closed = False

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        *,
        timeout_s: float | None = None,
    ) -> Answer:
        """Send a request and return what was answered, whatever its status.

        Raises:
            HayhooksError: Nothing came, or too much.

        """
        # Whoever keeps a connection may find it let go of; then only what may be asked twice is.
        kept = self._take() if method == "GET" else None
        if kept is not None:
            try:
                return self._asked(kept, method, path, headers, body, timeout_s)
            except HayhooksError as error:
                if error.kind != "down" or isinstance(error.__cause__, TimeoutError):
                    raise
        return self._asked(self._connected(), method, path, headers, body, timeout_s)

    @contextmanager
    def opened(
        self, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> Iterator[tuple[HTTPResponse, socket.socket]]:
        """Ask for what goes on; yield the answer before its body, and the socket it comes by.

        With a body it is a POST.

        Raises:
            HayhooksError: Nothing came.

        """
        connection = self._connected()
        with self._in_use(connection) as line:
            method = "GET" if body is None else "POST"
            response = self._sent(connection, method, path, headers, body)
            try:
                yield response, line
            finally:
                response.close()
                connection.close()

    def read_all(self, response: HTTPResponse) -> bytes:
        """Return the body of an answer.

        Raises:
            HayhooksError: It is too large, or was cut off.

        """
        pieces, left = [], _LARGEST_ANSWER
        until = time.monotonic() + _ALL_S
        while True:
            try:
                piece = response.read1(min(_BLOCK, left + 1))
            except (OSError, HTTPException, ValueError) as error:
                raise self._down(error) from error
            if not piece:
                break
            left -= len(piece)
            if left < 0:
                raise HayhooksError(
                    f"{self.name} answered with more than {_LARGEST_ANSWER // _MIB} MiB.",
                    kind="odd",
                )
            if time.monotonic() > until:
                raise HayhooksError(f"{self.name} takes too long to answer.", kind="down")
            pieces.append(piece)
        if response.length:  # it said more would come
            raise HayhooksError(f"{self.name} was cut off in mid-answer.", kind="down")
        return b"".join(pieces)

    @property
    def name(self) -> str:
        """What it is called in sentences."""
        return f"{self._address.host}:{self._address.port}"

    def close(self) -> None:
        """Let go of everything; who waits for an answer is told at once."""
        with self._lock:
            self._closed = True
            kept, self._kept = self._kept, []
            busy = list(self._busy)
        for _since, connection in kept:
            connection.close()
        for line in busy:
            hang_up(line)

    def _asked(
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None,
        timeout_s: float | None,
    ) -> Answer:
        with self._in_use(connection) as line:
            line.settimeout(timeout_s or self._timeout_s)
            try:
                response = self._sent(connection, method, path, headers, body)
                with response:
                    data = self.read_all(response)
            except BaseException:
                connection.close()
                raise
        told = {key.lower(): value for key, value in response.headers.items()}
        self._keep(connection)
        return Answer(response.status, told, data, self.url)

    def _sent(
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None,
    ) -> HTTPResponse:
        said = {"Accept": "application/json", "User-Agent": "run-inspector", **headers}
        if body is not None:
            said["Content-Type"] = "application/json"
        try:
            connection.request(method, self._address.path + path, body, said)
            return connection.getresponse()
        except (OSError, HTTPException, ValueError) as error:
            connection.close()
            raise self._down(error) from error

    def _connected(self) -> HTTPConnection:
        host, port = self._address.host, self._address.port
        connection: HTTPConnection
        if self._address.scheme == "https":
            import ssl

            trusted = ssl.create_default_context()
            connection = HTTPSConnection(host, port, timeout=_CONNECT_S, context=trusted)
        else:
            connection = HTTPConnection(host, port, timeout=_CONNECT_S)
        if self._closed:
            raise stopped()
        try:
            connection.connect()
        except (OSError, HTTPException, ValueError) as error:
            problem = self._down(error)
            problem.was_not_sent = True
            raise problem from error
        return connection

    @contextmanager
    def _in_use(self, connection: HTTPConnection) -> Iterator[socket.socket]:
        line: socket.socket = connection.sock
        line.settimeout(self._timeout_s)
        with self._lock:
            closed = self._closed
            self._busy.add(line)
        try:
            if closed:
                connection.close()
                raise stopped()
            yield line
        finally:
            with self._lock:
                self._busy.discard(line)

    def _take(self) -> HTTPConnection | None:
        oldest = time.monotonic() - _KEPT_S
        with self._lock:
            stale = [kept for since, kept in self._kept if since < oldest]
            self._kept = [entry for entry in self._kept if entry[0] >= oldest]
            found = self._kept.pop()[1] if self._kept else None
        for connection in stale:
            connection.close()
        return found

    def _keep(self, connection: HTTPConnection) -> None:
        with self._lock:
            room = not self._closed and len(self._kept) < _MOST_KEPT
            if room and connection.sock is not None:
                self._kept.append((time.monotonic(), connection))
                return
        connection.close()

    def _down(self, reason: BaseException) -> HayhooksError:
        import ssl

        if self._closed:
            return stopped()
        if isinstance(reason, ssl.SSLCertVerificationError):
            return HayhooksError(
                f"The certificate of {self.name} is not trusted: {reason.verify_message}.",
                kind="down",
                hint="Set SSL_CERT_FILE where your network has a certificate of its own.",
            )
        if isinstance(reason, socket.gaierror):
            return HayhooksError(
                f"{self.name} cannot be found.", kind="down", hint="Is its name right?"
            )
        if isinstance(reason, TimeoutError):
            return HayhooksError(f"{self.name} does not answer in time.", kind="down")
        if isinstance(reason, ConnectionRefusedError):
            return HayhooksError(
                f"Nobody answers at {self.name}.", kind="down", hint="Is the server running there?"
            )
        words = getattr(reason, "strerror", None) or type(reason).__name__
        return HayhooksError(f"{self.name} cannot be reached: {words}.", kind="down")


def stopped() -> HayhooksError:
    """Return the error of those whose client was closed."""
    return HayhooksError("Asking was stopped.", kind="stopped")


def hang_up(line: socket.socket) -> None:
    """End a connection that another thread waits on."""
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
