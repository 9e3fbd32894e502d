"""Everything that lives as long as the window does, made once and handed what it needs."""

from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication

from inspector.gui import theme
from inspector.gui.controllers.breakpoints_controller import BreakpointsController
from inspector.gui.controllers.cohort_controller import CohortController
from inspector.gui.controllers.compare_controller import CompareController
from inspector.gui.controllers.findings_controller import FindingsController
from inspector.gui.controllers.notes_controller import NotesController
from inspector.gui.controllers.open_controller import OpenController
from inspector.gui.controllers.play_controller import PlayController
from inspector.gui.controllers.prices_controller import PricesController
from inspector.gui.controllers.replay_controller import ReplayController
from inspector.gui.controllers.session_controller import SessionController
from inspector.gui.controllers.view_controller import ViewController
from inspector.gui.controllers.walk_controller import WalkController
from inspector.gui.main_window import MainWindow
from inspector.gui.main_window_content import Parts, WindowContent
from inspector.gui.messages import Messages
from inspector.gui.settings import Memory, SettingsStore
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.workspace.workspace import Workspace

# They take as long to load as a run to be drawn, and have nothing to do before.
_ATTEND_AFTER_MS = 100


class Program(NamedTuple):
    """The window, what stands in it and what stands behind it."""

    window: MainWindow
    content: WindowContent
    workspace: Workspace
    opener: OpenController
    comparer: CompareController
    replayer: ReplayController
    cohorts: CohortController
    settings: SettingsStore
    messages: Messages
    tasks: TaskRunner
    others: list[QObject]
    session: SessionController

    def compare(self, paths: list[Path]) -> None:
        """Compare two files side by side, or more of them in a table."""
        if len(paths) == 2:
            self.comparer.compare_files(*paths)
        else:
            self.cohorts.open_files(paths)

    def close(self) -> None:
        """Let go of everything that has a thread."""
        for item in self.workspace.items:
            self.workspace.remove(item)
        self.content.close()
        self.replayer.close()
        self.tasks.close()


def build(app: QApplication, disk: QSettings, *, expecting_runs: bool = False) -> Program:
    """Make a window with everything in and behind it; nothing is shown yet."""
    settings = SettingsStore(disk)
    memory = Memory(disk)
    theme.dress(app, settings.current)
    notes = Path(disk.fileName()).parent / "notes"
    window = MainWindow(memory)
    return furnish(app, window, settings, memory, expecting_runs=expecting_runs, notes=notes)


def furnish(
    app: QApplication,
    window: MainWindow,
    settings: SettingsStore,
    memory: Memory,
    *,
    expecting_runs: bool = False,
    notes: Path | None = None,
) -> Program:
    """Fill an empty window, and make what stands behind it.

    Args:
        app: The application.
        window: The window, empty.
        settings: What a person chose.
        memory: What the window remembers.
        expecting_runs: Whether runs are about to be opened, so that no start page is made.
        notes: The folder in which bookmarks and notes are kept; None keeps none.

    """

    def follow_system() -> None:
        if theme.differs_from_system(app, settings.current.theme):
            theme.dress(app, settings.current)

    settings.changed.connect(lambda chosen: theme.dress(app, chosen))
    app.styleHints().colorSchemeChanged.connect(lambda _scheme: follow_system())

    messages = Messages()
    workspace = Workspace()
    tasks = TaskRunner()
    opener = OpenController(workspace, tasks, messages, memory)
    walker = WalkController(workspace)
    player = PlayController(workspace, settings)
    viewer = ViewController(settings)
    comparer = CompareController(workspace, tasks, messages)
    replayer = ReplayController(workspace, comparer, messages)
    cohorts = CohortController(workspace, comparer, replayer, messages)
    noter = NotesController(workspace, messages, notes)
    breaker = BreakpointsController(workspace, memory)
    finder = FindingsController(workspace, settings)
    pricer = PricesController(workspace, memory)
    parts = Parts(
        workspace,
        opener,
        comparer,
        replayer,
        cohorts,
        walker,
        player,
        viewer,
        noter,
        breaker,
        settings,
        memory,
        messages,
    )
    content = WindowContent(window, parts, expecting_runs=expecting_runs)
    others: list[QObject] = [
        memory,
        finder,
        pricer,
        comparer,
        replayer,
        cohorts,
        walker,
        player,
        viewer,
        noter,
        breaker,
    ]
    _call_attendants(workspace, messages, tasks, others)
    session = SessionController(workspace, opener, comparer, cohorts, settings, memory, messages)
    window.closing.connect(session.keep)
    window.closing.connect(replayer.say_no_more)
    return Program(
        window,
        content,
        workspace,
        opener,
        comparer,
        replayer,
        cohorts,
        settings,
        messages,
        tasks,
        others,
        session,
    )


def _call_attendants(
    workspace: Workspace, messages: Messages, tasks: TaskRunner, others: list[QObject]
) -> None:
    """Have those who look after open runs come when the first one was shown."""

    def come() -> None:
        from inspector.gui.controllers.follow_controller import FollowController
        from inspector.gui.controllers.verify_controller import VerifyController
        from inspector.gui.tasks.memory import MemoryKeeper

        others.extend((FollowController(workspace), VerifyController(workspace, messages)))
        others.append(MemoryKeeper(tasks))

    workspace.added.connect(
        lambda _run: QTimer.singleShot(_ATTEND_AFTER_MS, workspace, come),
        Qt.ConnectionType.SingleShotConnection,
    )


def answer_the_door(program: Program, name: str) -> None:
    """Open the files of later launches in this window."""
    from inspector.gui.single_instance import Doorbell

    bell = Doorbell(name, program.window)
    if not bell.listen():
        return

    def answer(paths: list[Path], at: str | None, field: str | None, compare: bool) -> None:
        program.window.bring_forward()
        if compare:
            program.compare(paths)
        else:
            program.opener.open(paths, at=at, field=field)

    bell.rung.connect(answer)
