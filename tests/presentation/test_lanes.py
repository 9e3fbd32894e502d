from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.lanes import assign_lanes
from inspector.runfile.table import NO_END, NO_PARENT, SpanTable
from tests.helpers.tables import Drawn, table_from_outline, table_of, tables

NEVER = 1 << 62


def drawn(table: SpanTable) -> list[str]:
    """The lanes from top to bottom, each with the names that run in it."""
    lanes = assign_lanes(table)
    rows: list[list[int]] = [[] for _ in range(lanes.count)]
    for row, lane in enumerate(lanes.of_row):
        rows[lane].append(row)
    return [" ".join(dict.fromkeys(table.name(row) for row in lane)) for lane in rows]


def end(table: SpanTable, row: int) -> int:
    return NEVER if table.end_ns[row] == NO_END else table.end_ns[row]


@given(tables())
def test_overlapping_spans_never_share_a_lane(table: SpanTable) -> None:
    lanes = assign_lanes(table).of_row
    for one, other in combinations(range(len(table)), 2):
        if table.start_ns[one] < end(table, other) and table.start_ns[other] < end(table, one):
            assert lanes[one] != lanes[other]


@given(tables())
def test_a_span_is_always_below_what_it_happened_inside_of(table: SpanTable) -> None:
    lanes = assign_lanes(table).of_row
    for row in range(len(table)):
        if table.parent_row[row] != NO_PARENT:
            assert lanes[row] > lanes[table.parent_row[row]]


@given(tables())
def test_no_lane_is_ever_empty(table: SpanTable) -> None:
    lanes = assign_lanes(table)
    assert set(lanes.of_row) == set(range(lanes.count))


@given(tables())
def test_branches_hold_whole_lanes_and_never_cut_one_another(table: SpanTable) -> None:
    lanes = assign_lanes(table)
    for branch in lanes.branches:
        assert 0 < branch.lane_count <= lanes.count - branch.first_lane
        assert lanes.of_row[branch.row] == branch.first_lane
    ranges = [range(b.first_lane, b.first_lane + b.lane_count) for b in lanes.branches]
    for one, other in combinations(ranges, 2):
        shared = set(one) & set(other)
        assert not shared or shared in (set(one), set(other))


def _without_agents(table: SpanTable) -> list[Drawn]:
    names = [table.name(row) for row in range(len(table))]
    return [
        Drawn(
            names[row],
            "component" if table.kind_of(row) == "agent" else str(table.kind_of(row)),
            table.start_ns[row],
            table.end_ns[row],
            None if table.parent_row[row] == NO_PARENT else table.parent_row[row],
        )
        for row in range(len(table))
    ]


@given(tables(tidy=True), st.integers(0, 200))
def test_a_growing_run_never_changes_the_order_of_lanes(table: SpanTable, now: int) -> None:
    """What was seen at one moment keeps its order; lanes are only added between."""
    spans = _without_agents(table)
    early = [
        span._replace(end_ns=span.end_ns if (span.end_ns or 0) <= now else None)
        for span in spans
        if span.start_ns <= now
    ]
    before = assign_lanes(table_of(early)).of_row
    after = assign_lanes(table_of(spans)).of_row
    for one, other in combinations(range(len(early)), 2):
        assert (before[one] < before[other]) == (after[one] < after[other])
        assert (before[one] == before[other]) == (after[one] == after[other])
        assert after[one] >= before[one]


def test_what_runs_one_after_the_other_is_laid_out_by_depth() -> None:
    assert drawn(
        table_from_outline(
            """
            pipeline 0-100
              retriever 0-20
              prompt 20-21
              generator 21-90
                llm 22-89
            """
        )
    ) == ["pipeline", "retriever prompt generator", "llm"]


def test_parallel_branches_keep_what_is_inside_them_together() -> None:
    assert drawn(
        table_from_outline(
            """
            pipeline 0-100
              dense 0-50
                embed 1-10
                search 10-40
              sparse 0-60
                terms 1-50
              join 60-70
            """
        )
    ) == ["pipeline", "dense join", "embed search", "sparse", "terms"]


def test_a_tool_keeps_its_lane_from_step_to_step() -> None:
    table = table_from_outline(
        """
        agent 0-100
          step 0-50
            llm 0-10
            search:tool 10-50
              deep:pipeline 11-40
                deeper 12-30
            fetch:tool 10-40
          step 50-80
            llm 50-60
            fetch:tool 60-70
          step 80-100
            search:tool 81-90
            fetch:tool 82-90
        """
    )
    assert drawn(table) == ["agent", "step", "llm search", "deep", "deeper", "fetch"]


def test_agents_get_lanes_of_their_own() -> None:
    table = table_from_outline(
        """
        pipeline 0-100
          router 0-5
          writer 5-30
            agent 5-30
              step 5-30
          critic 30-60
            agent 30-60
          writer 60-80
            agent 60-80
              step 60-80
        """
    )
    assert drawn(table) == ["pipeline", "router writer", "agent", "step", "critic", "agent"]


def test_a_branch_is_named_by_the_span_that_opened_it() -> None:
    table = table_from_outline(
        """
        pipeline 0-100
          dense 0-50
          sparse 0-60
          join 60-70
        """
    )
    branches = assign_lanes(table).branches
    assert [(table.name(b.row), b.first_lane, b.name_count) for b in branches] == [
        ("dense", 1, 2),
        ("sparse", 2, 1),
    ]


def test_a_branch_with_an_agent_is_named_by_the_agent() -> None:
    table = table_from_outline(
        """
        pipeline 0-100
          router 0-5
          writer 5-30
            agent 5-30
          critic 30-60
            agent 30-60
        """
    )
    named = [table.name(branch.row) for branch in assign_lanes(table).branches]
    assert named == ["writer", "critic"]


def test_a_run_without_side_by_side_has_no_branches() -> None:
    assert assign_lanes(table_from_outline("pipeline 0-9\n  a 0-3\n  b 3-9")).branches == ()
    assert assign_lanes(table_of([])).count == 0


def test_ten_thousand_at_once_get_ten_thousand_lanes() -> None:
    spans = [Drawn("map", "pipeline", 0, 10**6, None)]
    spans += [Drawn(f"t{n % 7}", "tool", n, 10**5 + n, 0) for n in range(10_000)]
    spans += [Drawn(f"t{n % 7}", "tool", 2 * 10**5 + n, 3 * 10**5, 0) for n in range(10_000)]
    assert assign_lanes(table_of(spans)).count == 10_001


def test_something_unfinished_keeps_its_lane_to_itself() -> None:
    assert drawn(table_from_outline("pipeline 0-\n  lost 0-\n  next 10-20")) == [
        "pipeline",
        "lost",
        "next",
    ]
