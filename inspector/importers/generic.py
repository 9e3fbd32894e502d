"""Any other JSON, as a tree to look at: nothing in it is taken for more than it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.importers.building import RunBuilder, run_id
from inspector.importers.imported import ImportedRun, import_note
from inspector.importers.texts import pieces, tree_of
from inspector.importers.trees import converted
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context

_MOST = 1_000
_LONGEST = 256 * 2**20


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    return 1 if head.text[:1] in (b"{", b"[") else 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield one run without times: a span that holds what the file says.

    Raises:
        RunFileError: Nothing in it can be read, or there is nothing in it.

    """
    trees: list[Any] = []
    left = 0
    for piece in pieces(context.source, context.name, context.losses, context.at):
        if len(trees) >= _MOST:
            left += 1
            continue
        try:
            trees.append(tree_of(piece.text, context.losses, piece.where))
        except LeafError as error:
            context.losses.skip("document that cannot be read", f"{piece.where} {error}")
    if left:
        context.losses.skip(f"document after the first {_MOST:,}", count=left)
    if not trees:
        raise RunFileError(
            f"{context.name} is damaged JSON, and nothing of it can be read.",
            hint="Copy or download it again.",
        )
    if all(tree in ({}, []) for tree in trees):
        raise RunFileError(
            f"{context.name} is JSON, but no run: there is nothing in it.",
            hint="Choose a run file, or a trace or snapshot of another program.",
        )
    yield _run(trees, context)


def _run(trees: list[Any], context: Context) -> ImportedRun:
    context.losses.lose(
        "what happened", "this is no format that we know; its JSON is shown as it stands"
    )
    builder = RunBuilder(context.intake)
    tree = trees[0] if len(trees) == 1 else trees
    value = builder.value(converted(tree))
    builder.span(
        {
            "id": "s1",
            "parent": None,
            "kind": "other",
            "operation": "json",
            "name": context.name,
            "role": "other",
            "path": "",
            "visit": 1,
            "start_ns": 0,
            "outputs": value,
            "status": "ok",
            "not_recorded": {"start_ns": "the file is no trace", "end_ns": "the file is no trace"},
        }
    )
    header = {
        "id": run_id(f"{context.name}{context.source.size}", None),
        "name": context.name,
        "status": "completed",
        "not_recorded": context.losses.not_recorded,
        "extensions": {"import": import_note(context)},
    }
    return ImportedRun(header, builder)
