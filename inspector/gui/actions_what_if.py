"""The rows of the table of actions that change a recording for a replay, or put runs in a table."""

from inspector.gui.action_spec import ActionSpec

WHAT_IF_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        id="what-if-prompt", text="What if the prompt was different…", does="what-if.edit_template",
        menu="replay", group=4, keys=("Ctrl+E",), icon="what-if", needs_run=True,
    ),
    ActionSpec(
        id="what-if-here", text="What if this was different…", does="what-if.edit_here",
        menu="replay", group=4, keys=("Ctrl+Shift+W",), icon="write", needs_run=True,
    ),
    ActionSpec(
        id="replay-add-new", text="Add what is new to the recording…", does="news.ask",
        menu="replay", group=4, icon="add", needs_replay=True,
    ),
    ActionSpec(
        id="variants", text="Show all replays of this recording in a table",
        does="cohorts.show_variants", menu="replay", group=4, keys=("Ctrl+Shift+V",),
        icon="cohort", needs_run=True, needs_comparison=True, needs_replay=True,
    ),
    ActionSpec(
        id="cohort", text="Compare several runs in a table…", does="cohorts.ask",
        menu="compare", icon="cohort",
    ),
)  # fmt: skip
