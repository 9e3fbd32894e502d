"""What one row of the tree of a replay says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.replay_words import MATCH_MARKS, MATCH_WORDS
from inspector.presentation.tree_row import icon_of
from inspector.presentation.words import (
    THIN,
    duration_words,
    kind_words,
    number_words,
    plural,
    sentence,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspector.presentation.live_replay import Match
    from inspector.presentation.replay_table import ReplayTable
    from inspector.presentation.run_tree import RunTree

# Of many visits the gravest is said.
_GRAVITY = ("running", "drifted", "edited", "live", "around")


class ReplayRow(NamedTuple):
    """The words of one row, ready to be drawn. `match` is None of what has not come yet."""

    label: str
    detail: str
    kind: str
    role: str
    icon: str
    match: Match | None
    how: str
    time: str
    failed: bool
    held: bool
    spoken: str
    is_new: bool = False


def replay_row(table: ReplayTable, tree: RunTree, node: int, held: Mapping[int, str]) -> ReplayRow:
    """Return what the row of a node says.

    Args:
        table: The rows of recording and replay.
        tree: The tree of those rows.
        node: Which node.
        held: In words where calls are held, by the row of the table.

    """
    if visits := tree.visits(node):
        return _gathered(table, visits, held, page=None)
    if page := tree.page(node):
        return _gathered(table, page, held, page=tree.place(node) * tree.page_size)
    row = tree.row(node)
    if row is None:
        raise IndexError(node)
    span = table.span_of(row)
    kind, role = table.kind_and_role(row)
    label = table.label(row)
    above = tree.parent(node)
    if tree.visits(above):
        label = f"visit {number_words(tree.place(node) + 1)}"
    match = table.match(row)
    how = how_words(match, is_over=table.live.is_over)
    is_new = row >= table.recorded
    if is_new and match is not None and match.value == "drifted":
        how = f"{MATCH_MARKS[match]} new"
    ended = span is not None and span.end_ns is not None
    time = duration_words(span.end_ns - span.start_ns) if span and span.end_ns is not None else ""
    failed = ended and span is not None and span.status == "failed"
    error = span.error[0].rpartition(".")[2] if failed and span and span.error else ""
    where = held.get(row, "")
    return ReplayRow(
        label=label, detail=where or error, kind=kind, role=role, icon=icon_of(kind, role),
        match=match, how=how, time=time, failed=failed, held=bool(where),
        spoken=_spoken(label, kind, match, is_new=is_new, more=(where, error, time)),
        is_new=is_new,
    )  # fmt: skip


def how_words(match: Match | None, *, is_over: bool = False) -> str:
    """Return how a span stands to the recording: its mark, and a word."""
    if match is None:
        return ""
    word = "not finished" if is_over and match.value == "running" else MATCH_WORDS[match]
    return f"{MATCH_MARKS[match]} {word}"


def _gathered(
    table: ReplayTable, rows: Sequence[int], held: Mapping[int, str], page: int | None
) -> ReplayRow:  # fmt: skip
    kind, role = table.kind_and_role(rows[0])
    label = table.label(rows[0])
    detail = f"×{THIN}{number_words(len(rows))}"
    icon = icon_of(kind, role)
    if page is not None:
        label, detail = f"{number_words(page + 1)} to {number_words(page + len(rows))}", ""
        kind, role, icon = "other", "", "visits"
    states = {match for row in rows if (match := table.match(row)) is not None}
    match = next(
        (each for word in _GRAVITY for each in states if each.value == word),
        next(iter(states), None),
    )
    where = next((held[row] for row in rows if row in held), "")
    return ReplayRow(
        label=label, detail=where or detail, kind=kind, role=role, icon=icon, match=match,
        how=how_words(match, is_over=table.live.is_over), time="",
        failed=any(row in table.failed for row in rows), held=bool(where),
        spoken=_spoken(label, kind, match, is_new=False, more=(plural(len(rows), "visit"), where)),
    )  # fmt: skip


def _spoken(
    label: str, kind: str, match: Match | None, *, is_new: bool, more: Sequence[str]
) -> str:
    how = "not yet replayed" if match is None else MATCH_WORDS[match]
    if is_new:
        how = f"{how}, not in the recording"
    return sentence([label, kind_words(kind).lower().replace("llm", "LLM"), how, *more], ", ")
