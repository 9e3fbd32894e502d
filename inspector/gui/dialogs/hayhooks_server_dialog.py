"""A server: where it is, and what it is shown. Secrets go to the keyring or to the session."""

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
from inspector.gui.tasks.runner import Cancelled, TaskRunner
from inspector.gui.widgets.labels import Words
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.model import Server, ServerStatus
from inspector.presentation.execution_words import SERVER_LOOKS
from inspector.presentation.visible import one_line
from inspector.presentation.words import plural

if TYPE_CHECKING:
    from collections.abc import Callable

_WIDE_LETTERS = 84
_MOST_HEADERS = 8
_NOTE = (
    "The token lists executions and is shown to nobody else; owner headers say whose executions "
    "are meant. What is typed is kept for this session only, unless the keyring takes it."
)


class HayhooksServerDialog(QDialog):
    """Asks the server only when somebody presses Test."""

    save_requested = Signal(object, object, bool)  # Server, Access, whether to use the keyring

    def __init__(
        self,
        server: Server | None = None,
        known: tuple[bool, frozenset[str]] = (False, frozenset()),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Edit the server" if server else "Add a server")
        self._known = known
        self._tasks = TaskRunner(self)
        self._stop: Callable[[], None] | None = None
        self._name = _line("name", "Name", "staging")
        self._url = _line("url", "Address", "http://127.0.0.1:1416")
        self._replicas = _line("replicas", "Further addresses on the same store", "optional")
        self._token = _line("token", "Operator token", _kept(has=known[0]), secret=True)
        self._headers = _line("headers", "Owner headers", "X-User, X-Team: names, optional")
        self._redis = _line("redis", "Redis address", "redis://localhost:6379/0, optional")
        self._owners: dict[str, QLineEdit] = {}
        self._owner_rows = QFormLayout()
        self._keep = QCheckBox("Keep the token and the owner in the keyring")
        self._keep.setObjectName("keep")
        self._said = Words("", colour="secondary", wrap=True)
        self._said.setObjectName("said")
        self._test = QPushButton("Test")
        self._test.setObjectName("test")
        self._test.setAutoDefault(False)
        self._save = QPushButton("Save" if server else "Add")
        self._save.setObjectName("save")
        self._save.setDefault(True)
        self._lay_out()
        self._headers.textChanged.connect(self._show_owners)
        self._test.clicked.connect(self._ask)
        self._save.clicked.connect(self._ask_to_save)
        self.finished.connect(self._on_finished)
        if server is not None:
            self._name.setText(server.name)
            self._url.setText(server.url)
            self._replicas.setText(", ".join(server.replicas))
            self._headers.setText(", ".join(server.owner_headers))
            self._redis.setText(server.redis_url or "")
        self._show_owners()

    @property
    def said(self) -> str:
        """What is said of how it went."""
        return self._said.text()

    def show_answer(self, problem: str) -> None:
        """Take note that it was saved, or why not."""
        if problem:
            self._say(problem, "failed")
            self._save.setEnabled(True)
        else:
            self.accept()

    def _lay_out(self) -> None:
        rows = QFormLayout()
        rows.setHorizontalSpacing(theme.GROUP_GAP_PX)
        rows.setVerticalSpacing(theme.GAP_PX)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for words, line in (
            ("Name", self._name), ("Address", self._url), ("Replicas", self._replicas),
            ("Redis", self._redis), ("Operator token", self._token),
            ("Owner headers", self._headers),
        ):  # fmt: skip
            rows.addRow(words, line)
        self._owner_rows.setHorizontalSpacing(theme.GROUP_GAP_PX)
        self._owner_rows.setVerticalSpacing(theme.GAP_PX)
        rows.addRow(self._owner_rows)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(theme.GROUP_GAP_PX)
        layout.addLayout(rows)
        layout.addWidget(self._keep)
        layout.addWidget(Words(_NOTE, step=-1, colour="secondary", wrap=True))
        layout.addWidget(self._said)
        layout.addStretch(1)
        row = close_row(self, self._save, self._test)
        row.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        layout.addWidget(row)
        self.resize(self.fontMetrics().averageCharWidth() * _WIDE_LETTERS, self.sizeHint().height())

    def _show_owners(self) -> None:
        """Ask for a value for each header that is named."""
        wanted = _names(self._headers.text())[:_MOST_HEADERS]
        kept = {name: line.text() for name, line in self._owners.items()}
        if list(self._owners) == wanted:
            return
        while self._owner_rows.rowCount():
            self._owner_rows.removeRow(0)
        self._owners.clear()
        for name in wanted:
            line = _line(
                "owner", f"Value of {name}", _kept(has=name in self._known[1]), secret=True
            )
            line.setText(kept.get(name, ""))
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
            self._say(one_line(f"{error} {error.hint}"), "failed")
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
        # By its class only: what it says may hold what was to be shown to the server.
        self._test.setEnabled(True)
        self._say(f"It cannot be asked ({type(error).__name__}).", "failed")

    def _ask_to_save(self) -> None:
        given = self._given()
        if given is not None:
            self._save.setEnabled(False)
            self.save_requested.emit(*given, self._keep.isChecked())

    def _say(self, words: str, colour: str) -> None:
        self._said.setText(words)
        self._said.set_colour(colour)

    def _on_finished(self) -> None:
        if self._stop is not None:
            self._stop()
        self._tasks.close()


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
