"""The rows of the table of actions that take something with them, or leave something behind."""

from inspector.gui.action_spec import ActionSpec

EDIT_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        id="fetch", text="Open from GitHub…", does="fetch.ask", menu="file",
        keys=("Ctrl+Shift+O",), icon="fetch",
    ),
    ActionSpec(
        id="export", text="Export…", does="export.ask", menu="file", group=1,
        keys=("Ctrl+Alt+E",), icon="document", needs_run=True,
    ),
    ActionSpec(
        id="undo", text="Undo", does="notes.undo", menu="mark", keys=("Ctrl+Z",), needs_run=True,
        needs_replay=True,
    ),
    ActionSpec(
        id="redo", text="Redo", does="notes.redo", menu="mark", keys=("Ctrl+Shift+Z", "Ctrl+Y"),
        needs_run=True, needs_replay=True,
    ),
    ActionSpec(
        id="bookmark", text="Bookmark this span, or not any more", does="notes.bookmark",
        menu="mark", group=1, keys=("Ctrl+B",), icon="bookmark", needs_run=True,
    ),
    ActionSpec(
        id="note", text="Write a note on this span", does="content.write_note", menu="mark",
        group=1, keys=("Ctrl+M",), icon="note", needs_run=True,
    ),
    ActionSpec(
        id="next-bookmark", text="Next bookmark or note", does="notes.next_bookmark", menu="mark",
        group=2, keys=("B", "F2"), needs_run=True,
    ),
    ActionSpec(
        id="previous-bookmark", text="Previous bookmark or note", does="notes.previous_bookmark",
        menu="mark", group=2, keys=("Shift+B", "Shift+F2"), needs_run=True,
    ),
    ActionSpec(
        id="copy-link", text="Copy a link to this place", does="copy.link", menu="copy",
        keys=("Ctrl+Shift+C",), icon="copy", needs_run=True,
    ),
    ActionSpec(
        id="copy-command", text="Copy the command that opens this place", does="copy.command",
        menu="copy", needs_run=True,
    ),
    ActionSpec(
        id="copy-value", text="Copy the value as JSON", does="copy.value", menu="copy", group=1,
        keys=("Ctrl+Shift+J",), needs_run=True,
    ),
    ActionSpec(
        id="copy-prompt", text="Copy the prompt", does="copy.prompt", menu="copy", group=1,
        icon="prompt", needs_run=True,
    ),
    ActionSpec(
        id="copy-tool-call", text="Copy the tool call", does="copy.tool_call", menu="copy",
        group=1, icon="tool", needs_run=True,
    ),
    ActionSpec(
        id="copy-summary", text="Copy a summary for an issue", does="copy.summary", menu="copy",
        group=2, icon="document", needs_run=True,
    ),
    ActionSpec(
        id="copy-test", text="Copy a test that replays the run", does="copy.test", menu="copy",
        group=2, needs_run=True,
    ),
    ActionSpec(
        id="copy-card", text="Copy a picture of this span", does="copy.card", menu="copy",
        group=3, needs_run=True,
    ),
    ActionSpec(
        id="save-card", text="Save a picture of this span…", does="copy.save_card", menu="copy",
        group=3, needs_run=True,
    ),
    ActionSpec(
        id="copy-timeline", text="Copy a picture of the timeline", does="copy.picture",
        menu="copy", group=3, icon="picture", needs_run=True,
    ),
    ActionSpec(
        id="save-page", text="Save the comparison as a page…", does="offers.save_page",
        menu="compare", group=4, keys=("Ctrl+S",), icon="document", needs_comparison=True,
    ),
    ActionSpec(
        id="palette", text="Command palette…", does="palette.show", menu="help",
        keys=("Ctrl+Shift+P",), icon="list",
    ),
)  # fmt: skip
