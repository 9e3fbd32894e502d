"""The pipeline of an open run as a graph, with what the run did to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui.panes.follow_selection import FollowSelection
from inspector.gui.widgets.graph import GraphFrame
from inspector.gui.widgets.graph_look import measures_of
from inspector.gui.widgets.graph_scene import GraphScene
from inspector.gui.widgets.graph_view import fitting_zoom
from inspector.presentation.graph import OUTSIDE
from inspector.presentation.graph_arrangement import Arrangement, arrange
from inspector.presentation.graph_traces import Traces
from inspector.presentation.graph_words import (
    edge_lines,
    graph_summary,
    node_line,
    sockets_line,
)
from inspector.presentation.values import field_path
from inspector.presentation.words import plural

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from inspector.gui.tasks.runner import Cancelled
    from inspector.gui.widgets.graph_canvas import GraphCanvas
    from inspector.gui.workspace.open_run import OpenRun
    from inspector.presentation.graph_arrangement import Measures
    from inspector.runfile.model import PipelineRun

# Done in less time than it takes to notice; beside the window that would flicker.
_MOST_SPANS_AT_ONCE = 800
_MOST_NODES_AT_ONCE = 160
_MOST_DRAWN = 4_000
_FEW_NODES = 16
_TURNS_FOR = 1.15  # so much larger must the other direction be shown for the graph to turn

_NO_TOPOLOGY = (
    "This run does not say how its pipeline is built, so there is no graph to draw. "
    "Runs recorded by Run Inspector do."
)
_WHAT_TO_DO = "Click a component for its first visit, again for the next."
_TOO_MANY = "{} are too many to draw. The list has them all."
_NO_COMPONENTS = "The pipeline of this run has no components."


class GraphPane(QWidget):
    """Draws the pipeline and lights what ran. Knows one `OpenRun` and nobody else."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._frame = GraphFrame(self)
        self._canvas = self._frame.canvas
        self._traces: Traces | None = None
        self._unfolded: set[tuple[str, ...]] | None = None  # nothing was folded by hand yet
        self._down: bool | None = None  # nobody has chosen a direction
        self._drawn: dict[bool, Arrangement] = {}  # by whether it runs down
        self._reading: PipelineRun | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._frame)
        self.setFocusProxy(self._frame)

        self._canvas.node_chosen.connect(self._on_node_chosen)
        self._canvas.edge_chosen.connect(self._on_edge_chosen)
        self._canvas.fold_wanted.connect(self.toggle_fold)
        self._canvas.fold_all_wanted.connect(
            lambda fold: self.fold_all() if fold else self.unfold_all()
        )
        self._canvas.look_changed.connect(self._arrange)
        self._canvas.resized.connect(self._on_resized)
        self._follow = FollowSelection(self._frame.table, self._frame.model, open_run.selection)
        open_run.selection.span_changed.connect(self._show_selected)
        open_run.range.changed.connect(self._show_range)
        open_run.run_changed.connect(self.set_run)
        self.set_run(open_run.run)

    @property
    def open_run(self) -> OpenRun:
        return self._open_run

    @property
    def canvas(self) -> GraphCanvas:
        """The drawing itself, for those who zoom, pan and fit."""
        return self._canvas

    @property
    def frame(self) -> GraphFrame:
        """The drawing with what is around it."""
        return self._frame

    def set_run(self, run: PipelineRun) -> None:
        """Show a run, or more of the same run: zoom, folds and selection stay."""
        if run.topology is None:
            self._frame.say(_NO_TOPOLOGY)
        elif len(run.table) <= _MOST_SPANS_AT_ONCE:
            self._take(Traces(run))
        else:
            self._read(run)

    def _read(self, run: PipelineRun) -> None:
        # What is under way is shown first, or a run that grows quickly would never be.
        if self._reading is not None:
            return
        self._reading = run
        if self._traces is None:
            self._frame.say(f"Following {plural(len(run.table), 'span')} through the pipeline…")

        def work(cancelled: Cancelled) -> Traces:
            return Traces(run, cancelled)

        def done(traces: Traces) -> None:
            self._reading = None
            self._take(traces)
            if self._open_run.run is not run:
                self.set_run(self._open_run.run)

        def failed(error: Exception) -> None:
            self._reading = None
            self._frame.say(f"The pipeline of this run could not be drawn: {error}")

        self._open_run.tasks.start(work, done=done, failed=failed, key="graph traces")

    def _take(self, traces: Traces) -> None:
        before, self._traces = self._traces, traces
        if not len(traces.graph):
            self._frame.say(_NO_COMPONENTS)
        elif self._drawn and before is not None and before.graph.is_drawn_like(traces.graph):
            # A run that goes on has the same graph: only what it did is new.
            scene = self._canvas.scene
            self._show_drawn(down=bool(scene and scene.arrangement.down))
        else:
            self._arrange()

    # Folding and turning

    def toggle_fold(self, node: int) -> None:
        """Draw what is inside of a node, or fold it away again."""
        if self._traces is None:
            return
        labels = tuple(self._traces.graph.labels(node))
        folds = self._folds(self._traces)
        self._unfolded = folds - {labels} if labels in folds else folds | {labels}
        self._arrange()

    def fold_all(self) -> None:
        """Draw pipelines and agents without what is inside of them."""
        self._unfolded = set()
        self._arrange()

    def unfold_all(self) -> None:
        """Draw everything that is inside of something."""
        if self._traces is not None:
            graph = self._traces.graph
            self._unfolded = {
                tuple(graph.labels(node.number)) for node in graph.nodes if node.inside
            }
            self._arrange()

    def turn(self) -> None:
        """Draw from left to right, or from top to bottom."""
        if (scene := self._canvas.scene) is not None:
            self._down = not scene.arrangement.down
            self._arrange()
            self._canvas.fit()

    def toggle_list(self) -> None:
        """Show the graph as a list, or as a drawing."""
        self._frame.show_list(on=not self._frame.is_list)

    def _folds(self, traces: Traces) -> set[tuple[str, ...]]:
        """Return what is unfolded: what a person chose, at first what is little or alone."""
        if self._unfolded is not None:
            return self._unfolded
        graph = traces.graph
        if len(graph) <= _FEW_NODES:
            return {tuple(graph.labels(node.number)) for node in graph.nodes if node.inside}
        outermost = graph.inside(OUTSIDE)
        return {tuple(graph.labels(outermost[0]))} if len(outermost) == 1 else set()

    def _arrange(self) -> None:
        traces = self._traces
        if traces is None or not len(traces.graph):
            return
        graph, folds = traces.graph, self._folds(traces)
        unfolded = {
            node.number
            for node in graph.nodes
            if node.inside and tuple(graph.labels(node.number)) in folds
        }
        shown = sum(
            all(around in unfolded for around in graph.around(node.number)) for node in graph.nodes
        )
        if shown > _MOST_DRAWN:
            self._drawn = {}
            self._frame.show_rows(traces, self._open_run.range.bounds)
            self._frame.tell(_TOO_MANY.format(plural(shown, "component")))
            return
        look = self._canvas.look
        wanted = (False, True) if self._down is None else (self._down,)
        measures = {down: measures_of(traces, look, down=down) for down in wanted}
        if shown <= _MOST_NODES_AT_ONCE:
            self._show({d: arrange(graph, m, unfolded, down=d) for d, m in measures.items()})
            return
        if self._canvas.scene is None:
            self._frame.say(f"Laying out {plural(shown, 'component')}…")

        def work(cancelled: Cancelled) -> dict[bool, Arrangement]:
            return _arranged(traces, measures, unfolded, cancelled)

        def failed(error: Exception) -> None:
            self._frame.say(f"The pipeline of this run could not be drawn: {error}")

        self._open_run.tasks.start(work, done=self._show, failed=failed, key="graph")

    def _show(self, drawn: dict[bool, Arrangement]) -> None:
        if self._traces is None:
            return
        self._drawn = drawn
        self._show_drawn(down=self._liked_direction())

    def _show_drawn(self, *, down: bool) -> None:
        self._show_scene(self._scene(down=down if down in self._drawn else not down))
        self._show_selected(self._open_run.selection.span_id)

    def _show_scene(self, scene: GraphScene) -> None:
        self._frame.show_scene(scene)
        self._follow.show_selected(self._open_run.selection.span_id)

    def _scene(self, *, down: bool) -> GraphScene:
        assert self._traces is not None
        return GraphScene(self._traces, self._drawn[down], self._open_run.range.bounds)

    def _liked_direction(self) -> bool:
        """Return whether the drawing that runs down is the larger one in this room."""
        if len(self._drawn) == 1:
            return next(iter(self._drawn))
        across, down = (
            fitting_zoom(one.width, one.height, self._canvas.width(), self._canvas.height())
            for one in (self._drawn[False], self._drawn[True])
        )
        scene = self._canvas.scene
        if scene is None:
            return down > across
        if scene.arrangement.down:
            return across <= down * _TURNS_FOR
        return down > across * _TURNS_FOR

    def _on_resized(self) -> None:
        scene = self._canvas.scene
        if scene is None or len(self._drawn) < 2 or not self._canvas.is_fitted:
            return
        down = self._liked_direction()
        if down is not scene.arrangement.down:
            self._show_scene(self._scene(down=down))

    # Choosing

    def _on_node_chosen(self, node: int) -> None:
        """Select the first visit of a node; chosen again, the next one."""
        assert self._traces is not None
        rows = self._traces.rows_within(self._traces.visits[node].rows, self._open_run.range.bounds)
        self._select(rows, node=node)

    def _on_edge_chosen(self, edge: int) -> None:
        """Select what came over an edge, where it arrived; chosen again, the next time."""
        assert self._traces is not None
        traces, joined = self._traces, self._traces.graph.edges[edge]
        rows = traces.rows_within(traces.deliveries[edge].rows, self._open_run.range.bounds)
        field = None if joined.is_call else field_path("inputs", joined.input)
        self._select(rows, node=joined.receiver, edge=edge, field=field)

    def _select(
        self,
        rows: Sequence[int],
        *,
        node: int,
        edge: int | None = None,
        field: str | None = None,
    ) -> None:
        table, selection = self._open_run.run.table, self._open_run.selection
        if rows:
            current = table.row_of(selection.span_id) if selection.span_id else None
            again = (self._canvas.node, self._canvas.edge) == (node, edge)
            place = rows.index(current) if current in rows else -1
            if place >= 0 and not again:
                place -= 1  # the span in front is one of them: it stays
            selection.select(table.id(rows[(place + 1) % len(rows)]), field)
        self._canvas.choose(node, edge)
        self._say_what_is_chosen()

    def _show_selected(self, span_id: str | None) -> None:
        traces = self._traces
        if traces is None or self._canvas.scene is None:
            return
        row = traces.run.table.row_of(span_id) if span_id else None
        self._canvas.choose(None if row is None else traces.node_of(row))
        self._say_what_is_chosen()

    def _show_range(self) -> None:
        if (scene := self._canvas.scene) is not None:
            self._show_scene(scene.within(self._open_run.range.bounds))
            self._say_what_is_chosen()
        elif self._traces is not None:
            self._frame.model.show(self._traces, self._open_run.range.bounds)

    def _say_what_is_chosen(self) -> None:
        traces, bounds = self._traces, self._open_run.range.bounds
        if traces is None:
            return
        if self._canvas.edge is not None:
            self._frame.tell(*edge_lines(traces, self._canvas.edge, bounds))
        elif self._canvas.node is not None:
            node = self._canvas.node
            self._frame.tell(node_line(traces, node, bounds), sockets_line(traces, node))
        else:
            self._frame.tell(graph_summary(traces, bounds), _WHAT_TO_DO)

    # Pictures

    def copy_picture(self) -> None:
        """Put a picture of the whole graph on the clipboard."""
        from inspector.gui.widgets.graph_picture import picture

        if (scene := self._canvas.scene) is not None:
            QGuiApplication.clipboard().setImage(picture(scene, self._canvas.look))
            self._frame.tell("The picture is on the clipboard.")

    def save_picture(self) -> None:
        """Ask where to save a picture of the whole graph."""
        from inspector.gui.dialogs.save_picture import ask_where_to_save

        if self._canvas.scene is not None:
            stem = self._open_run.title.partition(".")[0] or "pipeline"
            ask_where_to_save(self, f"{stem}.svg", self.write_picture)

    def write_picture(self, path: Path) -> None:
        """Write the whole graph as SVG or, by the file's name, as PNG."""
        from inspector.gui.dialogs.save_picture import write_whole
        from inspector.gui.widgets.graph_picture import png, svg

        scene, look = self._canvas.scene, self._canvas.look
        if scene is None:
            return
        made = (
            png(scene, look)
            if path.suffix.lower() == ".png"
            else svg(scene, look, self._open_run.run.name)
        )
        problem = write_whole(path, made)
        self._frame.tell(
            f"Cannot save {path.name}: {problem}" if problem else f"Saved {path.name}."
        )


def _arranged(
    traces: Traces, measures: dict[bool, Measures], unfolded: set[int], cancelled: Cancelled
) -> dict[bool, Arrangement]:
    return {
        down: arrange(traces.graph, one, unfolded, down=down, stopped=cancelled)
        for down, one in measures.items()
    }
