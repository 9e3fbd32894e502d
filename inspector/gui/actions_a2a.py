"""The rows of the table of actions for agents of A2A and their tasks."""

from inspector.gui.action_spec import ActionSpec

A2A_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        id="a2a", text="A2A agents", does="a2a.open", menu="hayhooks", group=3,
        keys=("Ctrl+Alt+H",), icon="agent",
    ),
    ActionSpec(
        id="a2a-send", text="Send a message to an agent…", does="a2a.send", menu="hayhooks",
        group=3, icon="add",
    ),
    ActionSpec(
        id="a2a-add", text="Add an A2A agent…", does="a2a.add", menu="hayhooks", group=3,
    ),
    ActionSpec(
        id="a2a-refresh", text="Ask the agents now", does="a2a.refresh", menu="hayhooks", group=4,
        keys=("F5",), icon="reload", needs_agents=True,
    ),
    ActionSpec(
        id="a2a-find", text="Search the tasks", does="a2a.search", menu="hayhooks", group=4,
        keys=("Ctrl+F",), icon="search", needs_agents=True,
    ),
    ActionSpec(
        id="a2a-answer", text="Answer what the task asks for", does="a2a.answer", menu="hayhooks",
        group=5, keys=("Ctrl+Shift+A",), icon="play", needs_task=True,
    ),
    ActionSpec(
        id="a2a-cancel", text="Cancel the task…", does="a2a.cancel", menu="hayhooks", group=5,
        keys=("Shift+F5",), icon="stop", needs_task=True,
    ),
    ActionSpec(
        id="a2a-run", text="Open the task as a run", does="a2a.open_run", menu="hayhooks", group=5,
        icon="open", needs_task=True,
    ),
    ActionSpec(
        id="a2a-retry", text="Ask for the task now", does="a2a.hurry", menu="hayhooks", group=5,
        keys=("F5",), icon="reload", needs_task=True,
    ),
)  # fmt: skip
