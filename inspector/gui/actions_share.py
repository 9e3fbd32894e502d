"""The rows of the table of actions that give a run to others."""

from inspector.gui.action_spec import ActionSpec

SHARE_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        id="share", text="Share a redacted copy…", does="share.ask", menu="file", group=1,
        keys=("Ctrl+Shift+S",), icon="save", needs_run=True,
    ),
    ActionSpec(
        id="seal", text="Seal…", does="seal.ask", menu="file", group=1, icon="lock", needs_run=True,
    ),
)  # fmt: skip
