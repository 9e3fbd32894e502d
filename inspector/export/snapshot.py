"""Haystack's own snapshot of a run, as it would have been at a breakpoint before a component.

`load_pipeline_snapshot` loads it, and `Pipeline.run({}, pipeline_snapshot=...)` goes on from
there: with the recorded values, on live components.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.export.haystack_state import Recorded
from inspector.export.haystack_values import CannotHoldError, encoded, without_embeddings
from inspector.export.kinds import Made, Options
from inspector.export.spans import span_named
from inspector.presentation.visible import one_line
from inspector.presentation.words import elided
from inspector.runfile.kinds import SpanStatus

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun, Span

_MOST_NAMED = 40


def make(run: PipelineRun, options: Options) -> Made:
    """Return the snapshot.

    Raises:
        InspectorError: There is no such component, or a value has no form in a snapshot.

    """
    recorded = Recorded(run)
    if run.kind != "pipeline" or not recorded.visits:
        raise InspectorError(
            "Only the recorded run of a pipeline has snapshots, with its topology.",
            hint="An agent has them inside of a pipeline.",
        )
    at = _visit(recorded, options.at)
    tree, left_out = _snapshot(recorded, at)
    notes = [
        f"It goes on before {one_line(at.path)}. What runs from there runs live.",
        *(f"Left out: {one_line(each)}." for each in left_out),
    ]
    text = json.dumps(tree, ensure_ascii=True, allow_nan=False, indent=2)
    return Made({f"{options.name}.snapshot.json": text.encode()}, tuple(notes))


def _visit(recorded: Recorded, at: str | None) -> Span:
    run = recorded.run
    if at is None:
        failed = [span for span in recorded.visits if span.status is not SpanStatus.OK]
        if failed:
            return failed[0]
        names = ", ".join(one_line(span.path) for span in recorded.visits[:_MOST_NAMED])
        raise InspectorError(
            "A snapshot is of the moment before a component, and none was named.",
            hint=f"Name one with --at: {elided(names, 400)}.",
        )
    span = span_named(run, at)
    while span is not None:
        found = next((each for each in recorded.visits if each.row == span.row), None)
        if found is not None:
            return found
        span = run.parent(span)
    raise InspectorError(
        f"{one_line(at)!r} is in no component of this pipeline.",
        hint="Name the id, the path or the name of one.",
    )


def _snapshot(recorded: Recorded, at: Span) -> tuple[dict[str, Any], list[str]]:
    state = recorded.state_before(at)
    left_out: list[str] = []
    trouble: list[str] = []

    def held(tree: dict[str, Any], why: list[str]) -> dict[str, Any]:
        """Return a tree encoded, without those parts of components that have no form."""
        kept: dict[str, Any] = {}
        for name, sockets in tree.items():
            kept[name] = {}
            for socket, value in sockets.items():
                try:
                    encoded(value, f"{name}.{socket}")
                except CannotHoldError as error:
                    why.append(str(error))
                else:
                    kept[name][socket] = value
        return encoded(kept, "")

    given = {
        name: {key: value for key, value in part.items() if not _is_function(value)}
        for name, part in recorded.given.items()
    }
    for name, part in recorded.given.items():
        left_out += [f"a function at {name}.{key}" for key in part if key not in given[name]]
    inputs = {
        name: {
            socket: entries
            for socket, entries in sockets.items()
            if not any(_is_function(entry["value"]) for entry in entries)
        }
        for name, sockets in state.inputs.items()
    }
    tree = {
        "pipeline_state": {
            "inputs": held(inputs, trouble),
            "component_visits": state.visits,
            "pipeline_outputs": held(state.outputs, left_out),
            "inputs_format": "internal",
        },
        "break_point": {
            "component_name": at.name,
            "visit_count": state.visits[at.name],
            "snapshot_file_path": None,
        },
        "timestamp": (recorded.run.started_at or "").removesuffix("Z") or None,
        "original_input_data": held(given, trouble),
        "ordered_component_names": sorted(recorded.components),
        "include_outputs_from": sorted(recorded.included),
    }
    if trouble:
        raise InspectorError(
            "Haystack's snapshots cannot hold what this run had in hand there: "
            f"{elided('; '.join(map(one_line, dict.fromkeys(trouble))), 600)}.",
            hint="Export it before a component that runs earlier or later.",
        )
    if without_embeddings(inputs):
        left_out.append("the numbers of the embeddings of documents, which were not recorded")
    return tree, list(dict.fromkeys(left_out))


def _is_function(value: Any) -> bool:
    return isinstance(value, dict) and value.get("$") == "callable"
