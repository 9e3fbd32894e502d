"""What the tests of replaying in the window share: a project, its recordings, and a window."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.panes.replay_window import ReplayWindow
from inspector.gui.workspace.open_comparison import ComparedRun
from inspector.gui.workspace.open_replay import OpenReplay, ReplayState
from inspector.gui.workspace.replay_request import ReplayRequest
from inspector.presentation.live_replay import HeldCall
from inspector.replay.protocol import Job
from inspector.runfile.load import load_run
from tests.gui.conftest import wait_until_quiet
from tests.replay.worker.conftest import EXAMPLES, Project, project

__all__ = ["project"]

LONG_MS = 60_000

MISCHIEF = '''
    """The same pipeline, with a part in it that does what it is told to in the environment."""

    import os, signal, sys, time

    from haystack import Pipeline, component, tracing

    import garden


    @component
    class Mischief:
        __haystack_side_effecting__ = False

        @component.output_types(query=str)
        def run(self, query: str):
            getattr(self, os.environ.get("MISCHIEF", "nothing"))()
            return {"query": query}

        def nothing(self):
            pass

        def stumble(self):
            raise ValueError("the valve is stuck")

        def leave(self):
            print("I have had enough.", flush=True)
            os._exit(7)

        def die(self):
            print("The roof comes down.", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

        def fall_apart(self):
            os.kill(os.getpid(), signal.SIGSEGV)

        def freeze(self):
            os.kill(os.getpid(), signal.SIGSTOP)

        def dawdle(self):
            print("I am thinking.", flush=True)
            while True:
                time.sleep(0.05)

        def chatter(self):
            for number in range(2_000):
                print(f"line {number}")
            print("\\x1b[31mred\\x1b[0m and done", flush=True)

        def flood_prints(self):
            line = "x" * 1_023
            for _ in range(40_000):
                print(line)
            print("the last of it", flush=True)

        def flood_events(self):
            for number in range(12_000):
                with tracing.tracer.trace(f"drop {number}"):
                    pass

        def hog(self):
            self.much = bytearray(4 << 30)


    def rag():
        pipeline = garden.rag()
        pipeline.add_component("mischief", Mischief())
        pipeline.connect("mischief.query", "prompt.query")
        return pipeline
'''
DATA = {"retriever": {"query": "vents"}, "prompt": {"query": "When do the vents open?"}}
MISCHIEF_DATA = {
    "retriever": {"query": "vents"},
    "mischief": {"query": "When do the vents open?"},
}


class Replaying:
    """A person in front of the window, with a project to replay."""

    def __init__(self, program: Program, project: Project, qtbot: QtBot) -> None:
        self.program = program
        self.project = project
        self.qtbot = qtbot
        self.path = Path()
        self.before = b""

    def record(self, name: str, data: Any, target: str = "") -> None:
        """Record something of the project, and remember the file."""
        if target:
            from inspector import record_run
            from inspector.recording.finding import found_target

            _result, run = record_run(found_target(target), data)
            run.save(self.project.path(name))
        else:
            self.project.record(name, data)
        self.use(self.project.path(name))

    def use(self, path: Path) -> None:
        """Replay this file from now on."""
        self.path = path
        self.before = path.read_bytes()

    def request(self, target: str, **more: Any) -> ReplayRequest:
        """Return a request to replay the file with a target; `stub` without one."""
        of_request = {
            name: more.pop(name)
            for name in ("limits", "environment", "changes", "breakpoints")
            if name in more
        }
        job = Job(target=target, stub=not target, run=str(self.path), **more)
        recording = ComparedRun(load_run(self.path), self.path, self.path.name)
        return ReplayRequest(
            recording, job, python=Path(sys.executable), directory=self.project.folder,
            **of_request,
        )  # fmt: skip

    def start(
        self, target: str = "", timing: dict[str, float] | None = None, **more: Any
    ) -> OpenReplay:
        """Start a replay as the dialog does."""
        return self.program.replayer.start(self.request(target, **more), timing=timing or {})

    def ended(self, target: str = "", **more: Any) -> OpenReplay:
        """Replay to the end."""
        replay = self.start(target, **more)
        self.wait_for(replay, ReplayState.ENDED)
        return replay

    def wait_for(self, replay: OpenReplay, state: ReplayState) -> None:
        self.qtbot.waitUntil(lambda: replay.state is state, timeout=LONG_MS)

    def wait_for_pause(self, replay: OpenReplay, held: int = 1) -> tuple[HeldCall, ...]:
        """Wait until so many calls are held, and return them."""
        self.qtbot.waitUntil(
            lambda: len(replay.held) >= held or replay.state is ReplayState.ENDED, timeout=LONG_MS
        )
        assert len(replay.held) >= held, replay.failure
        return replay.held

    def wait_until(self, holds: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(holds, timeout=LONG_MS)

    def settle(self, replay: OpenReplay) -> None:
        """Wait until nothing runs beside the window for this replay."""
        self.wait_until(lambda: not replay.tasks.busy)
        wait_until_quiet(self.program, self.qtbot)

    @property
    def window(self) -> ReplayWindow:
        """The replay that is seen."""
        window = self.program.content.tabs.current_replay_window
        assert window is not None
        return window

    def is_untouched(self) -> bool:
        """Say whether the recording is what it was."""
        return self.path.read_bytes() == self.before


@pytest.fixture(scope="session", autouse=True)
def framework() -> None:
    """Replay only where there is something to replay with."""
    pytest.importorskip("haystack", reason="a replay runs a pipeline, which needs the framework")


@pytest.fixture
def replaying(program: Program, project: Project, qtbot: QtBot) -> Replaying:
    project.write("mischief", MISCHIEF)
    return Replaying(program, project, qtbot)


@pytest.fixture
def mischief(replaying: Replaying) -> Replaying:
    """Return a window with a recording of the pipeline with mischief in it."""
    replaying.record("mischief", MISCHIEF_DATA, "mischief:rag")
    sys.modules.pop("mischief", None)
    return replaying


@pytest.fixture
def example(replaying: Replaying, tmp_path: Path) -> Replaying:
    """Return a window with the example of an agent, to be replayed from its own definition."""
    copy = tmp_path / "agent-tools.run.json"
    copy.write_bytes((EXAMPLES / "agent-tools.run.json").read_bytes())
    replaying.use(copy)
    return replaying
