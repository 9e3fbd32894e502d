"""Several runs beside each other in a tab, measured by the first of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.workspace.open_comparison import ComparedRun

if TYPE_CHECKING:
    from inspector.diff.cohort import Cohort
    from inspector.diff.model import Comparison
    from inspector.runfile.model import PipelineRun


class CohortMember(NamedTuple):
    """One run of a cohort, and what tells it from the others."""

    side: ComparedRun
    label: str = ""  # what was changed for it; "" where only its file tells it apart


class Compared(NamedTuple):
    """Two runs that were compared, and what that said."""

    left: "PipelineRun"
    right: "PipelineRun"
    comparison: "Comparison"


class OpenCohort(QObject):
    """Runs and their table, once it is there. The first of `members` is the baseline.

    `collects` names the recording whose replays are added as they end; "" collects none.
    """

    front = "cohort"  # the word for it in `ActionSpec`

    computing = Signal()
    progressed = Signal(float)
    computed = Signal()
    failed = Signal(str, str)  # message, hint
    asked = Signal()  # for a table of what stands here now
    selected_changed = Signal(object)  # int, the place of the member, or None

    def __init__(
        self,
        members: Sequence[CohortMember],
        *,
        title: str = "",
        collects: str = "",
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._members = tuple(members)
        self._title = title
        self.collects = collects
        self._cohort: Cohort | None = None
        self._failure: tuple[str, str] | None = None
        self._selected: int | None = None
        # What was compared already: adding a run compares only that one.
        self.compared: tuple[Compared, ...] = ()
        self.tasks = TaskRunner(self)

    @property
    def members(self) -> tuple[CohortMember, ...]:
        return self._members

    @property
    def title(self) -> str:
        return self._title or f"{len(self._members)} runs"

    @property
    def cohort(self) -> "Cohort | None":
        """The table's values; `None` until they are there."""
        return self._cohort

    @property
    def failure(self) -> tuple[str, str] | None:
        """Why there is no table: a sentence and a hint."""
        return self._failure

    @property
    def selected(self) -> int | None:
        """The place of the selected member; 0 is the baseline."""
        return self._selected

    def select(self, place: int | None) -> None:
        """Make a member current; selecting the current one does nothing."""
        if place != self._selected:
            self._selected = place
            self.selected_changed.emit(place)

    def add(self, member: CohortMember) -> None:
        """Put a run beside the others, unless it stands there."""
        if not any(each.side.run is member.side.run for each in self._members):
            self._become((*self._members, member))

    def remove(self, place: int) -> None:
        """Take a run out; two are the least."""
        if len(self._members) > 2 and 0 <= place < len(self._members):
            self._become((*self._members[:place], *self._members[place + 1 :]))

    def make_baseline(self, place: int) -> None:
        """Measure the others by this run from now on."""
        if 0 < place < len(self._members):
            rest = (*self._members[:place], *self._members[place + 1 :])
            self._become((self._members[place], *rest))

    def show(self, cohort: "Cohort") -> None:
        """Take the values of the table."""
        self._cohort, self._failure = cohort, None
        self.computed.emit()

    def fail(self, message: str, hint: str) -> None:
        """Say why there is no table."""
        self._cohort, self._failure = None, (message, hint)
        self.failed.emit(message, hint)

    def close(self) -> None:
        """Stop the work that was started for this cohort."""
        self.tasks.close()

    def _become(self, members: tuple[CohortMember, ...]) -> None:
        self._members = members
        self._failure = None
        self.select(None)
        self.asked.emit()
