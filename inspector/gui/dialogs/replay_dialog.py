"""Says what a replay would do before it does any of it, and asks how it is to be done."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.dialogs.replay_dialog_head import ReplayHead
from inspector.gui.dialogs.replay_dialog_keys import Keeper, KeysSection
from inspector.gui.dialogs.replay_dialog_mode import ModeSection
from inspector.gui.dialogs.replay_dialog_source import SourceSection, interpreter_of
from inspector.gui.settings import Memory
from inspector.gui.tasks.runner import Cancelled, TaskRunner
from inspector.gui.tips import tip
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.tick_list import TickList
from inspector.gui.workspace.open_comparison import ComparedRun
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.replay_request import ReplayRequest
from inspector.presentation.replay_choice import (
    Remembered,
    ReplayChoice,
    Source,
    hindrance,
    job_of,
    pipeline_key,
    title_of,
)
from inspector.presentation.replay_manifest import (
    made_of_list,
    made_of_words,
    price_words_of,
)
from inspector.presentation.replay_ticks import class_ticks, live_ticks
from inspector.presentation.words import one_line
from inspector.replay.keys import SessionKeys
from inspector.replay.mode import ReplayMode
from inspector.replay.stub_plan import OFFERED, StubPlan

if TYPE_CHECKING:
    from inspector.replay.live_price import LivePrice
    from inspector.replay.manifest_parts import Manifest

_LEFT_CHARACTERS = 56
_WIDE_CHARACTERS, _HIGH_LINES = 160, 50
_MARGIN_PX = 20


class Extras(NamedTuple):
    """What goes into a replay that is chosen elsewhere: what is otherwise, and where it pauses."""

    overrides: Mapping[str, Any] = {}
    changes: Sequence[str] = ()
    breakpoints: Callable[[], Sequence[Mapping[str, Any]]] = tuple
    """Asked when it begins."""


NOTHING_MORE = Extras()


class _Looked(NamedTuple):
    """What was found out beside the window."""

    manifest: "Manifest"
    price: "LivePrice | None"


class ReplayDialog(QDialog):
    """Shows the manifest of a replay; nothing begins before its button is pressed."""

    replay_requested = Signal(object)  # ReplayRequest

    def __init__(
        self,
        open_run: OpenRun,
        memory: Memory,
        keys: SessionKeys,
        *,
        live_from: str = "",
        extras: Extras = NOTHING_MORE,
        tell: Callable[[str], None] = lambda _words: None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._run = open_run.run
        self._recording = ComparedRun(open_run.run, open_run.path, open_run.title)
        self._memory = memory
        self._extras = extras
        self._key = pipeline_key(open_run.run)
        self._tasks = TaskRunner(self)
        self._manifest: Manifest | None = None
        self._plan: StubPlan | None = None
        self._shown: tuple[object, ...] = ()  # what the rows were made from
        self._failure = ""
        self.finished.connect(self._tasks.close)
        choice = Remembered(memory.replay(self._key)).choice()
        self._choice = replace(
            choice,
            live_from=live_from,
            directory=choice.directory or str(Path.cwd()),
            mode=ReplayMode.DRIFT_OK if live_from or extras.overrides else choice.mode,
            classes=OFFERED,
        )
        self.setWindowTitle(title_of(self._run, self._choice))
        title = self.windowTitle()
        self._head = ReplayHead(title, extras.changes, live=bool(live_from))
        self._source = SourceSection(self._choice)
        self._mode = ModeSection(self._choice)
        # What is kept is kept after the dialog has closed, which it does at once.
        self._keys = KeysSection(keys, self._tasks, keeper=Keeper(open_run.tasks, tell))
        self._list = TickList("What happens to each part")
        self._lay_out()
        if live_from:
            self._source.forbid_file()
        self._source.changed.connect(self._on_source)
        self._mode.changed.connect(self._on_mode)
        self._list.rows.ticked.connect(self._on_ticked)
        self._show()
        self._source.begin()
        self._look()

    # -- what is seen ----------------------------------------------------------------------

    def _lay_out(self) -> None:
        live = bool(self._choice.live_from)
        left = self._column = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, theme.GROUP_GAP_PX, 0)
        column.setSpacing(2 * theme.GAP_PX)
        for section in (self._source, self._mode, self._keys):
            column.addWidget(section)
        column.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(left)

        self._list_title = Words("What happens to each part", strong=True)
        self._list_note = Words("", step=-1, colour="secondary", wrap=True)
        right = QVBoxLayout()
        right.setSpacing(theme.GRID_PX)
        right.addWidget(self._list_title)
        right.addWidget(self._list_note)
        right.addWidget(self._list, 1)
        self._made_of = Words("", step=-1, colour="secondary", wrap=True)
        self._problems = Words("", step=-1, colour="changed", wrap=True)
        right.addWidget(self._made_of)
        right.addWidget(self._problems)

        body = QHBoxLayout()
        body.setSpacing(theme.GROUP_GAP_PX)
        body.addWidget(self._scroll)
        body.addLayout(right, 1)
        self._hindrance = Words("", colour="secondary", wrap=True)
        self._hindrance.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._start = QPushButton("Re-run live" if live else "Replay")
        self._start.setDefault(True)
        self._start.clicked.connect(self._request)
        buttons = close_row(self, self._start)
        # Enter begins, also where nothing could begin when the dialog came: never Close.
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        foot = QHBoxLayout()
        foot.addWidget(self._hindrance, 1)
        foot.addWidget(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, 16)
        layout.setSpacing(theme.GROUP_GAP_PX)
        layout.addWidget(self._head)
        layout.addLayout(body, 1)
        layout.addLayout(foot)
        self._fit()

    def _fit(self) -> None:
        """Take the room that the text needs, and no more than there is on the screen."""
        there = self.screen().availableGeometry().size()
        wide = self.fontMetrics().averageCharWidth() * _WIDE_CHARACTERS
        high = self.fontMetrics().lineSpacing() * _HIGH_LINES
        self.resize(min(wide, there.width() - 40), min(high, there.height() - 60))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Give the choices what they need, with room for a bar to scroll by."""
        bar = self._scroll.verticalScrollBar().sizeHint().width()
        wanted = self.fontMetrics().averageCharWidth() * _LEFT_CHARACTERS
        least = self._column.minimumSizeHint().width() + bar
        self._scroll.setFixedWidth(max(least, min(wanted, int(self.width() * 0.46))))

    def _show(self) -> None:
        choice = self._choice
        self._mode.show_choice(choice)
        self._head.show_choice(choice, is_known=self._manifest is not None)
        self._show_rows()
        names = self._variables() if choice.runs_live else ()
        self._keys.show_names(names)
        self._keys.setVisible(bool(self._keys.names))
        self._share_room()
        has_file = self._recording.path is not None
        why = self._failure or hindrance(choice, self._manifest, has_file=has_file)
        self._hindrance.setText(why)
        self._start.setEnabled(not why)
        self._start.setDefault(True)

    def _show_rows(self) -> None:
        manifest, choice = self._manifest, self._choice
        if manifest is None:
            self._list_note.setText(self._failure or "Looking through the recording…")
            return
        self._problems.setText(" ".join(map(one_line, manifest.problems)))
        self._problems.setVisible(bool(manifest.problems))
        self._made_of.setText(made_of_words(manifest))
        self._made_of.setToolTip(tip(made_of_list(manifest)))
        self._made_of.setVisible(choice.is_trusted and bool(manifest.classes))
        shown: tuple[object, ...]
        if choice.source is Source.FILE:
            self._list_title.setText("What the file names")
            self._list_note.setText(
                "What is ticked may be imported and made, in the worker. All else is answered from "
                "the recording."
            )
            shown = (manifest, self._plan, choice.classes)
            if self._plan is not None and shown != self._shown:
                self._shown = shown
                self._list.rows.show(class_ticks(manifest, self._plan, choice.classes))
            return
        self._list_title.setText("What happens to each part")
        if not manifest.parts:
            self._list_note.setText("No call was recorded, so there is nothing to happen.")
            return
        asked = any(part.may_live for part in manifest.parts)
        self._list_note.setText(
            "What is ticked may run live. Of what was recorded, all else is answered."
            if choice.runs_live and asked
            else "Told from the recording alone: nothing was imported for it."
        )  # fmt: skip
        shown = (manifest, choice.may_live, choice.runs_live)
        if shown != self._shown:
            # Not with each letter that is typed: there may be thousands.
            self._shown = shown
            self._list.rows.show(live_ticks(manifest, choice.may_live, live=choice.runs_live))

    def _variables(self) -> tuple[str, ...]:
        if self._manifest is None:
            return ()
        asked = [p for p in self._manifest.parts if p.word in self._choice.may_live]
        return tuple(dict.fromkeys(name for part in asked for name in part.variables))

    # -- what is found out -----------------------------------------------------------------

    def _look(self) -> None:
        run, live_from = self._run, self._choice.live_from

        def work(cancelled: Cancelled) -> _Looked:
            from inspector.replay.live_price import price_from
            from inspector.replay.manifest import manifest_of

            manifest = manifest_of(run, live_from=live_from, cancelled=cancelled)
            return _Looked(manifest, price_from(run, live_from) if live_from else None)

        self._tasks.start(work, done=self._take_look, failed=self._fail, key="manifest")

    def _take_look(self, looked: _Looked) -> None:
        self._manifest = looked.manifest
        if looked.price is not None:
            self._head.show_price(price_words_of(looked.price))
            live = (part for part in looked.manifest.live if part.lives_unless_told)
            self._mode.suggest_budget(2 * sum(part.from_here for part in live))
        stores = any(part.fate == "compared" for part in looked.manifest.parts)
        may_live = frozenset(p.word for p in looked.manifest.parts if p.lives_unless_told)
        self._choice = replace(self._choice, may_live=may_live)
        self._tell_sections()
        self._mode.show_choice(self._choice, asks_stores=stores)
        self._look_at_plan()
        self._show()

    def _look_at_plan(self) -> None:
        """Find out what would be made of a stranger's file, with the classes that are ticked."""
        if self._choice.source is not Source.FILE or self._manifest is None:
            return
        run, classes = self._run, self._choice.classes

        def work(_cancelled: Cancelled) -> StubPlan:
            from inspector.replay.stub_plan import plan_stub

            return plan_stub(run, classes)

        def done(plan: StubPlan) -> None:
            self._plan = plan
            self._show()

        self._tasks.start(work, done=done, failed=self._fail_file, key="plan")

    def _fail(self, error: Exception) -> None:
        hint = error.hint if isinstance(error, InspectorError) else ""
        known = isinstance(error, InspectorError)
        words = str(error) if known else "The recording cannot be looked through."
        self._failure = f"{words} {hint}".strip()
        self._show()

    def _fail_file(self, error: Exception) -> None:
        words = str(error) if isinstance(error, InspectorError) else "It cannot be read."
        if self._manifest is not None:
            others = (one for one in self._manifest.problems if one != words)
            problems = (*others, words)
            self._manifest = replace(self._manifest, problems=problems, can_be_stubbed=False)
        self._show()

    # -- what is chosen --------------------------------------------------------------------

    def _on_source(self, choice: ReplayChoice) -> None:
        before = self._choice.source
        mode = choice.mode
        if not choice.is_trusted and mode is ReplayMode.RECORD_NEW:
            mode = ReplayMode.STRICT
        self._choice = replace(choice, mode=mode)
        self._tell_sections()
        if choice.source is not before:
            # A tick beside the rows of another source would be taken for one of this.
            self._list.rows.show([])
            self._shown = ()
            self._look_at_plan()
        self._show()

    def _on_mode(self, choice: ReplayChoice) -> None:
        self._choice = choice
        self._tell_sections()
        self._show()

    def _on_ticked(self, key: str, on: bool) -> None:
        choice = self._choice
        field = "classes" if choice.source is Source.FILE else "may_live"
        kept: frozenset[str] = getattr(choice, field)
        changed = kept | {key} if on else kept - {key}
        self._choice = replace(choice, **{field: changed})  # type: ignore[arg-type]  # by name
        self._tell_sections()
        self._look_at_plan()
        self._show()

    def _tell_sections(self) -> None:
        self._source.take_choice(self._choice)
        self._mode.show_choice(self._choice)

    def _request(self) -> None:
        choice, manifest = self._choice, self._manifest
        if manifest is None or not self._start.isEnabled():
            return
        try:
            python = interpreter_of(choice)
        except InspectorError as error:
            self._source.say_problem(str(error))
            self._hindrance.setText(str(error))
            return
        limits = None
        if not choice.is_trusted:
            from inspector.replay.limits import Limits

            limits = Limits()
        kept = Remembered.of(choice)
        if kept is not None:
            self._memory.remember_replay(self._key, kept.kept)
        title = f"{self._recording.title} live" if choice.live_from else ""
        request = ReplayRequest(
            recording=self._recording,
            job=job_of(choice, self._run, self._recording.path, manifest, self._extras.overrides),
            python=python,
            directory=Path(choice.directory).expanduser() if choice.is_trusted else Path.home(),
            limits=limits,
            environment=self._keys.take() if choice.runs_live else {},
            title=title,
            changes=tuple(self._extras.changes),
            breakpoints=tuple(self._extras.breakpoints()),
        )
        self.replay_requested.emit(request)
        self.accept()
