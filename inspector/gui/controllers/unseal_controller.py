"""Opens sealed runs for a person who was asked; what is in them stays in memory."""

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.errors import InspectorError
from inspector.gui.controllers.open_controller import OpenController, Source
from inspector.gui.messages import Messages
from inspector.gui.tasks.runner import Cancelled, Task, TaskRunner

if TYPE_CHECKING:
    from inspector.trust.sealing import SealedBy, Secret

_LARGEST = 2**30


class Sealed(NamedTuple):
    """A sealed run: where it comes from, its bytes, and what opens it."""

    source: Source
    data: bytes
    by: "SealedBy"


class UnsealController(QObject):
    """Reads what is sealed, says that somebody has to be asked, and unseals it."""

    asked = Signal(object)  # Sealed
    failed = Signal(object, str, str)  # Sealed, message, hint
    opened = Signal(object)  # Sealed

    def __init__(
        self,
        opener: OpenController,
        tasks: TaskRunner,
        messages: Messages,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._opener = opener
        self._tasks = tasks
        self._messages = messages
        self._under_way: dict[Source, Task] = {}
        opener.sealed_given.connect(self._read)

    def unseal(self, sealed: Sealed, secret: "Secret") -> None:
        """Open a sealed run with what a person gave."""

        def work(cancelled: Cancelled) -> bytes:
            from inspector.trust.unsealing import unsealed_elsewhere

            return unsealed_elsewhere(sealed.data, secret, cancelled)

        def done(plain: bytes) -> None:
            self._under_way.pop(sealed.source, None)
            self._opener.open_plain(sealed.source, plain)
            self.opened.emit(sealed)

        def failed(error: Exception) -> None:
            self._under_way.pop(sealed.source, None)
            if isinstance(error, InspectorError):
                self.failed.emit(sealed, str(error), error.hint)
            else:
                self.failed.emit(sealed, "That went wrong in here.", "")
                self._messages.failed(error)

        self._under_way[sealed.source] = self._tasks.start(
            work, done=done, failed=failed, key=(self, sealed.source)
        )

    def cancel(self, sealed: Sealed) -> None:
        """Stop opening it."""
        if (task := self._under_way.pop(sealed.source, None)) is not None:
            task.cancel()

    def _read(self, source: Source) -> None:
        def work(_cancelled: Cancelled) -> Sealed:
            from inspector.trust.sealing import sealed_by

            data = _bytes_of(source)
            return Sealed(source, data, sealed_by(data))

        self._tasks.start(
            work, done=self.asked.emit, failed=self._messages.failed, key=(self, "read", source)
        )


def _bytes_of(source: Source) -> bytes:
    if source.path is None:
        return source.read() if source.read else b""
    try:
        with source.path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise InspectorError(f"Cannot read {source.title}: {error.strerror}.") from error
    if len(data) > _LARGEST:
        raise InspectorError(
            f"{source.title} is too large to be opened in memory.",
            hint="Unseal it in a terminal: run-inspector unseal",
        )
    return data
