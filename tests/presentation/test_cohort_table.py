"""The table of a cohort, in words."""

from pathlib import Path

from inspector.assets import asset
from inspector.diff.cohort import Cohort, cohort
from inspector.presentation.cohort_table import (
    NOT_COMPARABLE,
    ColumnKind,
    cohort_table,
    cohort_verdict,
    not_comparable,
)
from inspector.presentation.cohort_text import cohort_lines, cohort_markdown


def example(name: str) -> Path:
    return Path(str(asset(f"examples/{name}.run.json")))


def three() -> Cohort:
    paths = [example(name) for name in ("rag-answer", "rag-other-prompt", "rag-other-document")]
    return cohort(paths, labels=["", "friendlier | *prompt*", ""])


def column(found: Cohort, title: str) -> list[str]:
    table = cohort_table(found)
    at = [each.title for each in table.columns].index(title)
    return [row.cells[at].text for row in table.rows]


def test_the_first_row_is_the_baseline_and_figures_have_units() -> None:
    found = three()
    assert column(found, "Run") == [
        "rag-answer.run.json",
        "friendlier | *prompt*",
        "rag-other-document.run.json",
    ]
    assert column(found, "Documents") == ["", "=", "≠"]
    assert column(found, "Tokens") == ["451", "402", "463"]
    assert column(found, "± tokens") == ["", "−49", "+12"]
    assert all(words.startswith("≈ $") for words in column(found, "Cost"))


def test_figures_stand_in_columns_of_their_own_and_at_the_right() -> None:
    table = cohort_table(three())
    for at, each in enumerate(table.columns):
        for row in table.rows:
            assert row.cells[at].figure == each.kind.is_figure
    assert ColumnKind.DELTA in {each.kind for each in table.columns}


def test_rows_are_sorted_by_what_is_measured_with_the_baseline_on_top() -> None:
    table = cohort_table(three())
    tokens = [each.title for each in table.columns].index("Tokens")
    assert [row.key for row in table.sorted_rows(tokens)] == [0, 1, 2]
    assert [row.key for row in table.sorted_rows(tokens, falling=True)] == [0, 2, 1]
    assert [row.key for row in table.sorted_rows(None)] == [0, 1, 2]


def test_what_is_unknown_is_never_sorted_as_if_it_were_nothing() -> None:
    found = cohort([example(name) for name in ("rag-answer", "untaken-branch", "rag-other-prompt")])
    table = cohort_table(found)
    tokens = [each.title for each in table.columns].index("Tokens")
    for falling in (False, True):
        assert [row.key for row in table.sorted_rows(tokens, falling=falling)] == [0, 2, 1]


def test_what_is_not_comparable_is_marked_and_its_reason_told() -> None:
    found = cohort([example("rag-answer"), example("untaken-branch")])
    lines = "\n".join(cohort_lines(found))
    assert "Tokens cannot be compared: some calls did not report their tokens." in lines
    assert not_comparable(found.members[0])
    other = cohort([example("untaken-branch"), example("rag-answer")])
    assert column(other, "± tokens") == ["", NOT_COMPARABLE]


def test_the_verdict_counts_who_decides_otherwise() -> None:
    assert cohort_verdict(three()) == "Both other runs decide otherwise, with another answer."
    same = cohort([example("rag-answer")] * 4)
    assert cohort_verdict(same) == "All 3 other runs decide as the baseline does."
    mixed = cohort([example("rag-answer"), example("rag-answer"), example("rag-other-prompt")])
    words = cohort_verdict(mixed)
    assert words.startswith("1 of 2\u202fruns decides otherwise; 1 comes to another")


def test_text_of_a_run_is_no_markdown() -> None:
    page = cohort_markdown(three())
    assert r"friendlier \| \*prompt\*" in page
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert len(rows) == 5


def test_every_row_can_be_heard() -> None:
    spoken = [row.spoken for row in cohort_table(three()).rows]
    assert spoken[0].startswith("Baseline, rag-answer.run.json")
    assert "± tokens: −49" in spoken[1]
