import math

import pytest

from inspector.diff.model import DocumentMove
from inspector.presentation.rank_flow import rank_flow, score_delta_words


def move(name: str, left: int | None, right: int | None, change: str = "same") -> DocumentMove:
    return DocumentMove(name, name, left, right, None, None, change)


def names(flows: object) -> list[str]:
    return [flow.move.name for flow in flows]  # type: ignore[attr-defined]  # flows


def test_each_side_lists_its_documents_by_rank() -> None:
    shown = rank_flow(
        [move("a", 1, 2, "moved"), move("b", 2, 1, "moved"), move("c", None, 3, "added")]
    )
    assert names(shown.left) == ["a", "b"]
    assert names(shown.right) == ["b", "a", "c"]
    assert [(flow.left_place, flow.right_place) for flow in shown.flows] == [
        (0, 1),
        (1, 0),
        (None, 2),
    ]
    assert shown.height == 3


def test_what_became_of_a_document_is_said_in_words_and_with_a_sign() -> None:
    flows = rank_flow(
        [move("a", 5, 2, "content"), move("b", 1, 4, "moved"), move("c", 3, None, "cut off")]
    ).flows
    assert [(flow.mark, flow.words) for flow in flows] == [
        ("≠", "rose by 3, other content"), ("▼", "fell by 3"), ("−", "cut off"),
    ]  # fmt: skip


def test_of_many_documents_those_that_changed_are_shown() -> None:
    moves = [
        move(f"d{rank}", rank, rank, "content" if rank == 90 else "same") for rank in range(1, 101)
    ]
    shown = rank_flow(moves, most=10)
    assert "d90" in names(shown.left)
    assert len(shown.flows) == 10
    assert shown.note is not None
    assert shown.note.startswith("90")


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        (None, ""),
        (0.0, ""),
        (0.2104, "+0.21"),
        (-0.4065, "−0.41"),
        (math.inf, ""),
        (math.nan, ""),
    ],
)
def test_a_score_delta_has_a_sign(delta: float | None, words: str) -> None:
    assert score_delta_words(delta) == words
