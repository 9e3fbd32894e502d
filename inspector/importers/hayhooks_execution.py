"""What is known of a durable execution of Hayhooks, from outside: a run that says what it lacks.

A server tells where an execution stands, what it reported and what came of it; whoever watched
it knows the pieces of its stream; its traces know components and times, without contents; its
store knows the input and the last checkpoint. Each of these may be missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.importers.building import RunBuilder
from inspector.importers.conversations import conversation_run
from inspector.importers.foreign import nanoseconds
from inspector.importers.hayhooks_told import Execution
from inspector.importers.texts import pieces, tree_of
from inspector.runfile.durable import EXTENSION
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

MARK = "hayhooks_execution"
"""What a document of ours is known by; it holds the version."""
VERSION = 1
_ANSWER = frozenset({"execution_id", "status", "attempt", "links"})
_STATUS = {
    "completed": "completed", "failed": "failed", "canceled": "canceled", "waiting": "paused",
    "running": "running", "queued": "running",
}  # fmt: skip
_LOST = (
    ("what components were given and returned", "Hayhooks tells nobody; its recorder would have"),
    ("tokens and costs", "Hayhooks keeps none"),
)
_NO_ERROR = "Hayhooks keeps the type of an error only; its words are in the log of the server"


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if head.keys >= {MARK, "execution"}:
        return 92
    return 88 if head.keys >= _ANSWER else 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each execution.

    Raises:
        RunFileError: There is none in it.

    """
    found = False
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as trouble:
            context.losses.skip("part that is cut off or damaged", f"{piece.where} {trouble}")
            continue
        for each in tree if isinstance(tree, list) else [tree]:
            if (run := _run(each, context)) is None:
                context.losses.skip("part that is no execution", piece.where)
                continue
            found = True
            yield run
    if not found:
        raise RunFileError(f"There is no execution in {context.name} that can be read.")


def _run(tree: Any, context: Context) -> ImportedRun | None:
    if not isinstance(tree, dict):
        return None
    said = tree.get("execution", tree)
    if not isinstance(said, dict) or not isinstance(said.get("execution_id"), str):
        return None
    builder = RunBuilder(context.intake)
    known = Execution(said, tree, builder, nanoseconds(tree.get("told_at")))
    for what, why in _LOST:
        context.losses.lose(what, why)
    for what, why in known.unknown():
        context.losses.lose(what, why)
    if known.status == "failed":
        context.losses.lose("what the error says", _NO_ERROR)
    made = conversation_run(
        known.spans(), context, known.name, f"hayhooks {known.id}", builder=builder,
        execution=known.id, deployment=known.deployment, revision=known.revision,
        server=known.server,
    )  # fmt: skip
    header = made.header
    header |= {"kind": known.kind, "status": _STATUS.get(known.status, "incomplete")}
    if known.snapshot is not None:
        header["snapshot"] = builder.value(known.snapshot)
    for field, value in known.contents().items():
        header[field] = builder.value(value)
    header["extensions"][EXTENSION] = known.facts()
    return made
