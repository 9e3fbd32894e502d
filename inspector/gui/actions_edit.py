"""The rows of the table of actions that take something with them, or leave something behind."""

from inspector.gui.action_spec import ActionSpec

EDIT_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        id="palette", text="Command palette…", does="palette.show", menu="help",
        keys=("Ctrl+Shift+P",), icon="list",
    ),
)  # fmt: skip
