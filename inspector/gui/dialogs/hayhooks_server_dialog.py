"""A server: where it is, and what it is shown. Secrets go to the keyring or to the session."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QPushButton, QWidget

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.served_server_dialog import (
    ServedServerDialog,
    dress_rows,
    kept,
    typed,
)
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.widgets.labels import Words
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.model import Server, ServerStatus
from inspector.presentation.execution_words import SERVER_LOOKS
from inspector.presentation.visible import one_line
from inspector.presentation.words import plural

_MOST_HEADERS = 8
_NOTE = (
    "The token lists executions and is shown to nobody else; owner headers say whose executions "
    "are meant. What is typed is kept for this session only, unless the keyring takes it."
)


class HayhooksServerDialog(ServedServerDialog):
    """Asks the server only when somebody presses Test."""

    save_requested = Signal(object, object, bool)  # Server, Access, whether to use the keyring

    def __init__(
        self,
        server: Server | None = None,
        known: tuple[bool, frozenset[str]] = (False, frozenset()),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(
            "Edit the server" if server else "Add a server",
            "Save" if server else "Add",
            keep="Keep the token and the owner in the keyring",
            note=_NOTE,
            parent=parent,
        )
        self._known = known
        self._name = typed("name", "Name", "staging")
        self._url = typed("url", "Address", "http://127.0.0.1:1416")
        self._replicas = typed("replicas", "Further addresses on the same store", "optional")
        self._token = typed("token", "Operator token", kept(has=known[0]), secret=True)
        self._headers = typed("headers", "Owner headers", "X-User, X-Team: names, optional")
        self._redis = typed("redis", "Redis address", "redis://localhost:6379/0, optional")
        self._owners: dict[str, QLineEdit] = {}
        self._owner_rows = QFormLayout()
        self._test = QPushButton("Test")
        self._test.setObjectName("test")
        self._test.setAutoDefault(False)
        dress_rows(self._owner_rows)
        self._lay_out(
            (
                ("Name", self._name), ("Address", self._url), ("Replicas", self._replicas),
                ("Redis", self._redis), ("Operator token", self._token),
                ("Owner headers", self._headers),
            ),
            self._test,
            more=self._owner_rows,
        )  # fmt: skip
        self._headers.textChanged.connect(self._show_owners)
        self._test.clicked.connect(self._ask)
        self._save.clicked.connect(self._ask_to_save)
        if server is not None:
            self._name.setText(server.name)
            self._url.setText(server.url)
            self._replicas.setText(", ".join(server.replicas))
            self._headers.setText(", ".join(server.owner_headers))
            self._redis.setText(server.redis_url or "")
        self._show_owners()

    def _show_owners(self) -> None:
        """Ask for a value for each header that is named."""
        wanted = _names(self._headers.text())[:_MOST_HEADERS]
        before = {name: line.text() for name, line in self._owners.items()}
        if list(self._owners) == wanted:
            return
        while self._owner_rows.rowCount():
            self._owner_rows.removeRow(0)
        self._owners.clear()
        for name in wanted:
            line = typed("owner", f"Value of {name}", kept(has=name in self._known[1]), secret=True)
            line.setText(before.get(name, ""))
            label = Words(one_line(name), parent=self)
            label.setFont(theme.monospace(-1))
            self._owner_rows.addRow(label, line)
            self._owners[name] = line

    def _given(self) -> tuple[Server, Access] | None:
        from inspector.hayhooks.client.servers import checked_server

        try:
            server = checked_server(
                Server(
                    self._name.text() or self._url.text(),
                    self._url.text(),
                    tuple(_names(self._replicas.text())),
                    tuple(_names(self._headers.text())),
                    self._redis.text().strip() or None,
                )
            )
            owner = {name: line.text() for name, line in self._owners.items() if line.text()}
            return server, Access(self._token.text().strip() or None, owner)
        except InspectorError as error:
            self._say_error(error)
            return None

    def _ask(self) -> None:
        given = self._given()
        if given is None:
            return
        from inspector.hayhooks.client.client import HayhooksClient

        client = HayhooksClient(*given)
        self._stop = client.close

        def work(_cancelled: Cancelled) -> tuple[ServerStatus, str]:
            try:
                return client.status(), _list_problem(client)
            finally:
                client.close()

        self._test.setEnabled(False)
        self._say("Asking…", "secondary")
        self._tasks.start(work, done=self._on_answer, failed=self._on_failed, key="test")

    def _on_answer(self, answer: tuple[ServerStatus, str]) -> None:
        status, problem = answer
        self._test.setEnabled(True)
        look = SERVER_LOOKS[status.state]
        durable = sum(each.is_durable for each in status.deployments)
        words = one_line(status.message)
        if status.state in ("up", "degraded"):
            words = f"It is {look.word}: {plural(durable, 'durable deployment')}. {words} {problem}"
        colour = "same" if status.state == "up" and not problem else "changed"
        self._say(one_line(words), "failed" if status.state == "down" else colour)

    def _on_failed(self, error: Exception) -> None:
        self._test.setEnabled(True)
        self._say_bug(error)

    def _ask_to_save(self) -> None:
        given = self._given()
        if given is not None:
            self._save.setEnabled(False)
            self.save_requested.emit(*given, self._keep.isChecked())


def _list_problem(client: object) -> str:
    """Return why executions could not be listed, from the first deployment that has a list."""
    from inspector.hayhooks.client.client import HayhooksClient
    from inspector.hayhooks.client.model import HayhooksError

    assert isinstance(client, HayhooksClient)
    try:
        for deployment in client.deployments():
            if deployment.is_durable and deployment.is_listed:
                client.page(deployment.name, limit=1)
                break
    except HayhooksError as error:
        return f"{error} {error.hint}".strip()
    return ""


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(each for each in text.replace(",", " ").split() if each))
