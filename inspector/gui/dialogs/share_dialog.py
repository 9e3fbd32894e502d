"""Shows what leaves this machine when a run is shared, before anything is written."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.dialogs.share_options import ShareOptions
from inspector.gui.tasks.progress import Progress
from inspector.gui.tasks.runner import Cancelled, Task, TaskRunner
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.redaction_context import RedactionContext
from inspector.gui.widgets.redaction_tree import RedactionTree
from inspector.presentation.redaction_draft import RedactionDraft
from inspector.presentation.redaction_places import PreviewKind, PreviewPlace, PreviewSecret
from inspector.presentation.redaction_preview import RedactionPreview
from inspector.presentation.redaction_words import (
    adds_nothing,
    leaving_words,
    names_words,
    size_words,
    staying_words,
)
from inspector.presentation.visible import one_line
from inspector.presentation.words import sentence
from inspector.replay.keys import SessionKeys

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_WIDE_PX, _HIGH_PX = 1_180, 720
_LETTERS, _LINES = 150, 40
_MARGIN_PX = 16
_PROGRESS_AFTER_MS = 200
Change = Callable[[RedactionPreview], RedactionPreview]


class _Stopped(Exception):  # noqa: N818 - no failure
    """Ends work that nobody waits for any more."""


class ShareDialog(QDialog):
    """Ticks, terms and fields make another preview, beside the window; saving is a button.

    `write` is called with the place once somebody has chosen one.
    """

    save_requested = Signal()
    place_wanted = Signal(str, str)  # the id of a span, or nothing for the run's own record; field
    saved = Signal(object, object, str)  # Path, RedactionPreview, what did not go well

    def __init__(
        self, run: "PipelineRun", keys: SessionKeys, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Share a redacted copy")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._run = run
        self._tasks = TaskRunner(self)
        self._task: Task | None = None
        self._draft: RedactionDraft | None = None
        self._wanted: RedactionPreview | None = None  # what is being looked at
        self._is_writing = False
        self._leaves = Words("", step=1, strong=True, wrap=True)
        self._leaves.setObjectName("leaves")
        self._facts = Words("", colour="secondary", wrap=True)
        self._facts.setObjectName("facts")
        self._stays = Words("", colour="changed", wrap=True)
        self._stays.setObjectName("stays")
        self._said = Words("", colour="failed", wrap=True)
        self._said.setObjectName("said")
        self._tree = RedactionTree()
        self._context = RedactionContext()
        self._options = ShareOptions(keys, self._tasks)
        self._undo = self._button("Undo", "undo", self.undo)
        self._redo = self._button("Redo", "redo", self.redo)
        self._bar = QProgressBar()
        self._bar.setRange(0, 1_000)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("How far it is")
        self._cancel = self._button("Cancel", "cancel", self.cancel)
        self._save = self._button("Save a copy as…", "save", self.save_requested.emit)
        self._progress = Progress(self)
        self._progress.moved.connect(lambda part: self._bar.setValue(round(1_000 * part)))
        self._slow = QTimer(self, singleShot=True, interval=_PROGRESS_AFTER_MS)
        self._slow.timeout.connect(self._show_progress)
        self._lay_out()
        self._connect()
        self._rest()
        self._begin()

    @property
    def preview(self) -> RedactionPreview | None:
        """What is shown: exactly this leaves."""
        return self._draft.current if self._draft is not None else None

    @property
    def busy(self) -> bool:
        """Whether something is looked at or written."""
        return self._wanted is not None or self._draft is None or self._is_writing

    def change(self, make: Change) -> None:
        """Look at what another choice would make of it."""
        base = self._wanted or self.preview
        if base is None or self._is_writing:
            return
        self._say("")
        try:
            wanted = make(base)
        except InspectorError as error:
            self._fail(error)
            return
        if wanted is base:
            self._say("Nothing changed: it was taken out before.", "secondary")
            return
        self._look(lambda: wanted, wanted)

    def undo(self) -> None:
        """Take the last change back; one that is still looked at is dropped."""
        if self._draft is None or self._is_writing:
            return
        if self._wanted is None:
            self._draft.undo()
        self._stop_looking()
        self._show()

    def redo(self) -> None:
        """Do again what was taken back."""
        if self._draft is not None and not self._is_writing:
            self._stop_looking()
            self._draft.redo()
            self._show()

    def cancel(self) -> None:
        """Stop what is under way; a file that was being written is as it was before."""
        was_writing = self._is_writing
        self._stop_looking()
        if self._draft is None:
            self.reject()
            return
        self._show()
        self._say("Nothing was written." if was_writing else "Stopped.", "secondary")

    def write(self, place: Path, original: Path | None) -> None:
        """Write exactly what is shown, beside the window."""
        preview = self.preview
        if preview is None or self.busy:
            return
        run, watch = self._run, self._watch

        def work(cancelled: Cancelled) -> str:
            from inspector.redaction.copies import write_copy
            from inspector.trust.export_log import note_export

            preview.look(watch(cancelled))  # where the bytes were let go of
            write_copy(preview.data, place, original, watch=watch(cancelled))
            rules = [taken.rule for taken in preview.report.taken]
            return note_export(run, "redact", {place.name: place}, rules)

        self._is_writing = True
        self._wait("")
        self._task = self._tasks.start(
            work, done=lambda trouble: self._on_written(place, preview, trouble),
            failed=self._on_failed, key="share",
        )  # fmt: skip

    # -- looking ---------------------------------------------------------------------------

    def _begin(self) -> None:
        run = self._run

        def first() -> RedactionPreview:
            from inspector.redaction.live import secrets_of_environment
            from inspector.redaction.project import of_project
            from inspector.redaction.settings import Redaction

            rules = of_project() or Redaction()
            # Once: what is written later has to be what was shown.
            environment = secrets_of_environment() if rules.environment else {}
            return RedactionPreview(run, rules, environment)

        self._leaves.setText("Looking at what would leave…")
        self._look(first, None)

    def _look(self, make: Callable[[], RedactionPreview], wanted: RedactionPreview | None) -> None:
        self._wanted = wanted
        watch = self._watch

        def work(cancelled: Cancelled) -> RedactionPreview:
            return make().look(watch(cancelled))

        self._wait("Looking at what would leave…")
        done, failed = self._on_looked, self._on_failed
        self._task = self._tasks.start(work, done=done, failed=failed, key="share")

    def _watch(self, cancelled: Cancelled) -> Callable[[float], None]:
        progress = self._progress

        def tell(part: float) -> None:
            if cancelled():
                raise _Stopped
            progress.report(part)

        return tell

    def _stop_looking(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._wanted = None
        self._is_writing = False
        self._rest()

    def _on_looked(self, preview: RedactionPreview) -> None:
        self._wanted = None
        before = self.preview
        if self._draft is None:
            self._draft = RedactionDraft(preview)
        else:
            self._draft.take(preview)
        self._rest()
        self._show()
        if before is not None and adds_nothing(before, preview):
            self._say("This stands nowhere in the run, or was taken out before.", "changed")

    def _on_failed(self, error: Exception) -> None:
        self._wanted = None
        self._is_writing = False
        self._rest()
        if self._draft is None:
            self._leaves.setText("What would leave cannot be said, so nothing can be saved.")
        else:
            self._show()
        self._fail(error)

    def _on_written(self, place: Path, preview: RedactionPreview, trouble: str) -> None:
        self._is_writing = False
        self._rest()
        self.saved.emit(place, preview, trouble)
        self.accept()

    # -- showing ---------------------------------------------------------------------------

    def _show(self) -> None:
        preview = self.preview
        if preview is None:
            return
        self._say("")
        self._leaves.setText(leaving_words(preview))
        form = "" if preview.redaction.salt is None else "placeholders by your salt"
        self._facts.setText(sentence([size_words(preview), form]))
        self._stays.setText(sentence([names_words(preview), staying_words(preview)], " "))
        self._tree.show_kinds(preview.kinds)
        self._options.show_redaction(preview.redaction)
        self._allow()

    def _show_place(self, row: tuple[PreviewSecret, PreviewPlace] | None) -> None:
        self._context.show_place(self.preview, row[1] if row else None)

    def _want_place(self, place: PreviewPlace) -> None:
        self.place_wanted.emit(place.span_id, place.field)

    def _say(self, words: str, colour: str = "failed") -> None:
        self._said.setText(words)
        self._said.set_colour(colour)
        self._said.setVisible(bool(words))

    def _fail(self, error: Exception) -> None:
        if isinstance(error, InspectorError):
            self._say(f"{one_line(str(error))} {one_line(error.hint)}".strip())
        else:
            # By its class only: what it says may quote a value.
            self._say(f"It failed ({type(error).__name__}). Nothing was written.")

    def _wait(self, words: str) -> None:
        self._say("")
        if words:
            self._facts.setText(words)
        self._bar.setValue(0)
        self._slow.start()
        self._allow()

    def _show_progress(self) -> None:
        self._bar.show()
        self._cancel.show()

    def _rest(self) -> None:
        self._slow.stop()
        self._bar.hide()
        self._cancel.hide()
        self._allow()

    def _allow(self) -> None:
        draft = self._draft
        quiet = draft is not None and not self._is_writing
        is_looking = self._wanted is not None
        self._undo.setEnabled(quiet and draft is not None and (is_looking or draft.can_undo))
        self._redo.setEnabled(quiet and draft is not None and draft.can_redo)
        self._options.setEnabled(quiet)
        self._save.setEnabled(not self.busy and not self._options.waits_for_salt)

    # -- building --------------------------------------------------------------------------

    def _connect(self) -> None:
        self._tree.rows.kind_ticked.connect(self._tick_kind)
        self._tree.rows.secret_ticked.connect(self._tick_secret)
        self._tree.place_chosen.connect(self._show_place)
        self._tree.place_opened.connect(lambda row: self._want_place(row[1]))
        self._context.run_asked.connect(self._want_place)
        self._context.term_asked.connect(lambda text: self.change(lambda p: p.with_term(text)))
        self._options.term_asked.connect(lambda text: self.change(lambda p: p.with_term(text)))
        self._options.field_asked.connect(lambda path: self.change(lambda p: p.with_field(path)))
        self._options.salt_asked.connect(lambda salt: self.change(lambda p: p.with_salt(salt)))
        self._options.names_asked.connect(lambda on: self.change(lambda p: p.with_names(on=on)))
        self._options.waiting_changed.connect(self._allow)
        self.finished.connect(self._tasks.close)
        for keys, pressed in (
            ("Ctrl+Z", self.undo),
            ("Ctrl+Shift+Z", self.redo),
            ("Ctrl+Y", self.redo),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(pressed)

    def _tick_kind(self, kind: PreviewKind, on: bool) -> None:
        if on:
            self.change(lambda p: p.tick_all(s for s in kind.secrets if not s.ticked))
        else:
            self.change(lambda p: p.untick_all(kind.secrets))

    def _tick_secret(self, secret: PreviewSecret, on: bool) -> None:
        self.change(lambda p: p.tick(secret) if on else p.untick(secret))

    def _lay_out(self) -> None:
        parts = QuietSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self._tree)
        parts.addWidget(self._context)
        parts.setSizes([660, 480])
        buttons = close_row(self, self._save)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        foot = QHBoxLayout()
        foot.setSpacing(theme.GAP_PX)
        foot.addWidget(self._undo)
        foot.addWidget(self._redo)
        foot.addWidget(self._bar, 1)
        foot.addWidget(self._cancel)
        foot.addStretch(1)
        foot.addWidget(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, theme.GROUP_GAP_PX)
        layout.setSpacing(theme.GAP_PX)
        for words in (self._leaves, self._facts, self._stays):
            layout.addWidget(words)
        layout.addWidget(parts, 1)
        layout.addWidget(self._options)
        layout.addWidget(self._said)
        layout.addLayout(foot)
        self._said.hide()
        there = self.screen().availableGeometry().size()
        metrics = self.fontMetrics()
        wide = max(_WIDE_PX, metrics.averageCharWidth() * _LETTERS)
        high = max(_HIGH_PX, metrics.lineSpacing() * _LINES)
        self.resize(min(wide, there.width() - 40), min(high, there.height() - 60))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tree.setFocus()

    @staticmethod
    def _button(words: str, name: str, pressed: Callable[[], object]) -> QPushButton:
        button = QPushButton(words)
        button.setObjectName(name)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _checked: pressed())
        return button
