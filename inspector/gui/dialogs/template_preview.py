"""Renders a template beside the window while it is edited."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.errors import InspectorError
from inspector.gui.tasks.runner import Cancelled, Task, TaskRunner
from inspector.replay.preview import Preview, Previewer, PreviewStoppedError

if TYPE_CHECKING:
    from inspector.presentation.template_parts import TemplateText
    from inspector.presentation.template_preview import PreviewPart
    from inspector.runfile.model import PipelineRun

_AFTER_MS = 250
_SAY_AFTER_MS = 500


class LivePreview(QObject):
    """Has the newest texts rendered, one at a time: what is being rendered is not cut short.

    The process that renders is started with the first texts and ends with `close`.
    """

    rendered = Signal(object, object)  # Preview, tuple of PreviewPart
    slowed = Signal()  # it takes a while
    failed = Signal(str)  # there is no preview, and why

    def __init__(
        self,
        run: "PipelineRun",
        span_id: str | None,
        values: Mapping[str, Any],
        tasks: TaskRunner,
        python: Path | None,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._run = run
        self._span_id = span_id
        self._values = values
        self._tasks = tasks
        self._previewer = Previewer(python)
        self._texts: tuple[tuple[str, str], ...] = ()
        self._task: Task | None = None
        self._waits = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AFTER_MS)
        self._timer.timeout.connect(self._start)
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(_SAY_AFTER_MS)
        self._slow.timeout.connect(self.slowed)

    def show(self, texts: "Sequence[TemplateText]") -> None:
        """Render these texts, once nobody has typed for a moment."""
        self._texts = tuple((each.role, each.text) for each in texts)
        self._timer.start()

    def stop(self) -> None:
        """Give up what is being rendered."""
        self._timer.stop()
        self._slow.stop()
        self._waits = False
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.failed.emit("The preview was stopped. Typing starts it again.")

    def close(self) -> None:
        """End what renders; nothing is shown any more."""
        self._timer.stop()
        self._slow.stop()
        self._waits = False
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._previewer.close()

    def _start(self) -> None:
        if self._task is not None:
            self._waits = True
            return
        run, span_id, texts, values = self._run, self._span_id, self._texts, self._values
        previewer = self._previewer

        def work(cancelled: Cancelled) -> "tuple[Preview, tuple[PreviewPart, ...]]":
            from inspector.presentation.template_preview import preview_parts

            made = previewer.render(texts, values, cancelled)
            return made, preview_parts(run, span_id, made)

        self._slow.start()
        self._task = self._tasks.start(
            work, done=self._on_done, failed=self._on_failed, key=(self, "preview")
        )

    def _on_done(self, found: "tuple[Preview, tuple[PreviewPart, ...]]") -> None:
        self._rest()
        self.rendered.emit(*found)

    def _on_failed(self, error: Exception) -> None:
        self._rest()
        if isinstance(error, PreviewStoppedError):
            return
        if not isinstance(error, InspectorError):
            self.failed.emit("The preview could not be made.")
            raise error
        self.failed.emit(" ".join(part for part in (str(error), error.hint) if part))

    def _rest(self) -> None:
        self._slow.stop()
        self._task = None
        if self._waits:
            self._waits = False
            self._start()
