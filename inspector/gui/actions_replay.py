"""The rows of the table of actions that start a replay, and move the one in front."""

from inspector.gui.action_spec import ActionSpec

REPLAY_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        id="replay-run", text="Replay…", does="asking.ask", menu="replay", keys=("Ctrl+R",),
        icon="replay", toolbar=1, needs_run=True,
    ),
    ActionSpec(
        id="replay-live", text="Re-run live from here…", does="asking.ask_live", menu="replay",
        keys=("Ctrl+Alt+R",), icon="live", needs_run=True,
    ),
    ActionSpec(
        id="replay-again", text="Replay once more", does="replay.again", menu="replay",
        keys=("Ctrl+Shift+F5",), icon="reload", needs_replay=True,
    ),
    ActionSpec(
        id="replay-continue", text="Continue to the next breakpoint", does="replay.go_on",
        menu="replay", group=1, keys=("F5",), icon="play", needs_replay=True,
    ),
    ActionSpec(
        id="replay-pause", text="Pause at the next call", does="replay.pause", menu="replay",
        group=1, keys=("F6",), icon="paused", needs_replay=True,
    ),
    ActionSpec(
        id="replay-over", text="Step over this call", does="replay.over", menu="replay", group=1,
        keys=("F10",), icon="next", needs_replay=True,
    ),
    ActionSpec(
        id="replay-into", text="Step into this call", does="replay.into", menu="replay", group=1,
        keys=("F11",), icon="in", needs_replay=True,
    ),
    ActionSpec(
        id="replay-step", text="Step to the next call, wherever it is", does="replay.step",
        menu="replay", group=1, keys=("Ctrl+F11",), needs_replay=True,
    ),
    ActionSpec(
        id="replay-out", text="Step out of what is around it", does="replay.out", menu="replay",
        group=1, keys=("Shift+F11",), icon="out", needs_replay=True,
    ),
    ActionSpec(
        id="replay-stop", text="Stop the replay", does="replay.stop", menu="replay", group=1,
        keys=("Shift+F5",), icon="stop", needs_replay=True,
    ),
    ActionSpec(
        id="replay-slower", text="Show it slower", does="replay.slower", menu="replay", group=2,
        keys=("Ctrl+<",), needs_replay=True,
    ),
    ActionSpec(
        id="replay-faster", text="Show it faster", does="replay.faster", menu="replay", group=2,
        keys=("Ctrl+>",), needs_replay=True,
    ),
    ActionSpec(
        id="replay-compare", text="Compare the result with the recording", does="replay.compare",
        menu="replay", group=3, keys=("Ctrl+Shift+E",), icon="compare", needs_replay=True,
    ),
    ActionSpec(
        id="replay-open", text="Open the result as a run", does="replay.open", menu="replay",
        group=3, icon="open", needs_replay=True,
    ),
    ActionSpec(
        id="replay-save", text="Save the result as…", does="replayed.save", menu="replay",
        group=3, keys=("Ctrl+S",), icon="save", needs_replay=True,
    ),
)  # fmt: skip
