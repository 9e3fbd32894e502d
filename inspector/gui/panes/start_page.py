"""What the window shows before a run is open, and where failures to open one stay."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.messages import PROMISE
from inspector.gui.tips import tip
from inspector.gui.widgets.choice_row import ChoiceRow
from inspector.gui.widgets.labels import Icon, Words
from inspector.presentation.examples import Example

if TYPE_CHECKING:
    from inspector.gui.widgets.cards import FailureCard, OpeningCard
    from inspector.importers.crash_folders import CrashSnapshot

_WIDEST = 1080
_COLUMN_GAP = 40


class StartPage(QScrollArea):
    """Offers what can be opened. Emits what was asked for and opens nothing itself."""

    files_requested = Signal()
    path_requested = Signal(object)  # Path
    retry_requested = Signal(object)  # Source
    cancel_requested = Signal(object)  # Source
    forget_requested = Signal()
    hayhooks_requested = Signal()

    def __init__(self, examples: Sequence[Example], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Start page")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._opening: dict[object, OpeningCard] = {}
        self._failures: dict[object, FailureCard] = {}

        # Takes no room, and leaves no gap, while there is nothing to say.
        self._cards_place = QWidget()
        self._cards = QVBoxLayout(self._cards_place)
        self._cards.setContentsMargins(theme.GAP_PX, 0, theme.GAP_PX, 2 * theme.GROUP_GAP_PX)
        self._cards.setSpacing(theme.GAP_PX)
        self._cards_place.hide()
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._crashes_place = QWidget()
        self._crashes = QVBoxLayout(self._crashes_place)
        self._crashes.setContentsMargins(0, 2 * theme.GROUP_GAP_PX, 0, 0)
        self._crashes.setSpacing(0)
        self._crashes_place.hide()

        columns = QHBoxLayout()
        columns.setSpacing(_COLUMN_GAP)
        columns.addLayout(self._open_column(), 2)
        columns.addLayout(self._examples_column(examples), 3)

        page = QVBoxLayout()
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        page.addLayout(_heading())
        page.addSpacing(2 * theme.GROUP_GAP_PX)
        page.addWidget(self._cards_place)
        page.addLayout(columns)
        page.addStretch(1)
        page.addSpacing(2 * theme.GROUP_GAP_PX)
        page.addLayout(_promise())

        body = QWidget()
        body.setMaximumWidth(_WIDEST)
        body.setLayout(page)
        ground = QWidget()
        centred = QHBoxLayout(ground)
        centred.setContentsMargins(32, 40, 32, 20)
        centred.addStretch(1)
        centred.addWidget(body, 100)
        centred.addStretch(1)
        self.setWidget(ground)
        theme.changes.changed.connect(self._dress)
        self._dress()

    def take_focus(self) -> None:
        """Put the focus on what most people came for."""
        self._button.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_recent(self, paths: Sequence[Path]) -> None:
        """List the files opened last."""
        _empty(self._recent)
        for path in paths:
            row = _recent_row(path)
            row.clicked.connect(lambda _checked=False, path=path: self.path_requested.emit(path))
            self._recent.addWidget(row)
        if not paths:
            words = Words("Runs you open are listed here.", colour="secondary")
            words.setContentsMargins(theme.GAP_PX, theme.GRID_PX, 0, 0)
            self._recent.addWidget(words)

    def show_crashes(self, found: "Sequence[CrashSnapshot]") -> None:
        """List the snapshots that Haystack left of pipelines that crashed; none take no room."""
        from inspector.presentation.crashes import crash_sentence, crash_title
        from inspector.presentation.visible import one_line

        _empty(self._crashes)
        if found:
            self._crashes.addWidget(_title("Snapshots that Haystack left"))
            self._crashes.addSpacing(theme.GRID_PX)
        for each in found:
            row = ChoiceRow(crash_title(each), crash_sentence(each), icon="file")
            row.setToolTip(tip(one_line(str(each.path))))
            row.clicked.connect(
                lambda _checked=False, path=each.path: self.path_requested.emit(path)
            )
            self._crashes.addWidget(row)
        self._crashes_place.setVisible(bool(found))

    def show_opening(self, source: object, title: str) -> None:
        """Say that a file is being read."""
        from inspector.gui.widgets.cards import OpeningCard

        self.dismiss(source)
        card = self._opening[source] = OpeningCard(title)
        card.cancel_requested.connect(lambda: self.cancel_requested.emit(source))
        self._add(card)

    def move_opening(self, source: object, fraction: float) -> None:
        """Say how much of a file is read."""
        if card := self._opening.get(source):
            card.move_to(fraction)

    def end_opening(self, source: object) -> None:
        """Take a file off those that are being read."""
        self._remove(self._opening.pop(source, None))

    def show_failure(self, source: object, message: str, hint: str, *, can_retry: bool) -> None:
        """Say that a file could not be opened, until that is dismissed or works."""
        from inspector.gui.widgets.cards import FailureCard

        self.dismiss(source)
        card = self._failures[source] = FailureCard(message, hint, can_retry=can_retry)
        card.retry_requested.connect(lambda: self.retry_requested.emit(source))
        card.dismissed.connect(lambda: self.dismiss(source))
        self._add(card)
        self.ensureVisible(0, 0)

    def dismiss(self, source: object) -> None:
        """Take a failure away."""
        self._remove(self._failures.pop(source, None))

    @property
    def failures(self) -> tuple[str, ...]:
        """The sentences of the failures that are shown."""
        return tuple(card.accessibleName() for card in self._failures.values())

    def _add(self, card: QWidget) -> None:
        self._cards.addWidget(card)
        self._cards_place.show()

    def _remove(self, card: QWidget | None) -> None:
        if card is not None:
            self._cards.removeWidget(card)
            card.deleteLater()
            self._cards_place.setVisible(self._cards.count() > 0)

    def _open_column(self) -> QVBoxLayout:
        button = QPushButton("Open a run…")
        button.setObjectName("open-run")
        button.setDefault(True)
        button.setMinimumHeight(32)
        button.setMinimumWidth(150)
        button.clicked.connect(self.files_requested)
        self._button = button
        row = QHBoxLayout()
        row.setContentsMargins(theme.GAP_PX, 0, 0, 0)
        row.setSpacing(theme.GROUP_GAP_PX)
        row.addWidget(button)
        row.addWidget(Words("or drop or paste one", colour="secondary"))
        row.addStretch(1)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addLayout(row)
        column.addSpacing(theme.GROUP_GAP_PX)
        servers = ChoiceRow(
            "Durable executions", "Watch and answer those on Hayhooks servers", icon="routing"
        )
        servers.setObjectName("hayhooks")
        servers.clicked.connect(self.hayhooks_requested)
        column.addWidget(servers)
        column.addSpacing(theme.GROUP_GAP_PX)
        column.addWidget(_title("Recent"))
        column.addSpacing(theme.GRID_PX)
        column.addLayout(self._recent)
        column.addWidget(self._crashes_place)
        column.addStretch(1)
        return column

    def _examples_column(self, examples: Sequence[Example]) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(_title("Examples"))
        column.addSpacing(theme.GRID_PX)
        for example in examples:
            row = ChoiceRow(example.title, example.sentence, icon="example", colour="accent")
            row.setToolTip(tip(example.sentence))
            row.clicked.connect(
                lambda _checked=False, path=example.path: self.path_requested.emit(path)
            )
            column.addWidget(row)
        column.addStretch(1)
        return column

    def _dress(self) -> None:
        tokens = theme.current()
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, tokens.panel)
        self.setPalette(palette)
        primary = self._button.palette()
        primary.setColor(QPalette.ColorRole.Button, tokens.accent)
        primary.setColor(QPalette.ColorRole.ButtonText, tokens.on_accent)
        self._button.setPalette(primary)
        self._button.setFont(theme.font(strong=True))


def _heading() -> QHBoxLayout:
    words = QVBoxLayout()
    words.setSpacing(2)
    words.addWidget(Words("Run Inspector", step=4, strong=True))
    words.addWidget(Words("See what a Haystack pipeline or agent really did.", colour="secondary"))
    row = QHBoxLayout()
    row.setContentsMargins(theme.GAP_PX, 0, 0, 0)
    row.setSpacing(theme.GROUP_GAP_PX)
    row.addWidget(Icon("app", size_px=44))
    row.addLayout(words, 1)
    return row


def _title(text: str) -> Words:
    title = Words(text, strong=True, colour="secondary")
    title.setContentsMargins(theme.GAP_PX, 0, 0, 0)
    return title


def _promise() -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(theme.GAP_PX)
    row.setContentsMargins(theme.GAP_PX, 0, 0, 0)
    row.addWidget(Icon("read-only", colour="secondary"))
    row.addWidget(Words(PROMISE, colour="secondary"))
    row.addStretch(1)
    return row


def _recent_row(path: Path) -> ChoiceRow:
    from inspector.presentation.visible import one_line

    row = ChoiceRow(one_line(path.name), one_line(_folder_words(path)), icon="file")
    row.setToolTip(tip(one_line(str(path))))
    return row


def _folder_words(path: Path) -> str:
    try:
        return f"~/{path.parent.relative_to(Path.home())}"
    except ValueError:
        return str(path.parent)


def _empty(layout: QVBoxLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.deleteLater()
