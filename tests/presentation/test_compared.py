"""What is said of two runs that were compared."""

from dataclasses import replace

import pytest

from inspector.assets import asset
from inspector.diff.compare import diff_runs
from inspector.diff.model import (
    Agreement,
    AnswerKind,
    AnswerVerdict,
    Comparison,
    ConfigurationChange,
    Decision,
    DecisionKind,
    Metric,
    Severity,
    Side,
    TextDiff,
    TextPart,
)
from inspector.presentation.compare_detail import detail_of_decision, detail_of_pair, text_of
from inspector.presentation.compare_summary import (
    cause_lines,
    chain_steps,
    figure_rows,
    headline,
    key_figures,
    setup_rows,
)
from inspector.presentation.compare_tree import NOBODY, CompareTree
from inspector.presentation.decision_table import count_words, decision_rows, sorted_decisions
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.helpers.drawn_runs import run_from_outline
from tests.helpers.span_runs import run_with

Runs = tuple[PipelineRun, PipelineRun]
SIDE = Side("r", "qa", "completed", None, None, None, None, 1)


def example(name: str) -> PipelineRun:
    return load_run(str(asset(f"examples/{name}.run.json")))


@pytest.fixture(scope="module")
def runs() -> Runs:
    return example("rag-answer"), example("rag-other-document")


@pytest.fixture(scope="module")
def compared(runs: Runs) -> Comparison:
    return diff_runs(*runs)


def decision(number: int, **told: object) -> Decision:
    return Decision(
        **{  # type: ignore[arg-type]  # by name
            "number": number, "kind": DecisionKind.TOOL, "path": "", "title": f"decision {number}",
            "left_span": None, "right_span": None, "left": "", "right": "",
            "agreement": Agreement.DIFFERS, "severity": Severity.MAJOR, **told,
        }
    )  # fmt: skip


def comparison(*decisions: Decision, metrics: tuple[Metric, ...] = ()) -> Comparison:
    return Comparison(
        left=SIDE, right=SIDE, verdict="The answer is the same.",
        answer=AnswerVerdict(AnswerKind.SAME, "The answer is the same.", "a", "a"),
        decisions=decisions, divergence=None, configuration=(), pairs=(), spans=(),
        metrics=metrics,
    )  # fmt: skip


# Decisions


def test_the_gravest_decisions_come_first_and_what_is_the_same_last() -> None:
    found = comparison(
        decision(0, agreement=Agreement.SAME, severity=Severity.NOTE),
        decision(1, severity=Severity.MINOR),
        decision(2),
        decision(3, severity=Severity.CRITICAL),
        decision(4),
    )
    assert [each.number for each in sorted_decisions(found)] == [3, 2, 4, 1, 0]
    assert [each.number for each in sorted_decisions(found, by_severity=False)] == [0, 1, 2, 3, 4]
    assert [each.number for each in sorted_decisions(found, only_changed=True)] == [3, 2, 4, 1]
    assert count_words(found) == "4 of 5 decisions differ"


def test_rows_are_put_into_words_when_they_are_looked_at() -> None:
    found = comparison(*(decision(number) for number in range(5_000)))
    rows = decision_rows(found, sorted_decisions(found))
    assert len(rows) == 5_000
    assert rows.keys[4_000] == rows[4_000].key == 4_000
    assert [row.key for row in rows[1:3]] == [1, 2]
    assert rows.made == 3
    with pytest.raises(IndexError):
        rows[5_000]


@pytest.mark.parametrize(
    ("agreement", "words"),
    [
        (Agreement.DIFFERS, "≠ differs"),
        (Agreement.LEFT_ONLY, "− left only"),
        (Agreement.RIGHT_ONLY, "+ right only"),
    ],
)
def test_a_row_says_in_a_sign_and_words_how_it_differs(agreement: Agreement, words: str) -> None:
    found = comparison(decision(0, agreement=agreement))
    (row,) = decision_rows(found, found.decisions)
    assert row.cells[0].text == words
    assert row.cells[1].text == "major"
    assert words.split(" ", 1)[1] in row.spoken


def test_of_prompts_the_table_shows_what_is_not_in_both() -> None:
    text = TextDiff(
        (TextPart("same", "Answer "), TextPart("left", "at length"), TextPart("right", "briefly"))
    )
    found = comparison(decision(0, kind=DecisionKind.PROMPT, text=text, left="9", right="8"))
    (row,) = decision_rows(found, found.decisions)
    assert [cell.text for cell in row.cells[4:]] == ["…at length", "…briefly"]


# The verdict and the figures


def test_the_headline_says_answer_divergence_and_cause(compared: Comparison) -> None:
    said = headline(compared)
    assert said.sentence.startswith("The answer changed. First divergence: retriever returned 4")
    assert said.cause.startswith("Because ")
    assert said.more == "1\u202fmore possible cause"
    assert (said.icon, said.ink) == ("compare", "changed")


def test_equal_runs_are_told_apart_from_runs_that_decide_alike() -> None:
    run = example("agent-tools")
    equal = diff_runs(run, run)
    assert headline(equal).sentence == "Nothing but noise differs."
    other = replace(
        equal,
        configuration=(ConfigurationChange("package", "haystack-ai", "", "3.1", "3.2", "newer"),),
    )
    assert headline(other).sentence == other.verdict


def test_key_figures_say_shares_only_where_they_can_be_compared() -> None:
    found = comparison(
        metrics=(
            Metric("tokens", "tokens", 100, 150, 50),
            Metric("estimated cost", "USD", 0.5, 0.25, None, "another price list"),
            Metric("duration", "ns", 2_000_000_000, 2_000_000_000, 0),
        )
    )
    tokens, cost, time = (words.replace("\u202f", " ") for words in key_figures(found))
    assert tokens == "tokens 100 → 150 (+50 %)"
    assert cost == "cost ≈ $0.50 → $0.25"
    assert time == "time 2.00 s"
    rows = [[cell.text for cell in row.cells] for row in figure_rows(found)]
    assert rows[1][3:] == ["not comparable", "another price list"]
    assert rows[2][3] == "="


def test_the_time_of_a_replay_is_no_key_figure() -> None:
    why = "one is a replay, which takes its answers from a recording"
    metrics = (
        Metric("tokens", "tokens", 100, 150, 50),
        Metric("duration", "ns", 150_000_000, 41_000_000_000, None, why),
    )
    found = comparison(metrics=metrics)
    assert [words.partition(" ")[0] for words in key_figures(found)] == ["tokens"]
    assert figure_rows(found)[1].cells[4].text == why


def test_the_chain_begins_with_the_divergence_and_says_how_each_step_is_known(
    compared: Comparison,
) -> None:
    steps = chain_steps(compared)
    assert steps[0].decision == 2
    assert [step.left for step in steps] == ["s2", "s3", "s4", "s5", "s1"]
    assert all(step.recorded for step in steps)
    assert [likely for likely, _ in cause_lines(compared)] == ["certain", "likely"]
    assert len(setup_rows(compared)) == len(compared.configuration) == 1


# One decision, one pair of spans


def test_documents_come_with_the_texts_of_both_sides(runs: Runs, compared: Comparison) -> None:
    detail = detail_of_decision(compared, runs, 2)
    assert detail.best == "documents"
    assert detail.documents is not None
    texts = detail.document_texts
    assert len(texts) == len(detail.documents.flows) == 4
    assert texts[0][0] == texts[0][1]
    assert texts[1][0] != texts[1][1]
    assert texts[1][1] is not None
    assert "2026 edition" in texts[1][1]


def test_a_prompt_comes_with_the_reply_it_got(runs: Runs, compared: Comparison) -> None:
    detail = detail_of_decision(compared, runs, 4)
    assert detail.best == "texts"
    assert [text.title for text in detail.texts] == ["Prompt", "Reply"]
    assert not any(text.equal for text in detail.texts)
    prompt = detail.texts[0].shown
    left = "\n".join(row.left.text for row in prompt.rows if row.left is not None)
    assert compared.decisions[4].text is not None
    assert left == compared.decisions[4].text.left


def test_the_same_spans_say_so(runs: Runs) -> None:
    detail = detail_of_pair(diff_runs(runs[0], runs[0]), (runs[0], runs[0]), "s4", "s4")
    assert detail.mark == "= same"
    assert all(text.equal for text in detail.texts)
    assert detail.rows == ()


def test_noise_stands_below_what_counts(runs: Runs, compared: Comparison) -> None:
    detail = detail_of_pair(compared, runs, "s4", "s4")
    inks = [row.cells[0].ink for row in detail.rows]
    assert "secondary" in inks
    assert inks == sorted(inks, key=lambda ink: ink == "secondary")
    assert detail.mark == "≠ differs"
    assert len(detail.values) == len(detail.rows)


def test_a_span_of_one_side_shows_what_that_side_has() -> None:
    one = run_with({}, {"kind": "tool", "name": "search", "arguments": {"query": "valve"}})
    other = run_with({})
    found = diff_runs(one, other)
    detail = detail_of_pair(found, (one, other), "s2", None)
    assert detail.mark == "− left only"
    assert [text.title for text in detail.texts] == ["Arguments"]
    assert all(row.right is None for row in detail.texts[0].shown.rows)
    assert detail.note == "Only the left run has this span."


def test_what_only_one_side_ran_says_what_it_was_given_and_put_out() -> None:
    one = run_with({})
    other = run_with({}, {"name": "ranker", "inputs": {"top_k": 3}, "outputs": {"kept": [1]}})
    detail = detail_of_pair(diff_runs(one, other), (one, other), None, "s2")
    assert [text.title for text in detail.texts] == ["Inputs", "Outputs"]
    assert detail.best == "texts"
    said = "".join(row.right.text for row in detail.texts[0].shown.rows if row.right is not None)
    assert said.replace(" ", "") == '{"top_k":3}'


def test_any_two_values_can_be_read_side_by_side() -> None:
    shown = text_of("value", {"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]}, lambda: False)
    assert not shown.equal
    assert len(shown.shown.changes) == 1


# The tree


def outline_of(tree: CompareTree) -> list[str]:
    lines: list[str] = []

    def walk(node: int, depth: int) -> None:
        row = tree.row(node)
        left = row.left.label if row.left else "."
        right = row.right.label if row.right else "."
        lines.append(f"{'  ' * depth}{left} {row.change.mark} {right}")
        assert row.depth == depth
        assert tree.ordinal(node) == len(lines) - 1
        for below in tree.children(node):
            walk(below, depth + 1)

    for node in tree.children(NOBODY):
        walk(node, 0)
    assert len(lines) == tree.rows
    return lines


def tree_of(left: str, right: str) -> CompareTree:
    runs = run_from_outline(left), run_from_outline(right)
    return CompareTree(diff_runs(*runs), *runs)


def test_what_one_run_has_more_stands_where_it_happened() -> None:
    tree = tree_of(
        """
        pipeline 0-100
          retriever 0-10
          llm:component 20-30
        """,
        """
        pipeline 0-100
          retriever 0-10
          ranker 10-20
          llm:component 20-30
        """,
    )
    lines = outline_of(tree)
    assert "  . + ranker" in lines
    assert lines.index("  . + ranker") == 2
    alone = next(node for node, change in tree.marks() if change.mark == "+")
    assert tree.ids(alone) == (None, "s3")
    assert tree.node_of(None, "s3") == alone
    assert tree.opened_at_first() == [tree.parent(alone)]
    assert tree.changed_rows() == ({tree.parent(alone): 0, alone: 1}, 2)


def test_an_agent_stands_in_the_row_of_its_component() -> None:
    drawn = """
    pipeline 0-100
      helper:component 0-90
        helper:agent 1-89
          step 2-50
            llm 3-20
    """
    tree = tree_of(drawn, drawn)
    assert outline_of(tree) == [
        "pipeline = pipeline", "  helper = helper", "    step 0 = step 0", "      llm = llm",
    ]  # fmt: skip
    agent = tree.node_of("s3", "s3")
    assert agent is not None
    assert tree.ids(agent) == ("s2", "s2")
    assert tree.marks() == []
    assert tree.opened_at_first() == list(tree.children(NOBODY))
