"""Asks for a link to GitHub, shows the runs that are there, and which of them to open."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.dialogs.replay_dialog_keys import KeysSection
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.tick_list import TickList
from inspector.presentation.offered import offer_row
from inspector.presentation.visible import one_line
from inspector.presentation.words import plural
from inspector.replay.keys import SessionKeys

if TYPE_CHECKING:
    from inspector.sources.offers import Listing, Offer

_WIDE_CHARACTERS, _HIGH_LINES = 96, 30
_MARGIN_PX = 20
_MOST_NOTES = 5
_BEFORE = "An issue, a pull request, a comment or a gist. Nothing is asked before you press Look."


class FetchDialog(QDialog):
    """Asks for nothing by itself: each step is a button."""

    look_requested = Signal(str, str, object)  # link, address of the GitHub, tokens by variable
    open_requested = Signal(object)  # the chosen offers
    cancel_requested = Signal()

    def __init__(self, keys: SessionKeys, address: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Open from GitHub")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._tasks = TaskRunner(self)
        self._offers: tuple[Offer, ...] = ()
        self._ticked: set[str] = set()
        self._link = QLineEdit()
        self._link.setObjectName("link")
        self._link.setAccessibleName("Link to GitHub")
        self._link.setPlaceholderText("https://github.com/owner/repo/issues/7")
        self._link.setMaxLength(4_096)
        self._look = QPushButton("Look")
        self._look.setObjectName("look")
        self._address = QLineEdit(address)
        self._address.setObjectName("address")
        self._address.setAccessibleName("GitHub address")
        self._address.setPlaceholderText("https://github.com")
        self._keys = KeysSection(
            keys,
            self._tasks,
            title="Token, for what is private",
            note="What is typed is shown to that GitHub only, and forgotten with the window.",
        )
        self._more = QPushButton("Server and token…")
        self._more.setObjectName("more")
        self._more.setCheckable(True)
        self._more.setAutoDefault(False)
        self._said = Words(_BEFORE, colour="secondary", wrap=True)
        self._said.setObjectName("said")
        self._bar = QProgressBar()
        self._bar.setRange(0, 1_000)
        self._bar.setTextVisible(False)
        self._cancel = QPushButton("Cancel")
        self._cancel.setObjectName("cancel")
        self._cancel.setAutoDefault(False)
        self._list = TickList("Runs on GitHub")
        self._notes = Words("", step=-1, colour="secondary", wrap=True)
        self._notes.setObjectName("notes")
        self._open = QPushButton("Open")
        self._open.setObjectName("open")
        self._lay_out()
        self._extra.hide()
        self._more.toggled.connect(self._on_more)
        self._more.setChecked(bool(address))
        self._link.textChanged.connect(self._on_link)
        self._address.textChanged.connect(self._show_names)
        self._look.clicked.connect(self._ask)
        self._cancel.clicked.connect(self._stop)
        self._list.rows.ticked.connect(self._on_ticked)
        self._open.clicked.connect(self._ask_to_open)
        self.finished.connect(self._on_finished)
        self._show_names()
        self._rest()

    def show_link(self, link: str, address: str) -> None:
        """Put a link and its GitHub there; it is looked at when somebody presses Look."""
        self._address.setText(address)
        self._link.setText(link)
        self._look.setFocus()

    def show_listing(self, listing: "Listing") -> None:
        """Show what there is."""
        self._rest()
        self._offers = listing.offers
        # One run is what somebody came for; of several they choose.
        self._ticked = {"0"} if len(listing.offers) == 1 else set()
        found = plural(len(listing.offers), "run") if listing.offers else "no run"
        self._say(f"{one_line(listing.title)}: {found}.", "text")
        notes = [one_line(words) for words in listing.notes]
        more = len(notes) - _MOST_NOTES
        shown = [*notes[:_MOST_NOTES], f"And {more} more."] if more > 0 else notes
        self._notes.setText("\n".join(shown))
        self._notes.setVisible(bool(shown))
        self._show_rows()
        if listing.offers:
            self._open.setDefault(True)
            self._list.setFocus()

    def show_failure(self, message: str, hint: str) -> None:
        """Say why nothing came."""
        self._rest()
        self._say(f"{one_line(message)} {one_line(hint)}".strip(), "failed")

    def move_to(self, fraction: float) -> None:
        """Show how far it is."""
        self._bar.setValue(round(1_000 * fraction))

    def show_waiting(self, words: str) -> None:
        """Say that something is under way, with a way to stop it."""
        self._say(words, "secondary")
        self._bar.setValue(0)
        self._bar.show()
        self._cancel.show()
        for widget in (self._look, self._open, self._link, self._address):
            widget.setEnabled(False)

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(theme.GAP_PX)
        first.addWidget(self._link, 1)
        first.addWidget(self._look)
        self._extra = QWidget()
        extra = QVBoxLayout(self._extra)
        extra.setContentsMargins(0, 0, 0, 0)
        extra.setSpacing(theme.GROUP_GAP_PX)
        form = QFormLayout()
        form.addRow("GitHub address", self._address)
        extra.addLayout(form)
        extra.addWidget(self._keys)
        waiting = QHBoxLayout()
        waiting.setSpacing(theme.GAP_PX)
        waiting.addWidget(self._bar, 1)
        waiting.addWidget(self._cancel)
        buttons = close_row(self, self._open)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        foot = QHBoxLayout()
        foot.addWidget(self._more)
        foot.addStretch(1)
        foot.addWidget(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, 16)
        layout.setSpacing(theme.GROUP_GAP_PX)
        layout.addLayout(first)
        layout.addWidget(self._said)
        layout.addLayout(waiting)
        layout.addWidget(self._list, 1)
        layout.addWidget(self._notes)
        layout.addWidget(self._extra)
        layout.addLayout(foot)
        self._notes.hide()
        there = self.screen().availableGeometry().size()
        metrics = self.fontMetrics()
        self.resize(
            min(metrics.averageCharWidth() * _WIDE_CHARACTERS, there.width() - 40),
            min(metrics.lineSpacing() * _HIGH_LINES, there.height() - 60),
        )

    def _say(self, words: str, colour: str) -> None:
        self._said.setText(words)
        self._said.set_colour(colour)

    def _rest(self) -> None:
        self._bar.hide()
        self._cancel.hide()
        self._link.setEnabled(True)
        self._address.setEnabled(True)
        self._on_link(self._link.text())
        self._show_rows()

    def _on_more(self, on: bool) -> None:
        # What is unfolded takes nothing from the list, where the screen has room.
        grown = self._extra.sizeHint().height() * (1 if on else -1)
        most = self.screen().availableGeometry().height() - 60
        self._extra.setVisible(on)
        self.resize(self.width(), min(self.height() + grown, most))

    def _on_link(self, text: str) -> None:
        self._look.setEnabled(bool(text.strip()))
        if text.strip():
            self._look.setDefault(True)

    def _show_names(self) -> None:
        from inspector.sources.service import service_at
        from inspector.sources.tokens import variables_of

        try:
            names = variables_of(service_at(self._address.text()))
        except InspectorError:
            return  # half an address, while somebody types
        self._keys.show_names(names[:1])

    def _ask(self) -> None:
        self._offers, self._ticked = (), set()
        self._notes.hide()
        self._show_rows()
        self.look_requested.emit(self._link.text(), self._address.text(), self._keys.take())

    def _stop(self) -> None:
        self.cancel_requested.emit()
        self._rest()
        self._say("Stopped.", "secondary")

    def _on_ticked(self, key: str, on: bool) -> None:
        (self._ticked.add if on else self._ticked.discard)(key)
        self._show_rows()

    def _show_rows(self) -> None:
        rows = [
            offer_row(str(place), offer, ticked=str(place) in self._ticked)
            for place, offer in enumerate(self._offers)
        ]
        self._list.rows.show(rows)
        count = len(self._ticked)
        self._open.setText(f"Open {plural(count, 'run')}" if count else "Open")
        self._open.setEnabled(count > 0)

    def _chosen(self) -> Sequence["Offer"]:
        return [one for place, one in enumerate(self._offers) if str(place) in self._ticked]

    def _ask_to_open(self) -> None:
        self.open_requested.emit(self._chosen())

    def _on_finished(self) -> None:
        self._tasks.close()
        self.cancel_requested.emit()
