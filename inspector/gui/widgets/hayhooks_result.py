"""What an execution has left: its result as a tree, or why there is none."""

from typing import Any

from PySide6.QtWidgets import QStackedLayout, QWidget

from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.widgets.facts_view import FactsView
from inspector.gui.widgets.value_view import ValueView
from inspector.hayhooks.client.model import Execution, ExecutionStatus
from inspector.presentation.execution_words import status_look
from inspector.presentation.summary import Fact
from inspector.presentation.values import ValueNode
from inspector.presentation.visible import one_line
from inspector.runfile.value import TAG


class HayhooksResult(QWidget):
    """The value while there is one; the error in facts; otherwise a sentence."""

    def __init__(self, tasks: TaskRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values = ValueView(tasks, "Result", asks=False)
        self._error = FactsView(name="Why it failed")
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._values)
        self._pages.addWidget(self._error)
        self._shown: tuple[Any, ...] | None = None
        self.setFocusProxy(self._values)

    @property
    def error_text(self) -> str:
        """What is said of why it failed."""
        return self._error.toPlainText() if self._pages.currentIndex() == 1 else ""

    def show_execution(self, execution: Execution | None) -> None:
        """Show what there is now."""
        status = execution.row.status if execution is not None else None
        shown = (status, execution and execution.result, execution and execution.error)
        if shown == self._shown:
            return
        self._shown = shown
        if execution is not None and execution.error is not None:
            self._pages.setCurrentIndex(1)
            error = execution.error
            self._error.show_facts(
                [
                    Fact("Exception", one_line(error.type), from_file=True, state="failed"),
                    Fact("Message", one_line(error.message), from_file=True),
                    Fact("Code", one_line(error.code or ""), from_file=True),
                    Fact("May be tried again", "yes" if error.retryable else "no"),
                    Fact("", "Hayhooks keeps the type only. The words of the exception, and where "
                             "it was raised, are in the log of the server."),
                ]
            )  # fmt: skip
            return
        self._pages.setCurrentIndex(0)
        if execution is None or status is not ExecutionStatus.COMPLETED:
            self._values.show_nodes([], _missing(status))
            return
        self._values.show_nodes([ValueNode("result", untagged(execution.result), "result")])


def untagged(value: Any, depth: int = 0) -> Any:
    """Return JSON as a tree in which no key of a stranger's poses as a tag of ours."""
    if isinstance(value, dict) and depth < 200:
        inner = {key: untagged(each, depth + 1) for key, each in value.items()}
        if TAG in inner:
            return {TAG: "dict", "items": [[key, each] for key, each in inner.items()]}
        return inner
    if isinstance(value, list) and depth < 200:
        return [untagged(each, depth + 1) for each in value]
    return value


def _missing(status: ExecutionStatus | None) -> str:
    if status is None:
        return "Nothing is known of it yet."
    if status is ExecutionStatus.CANCELED:
        return "It was canceled: there is no result, whatever was done before."
    return f"It is {status_look(status).word}: its result stands here when it is completed."
