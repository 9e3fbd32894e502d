"""The rows of the table of actions for the drawing of the pipeline."""

from inspector.gui.action_spec import ActionSpec

GRAPH_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        id="graph-fit", text="Show all of the graph", does="graph.fit",
        menu="view", group=7, icon="frame", needs_run=True,
    ),
    ActionSpec(
        id="graph-fold", text="Fold the graph", does="graph.fold_all",
        menu="view", group=7, needs_run=True,
    ),
    ActionSpec(
        id="graph-unfold", text="Unfold the graph", does="graph.unfold_all",
        menu="view", group=7, needs_run=True,
    ),
    ActionSpec(
        id="graph-turn", text="Turn the graph", does="graph.turn",
        menu="view", group=7, icon="turn", needs_run=True,
    ),
    ActionSpec(
        id="graph-list", text="Show the graph as a list, or as a drawing", does="graph.toggle_list",
        menu="view", group=7, icon="list", needs_run=True,
    ),
    ActionSpec(
        id="graph-copy", text="Copy a picture of the graph", does="graph.copy_picture",
        menu="view", group=7, keys=("Ctrl+Alt+C",), icon="copy", needs_run=True,
    ),
    ActionSpec(
        id="graph-save", text="Save a picture of the graph…", does="graph.save_picture",
        menu="view", group=7, needs_run=True,
    ),
)  # fmt: skip
