"""The rows of the table of actions for durable executions on Hayhooks."""

from inspector.gui.action_spec import ActionSpec

HAYHOOKS_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        id="hayhooks", text="Servers and executions", does="hayhooks.open", menu="hayhooks",
        keys=("Ctrl+H",), icon="routing",
    ),
    ActionSpec(
        id="hayhooks-submit", text="Submit an execution…", does="hayhooks.submit",
        menu="hayhooks", keys=("Ctrl+Shift+H",), icon="add",
    ),
    ActionSpec(
        id="hayhooks-add", text="Add a Hayhooks server…", does="hayhooks.add", menu="hayhooks",
    ),
    ActionSpec(
        id="hayhooks-refresh", text="Ask the servers now", does="hayhooks.refresh",
        menu="hayhooks", group=1, keys=("F5",), icon="reload", needs_executions=True,
    ),
    ActionSpec(
        id="hayhooks-find", text="Search the executions", does="hayhooks.search",
        menu="hayhooks", group=1, keys=("Ctrl+F",), icon="search", needs_executions=True,
    ),
    ActionSpec(
        id="execution-resume", text="Answer what the execution waits for",
        does="hayhooks.answer", menu="hayhooks", group=2, keys=("Ctrl+Shift+A",), icon="play",
        needs_execution=True,
    ),
    ActionSpec(
        id="execution-cancel", text="Cancel the execution…", does="hayhooks.cancel",
        menu="hayhooks", group=2, keys=("Shift+F5",), icon="stop", needs_execution=True,
    ),
    ActionSpec(
        id="execution-retry", text="Ask for the execution now", does="hayhooks.hurry",
        menu="hayhooks", group=2, keys=("F5",), icon="reload", needs_execution=True,
    ),
)  # fmt: skip
