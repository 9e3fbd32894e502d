"""An A2A agent: where it is, and what it is shown. Secrets go to the keyring or to the session."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from inspector.errors import InspectorError
from inspector.gui.dialogs.served_server_dialog import ServedServerDialog, kept, typed
from inspector.gui.tasks.a2a_refresh import found_agents
from inspector.gui.tasks.runner import Cancelled
from inspector.hayhooks.a2a.client import A2AClient
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.address import checked_url
from inspector.hayhooks.client.model import Server

_NOTE = (
    "The address of an agent, of its card, or of a server that lists several: then all of them "
    "are added. The token and the header are shown to that server only, and kept for this session "
    "unless the keyring takes them."
)


class A2AAgentDialog(ServedServerDialog):
    """Asks the address for its card when somebody presses Add; one that is away is added too."""

    save_requested = Signal(tuple, object, bool)  # Servers, Access, whether to use the keyring

    def __init__(
        self,
        server: Server | None = None,
        known: tuple[bool, frozenset[str]] = (False, frozenset()),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(
            "Edit the agent" if server else "Add an agent",
            "Save" if server else "Add",
            keep="Keep the token and the header in the keyring",
            note=_NOTE,
            parent=parent,
        )
        self._server = server
        header = server.owner_headers[0] if server and server.owner_headers else ""
        has_value = header in known[1]
        self._url = typed("url", "Address", "http://127.0.0.1:1418/my_agent/")
        self._name = typed("name", "Name", "as the agent calls itself")
        self._token = typed("token", "Token", kept(has=known[0]), secret=True)
        self._header = typed("header", "Header that says who you are", "X-User, optional")
        self._value = typed("value", "Value of that header", kept(has=has_value), secret=True)
        if server is not None:
            self._url.setText(server.url)
            self._name.setText(server.name)
            self._header.setText(header)
        self._lay_out(
            (
                ("Address", self._url), ("Name", self._name), ("Token", self._token),
                ("Owner header", self._header), ("Its value", self._value),
            )
        )  # fmt: skip
        self._save.clicked.connect(self._ask)

    def _given(self) -> tuple[Server, Access]:
        header, value = self._header.text().strip(), self._value.text()
        others = self._server.owner_headers[1:] if self._server is not None else ()
        headers = (header, *others) if header else others
        server = Server(
            self._name.text().strip(), checked_url(self._url.text()), owner_headers=headers
        )
        owner = {header: value} if header and value else {}
        return server, Access(self._token.text().strip() or None, owner)

    def _ask(self) -> None:
        try:
            server, access = self._given()
            client = A2AClient(server.url, access)
        except InspectorError as error:
            self._say_error(error)
            return
        keep = self._keep.isChecked()
        self._save.setEnabled(False)
        if self._server is not None:
            client.close()
            self.save_requested.emit((server,), access, keep)
            return
        self._stop = client.close

        def work(_cancelled: Cancelled) -> tuple[Server, ...]:
            try:
                return found_agents(client, server, access)
            finally:
                client.close()

        self._say("Asking for the card…", "secondary")
        self._tasks.start(
            work,
            done=lambda servers: self.save_requested.emit(servers, access, keep),
            failed=self._on_failed,
            key="add",
        )

    def _on_failed(self, error: Exception) -> None:
        self._save.setEnabled(True)
        if isinstance(error, InspectorError):
            self._say_error(error)
        else:
            self._say_bug(error)
