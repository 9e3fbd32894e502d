"""What a replay cost beside its recording: its answers are priced alike, whoever gave them."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main
from inspector.cost.estimating import estimate, estimate_in_total
from inspector.diff.cohort import cohort
from inspector.diff.compare import diff_runs
from inspector.diff.model import Comparison, Metric, Paid
from inspector.export.cohort_html import cohort_html
from inspector.export.comparison_html import comparison_html
from inspector.presentation.cohort_table import ColumnKind, cohort_table
from inspector.presentation.cohort_text import cohort_lines, cohort_markdown
from inspector.presentation.compare_summary import figure_rows, key_figures
from inspector.presentation.comparison_text import comparison_lines
from inspector.runfile.estimate import Standing
from inspector.runfile.model import PipelineRun
from tests.cost.runs import call, openai, run_of
from tests.runfile.files import span

FREE = "$0.00, answered from the recording"


def run(*sources: str | None, sent: int = 400_000, llm: str = "gpt-4o-mini") -> PipelineRun:
    """Return a run of one call a source; 400 000 tokens of gpt-4o-mini cost six cents."""
    calls: list[dict[str, Any]] = []
    for number, source in enumerate(sources, 2):
        told = {} if source is None else {"source": source}
        calls.append(call(number, 1, name=f"llm{number}", llm=llm, usage=openai(sent, 0), **told))
    return run_of(span(1, kind="pipeline"), *calls)


def cost(comparison: Comparison) -> Metric:
    return next(each for each in comparison.metrics if each.name == "estimated cost")


def test_answers_of_a_recording_are_priced_where_that_is_asked_for() -> None:
    replayed = run("recorded", "edited", "live")
    assert estimate(replayed).total == Decimal("0.06")
    assert estimate(replayed, answers_priced=True).total == Decimal("0.18")
    whole = estimate_in_total(replayed, answers_priced=True)
    assert whole.total == Decimal("0.18")
    assert whole.llms[0].counts == {Standing.PRICED: 3}


def test_a_replay_costs_what_its_recording_did_and_nothing_was_paid_for_it() -> None:
    found = cost(diff_runs(run(None, None), run("recorded", "recorded")))
    assert (found.left, found.right, found.delta) == (0.12, 0.12, 0.0)
    assert found.not_comparable is None
    assert found.left_paid is None
    assert found.right_paid == Paid(amount=0.0, answered=2, calls=2)


def test_a_longer_prompt_of_a_replay_is_seen_in_its_cost() -> None:
    found = cost(diff_runs(run(None), run("recorded", "live")))
    assert (found.right, found.delta) == (0.12, 0.06)
    assert found.right_paid == Paid(amount=0.06, answered=1, calls=2)


def test_what_was_paid_is_known_although_the_price_is_not() -> None:
    found = cost(diff_runs(run(None, llm="zorblax"), run("recorded", llm="zorblax")))
    assert (found.left, found.right, found.delta) == (None, None, None)
    assert found.not_comparable == "no price is known"
    assert found.right_paid == Paid(amount=0.0, answered=1, calls=1)


def test_what_was_paid_is_unknown_where_a_live_call_has_no_price() -> None:
    recorded, live = run("recorded"), run("live", llm="zorblax")
    spans = [each.raw for one in (recorded, live) for each in one.spans]
    both = run_of(spans[0], dict(spans[1]), {**spans[3], "id": "s3"})
    found = cost(diff_runs(run(None), both))
    assert found.right_paid == Paid(amount=None, answered=1, calls=2)


def test_a_run_that_was_paid_for_says_nothing_of_it() -> None:
    compared = diff_runs(run(None), run("live"))
    assert cost(compared).right_paid is None
    assert "paid" not in "\n".join(comparison_lines(compared))
    table = cohort_table(cohort([run(None), run("live")]))
    assert ColumnKind.PAID not in {each.kind for each in table.columns}


def test_every_form_of_a_comparison_says_what_was_paid() -> None:
    left, right = run(None), run("recorded")
    compared = diff_runs(left, right)
    assert f"right: paid {FREE}" in "\n".join(comparison_lines(compared))
    assert "(paid 0.000000 USD, answered from the recording)" in str(compared)
    assert f"Right: paid {FREE}." in comparison_html(compared, left, right)
    assert f"cost ≈ $0.060 (right: paid {FREE})" in key_figures(compared)
    row = next(row for row in figure_rows(compared) if row.cells[0].text == "Estimated cost")
    assert row.cells[-1].text == f"right: paid {FREE}"
    assert f"right: paid {FREE}" in row.spoken


def test_the_json_has_both_figures_and_comes_back() -> None:
    compared = diff_runs(run("recorded", "live"), run(None))
    found = json.loads(json.dumps(compared.to_dict()))
    (told,) = [each for each in found["metrics"] if each["name"] == "estimated cost"]
    assert told["left"] == 0.12
    assert told["left_paid"] == {"amount": 0.06, "answered": 1, "calls": 2}
    assert told["right_paid"] is None
    assert Comparison.from_dict(found) == compared
    for each in found["metrics"]:  # as those made before this was told
        del each["left_paid"], each["right_paid"]
    assert cost(Comparison.from_dict(found)).left_paid is None


def test_the_table_of_many_runs_says_what_was_paid_beside_the_cost() -> None:
    found = cohort([run(None, None), run("recorded", "recorded"), run("recorded", "live")])
    table = cohort_table(found)
    titles = [each.title for each in table.columns]
    at = titles.index("Paid")
    assert [row.cells[titles.index("Cost")].text for row in table.rows] == ["≈ $0.12"] * 3
    assert [row.cells[at].text for row in table.rows] == [
        "", FREE, "≈ $0.060, 1 of 2 calls answered from the recording",
    ]  # fmt: skip
    assert f"Paid: {FREE}" in table.rows[1].spoken
    assert [row.key for row in table.sorted_rows(at, falling=True)] == [0, 2, 1]
    assert FREE in "\n".join(cohort_lines(found))
    assert FREE.replace("$", r"\$") in cohort_markdown(found)
    assert FREE in cohort_html(found)
    paid = found.to_dict()["members"][0]["figures"]
    told = next(each for each in paid if each["name"] == "estimated cost")
    assert (told["right"], told["right_paid"]["amount"]) == (0.12, 0.0)


def test_a_baseline_that_is_a_replay_says_what_was_paid_too() -> None:
    table = cohort_table(cohort([run("recorded"), run(None)]))
    at = [each.title for each in table.columns].index("Paid")
    assert [row.cells[at].text for row in table.rows] == [FREE, ""]


def test_the_command_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / f"{name}.run.json" for name in ("one", "two", "three")]
    for path, made in zip(paths, (run(None), run("recorded"), run("recorded")), strict=True):
        made.save(path)
    main(["diff", *map(str, paths)])
    assert capsys.readouterr().out.count(FREE) == 2
    main(["diff", *map(str, paths[:2])])
    assert f"right: paid {FREE}" in capsys.readouterr().out
