"""Starts replays beside the window, moves the one in front, and keeps what they leave."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from inspector.errors import InspectorError
from inspector.gui.controllers.compare_controller import CompareController, run_side
from inspector.gui.messages import Messages
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_comparison import ComparedRun, OpenComparison
from inspector.gui.workspace.open_replay import OpenReplay, ReplayFocus
from inspector.gui.workspace.replay_request import ReplayRequest
from inspector.gui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from inspector.gui.controllers.replay_driver import ReplayDriver
    from inspector.gui.tasks.own_folder import OwnFolder

_AS_USUAL: Mapping[str, float] = {}


class ReplayController(QObject):
    """Opens a tab for each replay, drives its worker, and keeps what it leaves.

    What a replay leaves is in a folder that goes with the window, until somebody saves it.
    """

    ended = Signal(object)  # OpenReplay, once it is over
    said = Signal(str)

    def __init__(
        self,
        workspace: Workspace,
        comparer: CompareController,
        messages: Messages,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._comparer = comparer
        self._messages = messages
        self._drivers: dict[OpenReplay, ReplayDriver] = {}
        self._leaving: list[ReplayDriver] = []  # of tabs that were closed
        self._folder: OwnFolder | None = None
        self._count = 0
        self._is_quiet = False
        self._comparisons: dict[OpenReplay, OpenComparison] = {}
        workspace.replay_removed.connect(self._on_removed)
        workspace.comparison_removed.connect(self._on_comparison_removed)

    def start(
        self, request: ReplayRequest, *, timing: Mapping[str, float] = _AS_USUAL
    ) -> OpenReplay:
        """Replay a recording in a tab of its own.

        Args:
            request: What to replay, and how.
            timing: How long to wait for the worker, as `replay.host.Worker` takes it.

        """
        from dataclasses import replace

        # An empty window has no replay, and needs none of it.
        from inspector.gui.controllers.replay_driver import ReplayDriver
        from inspector.gui.tasks.replay_thread import Order

        replay = OpenReplay(request)
        replay.title = self._title(replay.title)
        job = replace(
            request.job,
            output=str(self._new_place()),
            breakpoints=(*request.job.breakpoints, *request.breakpoints),
        )
        order = Order(
            request.recording.run, job, request.python, request.directory, request.limits,
            request.environment, timing,
        )  # fmt: skip
        driver = self._drivers[replay] = ReplayDriver(replay, order, self)
        driver.over.connect(lambda: self._on_over(driver))
        driver.crashed.connect(self._messages.crashed)
        replay.attach(driver)
        replay.ended.connect(lambda: self._on_ended(replay))
        self._workspace.add(replay)
        driver.start()
        return replay

    def refuse(self, error: InspectorError) -> None:
        """Say why a run is not replayed."""
        self._messages.failed(error)

    def fail(self, error: Exception) -> None:
        """Tell what went wrong with a replay in its tab."""
        self._messages.failed(error)

    def driver_of(self, replay: OpenReplay) -> "ReplayDriver | None":
        """Return who drives a replay; None where its tab was closed."""
        return self._drivers.get(replay)

    def close(self) -> None:
        """End every worker, and take away what nobody has saved."""
        drivers = (*self._drivers.values(), *self._leaving)
        for driver in drivers:
            driver.abandon()
        for driver in drivers:  # they end side by side, so the wait is that for the slowest
            driver.close()
        self._drivers.clear()
        self._leaving.clear()
        if self._folder is not None:
            self._folder.close()
            self._folder = None

    # What actions ask for

    def step(self) -> None:
        """Let the held call go on, to the next place there is."""
        self._tell("step")

    def into(self) -> None:
        """Pause at the next place inside of the held call, or after it."""
        self._tell("into")

    def over(self) -> None:
        """Pause after the held call, and at nothing inside of it."""
        self._tell("over")

    def out(self) -> None:
        """Pause at the end of what the held call is inside of."""
        self._tell("out")

    def go_on(self) -> None:
        """Let everything go on, to the next breakpoint."""
        self._tell("go_on")

    def pause(self) -> None:
        """Pause at the next place there is."""
        self._tell("pause")

    def stop(self) -> None:
        """Let nothing go on any further; asked again, end the worker."""
        self._tell("stop")

    def again(self) -> None:
        """Do the replay in front once more, as it was asked for."""
        if (current := self._workspace.current_replay) is not None:
            self.start(current.request_again)

    def compare(self) -> None:
        """Compare what the replay in front has left with the recording."""
        if (current := self._workspace.current_replay) is not None:
            self.compare_result(current)

    def compare_result(self, replay: OpenReplay) -> OpenComparison | None:
        """Compare what a replay has left with its recording, in the tab that does so already."""
        if replay.run is None:
            return None
        known = self._comparisons.get(replay)
        if known is not None:
            self._workspace.make_current(known)
            return known
        made = self._comparer.compare(replay.request.recording, self.side_of(replay))
        self._comparisons[replay] = made
        return made

    def side_of(self, replay: OpenReplay) -> ComparedRun:
        """Return what a replay has left as a side of comparisons.

        Raises:
            LookupError: It has left nothing.

        """
        return run_side(replay.result(), replay.title)

    def open_result(self, replay: OpenReplay) -> None:
        """Show what a replay has left as a run in a tab."""
        if replay.run is not None:
            self._comparer.open_span(self.side_of(replay), None)

    def show_recorded(self, replay: OpenReplay, focus: ReplayFocus) -> None:
        """Show what is looked at as the recording has it."""
        self._comparer.open_span(replay.request.recording, focus.recorded_id)

    def show_span(self, replay: OpenReplay, focus: ReplayFocus) -> None:
        """Show what is looked at with its values: in the result, or in the recording."""
        if replay.run is not None and focus.span_id is not None:
            self._comparer.open_span(self.side_of(replay), focus.span_id)
        elif focus.recorded_id is not None:
            self.show_recorded(replay, focus)

    def open(self) -> None:
        """Show what the replay in front has left as a run in a tab."""
        if (current := self._workspace.current_replay) is not None:
            self.open_result(current)

    def slower(self) -> None:
        """Show the replay in front slower."""
        self._change_pace(-1)

    def faster(self) -> None:
        """Show the replay in front faster."""
        self._change_pace(1)

    def save(self, replay: OpenReplay, path: Path) -> None:
        """Keep what a replay has left in a file."""
        run = replay.result()

        def work(_cancelled: Cancelled) -> Path:
            run.save(path)
            return path

        def done(saved: Path) -> None:
            replay.keep_at(saved)
            self.said.emit(f"Saved as {saved}.")

        replay.tasks.start(work, done=done, failed=self._messages.failed, key="save")

    def _change_pace(self, by: int) -> None:
        from inspector.presentation.replay_pace import PACES

        if (current := self._workspace.current_replay) is not None:
            place = PACES.index(current.pace) + by
            current.set_pace(PACES[min(max(place, 0), len(PACES) - 1)])

    def _tell(self, command: str) -> None:
        if (current := self._workspace.current_replay) is not None:
            getattr(current, command)()

    def _title(self, wanted: str) -> str:
        """Return a title that no open replay has: one does the same several times."""
        taken = {replay.title for replay in self._workspace.replays}
        title, number = wanted, 1
        while title in taken:
            number += 1
            title = f"{wanted} ({number})"
        return title

    def _new_place(self) -> Path:
        if self._folder is None:
            from inspector.gui.tasks.own_folder import OwnFolder

            self._folder = OwnFolder()
        self._count += 1
        return self._folder.path / f"replay-{self._count}.run.json"

    def _on_ended(self, replay: OpenReplay) -> None:
        self.ended.emit(replay)
        if self._workspace.current_item is replay and _is_worth_comparing(replay):
            self.compare_result(replay)

    def _on_over(self, driver: "ReplayDriver") -> None:
        if driver in self._leaving:
            self._leaving.remove(driver)
            driver.deleteLater()

    def say_no_more(self) -> None:
        """Take note that the window closes: there is nobody left to tell."""
        self._is_quiet = True

    def _on_removed(self, replay: OpenReplay) -> None:
        if replay.run is not None and replay.kept_at is None and not self._is_quiet:
            self._messages.notice(f"{replay.title} is closed. Its result was not saved.")
        self._comparisons.pop(replay, None)
        driver = self._drivers.pop(replay, None)
        if driver is None:
            return
        if driver.is_over:
            driver.deleteLater()
        else:
            self._leaving.append(driver)
            driver.abandon()

    def _on_comparison_removed(self, gone: OpenComparison) -> None:
        self._comparisons = {
            replay: one for replay, one in self._comparisons.items() if one is not gone
        }


def _is_worth_comparing(replay: OpenReplay) -> bool:
    """Say whether a replay came to its end, and to another one than the recording."""
    finished = (replay.live.finished if replay.live is not None else None) or {}
    differs = finished.get("outcome") == "drift" or bool(replay.request.changes)
    return replay.run is not None and differs and not finished.get("error")
