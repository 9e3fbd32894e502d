"""What of an execution a later attempt did anew, and so does not count for how it came out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.runfile.durable import CHECKPOINT, EXTENSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inspector.hayhooks.recorder.pieces import Piece

_WORK = frozenset({"component", "llm", "tool"})
_OF_REPEATS = ("repeat_of", "same_inputs", "earlier", "repeated_by")


def counting(spans: Sequence[Piece], tops: Iterable[Piece]) -> list[Piece]:
    """Return the spans of a run that would be those of one without interruptions.

    Left out is what was repeated, with all that happened inside of it, and the steps whose LLM
    was asked anew: what its first answer led to is not what the agent went on with. Checkpoints
    go as well, and attempts in which nothing else ran.

    Args:
        spans: All of them, in order, with their repeats marked.
        tops: Those that stand for attempts.

    """
    staying = set(tops)
    gone = {piece for piece in spans if piece.is_repeated or piece.operation == CHECKPOINT}
    inside: dict[Piece, list[Piece]] = {}
    for piece in spans:
        if piece.parent is not None and piece.record.get("kind") in _WORK:
            inside.setdefault(piece.parent, []).append(piece)
    for above, work in inside.items():
        if above.record.get("kind") not in ("step", "agent", "pipeline") or above in staying:
            continue
        asked = [each for each in work if each.record.get("kind") == "llm"]
        if any(each in gone for each in asked) or all(each in gone for each in work):
            gone.add(above)
    known: dict[Piece, bool] = {}
    kept = [piece for piece in spans if piece in staying or not _is_gone(piece, gone, known)]
    holding = {piece.parent for piece in kept}
    kept = [piece for piece in kept if piece not in staying or piece in holding]
    for piece in kept:
        own = piece.record["extensions"][EXTENSION]
        for field in _OF_REPEATS:
            own.pop(field, None)
    return kept


def _is_gone(piece: Piece, gone: set[Piece], known: dict[Piece, bool]) -> bool:
    chain: list[Piece] = []
    above: Piece | None = piece
    while above is not None and above not in known and above not in gone:
        chain.append(above)
        above = above.parent
    is_gone = above is not None and (above in gone or known[above])
    known.update(dict.fromkeys(chain, is_gone))
    return is_gone
