"""Puts several runs beside each other, and has their table computed beside the window."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from inspector.errors import InspectorError
from inspector.gui.controllers.compare_controller import CompareController
from inspector.gui.controllers.replay_controller import ReplayController
from inspector.gui.messages import Messages
from inspector.gui.tasks.progress import Progress
from inspector.gui.tasks.runner import Cancelled, Task
from inspector.gui.workspace.open_cohort import CohortMember, Compared, OpenCohort
from inspector.gui.workspace.open_comparison import ComparedRun
from inspector.gui.workspace.open_replay import OpenReplay
from inspector.gui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from inspector.diff.cohort import Cohort
    from inspector.runfile.model import PipelineRun

    Computed = tuple[Cohort, tuple[Compared, ...]]


class CohortController(QObject):
    """Opens cohorts, computes them, and adds to those of variants each replay that ends."""

    def __init__(
        self,
        workspace: Workspace,
        comparer: CompareController,
        replayer: ReplayController,
        messages: Messages,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._comparer = comparer
        self._replayer = replayer
        self._messages = messages
        self._under_way: dict[OpenCohort, Task] = {}
        workspace.cohort_removed.connect(lambda gone: self._under_way.pop(gone, None))
        workspace.cohort_added.connect(self._on_added)
        replayer.ended.connect(self._on_replay_ended)

    def open(
        self, members: Sequence[CohortMember], *, title: str = "", collects: str = ""
    ) -> OpenCohort:
        """Open a tab with these runs; the first is the baseline."""
        cohort = OpenCohort(members, title=title, collects=collects)
        self._workspace.add(cohort)
        return cohort

    def open_files(self, paths: Sequence[Path]) -> None:
        """Put the runs in these files beside each other; the first is the baseline."""

        def show(found: tuple[ComparedRun, ...]) -> None:
            self.open([CohortMember(side) for side in found])

        self._comparer.read_files(paths, show)

    def all_runs(self) -> list[CohortMember]:
        """Return every run that is open: in a tab, as a side of a comparison, as a replay."""
        found: dict[int, CohortMember] = {}
        for replay in self._workspace.replays:
            if replay.run is not None:
                found[id(replay.run)] = self._member(replay)
        sides = self._sides()
        for side in sides:
            found.setdefault(id(side.run), CohortMember(side))
        # Recordings before their replays: the first one is the baseline.
        return sorted(found.values(), key=lambda each: bool(each.side.run.replay_of))

    def _sides(self) -> list[ComparedRun]:
        return [
            *(ComparedRun(one.run, one.path, one.title) for one in self._workspace.open_runs),
            *(side for one in self._workspace.comparisons for side in (one.left, one.right)),
        ]

    def variants_of(self, recording: ComparedRun) -> list[CohortMember]:
        """Return the recording and every replay of it that is open in some form."""
        found = {id(recording.run): CohortMember(recording, "as recorded")}
        for replay in self._workspace.replays:
            run = replay.run
            if run is not None and run.replay_of == recording.run.id:
                found[id(run)] = self._member(replay)
        for side in self._sides():
            if side.run.replay_of == recording.run.id:
                found.setdefault(id(side.run), CohortMember(side))
        return list(found.values())

    def show_variants(self, recording: ComparedRun) -> OpenCohort | None:
        """Show a recording and its replays in a table; None where there is no replay of it."""
        known = next(
            (each for each in self._workspace.cohorts if each.collects == recording.run.id), None
        )
        if known is not None:
            for member in self.variants_of(recording):
                known.add(member)
            self._workspace.make_current(known)
            return known
        members = self.variants_of(recording)
        if len(members) < 2:
            return None
        title = f"Variants of {recording.title}"
        return self.open(members, title=title, collects=recording.run.id)

    def open_member(self, cohort: OpenCohort, place: int) -> None:
        """Show one of the runs in a tab of its own."""
        if 0 <= place < len(cohort.members):
            self._comparer.open_span(cohort.members[place].side, None)

    def compare_member(self, cohort: OpenCohort, place: int) -> None:
        """Compare one of the runs with the baseline."""
        if 0 < place < len(cohort.members):
            self._comparer.show(cohort.members[0].side, cohort.members[place].side)

    def cancel(self, cohort: OpenCohort) -> None:
        """Stop computing."""
        task = self._under_way.pop(cohort, None)
        if task is not None and cohort.cohort is None:
            task.cancel()
            cohort.fail("The comparison was stopped.", "")

    def _member(self, replay: OpenReplay) -> CohortMember:
        label = "; ".join(replay.request.changes)
        return CohortMember(self._replayer.side_of(replay), label or replay.title)

    def _on_replay_ended(self, replay: OpenReplay) -> None:
        run = replay.run
        for cohort in self._workspace.cohorts:
            if run is not None and cohort.collects == run.replay_of:
                cohort.add(self._member(replay))

    def _on_added(self, cohort: OpenCohort) -> None:
        cohort.asked.connect(lambda: self._compute(cohort))
        self._compute(cohort)

    def _compute(self, cohort: OpenCohort) -> None:
        runs = [member.side.run for member in cohort.members]
        labels = [member.label for member in cohort.members]
        known = cohort.compared
        progress = Progress(cohort)
        progress.moved.connect(cohort.progressed)

        def work(cancelled: Cancelled) -> "Computed":
            return _computed(runs, labels, known, progress.report, cancelled)

        def done(found: "Computed") -> None:
            cohort.compared = found[1]
            cohort.show(found[0])

        def failed(error: Exception) -> None:
            if isinstance(error, InspectorError):
                cohort.fail(str(error), error.hint)
            else:
                cohort.fail("The runs could not be compared.", "")
                self._messages.failed(error)

        cohort.computing.emit()
        self._under_way[cohort] = cohort.tasks.start(work, done=done, failed=failed, key="cohort")


def _computed(
    runs: "list[PipelineRun]",
    labels: list[str],
    known: tuple[Compared, ...],
    report: Callable[[float], None],
    cancelled: Cancelled,
) -> "Computed":
    """Return the cohort of runs, comparing only what was not compared before."""
    from inspector.diff.cohort import cohort_of
    from inspector.diff.compare import diff_runs

    compared: list[Compared] = []
    baseline, *others = runs
    for number, other in enumerate(others):
        before = [each for each in known if each.left is baseline and each.right is other]
        if before:
            compared.append(before[0])
            continue

        def part(share: float, number: int = number) -> None:
            report((number + share) / len(others))

        found = diff_runs(baseline, other, progress=part, cancelled=cancelled)
        compared.append(Compared(baseline, other, found))
    cohort = cohort_of(runs, [each.comparison for each in compared], labels)
    return cohort, tuple(compared)
