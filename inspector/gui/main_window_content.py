"""What stands in the window: menus, toolbar, and the tabs of what is open. No slot does work."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.actions import ACTIONS, MENUS, Actions, keys_words
from inspector.gui.controllers.breakpoints_controller import BreakpointsController
from inspector.gui.controllers.cohort_controller import CohortController
from inspector.gui.controllers.compare_controller import CompareController
from inspector.gui.controllers.notes_controller import NotesController
from inspector.gui.controllers.open_controller import OpenController
from inspector.gui.controllers.play_controller import PlayController
from inspector.gui.controllers.replay_controller import ReplayController
from inspector.gui.controllers.search_controller import SearchController
from inspector.gui.controllers.view_controller import ViewController
from inspector.gui.controllers.walk_controller import WalkController
from inspector.gui.main_window import MainWindow
from inspector.gui.main_window_compare import CompareOffers
from inspector.gui.main_window_openings import Openings
from inspector.gui.main_window_palette import PaletteOffers
from inspector.gui.main_window_replay import ReplayOffers
from inspector.gui.main_window_replay_ask import ReplayQuestions
from inspector.gui.main_window_variants import VariantOffers
from inspector.gui.messages import Messages
from inspector.gui.panes.copy_moves import CopyMoves
from inspector.gui.panes.graph_moves import GraphMoves
from inspector.gui.panes.pane_table import PANES
from inspector.gui.panes.pause_moves import PauseMoves
from inspector.gui.panes.run_tabs import RunTabs
from inspector.gui.panes.start_page import StartPage
from inspector.gui.panes.timeline_moves import TimelineMoves
from inspector.gui.panes.value_moves import ValueMoves
from inspector.gui.settings import Memory, SettingsStore
from inspector.gui.widgets.menus import build_menus, build_toolbar
from inspector.gui.widgets.play_buttons import PlayButtons
from inspector.gui.widgets.recent_menu import RecentMenu
from inspector.gui.workspace.workspace import Item, Workspace

if TYPE_CHECKING:
    from inspector.gui.panes.graph_pane import GraphPane
    from inspector.gui.widgets.cards import Banner
    from inspector.gui.widgets.timeline_canvas import TimelineCanvas


class Parts(NamedTuple):
    """What the content is given: everything it shows or asks."""

    workspace: Workspace
    opener: OpenController
    comparer: CompareController
    replayer: ReplayController
    cohorts: CohortController
    walker: WalkController
    player: PlayController
    viewer: ViewController
    noter: NotesController
    breaker: BreakpointsController
    settings: SettingsStore
    memory: Memory
    messages: Messages


class WindowContent(QObject):
    """Shows a start page and a tab for each open run, and offers what can be done."""

    def __init__(self, window: MainWindow, parts: Parts, *, expecting_runs: bool = False) -> None:
        super().__init__(window)
        self._window = window
        self._parts = parts
        self._dialogs: dict[str, QDialog] = {}

        # Kept here: a connection alone keeps nothing but Qt's own objects.
        self._timeline_moves = TimelineMoves(self._timeline_canvas)
        self._value_moves = ValueMoves(lambda: self._tabs.current_window)
        self._searcher = SearchController(parts.workspace, parts.memory, self)
        self._graph_moves = GraphMoves(self._graph_pane)
        self._pauses = PauseMoves(lambda: self._tabs)
        self._offers = CompareOffers(
            window,
            parts.workspace,
            parts.comparer,
            parts.memory,
            parts.messages,
            self._show_dialog,
        )
        self._replayed = ReplayOffers(window, parts.workspace, parts.replayer, parts.memory)
        self._asking = ReplayQuestions(
            window, parts.workspace, parts.replayer, parts.memory, self._show_dialog
        )
        self._variants = VariantOffers.made(window, parts, self._show_dialog)
        self._palette = PaletteOffers(
            window,
            parts.workspace,
            parts.opener,
            parts.memory,
            lambda: self._actions,
            lambda: self._pane_actions,
        )
        owners = {
            "window": self._window,
            "content": self,
            "walk": parts.walker,
            "play": parts.player,
            "compare": parts.comparer,
            "offers": self._offers,
            "replay": parts.replayer,
            "replayed": self._replayed,
            "asking": self._asking,
            **self._variants.owners,
            "view": parts.viewer,
            "timeline": self._timeline_moves,
            "value": self._value_moves,
            "search": self._searcher,
            "graph": self._graph_moves,
            "palette": self._palette,
            "notes": parts.noter,
            "breakpoints": parts.breaker,
            "pauses": self._pauses,
            "copy": CopyMoves(lambda: self._tabs.current_window, self),
        }
        self._actions = Actions(owners, window)
        self._pane_actions: list[QAction] = []
        self._build_menus()
        window.addToolBar(build_toolbar(self._actions))
        PlayButtons(self._actions, parts.player, window)

        self._banner: Banner | None = None
        self._strip_place = QVBoxLayout()
        self._tabs = RunTabs(parts.workspace, parts.memory, self._make_start_page)
        self._openings = Openings(parts.opener, parts.comparer, self._tabs, self._strip_place, self)
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._strip_place)
        layout.addWidget(self._tabs, 1)
        window.setCentralWidget(body)
        if not expecting_runs:
            self._tabs.show_start()

        self._connect()
        self._allow()
        self._dress()

    @property
    def tabs(self) -> RunTabs:
        return self._tabs

    @property
    def banner(self) -> "Banner":
        """Where sentences are said; made when there is something to say."""
        if self._banner is None:
            from inspector.gui.widgets.cards import Banner

            self._banner = Banner()
            self._strip_place.insertWidget(0, self._banner)
        return self._banner

    def close(self) -> None:
        """End what goes on beside the window."""
        self._variants.close()

    def action(self, name: str) -> QAction:
        """Return one of the actions, by its id in the table."""
        return self._actions[name]

    # What actions ask for

    def ask_for_files(self) -> None:
        """Let a person choose files, and open them."""
        from inspector.gui.dialogs.choose_files import choose_files

        memory, opener = self._parts.memory, self._parts.opener

        def open_them(paths: list[Path]) -> None:
            memory.remember_folder(paths[0].parent)
            opener.open(paths)

        choose_files(self._window, memory.last_folder, open_them)

    def paste(self) -> None:
        """Open what the clipboard holds."""
        self._parts.opener.paste(QGuiApplication.clipboard().mimeData())

    def reload(self) -> None:
        """Read the current run's file again."""
        if current := self._parts.workspace.current:
            self._parts.opener.reload(current)

    def show_start(self) -> None:
        """Show the start page."""
        self._tabs.show_start()

    def close_current(self) -> None:
        """Close the tab in front; the start page stays."""
        current = None if self._tabs.is_start_shown else self._parts.workspace.current_item
        if current is not None:
            self._tabs.keep_layout()
            self._parts.workspace.remove(current)

    def fold_all(self) -> None:
        """Close every branch of the component tree."""
        if window := self._tabs.current_window:
            window.tree_pane.fold_all()

    def unfold_all(self) -> None:
        """Open every branch of the component tree."""
        if window := self._tabs.current_window:
            window.tree_pane.unfold_all()

    def _timeline_canvas(self) -> "TimelineCanvas | None":
        window = self._tabs.current_window
        return window.timeline_canvas if window else None

    def _graph_pane(self) -> "GraphPane | None":
        window = self._tabs.current_window
        return window.graph_pane if window else None

    def toggle_visit_difference(self) -> None:
        """Show what a visit changed against the one before it, or the visit itself."""
        if window := self._tabs.current_window:
            window.span_pane.toggle_difference()

    def write_note(self) -> None:
        """Put the caret where a note on the selected span is written."""
        self._show_pane("notes")

    def leave_range(self) -> None:
        """Go back to the range before, in the end to the whole run."""
        if current := self._parts.workspace.current:
            current.range.pop()

    def reset_layout(self) -> None:
        """Put every pane where it stands at first."""
        if window := self._tabs.current_window:
            window.arrange()

    def show_settings(self) -> None:
        """Show what can be chosen."""
        from inspector.gui.dialogs.settings_dialog import SettingsDialog

        self._show_dialog("settings", lambda: SettingsDialog(self._parts.settings, self._window))

    def show_shortcuts(self) -> None:
        """Show the sheet of keys."""
        from inspector.gui.dialogs.shortcuts_dialog import ShortcutsDialog

        self._show_dialog("shortcuts", lambda: ShortcutsDialog(key_groups(), self._window))

    def show_about(self) -> None:
        """Say what this program is."""
        from inspector.gui.dialogs.about_dialog import AboutDialog

        self._show_dialog("about", lambda: AboutDialog(self._window))

    # Building

    def _build_menus(self) -> None:
        menus = build_menus(self._window.menuBar(), self._actions)
        recent = RecentMenu(self._parts.memory, menus["file"])
        recent.path_chosen.connect(lambda path: self._parts.opener.open([path]))
        menus["file"].insertMenu(self._actions["paste"], recent)
        before = self._actions["fold-all"]
        for spec in PANES:
            action = QAction(f"Go to {spec.title.lower()}", self._window)
            action.setShortcut(QKeySequence(spec.shortcut))
            action.triggered.connect(lambda _checked=False, key=spec.key: self._show_pane(key))
            menus["view"].insertAction(before, action)
            self._pane_actions.append(action)
        menus["view"].insertSeparator(before)

    def _make_start_page(self) -> StartPage:
        from inspector.presentation.examples import bundled_examples

        opener, memory = self._parts.opener, self._parts.memory
        page = StartPage(bundled_examples())
        page.show_recent(memory.recent_files)
        page.files_requested.connect(self.ask_for_files)
        page.path_requested.connect(lambda path: opener.open([path]))
        page.hayhooks_requested.connect(self._variants.hayhooks.open)
        self._openings.tie(page)
        memory.recent_changed.connect(lambda: page.show_recent(memory.recent_files))
        return page

    def _connect(self) -> None:
        parts = self._parts
        self._window.dropped.connect(parts.opener.drop)
        self._window.closing.connect(self._tabs.keep_layout)
        parts.workspace.current_changed.connect(self._allow)
        parts.walker.ended.connect(self._on_walk_ended)
        parts.comparer.ended.connect(self._on_walk_ended)
        parts.walker.arrived.connect(self._on_walk_ended)
        parts.noter.said.connect(self._on_walk_ended)
        parts.breaker.said.connect(self._on_walk_ended)
        parts.breaker.edit_asked.connect(self._pauses.write_condition)
        parts.player.said.connect(self._on_walk_ended)
        parts.noter.changeable.connect(self._actions.offer_changes)
        parts.messages.error_shown.connect(self._on_message)
        parts.messages.notice_shown.connect(self._on_message)
        parts.messages.crash_reported.connect(self._on_crash)
        self._tabs.reload_requested.connect(parts.opener.reload)
        self._tabs.failure_requested.connect(parts.walker.go_to_first_failure)
        self._tabs.comparison_added.connect(self._offers.tie)
        self._tabs.replay_added.connect(self._replayed.tie)
        self._variants.tie(self._tabs)
        for offers in self._variants:
            offers.said.connect(self._on_walk_ended)
        self._variants.what_if.replay_requested.connect(self._asking.ask)
        parts.replayer.said.connect(self._on_walk_ended)
        self._tabs.currentChanged.connect(self._on_tab_changed)
        theme.changes.changed.connect(self._dress)

    def _dress(self) -> None:
        self._actions.dress()
        scheme = "sun" if theme.current().dark else "moon"
        self._actions["toggle-theme"].setIcon(theme.icon(scheme))

    def _show_dialog(self, key: str, make: Callable[[], QDialog]) -> None:
        """Show a dialog beside the window, or the one of its kind that is open already."""
        dialog = self._dialogs.get(key)
        if dialog is None:
            dialog = self._dialogs[key] = make()
            dialog.destroyed.connect(lambda: self._dialogs.pop(key, None))
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    # What happens

    def _on_tab_changed(self) -> None:
        current = None if self._tabs.is_start_shown else self._parts.workspace.current_item
        self._allow()
        self._window.setWindowTitle(_window_title(current))

    def _allow(self) -> None:
        item = None if self._tabs.is_start_shown else self._parts.workspace.current_item
        there_is_a_run = item is not None and item is self._parts.workspace.current
        self._actions.allow(item.front if item is not None else "")
        self._parts.noter.tell()
        for action in self._pane_actions:
            action.setEnabled(there_is_a_run)

    def _on_message(self, message: str, hint: str = "") -> None:
        if self._tabs.is_start_shown:
            self._tabs.show_start()  # which nobody may have needed before
        self.banner.say(message, hint)

    def _on_walk_ended(self, words: str) -> None:
        if (window := self._tabs.speaking_window) is not None:
            window.say(words)

    def _on_crash(self, error: BaseException) -> None:
        from inspector.gui.dialogs.about_dialog import program_version
        from inspector.gui.dialogs.crash_dialog import CrashDialog
        from inspector.gui.tasks.crashes import crash_report

        report = crash_report(error, program_version())
        self._show_dialog("crash", lambda: CrashDialog(report, self._window))

    def _show_pane(self, key: str) -> None:
        if window := self._tabs.current_window:
            window.show_pane(key)


def _window_title(item: Item | None) -> str:
    if item is None:
        return "Run Inspector"
    from inspector.presentation.visible import one_line

    return f"{one_line(item.title)} – Run Inspector"


def key_groups() -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """Return every key there is, by menu, as the sheet shows them."""
    groups = []
    for key, title in MENUS.items():
        lines = [
            (spec.text.rstrip("…"), [keys_words((one,)) for one in spec.keys])
            for spec in ACTIONS
            if spec.menu == key and spec.keys
        ]
        if key == "view":
            panes = [
                (f"Go to {pane.title.lower()}", [keys_words((pane.shortcut,))]) for pane in PANES
            ]
            lines = panes + lines
        groups.append((title.replace("&", ""), lines))
    return groups
