"""Two ranked lists of documents, and what became of each document between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.visible import one_line
from inspector.presentation.words import UNKNOWN, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.diff.model import DocumentMove


class FlowEnd(NamedTuple):
    """A document at its rank in one of the lists."""

    move: int  # which of the moves
    rank: int  # from 1
    name: str
    score: str


class Flow(NamedTuple):
    """What became of one document."""

    left: int | None  # its place in `RankFlow.left`
    right: int | None
    mark: str  # "=", "≠", "↑", "↓", "−", "+"
    words: str  # "other content · score −0.41"
    ink: str
    name: str
    spoken: str
    short: str = ""  # without the score, for where there is little room
    delta: str = ""  # how the score changed: "+0.21"


class RankFlow(NamedTuple):
    """A picture of two lists, in the order of their ranks."""

    left: tuple[FlowEnd, ...]
    right: tuple[FlowEnd, ...]
    flows: tuple[Flow, ...]  # one for each move

    @property
    def first_change(self) -> int:
        """Return the first document that is another one than before; 0 where none is."""
        ahead = (at for at, flow in enumerate(self.flows) if flow.mark not in "=")
        return next(ahead, 0)


_CHANGES = {
    "same": ("=", "", "secondary"),
    "score": ("=", "", "secondary"),
    "moved": ("↕", "moved", "changed"),
    "meta": ("≠", "other metadata", "changed"),
    "content": ("≠", "other content", "changed"),
    "removed": ("−", "no longer found", "failed"),
    "added": ("+", "newly found", "same"),
    "cut off": ("−", "cut off by the limit", "failed"),
}


def rank_flow(moves: Sequence[DocumentMove]) -> RankFlow:
    """Return the picture of what became of the documents of a list."""
    lists: tuple[list[FlowEnd], list[FlowEnd]] = ([], [])
    for at, move in enumerate(moves):
        name = one_line(move.name) or UNKNOWN
        for side, rank, score in (
            (0, move.left_rank, move.left_score), (1, move.right_rank, move.right_score),
        ):  # fmt: skip
            if rank is not None:
                lists[side].append(FlowEnd(at, rank, name, score_words(score)))
    places: list[dict[int, int]] = []
    for ends in lists:
        ends.sort(key=lambda end: end.rank)
        places.append({end.move: place for place, end in enumerate(ends)})
    flows = tuple(
        _flow(move, places[0].get(at), places[1].get(at)) for at, move in enumerate(moves)
    )
    return RankFlow(tuple(lists[0]), tuple(lists[1]), flows)


def _flow(move: DocumentMove, left: int | None, right: int | None) -> Flow:
    mark, words, ink = _CHANGES.get(move.change, ("≠", move.change, "changed"))
    if move.change == "cut off" and move.left_rank is None:
        mark, words, ink = "+", "was cut off by the limit", "same"
    ranks = ""
    if (
        move.left_rank is not None
        and move.right_rank is not None
        and move.left_rank != move.right_rank
    ):
        ranks = f"rank {move.left_rank} → {move.right_rank}"
        if mark == "↕":
            mark = "↑" if move.right_rank < move.left_rank else "↓"
    score = _delta(move.left_score, move.right_score)
    said = sentence([words, ranks, score])
    name = one_line(move.name) or UNKNOWN
    place = ranks or f"rank {move.left_rank or move.right_rank}"
    spoken = sentence([name, words or "the same", place, score], ", ")
    short = ranks if mark in "=↑↓" else sentence([words, ranks])
    return Flow(left, right, mark, said, ink, name, spoken, short, score.removeprefix("score "))


def _delta(left: float | None, right: float | None) -> str:
    if left is None or right is None or score_words(left) == score_words(right):
        return ""
    delta = right - left
    return f"score {'+' if delta > 0 else '−'}{score_words(abs(delta))}"


def score_words(score: float | None) -> str:
    """Return a score at the precision at which scores are compared."""
    if score is None:
        return ""
    size = abs(score)
    places = 2 if size >= 10 else 3 if size >= 1 else 4
    return f"{score:.{places}f}"
