"""Everything a person can do, in one table.

Menus, the toolbar and the sheet of shortcuts are made from it. `does` names an
owner and one of its methods, such as `open.ask`; `app.py` says who the owners are.
"""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

from inspector.gui import theme
from inspector.gui.action_spec import ActionSpec
from inspector.gui.actions_a2a import A2A_ACTIONS
from inspector.gui.actions_breakpoints import BREAKPOINT_ACTIONS
from inspector.gui.actions_edit import EDIT_ACTIONS
from inspector.gui.actions_graph import GRAPH_ACTIONS
from inspector.gui.actions_hayhooks import HAYHOOKS_ACTIONS
from inspector.gui.actions_replay import REPLAY_ACTIONS
from inspector.gui.actions_share import SHARE_ACTIONS
from inspector.gui.actions_what_if import WHAT_IF_ACTIONS

AT_THE_RIGHT = 9  # the group of the toolbar that stands at its other end
MENUS = {
    "file": "&File", "mark": "&Mark", "copy": "C&opy", "go": "&Go", "view": "&View",
    "compare": "&Compare", "replay": "&Replay",
    "hayhooks": "Ha&yhooks", "help": "&Help",
}  # fmt: skip
_NEEDED = {
    "run": "an open run", "comparison": "a comparison", "replay": "a replay",
    "executions": "the tab of Hayhooks", "execution": "an open execution",
    "agents": "the tab of A2A agents", "task": "an open task of an agent",
}  # fmt: skip


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        id="open", text="Open…", does="content.ask_for_files", menu="file", keys=("Ctrl+O",),
        icon="open", toolbar=1,
    ),
    ActionSpec(
        id="paste", text="Open from clipboard", does="content.paste", menu="file",
        keys=("Ctrl+V",), icon="paste",
    ),
    ActionSpec(
        id="reload", text="Read the file again", does="content.reload", menu="file", group=1,
        keys=("F5",), icon="reload", needs_run=True,
    ),
    ActionSpec(
        id="compare", text="Compare with…", does="offers.ask", menu="compare",
        keys=("Ctrl+D",), icon="compare", toolbar=1, needs_run=True,
    ),
    *SHARE_ACTIONS,
    ActionSpec(
        id="start", text="Start page", does="content.show_start", menu="file", group=2,
        keys=("Ctrl+Home",), icon="home",
    ),
    ActionSpec(
        id="close", text="Close tab", does="content.close_current", menu="file", group=2,
        keys=("Ctrl+W",), icon="close",
    ),
    ActionSpec(
        id="settings", text="Settings…", does="content.show_settings", menu="file", group=3,
        keys=("Ctrl+,",), icon="settings",
    ),
    ActionSpec(
        id="quit", text="Quit", does="window.close", menu="file", group=4, keys=("Ctrl+Q",),
    ),
    ActionSpec(
        id="first", text="First span", does="walk.first", menu="go", keys=("G, G",),
        icon="first", toolbar=2, needs_run=True,
    ),
    ActionSpec(
        id="previous", text="Previous span", does="walk.previous", menu="go", keys=("K",),
        icon="previous", toolbar=2, needs_run=True,
    ),
    ActionSpec(
        id="next", text="Next span", does="walk.next", menu="go", keys=("J",), icon="next",
        toolbar=2, needs_run=True,
    ),
    ActionSpec(
        id="last", text="Last span", does="walk.last", menu="go", keys=("Shift+G",),
        icon="last", toolbar=2, needs_run=True,
    ),
    ActionSpec(
        id="out", text="Out to the span around", does="walk.out", menu="go", group=1,
        keys=("H",), icon="out", toolbar=3, needs_run=True,
    ),
    ActionSpec(
        id="into", text="Into the span", does="walk.into", menu="go", group=1, keys=("L",),
        icon="in", toolbar=3, needs_run=True,
    ),
    ActionSpec(
        id="over", text="Over the span", does="walk.over", menu="go", group=1,
        keys=("Shift+J",), icon="next-visit", needs_run=True,
    ),
    ActionSpec(
        id="next-tool", text="Next tool call", does="walk.next_tool", menu="go", group=2,
        keys=("T",), icon="next-tool", toolbar=4, needs_run=True,
    ),
    ActionSpec(
        id="previous-tool", text="Previous tool call", does="walk.previous_tool", menu="go",
        group=2, keys=("Shift+T",), needs_run=True,
    ),
    ActionSpec(
        id="next-llm", text="Next LLM call", does="walk.next_llm", menu="go", group=2,
        keys=("M",), icon="next-llm", toolbar=4, needs_run=True,
    ),
    ActionSpec(
        id="previous-llm", text="Previous LLM call", does="walk.previous_llm", menu="go",
        group=2, keys=("Shift+M",), needs_run=True,
    ),
    ActionSpec(
        id="next-failure", text="Next failure", does="walk.next_failure", menu="go", group=2,
        keys=("E",), icon="next-error", toolbar=4, needs_run=True,
    ),
    ActionSpec(
        id="previous-failure", text="Previous failure", does="walk.previous_failure", menu="go",
        group=2, keys=("Shift+E",), needs_run=True,
    ),
    ActionSpec(
        id="next-finding", text="Next finding", does="walk.next_finding", menu="go", group=2,
        keys=("N", "F8"), needs_run=True,
    ),
    ActionSpec(
        id="previous-finding", text="Previous finding", does="walk.previous_finding", menu="go",
        group=2, keys=("Shift+N", "Shift+F8"), needs_run=True,
    ),
    ActionSpec(
        id="previous-visit", text="Previous visit of this component",
        does="walk.previous_visit", menu="go", group=3, keys=(",",), icon="previous-visit",
        needs_run=True,
    ),
    ActionSpec(
        id="next-visit", text="Next visit of this component", does="walk.next_visit", menu="go",
        group=3, keys=(".",), icon="next-visit", needs_run=True,
    ),
    ActionSpec(
        id="visit-difference", text="Changes since the visit before",
        does="content.toggle_visit_difference", menu="go", group=3, keys=("V",), needs_run=True,
    ),
    ActionSpec(
        id="where-from", text="Where did this value come from?", does="value.where_from",
        menu="go", group=4, keys=("O",), icon="origin", needs_run=True,
    ),
    ActionSpec(
        id="who-used", text="Who used this value?", does="value.who_used", menu="go", group=4,
        keys=("U",), icon="used", needs_run=True,
    ),
    ActionSpec(
        id="find", text="Search this run…", does="search.find", menu="go", group=6,
        keys=("Ctrl+F",), icon="search", toolbar=6, needs_run=True,
    ),
    ActionSpec(
        id="next-result", text="Next result", does="search.next", menu="go", group=6,
        keys=("F3",), needs_run=True,
    ),
    ActionSpec(
        id="previous-result", text="Previous result", does="search.previous", menu="go", group=6,
        keys=("Shift+F3",), needs_run=True,
    ),
    ActionSpec(
        id="filter", text="Show only what is found, or everything", does="search.toggle_filter",
        menu="view", group=2, keys=("Ctrl+Shift+F",), needs_run=True,
    ),
    ActionSpec(
        id="back", text="Back to what was selected before", does="walk.back", menu="go", group=4,
        keys=("Alt+Left",), icon="back", needs_run=True,
    ),
    ActionSpec(
        id="forward", text="Forward again", does="walk.forward", menu="go", group=4,
        keys=("Alt+Right",), icon="forward", needs_run=True,
    ),
    ActionSpec(
        id="play", text="Play, or stop playing", does="play.toggle", menu="go", group=5,
        keys=("Space",), icon="play", toolbar=5, needs_run=True,
    ),
    ActionSpec(
        id="stop", text="Stop playing", does="play.stop", menu="go", group=5, keys=("Esc",),
    ),
    ActionSpec(
        id="faster", text="Play faster", does="play.faster", menu="go", group=5, keys=(">",),
        needs_run=True,
    ),
    ActionSpec(
        id="slower", text="Play slower", does="play.slower", menu="go", group=5, keys=("<",),
        needs_run=True,
    ),
    ActionSpec(
        id="play-fit", text="Play all of it in 10 s", does="play.fit", menu="go", group=5,
        needs_run=True,
    ),
    ActionSpec(
        id="zoom-in", text="Zoom into the timeline", does="timeline.zoom_in", menu="view",
        keys=("W",), needs_run=True,
    ),
    ActionSpec(
        id="zoom-out", text="Zoom out of the timeline", does="timeline.zoom_out", menu="view",
        keys=("S",), needs_run=True,
    ),
    ActionSpec(
        id="pan-left", text="Earlier on the timeline", does="timeline.pan_left", menu="view",
        keys=("A",), needs_run=True,
    ),
    ActionSpec(
        id="pan-right", text="Later on the timeline", does="timeline.pan_right", menu="view",
        keys=("D",), needs_run=True,
    ),
    ActionSpec(
        id="frame", text="Fill the timeline with the selected span",
        does="timeline.frame_selection", menu="view", keys=("F",), needs_run=True,
    ),
    ActionSpec(
        id="fit", text="Show all of the timeline", does="timeline.fit", menu="view",
        keys=("Shift+F",), needs_run=True,
    ),
    ActionSpec(
        id="fold-idle", text="Fold idle time, or unfold it", does="timeline.toggle_folds",
        menu="view", keys=("I",), needs_run=True,
    ),
    ActionSpec(
        id="fold-all", text="Fold all components", does="content.fold_all", menu="view", group=1,
        keys=("[",), icon="fold-all", needs_run=True,
    ),
    ActionSpec(
        id="unfold-all", text="Unfold all components", does="content.unfold_all", menu="view",
        group=1, keys=("]",), icon="unfold-all", needs_run=True,
    ),
    *GRAPH_ACTIONS,
    ActionSpec(
        id="leave-range", text="Leave the time range", does="content.leave_range", menu="view",
        group=2, keys=("Backspace",), icon="frame", needs_run=True,
    ),
    ActionSpec(
        id="reset-layout", text="Put the panes back", does="content.reset_layout", menu="view",
        group=2, needs_run=True,
    ),
    ActionSpec(
        id="larger", text="Larger text", does="view.larger_text", menu="view", group=3,
        keys=("Ctrl++", "Ctrl+="),
    ),
    ActionSpec(
        id="smaller", text="Smaller text", does="view.smaller_text", menu="view", group=3,
        keys=("Ctrl+-",),
    ),
    ActionSpec(
        id="normal-text", text="Normal text", does="view.normal_text", menu="view", group=3,
        keys=("Ctrl+0",),
    ),
    ActionSpec(
        id="toggle-theme", text="Switch between light and dark", does="view.toggle_theme",
        menu="view", group=4, keys=("Ctrl+Shift+L",), icon="moon",
        toolbar=AT_THE_RIGHT,
    ),
    ActionSpec(
        id="full-screen", text="Full screen", does="window.toggle_full_screen", menu="view",
        group=4, keys=("F11",), gives_way=True,
    ),
    ActionSpec(
        id="next-change", text="Next change", does="compare.next_change", menu="compare",
        group=1, keys=("Alt+Down",), icon="next-change", needs_comparison=True,
    ),
    ActionSpec(
        id="previous-change", text="Previous change", does="compare.previous_change",
        menu="compare", group=1, keys=("Alt+Up",), icon="previous-change",
        needs_comparison=True,
    ),
    ActionSpec(
        id="next-difference", text="Next difference in the text",
        does="offers.next_difference", menu="compare", group=1, keys=("F7",),
        needs_comparison=True,
    ),
    ActionSpec(
        id="previous-difference", text="Previous difference in the text",
        does="offers.previous_difference", menu="compare", group=1, keys=("Shift+F7",),
        needs_comparison=True,
    ),
    ActionSpec(
        id="only-changed", text="Show only what differs, or everything",
        does="compare.toggle_only_changed", menu="compare", group=2, keys=("Ctrl+Shift+D",),
        icon="only-changed", needs_comparison=True,
    ),
    ActionSpec(
        id="compare-rules", text="Rules of the comparison…", does="offers.ask_for_rules",
        menu="compare", group=2, keys=("Ctrl+Shift+R",), icon="settings", needs_comparison=True,
    ),
    ActionSpec(
        id="swap", text="Swap left and right", does="compare.swap", menu="compare", group=2,
        keys=("X",), icon="swap", needs_comparison=True,
    ),
    ActionSpec(
        id="open-left", text="Open the selected span on the left", does="compare.open_left",
        menu="compare", group=3, keys=("Ctrl+Left",), needs_comparison=True,
    ),
    ActionSpec(
        id="open-right", text="Open the selected span on the right", does="compare.open_right",
        menu="compare", group=3, keys=("Ctrl+Right",), needs_comparison=True,
    ),
    ActionSpec(
        id="shortcuts", text="Keyboard shortcuts", does="content.show_shortcuts", menu="help",
        keys=("?", "F1"), icon="keyboard", toolbar=AT_THE_RIGHT,
    ),
    ActionSpec(
        id="about", text="About Run Inspector", does="content.show_about", menu="help", group=1,
        icon="info",
    ),
    *EDIT_ACTIONS,
    *REPLAY_ACTIONS,
    *BREAKPOINT_ACTIONS,
    *WHAT_IF_ACTIONS,
    *HAYHOOKS_ACTIONS,
    *A2A_ACTIONS,
)  # fmt: skip


class Actions(QObject):
    """The table as Qt actions, each tied to the method that does it."""

    def __init__(self, owners: Mapping[str, object], parent: QObject) -> None:
        super().__init__(parent)
        self._made: dict[str, QAction] = {}
        for spec in ACTIONS:
            owner, _, method = spec.does.partition(".")
            action = QAction(spec.text, parent)
            action.setObjectName(spec.id)
            action.setShortcuts([QKeySequence(keys) for keys in spec.keys])
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            action.setToolTip(tip(spec))
            action.triggered.connect(getattr(owners[owner], method))
            self._made[spec.id] = action
        self.allow("")

    def __getitem__(self, name: str) -> QAction:
        return self._made[name]

    def allow(self, front: str) -> None:
        """Enable what can be done with what is in front, by its word in `ActionSpec`."""
        self._allows_undo = front in ("run", "replay")
        for spec in ACTIONS:
            if spec.needs:
                self._made[spec.id].setEnabled(front in spec.needs)
            elif spec.gives_way:
                keys = [] if front == "replay" else [QKeySequence(each) for each in spec.keys]
                self._made[spec.id].setShortcuts(keys)

    def offer_changes(self, undo: str, redo: str) -> None:
        """Say in the menu what can be taken back and done again; empty words switch it off."""
        for name, word, what in (("undo", "Undo", undo), ("redo", "Redo", redo)):
            self._made[name].setText(f"{word} {what.lower()}".rstrip())
            self._made[name].setEnabled(self._allows_undo and bool(what))

    def why_not(self, name: str) -> str:
        """Return why an action that is switched off cannot be done, in a few words."""
        spec = next(spec for spec in ACTIONS if spec.id == name)
        if self._allows_undo and name in ("undo", "redo"):
            return f"nothing to {name}"
        for front, words in _NEEDED.items():
            if front in spec.needs:
                return f"needs {words}"
        return "not now"

    def dress(self, menu: str = "") -> None:
        """Draw the icons of a menu, or of the toolbar, in the colours of now.

        Not all at once: most menus are never opened, and icons take time to draw.
        """
        for spec in ACTIONS:
            if spec.icon and (spec.menu == menu if menu else spec.toolbar):
                self._made[spec.id].setIcon(theme.icon(spec.icon))


def tip(spec: ActionSpec) -> str:
    """Return what hovering over a button says: the words, and the key that does it too."""
    return f"{spec.text} ({keys_words(spec.keys[:1])})" if spec.keys else spec.text


def keys_words(keys: tuple[str, ...]) -> str:
    """Return keys the way the platform writes them."""
    native = QKeySequence.SequenceFormat.NativeText
    return " or ".join(QKeySequence(one).toString(native).replace(", ", " ") for one in keys)
