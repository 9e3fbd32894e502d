"""The rows of the table of actions that say where a replay is to pause."""

from inspector.gui.action_spec import ActionSpec

BREAKPOINT_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        id="breakpoint", text="Breakpoint before this call, or not any more",
        does="breakpoints.toggle", menu="replay", group=4, keys=("F9",), icon="breakpoint",
        needs_run=True, needs_replay=True,
    ),
    ActionSpec(
        id="breakpoint-switch", text="Switch this breakpoint off, or on again",
        does="breakpoints.switch", menu="replay", group=4, keys=("Ctrl+F9",), needs_run=True,
        needs_replay=True,
    ),
    ActionSpec(
        id="breakpoint-condition", text="Pause here only if…", does="breakpoints.edit_condition",
        menu="replay", group=4, keys=("Shift+F9",), needs_run=True, needs_replay=True,
    ),
    ActionSpec(
        id="breakpoint-tools", text="Pause before every tool call, or not any more",
        does="breakpoints.toggle_tools", menu="replay", group=4, icon="tool", needs_run=True,
        needs_replay=True,
    ),
    ActionSpec(
        id="breakpoint-llms", text="Pause before every LLM call, or not any more",
        does="breakpoints.toggle_llms", menu="replay", group=4, icon="llm", needs_run=True,
        needs_replay=True,
    ),
    ActionSpec(
        id="breakpoints-clear", text="Remove all breakpoints", does="breakpoints.clear",
        menu="replay", group=4, keys=("Ctrl+Shift+F9",), needs_run=True, needs_replay=True,
    ),
)  # fmt: skip
