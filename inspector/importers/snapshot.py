"""Haystack's `PipelineSnapshot`, of every generation: from haystack-experimental 0.10 on.

A snapshot is not a run. It says which components had run how often, what was on its way, and
where the pipeline stopped; nothing of it is timed, and why it stopped is not in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.importers.building import RunBuilder, run_id
from inspector.importers.foreign import from_iso, iso
from inspector.importers.imported import ImportedRun, import_note
from inspector.importers.snapshot_spans import Stopped, spans_of
from inspector.importers.snapshot_state import State
from inspector.importers.texts import pieces, tree_of
from inspector.importers.trees import converted
from inspector.runfile.leaf import LeafError
from inspector.runfile.shallow import members_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context

_LOST = (
    ("times and durations", "a snapshot holds no times but that of its writing"),
    ("order of execution", "a snapshot says how often each component ran, not when"),
    ("error", "a snapshot looks the same after a crash and at a breakpoint, and names no error"),
    ("component types", "a snapshot names components only; attach the pipeline's YAML for more"),
    ("Haystack version", "a snapshot does not say which version wrote it"),
    ("outputs", ("a snapshot keeps only the outputs that `include_outputs_from` named, "
                "and those that somebody still waited for")),
)  # fmt: skip
_LIMIT = 256 * 2**20


_TOPS = frozenset({"pipeline_state", "input_data", "agent_snapshot", "component_inputs"})


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if "pipeline_state" in head.keys:
        return 100
    if "input_data" in head.keys and head.keys & {"breakpoint", "pipeline_breakpoint"}:
        return 95
    if "input_data" in head.keys and head.has("pipeline_state"):
        return 90
    return (
        60
        if "agent_snapshot" in head.keys or head.keys >= {"component_inputs", "break_point"}
        else 0
    )


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield the run that a snapshot stands for."""
    found = 0
    for piece in pieces(context.source, context.name, context.losses, context.at):
        read_now = _tree(piece.text, context)
        for tree in read_now if isinstance(read_now, list) else [read_now]:
            if not isinstance(tree, dict) or not tree.keys() & _TOPS:
                context.losses.skip("document that is no snapshot", piece.where)
                continue
            found += 1
            yield _run(tree, context)
    if not found:
        raise RunFileError(
            f"Nothing can be read of {context.name}: a Haystack snapshot that breaks off early.",
            hint="Haystack 2.16 to 3.0 opens the file before it knows what to write. "
            "Run again with Haystack 3.1 or later, or take `exc.pipeline_snapshot`.",
        )


def _tree(text: bytes, context: Context) -> Any:
    try:
        return tree_of(text, context.losses)
    except LeafError as error:
        return _as_far_as_it_goes(text, error, context)


def _as_far_as_it_goes(text: bytes, error: LeafError, context: Context) -> Any:
    """Return what stands whole in a snapshot that is cut off: its members, and theirs."""
    tree = _whole_members(text, 0, len(text), 3)
    if tree:
        context.losses.problem(
            f"It is cut off or damaged ({error}); what stands before that is shown."
        )
        context.losses.skip("rest of the snapshot, which is cut off")
    return tree


def _whole_members(text: bytes, start: int, end: int, levels: int) -> dict[str, Any]:
    from inspector.importers.losses import Losses
    from inspector.runfile.problems import Problems
    from inspector.runfile.shallow import open_end

    members, whole = members_of(text, start, end)
    found: dict[str, Any] = {}
    for key, at, stop in members:
        try:
            found[key] = tree_of(text[at:stop], Losses(Problems()))
        except LeafError:
            continue
    if not whole and levels:
        after = members[-1].end if members else start
        at = text.find(b"," if members else b"{", after, end) + 1
        cut = open_end(text, at, end) if at else None
        if cut is not None and text[cut[1] : cut[1] + 1] == b"{":
            found[cut[0]] = _whole_members(text, cut[1], end, levels - 1)
    return found


def _run(tree: dict[str, Any], context: Context) -> ImportedRun:
    state = State(tree)
    stopped = Stopped.of(state)
    for what, why in _LOST:
        context.losses.lose(what, why)
    if state.generation == "2.16 to 2.31":
        context.losses.lose(
            "connections", "snapshots before Haystack 3.1 do not say who sent an input"
        )
    if state.senders:
        context.losses.lose(
            "output sockets",
            "a snapshot says who sent an input, not from which output: the name is the input's",
        )
    for problem in state.problems:
        context.losses.problem(problem)
    builder = RunBuilder(context.intake)
    for record in spans_of(state, stopped):
        for field in ("inputs", "outputs", "tags"):
            if field in record:
                record[field] = builder.value(record[field])
        builder.span(record)
    return ImportedRun(_header(state, stopped, context, builder), builder)


def _header(
    state: State, stopped: Stopped, context: Context, builder: RunBuilder
) -> dict[str, Any]:
    written = from_iso(state.timestamp) if state.timestamp else None
    if not state.timestamp:
        context.losses.lose("time of writing", "the snapshot has no timestamp")
    seed = f"{state.timestamp}{stopped.component}{stopped.visit}{sorted(state.visits.items())}"
    header: dict[str, Any] = {
        "id": run_id(seed, written),
        "kind": "pipeline",
        "name": f"snapshot at {stopped.component}" if stopped.component else "snapshot",
        "status": "incomplete",
    }
    if state.original is not None:
        header["inputs"] = builder.value(state.original)
    if state.outputs:
        header["outputs"] = builder.value(state.outputs)
    if topology := state.topology(stopped.component):
        header["topology"] = topology
    header["not_recorded"] = context.losses.not_recorded
    facts: dict[str, Any] = {
        "version": state.generation,
        "tool": "Haystack",
        "written_at": iso(written) if written else None,
        "written_at_as_it_stands": state.timestamp,
        "break_point": converted(state.break_point),
        "component_visits": state.visits,
        "include_outputs_from": sorted(state.included),
    }
    if written:
        facts["zone"] = "not recorded; the time is shown as if it were UTC"
    header["extensions"] = {"import": import_note(context, **facts)}
    return header


__all__ = ["detect", "read"]
