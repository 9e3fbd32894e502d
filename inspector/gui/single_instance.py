"""Lets a second launch hand its files to the window that is already there."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

_CONNECT_MS = 300
_LONGEST_MESSAGE = 256 * 1024
_LONGEST_SOCKET_PATH = 100  # the system allows little more


def server_name(state_folder: Path) -> str:
    """Return where the window listens: a place that only this person can write to.

    A name in the shared temporary folder could be taken by somebody else, who
    would then be told what we open. Empty where no such place can be used.
    """
    if sys.platform == "win32":
        return f"run-inspector-{state_folder.as_posix().replace('/', '-')}"
    path = str(state_folder / "window.socket")
    return path if len(path.encode()) <= _LONGEST_SOCKET_PATH else ""


def may_be_running(name: str) -> bool:
    """Say whether asking is worth while, without loading Qt's network library."""
    # Elsewhere than on Windows a local socket is a file: no file, no window.
    return bool(name) and (sys.platform == "win32" or Path(name).exists())


def hand_over(
    name: str,
    paths: Sequence[Path],
    at: str | None,
    field: str | None = None,
    *,
    compare: bool = False,
) -> bool:
    """Ask a running window to open files, or to compare two; say whether one took them."""
    from PySide6.QtNetwork import QLocalSocket

    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(_CONNECT_MS):
        return False
    message = {
        "paths": [str(path.absolute()) for path in paths],
        "at": at,
        "field": field,
        "compare": compare,
    }
    socket.write(json.dumps(message).encode() + b"\n")
    # The answer tells a living window from a socket that a dead one left behind.
    taken = socket.waitForBytesWritten(_CONNECT_MS) and socket.waitForReadyRead(_CONNECT_MS)
    socket.disconnectFromServer()
    return bool(taken)


class Doorbell(QObject):
    """Listens for later launches of the same person."""

    # list[Path], a span or None, a field or None, whether two files are to be compared
    rung = Signal(list, object, object, bool)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        from PySide6.QtNetwork import QLocalServer

        self._name = name
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def listen(self) -> bool:
        """Begin to listen; another living window keeps the name."""
        from PySide6.QtNetwork import QLocalServer

        if self._server.listen(self._name):
            return True
        if hand_over(self._name, (), None):
            return False
        QLocalServer.removeServer(self._name)  # a window that died left it behind
        return self._server.listen(self._name)

    def close(self) -> None:
        self._server.close()

    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            received = bytearray()
            socket.setReadBufferSize(_LONGEST_MESSAGE)

            def read(socket: object = socket, received: bytearray = received) -> None:
                self._on_bytes(socket, received)

            socket.readyRead.connect(read)
            socket.disconnected.connect(socket.deleteLater)
            read()

    def _on_bytes(self, socket: object, received: bytearray) -> None:
        from PySide6.QtNetwork import QLocalSocket

        assert isinstance(socket, QLocalSocket)
        received += socket.readAll().data()
        if len(received) > _LONGEST_MESSAGE:
            socket.abort()
        elif received.endswith(b"\n"):
            message = _message(bytes(received))
            received.clear()
            if message is None:
                socket.abort()
                return
            socket.write(b"ok\n")
            socket.flush()
            if message[0]:
                self.rung.emit(*message)


def _message(line: bytes) -> tuple[list[Path], str | None, str | None, bool] | None:
    try:
        told = json.loads(line)
        paths = [Path(path) for path in told["paths"] if isinstance(path, str)]
        where = [told.get(name) for name in ("at", "field")]
        compare = told.get("compare") is True and len(paths) == 2
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    at, field = (one if isinstance(one, str) else None for one in where)
    return paths, at, field, compare
