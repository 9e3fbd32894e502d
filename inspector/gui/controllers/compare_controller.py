"""Compares runs beside the window, and moves through what differs."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.errors import InspectorError
from inspector.gui.controllers.reader import Reader, Report, Source
from inspector.gui.messages import Messages
from inspector.gui.tasks.progress import Progress
from inspector.gui.tasks.runner import Cancelled, Task, TaskRunner
from inspector.gui.workspace.open_comparison import (
    ComparedRun,
    ComparisonRules,
    OpenComparison,
    PairFocus,
)
from inspector.gui.workspace.open_run import OpenRun, stamp_of
from inspector.gui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from inspector.diff.model import Comparison
    from inspector.runfile.model import PipelineRun


class Wanted(NamedTuple):
    """Files that are to be compared, and what is to be done with their runs."""

    paths: tuple[Path, ...]
    done: Callable[[tuple[ComparedRun, ...]], None]

    @property
    def title(self) -> str:
        return " and ".join(path.name for path in self.paths)


class CompareController(Reader):
    """Opens comparisons, has them computed, and walks from change to change."""

    ended = Signal(str)  # there is no further change, in words

    def __init__(
        self,
        workspace: Workspace,
        tasks: TaskRunner,
        messages: Messages,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(tasks, messages, parent)
        self._workspace = workspace
        self._computing: dict[OpenComparison, Task] = {}
        workspace.comparison_removed.connect(lambda gone: self._computing.pop(gone, None))
        workspace.comparison_added.connect(self._on_added)

    def compare(self, left: ComparedRun, right: ComparedRun) -> OpenComparison:
        """Open a tab that compares two runs."""
        comparison = OpenComparison(left, right)
        self._workspace.add(comparison)
        return comparison

    def show(self, left: ComparedRun, right: ComparedRun) -> OpenComparison:
        """Compare two runs in the tab that does so already, or in a new one."""
        wanted = (left.run, right.run)
        for known in self._workspace.comparisons:
            if (known.left.run, known.right.run) == wanted:
                self._workspace.make_current(known)
                return known
        return self.compare(left, right)

    def compare_open(self, left: OpenRun, right: OpenRun) -> OpenComparison:
        """Compare two runs that are open in tabs."""
        return self.compare(_side(left), _side(right))

    def compare_with_file(self, left: OpenRun, path: Path) -> None:
        """Compare an open run with a file, which needs no tab of its own."""

        def show(found: tuple[ComparedRun, ...]) -> None:
            self.compare(_side(left), found[0])

        self._read(Wanted((path,), show))

    def compare_files(self, left: Path, right: Path) -> None:
        """Compare two files."""

        def show(found: tuple[ComparedRun, ...]) -> None:
            self.compare(*found)

        self._read(Wanted((left, right), show))

    def read_files(
        self, paths: Iterable[Path], done: Callable[[tuple[ComparedRun, ...]], None]
    ) -> None:
        """Read files as sides of comparisons, for whoever puts them beside each other."""
        self._read(Wanted(tuple(paths), done))

    def can_retry(self, _source: Source) -> bool:
        """Say that there are files, which may be whole the next time."""
        return True

    def retry(self, source: Source) -> None:
        """Read once more the files that were to be compared."""
        if isinstance(source, Wanted):
            self._read(source)

    def swap(self) -> None:
        """Put the left run on the right, and the other way round."""
        if current := self._workspace.current_comparison:
            current.swap()

    def toggle_only_changed(self) -> None:
        """Show only what differs, or everything."""
        if current := self._workspace.current_comparison:
            current.set_only_changed(not current.only_changed)

    def next_change(self) -> None:
        """Go to the next decision that differs."""
        self._go(1)

    def previous_change(self) -> None:
        """Go to the decision before that differs."""
        self._go(-1)

    def open_side(self, is_left: bool) -> None:
        """Open the selected span in the tab of its own run."""
        if (current := self._workspace.current_comparison) is None:
            return
        focus = current.selection.focus
        side, span_id = (current.left, focus.left) if is_left else (current.right, focus.right)
        self.open_span(side, span_id)

    def open_left(self) -> None:
        """Open what is selected in the left run."""
        self.open_side(True)

    def open_right(self) -> None:
        """Open what is selected in the right run."""
        self.open_side(False)

    def open_span(self, side: ComparedRun, span_id: str | None) -> None:
        """Show a span in the tab of its run; makes one where there is none."""
        known = next((one for one in self._workspace.open_runs if one.run is side.run), None)
        if known is None:
            known = OpenRun(
                side.run,
                side.path,
                title=side.title,
                stamp=stamp_of(side.path) if side.path else None,
            )
            known.selection.select(span_id)
            self._workspace.add(known)
            return
        known.selection.select(span_id)
        self._workspace.make_current(known)

    def align(self, comparison: OpenComparison, left_id: str, right_id: str) -> None:
        """Have two spans stand side by side from now on."""
        kept = tuple(
            pair for pair in comparison.rules.sync if left_id != pair[0] and right_id != pair[1]
        )
        # Who puts two spans side by side wants to see those.
        comparison.selection.select(PairFocus(None, left_id, right_id))
        comparison.set_rules(comparison.rules._replace(sync=(*kept, (left_id, right_id))))

    def change_rules(self, comparison: OpenComparison, rules: ComparisonRules) -> None:
        """Compare by other rules."""
        comparison.set_rules(rules)

    def stop(self, comparison: OpenComparison) -> None:
        """Stop comparing."""
        task = self._computing.pop(comparison, None)
        if task is not None and comparison.comparison is None:
            task.cancel()
            comparison.fail("The comparison was stopped.", "")

    def _on_added(self, comparison: OpenComparison) -> None:
        comparison.asked.connect(lambda: self._compute(comparison))
        self._compute(comparison)

    def _compute(self, comparison: OpenComparison) -> None:
        left, right, rules = comparison.left.run, comparison.right.run, comparison.rules
        progress = Progress(comparison)
        progress.moved.connect(comparison.progressed)

        def work(cancelled: Cancelled) -> "Comparison":
            from inspector.diff.compare import diff_runs

            return diff_runs(
                left,
                right,
                extract=rules.extract or None,
                ignore=rules.ignore,
                sync=rules.sync,
                progress=progress.report,
                cancelled=cancelled,
            )

        def failed(error: Exception) -> None:
            if isinstance(error, InspectorError):
                comparison.fail(str(error), error.hint)
            else:
                comparison.fail("The runs could not be compared.", "")
                self._messages.failed(error)

        comparison.computing.emit()
        self._computing[comparison] = comparison.tasks.start(
            work, done=comparison.show, failed=failed, key="compare"
        )

    def _read(self, wanted: Wanted) -> None:
        """Read files beside the window; what is open already is not read again."""
        paths = wanted.paths
        known = {path: self._workspace.find(path) for path in paths}

        def read(cancelled: Cancelled, report: Report) -> tuple[ComparedRun, ...]:
            from inspector.importers.opening import load_run

            def one(place: int, path: Path) -> ComparedRun:
                is_open = known[path]
                if is_open is not None:
                    return _side(is_open)

                def move(fraction: float) -> None:
                    report((place + fraction) / len(paths))

                run = load_run(path, progress=move, cancelled=cancelled)
                return ComparedRun(run, path, path.name)

            return tuple(one(place, path) for place, path in enumerate(paths))

        self._begin(wanted, read, wanted.done)

    def _go(self, step: int) -> None:
        current = self._workspace.current_comparison
        if current is None or current.comparison is None:
            return
        from inspector.presentation.decision_table import sorted_decisions

        # In the order in which they are seen, or the selection would jump about.
        seen = sorted_decisions(current.comparison, by_severity=current.by_severity)
        differing = [each for each in seen if each.differs]
        numbers = [each.number for each in seen]
        at = current.selection.focus.decision
        place = numbers.index(at) if at in numbers else (-1 if step > 0 else len(numbers))
        rest = seen[place + 1 :] if step > 0 else seen[:place][::-1] if place > 0 else []
        ahead = [each for each in rest if each.differs]
        if not ahead:
            self.ended.emit(
                ("No further change." if step > 0 else "No change before this one.")
                if differing
                else "No decision differs."
            )
            return
        found = ahead[0]
        current.selection.select(PairFocus(found.number, found.left_span, found.right_span))


def _side(open_run: OpenRun) -> ComparedRun:
    return ComparedRun(open_run.run, open_run.path, open_run.title)


def run_side(run: "PipelineRun", title: str) -> ComparedRun:
    """Return a side for a run that came from nowhere on disk, such as a replay."""
    return ComparedRun(run, None, title)
