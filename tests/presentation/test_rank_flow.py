from inspector.diff.model import DocumentMove
from inspector.presentation.rank_flow import rank_flow


def move(name: str, left: int | None, right: int | None, change: str = "same") -> DocumentMove:
    scores = (None if left is None else 1.0, None if right is None else 1.25)
    return DocumentMove(name, name, left, right, *scores, change)


def test_each_side_lists_its_documents_by_rank() -> None:
    shown = rank_flow(
        [move("a", 1, 2, "moved"), move("b", 2, 1, "moved"), move("c", None, 3, "added")]
    )
    assert [end.name for end in shown.left] == ["a", "b"]
    assert [end.name for end in shown.right] == ["b", "a", "c"]
    assert [(flow.left, flow.right) for flow in shown.flows] == [(0, 1), (1, 0), (None, 2)]


def test_what_became_of_a_document_has_a_sign_and_words() -> None:
    flows = rank_flow(
        [move("a", 5, 2, "content"), move("b", 1, 4, "moved"), move("c", 3, None, "cut off")]
    ).flows
    assert [flow.mark for flow in flows] == ["≠", "↓", "−"]
    assert flows[0].words == "other content · rank 5 → 2 · score +0.2500"
    assert flows[2].words == "cut off by the limit"


def test_a_name_cannot_break_out_of_its_line() -> None:
    shown = rank_flow([move("a\u202eb\nc", 1, 1)])
    assert shown.left[0].name == "a⟨U+202E⟩b c"
