"""Two runs that are compared in a tab, and what a person looks at in both."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.gui.tasks.runner import TaskRunner

if TYPE_CHECKING:
    from inspector.diff.model import Comparison
    from inspector.runfile.model import PipelineRun


class ComparedRun(NamedTuple):
    """One side of a comparison: a run, and where it came from."""

    run: "PipelineRun"
    path: Path | None
    title: str


class ComparisonRules(NamedTuple):
    """How two runs are compared: what a person added to what is always done."""

    ignore: tuple[str, ...] = ()  # paths of values whose differences do not count
    extract: str = ""  # what to take out of the answers
    sync: tuple[tuple[str, str], ...] = ()  # ids of spans that stand side by side


class PairFocus(NamedTuple):
    """What is looked at: a decision, or a pair of spans by their ids, or nothing."""

    decision: int | None = None
    left: str | None = None
    right: str | None = None


class PairSelection(QObject):
    """The one place that knows which decision and which pair of spans are current.

    Selecting what is already current does nothing, so two views that answer each other
    settle at once.
    """

    changed = Signal(object)  # PairFocus

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._focus = PairFocus()

    @property
    def focus(self) -> PairFocus:
        return self._focus

    def select(self, focus: PairFocus) -> None:
        """Make a decision or a pair of spans current."""
        if focus == self._focus:
            return
        self._focus = focus
        self.changed.emit(focus)


class OpenComparison(QObject):
    """Two runs and their comparison, once it is there.

    `tasks` is where views run slow work; it ends with the comparison. A change of the
    sides or the rules empties `comparison` and asks for another one.
    """

    front = "comparison"  # the word for it in `ActionSpec`

    computing = Signal()  # the comparison is under way, again
    progressed = Signal(float)  # how much of it is done, 0 to 1
    compared = Signal()
    failed = Signal(str, str)  # message, hint
    asked = Signal()  # for a comparison of what stands here now
    only_changed_changed = Signal(bool)
    order_changed = Signal(bool)

    def __init__(
        self, left: ComparedRun, right: ComparedRun, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._left = left
        self._right = right
        self._rules = ComparisonRules()
        self._comparison: Comparison | None = None
        self._failure: tuple[str, str] | None = None
        self._only_changed = False
        self._by_severity = True
        self.selection = PairSelection(self)
        self.tasks = TaskRunner(self)

    @property
    def left(self) -> ComparedRun:
        return self._left

    @property
    def right(self) -> ComparedRun:
        return self._right

    @property
    def title(self) -> str:
        return f"{self._left.title} ↔ {self._right.title}"

    @property
    def rules(self) -> ComparisonRules:
        return self._rules

    @property
    def comparison(self) -> "Comparison | None":
        """What comparing said; `None` until it is there."""
        return self._comparison

    @property
    def failure(self) -> tuple[str, str] | None:
        """Why there is no comparison: a sentence and a hint."""
        return self._failure

    @property
    def only_changed(self) -> bool:
        """Whether only what differs is shown."""
        return self._only_changed

    def set_only_changed(self, only: bool) -> None:
        if only == self._only_changed:
            return
        self._only_changed = only
        self.only_changed_changed.emit(only)

    @property
    def by_severity(self) -> bool:
        """Whether the gravest decisions stand first; otherwise they stand as they happened."""
        return self._by_severity

    def set_by_severity(self, by_severity: bool) -> None:
        if by_severity == self._by_severity:
            return
        self._by_severity = by_severity
        self.order_changed.emit(by_severity)

    def set_rules(self, rules: ComparisonRules) -> None:
        """Compare by other rules from now on."""
        if rules == self._rules:
            return
        self._rules = rules
        self._ask()

    def swap(self) -> None:
        """Put the left run on the right, and the other way round."""
        self._left, self._right = self._right, self._left
        turned = tuple((right, left) for left, right in self._rules.sync)
        self._rules = self._rules._replace(sync=turned)
        self._ask(turned=True)

    def show(self, comparison: "Comparison") -> None:
        """Take what comparing said."""
        self._comparison = comparison
        self._failure = None
        self.compared.emit()

    def fail(self, message: str, hint: str) -> None:
        """Say why there is no comparison."""
        self._comparison = None
        self._failure = (message, hint)
        self.failed.emit(message, hint)

    def ask_again(self) -> None:
        """Ask for the comparison once more, as after it was stopped or failed."""
        self._ask()

    def close(self) -> None:
        """Stop the work that was started for this comparison."""
        self.tasks.close()

    def _ask(self, *, turned: bool = False) -> None:
        self._comparison = None
        self._failure = None
        # Decisions are counted anew; spans keep their names.
        _, left, right = self.selection.focus
        if turned:
            left, right = right, left
        self.selection.select(PairFocus(None, left, right))
        self.asked.emit()
