"""The servers a person knows: read, added, changed and removed on workers."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from inspector.errors import InspectorError
from inspector.gui.controllers.hayhooks_secrets import HayhooksSecrets
from inspector.gui.tasks import hayhooks_servers
from inspector.gui.tasks.runner import TaskRunner

if TYPE_CHECKING:
    from inspector.hayhooks.client.access import Access
    from inspector.hayhooks.client.model import Server

    Work = Callable[[Path | None], tuple[Server, ...]]
    Said = Callable[[str], None]


class HayhooksBook(QObject):
    """Keeps servers in their file, and what they are shown with the secrets of the session."""

    changed = Signal(tuple)  # all servers, as they are now
    saved = Signal(str)  # the name of one that was added or changed
    failed = Signal(object)  # Exception

    def __init__(
        self, secrets: HayhooksSecrets, file: Path | None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._secrets = secrets
        self._file = file
        self._tasks: TaskRunner | None = None

    def read(self, tasks: TaskRunner) -> None:
        """Read who is known; everything else is done by the same workers."""
        self._tasks = tasks
        self._start(hayhooks_servers.read, self.changed.emit, self.failed.emit)

    def close(self) -> None:
        """Do nothing more: its workers end."""
        self._tasks = None

    def add(self, server: "Server", access: "Access", said: "Said") -> None:
        """Add a server; `said` hears an empty word, or why not."""
        self._save(lambda file: hayhooks_servers.added(server, file), server, access, said)

    def change(self, name: str, server: "Server", access: "Access", said: "Said") -> None:
        """Keep a server under another name, or with other addresses."""
        self._save(lambda file: hayhooks_servers.changed(name, server, file), server, access, said)

    def keep(self, server: "Server", access: "Access", said: "Said") -> None:
        """Put what is shown to a server into the keyring; `said` hears why that failed, if so."""
        from inspector.hayhooks.client.access import keep_in_keyring

        def failed(error: Exception) -> None:
            # By its class only: what it says may hold what was to be kept.
            said(f"It cannot be asked ({type(error).__name__}).")

        if self._tasks is not None:
            self._tasks.start(
                lambda cancelled: keep_in_keyring(server, access, cancelled=cancelled),
                done=said, failed=failed, key=object(),
            )  # fmt: skip

    def remove(self, server: "Server") -> None:
        """Forget a server, and what it was shown."""
        self._secrets.forget(server)
        self._start(
            lambda file: hayhooks_servers.removed(server.name, file),
            self.changed.emit,
            self.failed.emit,
        )

    def _save(self, work: "Work", server: "Server", access: "Access", said: "Said") -> None:
        def done(servers: "tuple[Server, ...]") -> None:
            self._secrets.give(server, access)
            self.changed.emit(servers)
            self.saved.emit(server.name)
            said("")

        def failed(error: Exception) -> None:
            if isinstance(error, InspectorError):
                said(f"{error} {error.hint}".strip())
            else:
                self.failed.emit(error)

        self._start(work, done, failed)

    def _start(
        self,
        work: "Work",
        done: "Callable[[tuple[Server, ...]], None]",
        failed: Callable[[Exception], None],
    ) -> None:
        file = self._file
        if self._tasks is not None:
            self._tasks.start(lambda _cancelled: work(file), done=done, failed=failed, key=object())
