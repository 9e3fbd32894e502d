"""The rows of the table of actions that say where a replay is to pause, and what happens there."""

from inspector.gui.action_spec import ActionSpec

BREAKPOINT_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        id="replay-edit", text="Edit the value of the held call", does="pauses.edit",
        menu="replay", group=5, keys=("Ctrl+E",), needs_replay=True,
    ),
    ActionSpec(
        id="replay-reset", text="Put back the value that the call came with",
        does="pauses.reset", menu="replay", group=5, keys=("Ctrl+Shift+Backspace",),
        needs_replay=True,
    ),
    ActionSpec(
        id="replay-let-go", text="Let only this held call go on", does="pauses.let_go",
        menu="replay", group=5, keys=("Ctrl+F5",), needs_replay=True,
    ),
    ActionSpec(
        id="replay-next-held", text="Next held call", does="pauses.next", menu="replay", group=5,
        keys=("Ctrl+F6",), needs_replay=True,
    ),
    ActionSpec(
        id="replay-previous-held", text="Previous held call", does="pauses.previous",
        menu="replay", group=5, keys=("Ctrl+Shift+F6",), needs_replay=True,
    ),
    ActionSpec(
        id="breakpoint", text="Breakpoint before this call, or not any more",
        does="breakpoints.toggle", menu="replay", group=6, keys=("F9",), icon="breakpoint",
        needs_run=True, needs_replay=True,
    ),
    ActionSpec(
        id="breakpoint-switch", text="Switch this breakpoint off, or on again",
        does="breakpoints.switch", menu="replay", group=6, keys=("Ctrl+F9",), needs_run=True,
        needs_replay=True,
    ),
    ActionSpec(
        id="breakpoint-condition", text="Pause here only if…", does="breakpoints.edit_condition",
        menu="replay", group=6, keys=("Shift+F9",), needs_run=True, needs_replay=True,
    ),
    ActionSpec(
        id="breakpoint-tools", text="Pause before every tool call, or not any more",
        does="breakpoints.toggle_tools", menu="replay", group=6, icon="tool", needs_run=True,
        needs_replay=True,
    ),
    ActionSpec(
        id="breakpoint-llms", text="Pause before every LLM call, or not any more",
        does="breakpoints.toggle_llms", menu="replay", group=6, icon="llm", needs_run=True,
        needs_replay=True,
    ),
    ActionSpec(
        id="breakpoints-clear", text="Remove all breakpoints", does="breakpoints.clear",
        menu="replay", group=6, keys=("Ctrl+Shift+F9",), needs_run=True, needs_replay=True,
    ),
)  # fmt: skip
