"""What a task has made, as a tree of values."""

from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.widgets.hayhooks_result import untagged
from inspector.gui.widgets.value_view import ValueView
from inspector.importers.a2a_told import A2AArtifact, A2APart, A2ATask
from inspector.presentation.values import ValueNode
from inspector.presentation.visible import one_line

_MOST = 500
_PAUSE_MS = 1_000


class A2AArtifacts(QWidget):
    """One root an artifact; a text in pieces is one text."""

    def __init__(self, tasks: TaskRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values = ValueView(tasks, "Artifacts", asks=False)
        self._task: A2ATask | None = None
        self._later = QTimer(self)  # while much comes, a person has time to read
        self._later.setSingleShot(True)
        self._later.setInterval(_PAUSE_MS)
        self._later.timeout.connect(self._show)
        self._shown: tuple[tuple[A2AArtifact, ...], bool] | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._values)
        self.setFocusProxy(self._values)
        self._show()

    def show_task(self, task: A2ATask | None) -> None:
        """Show what there is now; while it grows, not more often than one can read."""
        self._task = task
        if not self.isVisible():
            return  # it is shown when somebody looks
        if task is None or task.is_over or not self._shown or not self._shown[0]:
            self._later.stop()
            self._show()
        elif not self._later.isActive():
            self._later.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show()

    def _show(self) -> None:
        task = self._task
        artifacts = task.artifacts[:_MOST] if task is not None else ()
        is_over = task is not None and task.is_over
        if (artifacts, is_over) == self._shown:
            return
        self._shown = (artifacts, is_over)
        self._values.show_nodes(
            [
                ValueNode(one_line(each.name)[:80] or "artifact", _value(each), f"artifacts[{at}]")
                for at, each in enumerate(artifacts)
            ],
            "It made nothing."
            if is_over
            else "It has made nothing so far. What it makes stands here.",
        )


def _value(artifact: A2AArtifact) -> Any:
    parts = artifact.parts
    if all(part.kind == "text" for part in parts):
        return artifact.text
    values = [_part(part) for part in parts]
    return values[0] if len(values) == 1 else values


def _part(part: A2APart) -> Any:
    match part.kind:
        case "text":
            return part.text
        case "data":
            return untagged(part.data)
        case _:
            # Nothing is fetched from where it says the file is, nor is one written.
            size = len(part.data) if isinstance(part.data, str) else 0
            return {
                "file": part.filename, "media type": part.media_type, "where": part.text,
                "characters of base64": size,
            }  # fmt: skip
