import time
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given

from inspector.presentation.walk import Walk
from inspector.runfile.table import SpanTable
from tests.helpers.tables import Drawn, table_from_outline, table_of, tables

AGENT = """
pipeline 0-100
  prompt 0-5
  agent 10-90
    step 10-50
      llm 10-30
      search:tool 30-45 failed
      fetch:tool 31-50
    step 50-90
      llm 50-60
      search:tool 60-80
  answer 90-100
"""


@pytest.fixture
def table() -> SpanTable:
    return table_from_outline(AGENT)


@pytest.fixture
def walk(table: SpanTable) -> Walk:
    return Walk(table)


def names(table: SpanTable, rows: Iterable[int | None]) -> list[str | None]:
    return [None if row is None else table.name(row) for row in rows]


def walked(step: Callable[[int | None], int | None], row: int | None = None) -> list[int]:
    """The rows that a repeated step meets, from `row` on."""
    met: list[int] = []
    while (row := step(row)) is not None:
        met.append(row)
    return met


def test_walking_on_meets_a_span_then_what_it_did_then_what_came_after(
    walk: Walk, table: SpanTable
) -> None:
    assert names(table, walked(walk.next)) == [
        "pipeline", "prompt", "agent", "step", "llm", "search", "fetch", "step", "llm", "search",
        "answer",
    ]  # fmt: skip


@given(tables())
def test_walking_on_always_meets_every_span_once(table: SpanTable) -> None:
    walk = Walk(table)
    assert sorted(walked(walk.next)) == list(range(len(table)))


@given(tables())
def test_walking_back_is_always_the_reverse(table: SpanTable) -> None:
    walk = Walk(table)
    assert walked(walk.previous) == walked(walk.next)[::-1]


@given(tables())
def test_a_span_is_always_met_after_the_one_it_is_inside_of(table: SpanTable) -> None:
    walk = Walk(table)
    for row in range(len(table)):
        outer = walk.out(row)
        if outer is not None:
            assert walk.position[outer] < walk.position[row]
            assert row in list(walk.children(outer))


def test_into_and_out_follow_the_nesting(walk: Walk, table: SpanTable) -> None:
    agent = 2
    step = walk.into(agent)
    assert names(table, [agent, step, walk.into(step)]) == ["agent", "step", "llm"]
    assert walk.out(step) == agent
    assert walk.into(walk.into(step)) is None
    assert walk.out(walk.first) is None


def test_over_skips_what_is_inside(walk: Walk, table: SpanTable) -> None:
    agent = 2
    assert names(table, walked(walk.over, walk.into(agent))) == ["step", "answer"]


def test_first_and_last_are_the_ends_of_the_walk(walk: Walk, table: SpanTable) -> None:
    assert names(table, [walk.first, walk.last]) == ["pipeline", "answer"]
    assert walk.previous(walk.first) is None
    assert walk.next(walk.last) is None


def test_a_run_without_spans_leads_nowhere() -> None:
    walk = Walk(table_of([]))
    assert walk.first is walk.last is walk.next(None) is walk.previous(None) is None
    assert walk.next_failure(None) is walk.next_of_kind(None, "tool") is None


def test_llm_and_tool_calls_are_met_one_after_the_other(walk: Walk, table: SpanTable) -> None:
    def next_tool(row: int | None) -> int | None:
        return walk.next_of_kind(row, "tool")

    assert names(table, walked(next_tool)) == ["search", "fetch", "search"]
    tools = walked(next_tool)
    assert walk.previous_of_kind(tools[1], "tool") == tools[0]
    assert (
        walk.previous_of_kind(None, "llm") == walked(lambda row: walk.next_of_kind(row, "llm"))[-1]
    )


def test_visits_of_an_agents_tool_count_across_its_steps(walk: Walk, table: SpanTable) -> None:
    tool = walk.next_of_kind(None, "tool")
    assert tool is not None
    first, second = walk.visits(tool)
    assert names(table, [first, second]) == ["search", "search"]
    assert walk.visit_of(second) == (2, 2)
    assert walk.next_visit(first) == second
    assert walk.previous_visit(second) == first
    assert walk.previous_visit(first) is walk.next_visit(second) is None


def test_a_component_of_the_same_name_elsewhere_is_not_another_visit() -> None:
    table = table_from_outline(
        """
        pipeline 0-100
          retriever 0-10
          inner:pipeline 10-50
            retriever 10-20
        """
    )
    walk = Walk(table)
    assert walk.visit_of(1) == (1, 1)


def test_an_error_that_nothing_catches_is_met_where_it_began() -> None:
    table = table_from_outline(
        """
        pipeline 0-100 failed
          outer:pipeline 0-100 failed
            first 0-50
            second 50-90 failed
            beside 60-95 canceled
        """
    )
    assert names(table, Walk(table).failures) == ["second"]


def test_a_failure_after_a_caught_error_is_met_too() -> None:
    table = table_from_outline(
        """
        agent 0-100 failed
          search:tool 0-50 failed
          llm 60-100
        """
    )
    walk = Walk(table)
    assert names(table, walk.failures) == ["agent", "search"]
    assert walked(walk.next_failure) == list(walk.failures)
    assert walked(walk.previous_failure) == list(walk.failures)[::-1]


@given(tables())
def test_a_failure_is_never_without_a_span_where_it_began(table: SpanTable) -> None:
    failed = any(table.status_of(row) == "failed" for row in range(len(table)))
    assert bool(Walk(table).failures) == failed


def test_a_hundred_thousand_spans_are_walked_at_once() -> None:
    spans = [Drawn("run", "pipeline", 0, 10**9, None)]
    spans += [Drawn(f"c{n % 50}", "tool", n, n + 1, 0, "failed") for n in range(100_000)]
    walk = Walk(table_of(spans))
    began = time.perf_counter()
    row = walk.next_of_kind(None, "tool")
    row = walk.next_visit(row)
    row = walk.next_failure(row)
    assert row is not None
    assert time.perf_counter() - began < 5


def test_a_very_deep_run_is_walked_like_any_other() -> None:
    count = 20_000
    table = table_of([Drawn("n", "other", 0, 9, None)])
    for row in range(1, count):
        for column, value in (
            (table.start_ns, 0), (table.end_ns, 9), (table.parent_row, row - 1),
            (table.depth, row), (table.kind, 7), (table.status, 0), (table.name_code, 0),
        ):  # fmt: skip
            column.append(value)
    walk = Walk(table)
    assert len(walk.order) == count
    assert walk.over(count - 1) is None


def test_findings_are_walked_in_walk_order_whatever_theirs_is(walk: Walk, table: SpanTable) -> None:
    rows = [row for row in range(len(table)) if table.name(row) in ("search", "prompt")]
    found = walked(lambda row: walk.next_of(rows[::-1], row))
    assert names(table, found) == ["prompt", "search", "search"]
    back = walked(lambda row: walk.previous_of(rows, row))
    assert names(table, back) == ["search", "search", "prompt"]
    assert walk.next_of((), None) is None
