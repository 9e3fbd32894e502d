"""An A2A agent: where it is, and what it is shown. Secrets go to the keyring or to the session."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.tasks.a2a_refresh import found_agents
from inspector.gui.tasks.runner import Cancelled, TaskRunner
from inspector.gui.widgets.labels import Words
from inspector.hayhooks.a2a.client import A2AClient
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.address import checked_url
from inspector.hayhooks.client.model import Server
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

_WIDE_LETTERS = 84
_NOTE = (
    "The address of an agent, of its card, or of a server that lists several: then all of them "
    "are added. The token and the header are shown to that server only, and kept for this session "
    "unless the keyring takes them."
)


class A2AAgentDialog(QDialog):
    """Asks the address for its card when somebody presses Add; one that is away is added too."""

    save_requested = Signal(tuple, object, bool)  # Servers, Access, whether to use the keyring

    def __init__(
        self,
        server: Server | None = None,
        known: tuple[bool, frozenset[str]] = (False, frozenset()),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Edit the agent" if server else "Add an agent")
        self._server = server
        self._tasks = TaskRunner(self)
        self._stop: Callable[[], None] | None = None
        header = server.owner_headers[0] if server and server.owner_headers else ""
        has_value = header in known[1]
        self._url = _line("url", "Address", "http://127.0.0.1:1418/my_agent/")
        self._name = _line("name", "Name", "as the agent calls itself")
        self._token = _line("token", "Token", _kept(has=known[0]), secret=True)
        self._header = _line("header", "Header that says who you are", "X-User, optional")
        self._value = _line("value", "Value of that header", _kept(has=has_value), secret=True)
        self._keep = QCheckBox("Keep the token and the header in the keyring")
        self._keep.setObjectName("keep")
        self._said = Words("", colour="secondary", wrap=True)
        self._said.setObjectName("said")
        self._save = QPushButton("Save" if server else "Add")
        self._save.setObjectName("save")
        self._save.setDefault(True)
        if server is not None:
            self._url.setText(server.url)
            self._name.setText(server.name)
            self._header.setText(header)
        self._lay_out()
        self._save.clicked.connect(self._ask)
        self.finished.connect(self._on_finished)

    @property
    def said(self) -> str:
        """What is said of how it went."""
        return self._said.text()

    def show_answer(self, problem: str) -> None:
        """Take note that it was saved, or why not."""
        if problem:
            self._say(one_line(problem), "failed")
            self._save.setEnabled(True)
        else:
            self.accept()

    def _lay_out(self) -> None:
        rows = QFormLayout()
        rows.setHorizontalSpacing(theme.GROUP_GAP_PX)
        rows.setVerticalSpacing(theme.GAP_PX)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for words, line in (
            ("Address", self._url), ("Name", self._name), ("Token", self._token),
            ("Owner header", self._header), ("Its value", self._value),
        ):  # fmt: skip
            rows.addRow(words, line)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(theme.GROUP_GAP_PX)
        layout.addLayout(rows)
        layout.addWidget(self._keep)
        layout.addWidget(Words(_NOTE, step=-1, colour="secondary", wrap=True))
        layout.addWidget(self._said)
        layout.addStretch(1)
        row = close_row(self, self._save)
        row.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        layout.addWidget(row)
        self.resize(self.fontMetrics().averageCharWidth() * _WIDE_LETTERS, self.sizeHint().height())

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
            self._say(one_line(f"{error} {error.hint}"), "failed")
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
            self._say(one_line(f"{error} {error.hint}"), "failed")
        else:
            # By its class only: what it says may hold what was to be shown to the agent.
            self._say(f"It cannot be asked ({type(error).__name__}).", "failed")

    def _say(self, words: str, colour: str) -> None:
        self._said.setText(words)
        self._said.set_colour(colour)

    def _on_finished(self) -> None:
        if self._stop is not None:
            self._stop()
        self._tasks.close()


def _kept(*, has: bool) -> str:
    return "kept; type another" if has else "optional"


def _line(name: str, spoken: str, hint: str, *, secret: bool = False) -> QLineEdit:
    line = QLineEdit()
    line.setObjectName(name)
    line.setAccessibleName(spoken)
    line.setPlaceholderText(hint)
    line.setMaxLength(4_096)
    if secret:
        line.setEchoMode(QLineEdit.EchoMode.Password)
    return line
