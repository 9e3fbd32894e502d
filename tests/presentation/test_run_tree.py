from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.run_tree import PAGE, ROOT, RunTree, is_folded
from inspector.runfile.kinds import STATUS_CODE
from inspector.runfile.table import SpanTable
from tests.helpers.tables import table_from_outline, tables


def rows_below(tree: RunTree, node: int = ROOT) -> list[int]:
    rows = []
    for child in tree.children(node):
        if (row := tree.row(child)) is not None:
            rows.append(row)
        rows += rows_below(tree, child)
    return rows


def shown_row(table: SpanTable, row: int) -> int:
    """Return the span in whose row another is shown, which mostly is its own."""
    return table.parent_row[row] if is_folded(table, row) else row


@given(tables(largest=15))
def test_every_span_is_in_the_tree_once(table: SpanTable) -> None:
    stations = {shown_row(table, row) for row in range(len(table))}
    assert sorted(rows_below(RunTree(table))) == sorted(stations)


@given(tables(largest=15))
def test_a_span_is_found_however_little_was_opened(table: SpanTable) -> None:
    for row in range(len(table)):
        node = RunTree(table).node_of(row)
        assert node is not None


@given(tables(largest=15))
def test_node_and_row_lead_to_each_other(table: SpanTable) -> None:
    tree = RunTree(table)
    for row in range(len(table)):
        node = tree.node_of(row)
        assert node is not None
        assert tree.row(node) == shown_row(table, row)
        assert tree.children(tree.parent(node))[tree.place(node)] == node


@given(tables(largest=15))
def test_what_says_it_has_children_has_some(table: SpanTable) -> None:
    tree = RunTree(table)
    waiting = [ROOT]
    while waiting:
        node = waiting.pop()
        claimed = tree.has_children(node)
        assert claimed is bool(len(tree.children(node)))
        waiting += tree.children(node)


@given(tables(largest=15), st.integers(0, 80), st.integers(0, 40))
def test_within_bounds_is_what_overlaps_and_what_that_stands_in(
    table: SpanTable, start: int, length: int
) -> None:
    end = start + length
    overlapping = {
        row
        for row in range(len(table))
        if table.start_ns[row] <= end and (table.end_ns[row] < 0 or table.end_ns[row] >= start)
    }
    tree = RunTree(table, (start, end))
    shown = set(rows_below(tree))
    assert {shown_row(table, row) for row in overlapping} <= shown
    assert tree.shown == len(overlapping)
    for row in overlapping:
        above = table.parent_row[row]
        while above >= 0:
            assert shown_row(table, above) in shown
            above = table.parent_row[above]


def test_visits_of_one_component_are_gathered() -> None:
    tree = RunTree(table_from_outline("pipeline 0-9\n  a 0-1\n  b 1-2\n  a 2-3\n  c 3-4"))
    (pipeline,) = tree.children(ROOT)
    gathered, b, c = tree.children(pipeline)
    assert [tree.row(node) for node in tree.children(gathered)] == [1, 3]
    assert (tree.row(gathered), tree.row(b), tree.row(c)) == (None, 2, 4)


def test_steps_and_calls_of_an_agent_are_not_gathered() -> None:
    outline = "agent 0-9\n  step 0-4\n    llm 0-2\n    llm 2-4\n  step 4-8"
    tree = RunTree(table_from_outline(outline))
    (agent,) = tree.children(ROOT)
    assert [tree.row(node) for node in tree.children(agent)] == [1, 4]
    assert len(tree.children(tree.children(agent)[0])) == 2


@given(tables(largest=15))
def test_a_branch_knows_of_failures_below_it(table: SpanTable) -> None:
    tree = RunTree(table)
    failed = STATUS_CODE["failed"]

    def fails(row: int) -> bool:
        return any(table.status[child] == failed or fails(child) for child in table.children(row))

    for row in range(len(table)):
        node = tree.node_of(row)
        assert node is not None
        assert tree.failed_inside(node) is fails(shown_row(table, row))


AGENT_AND_ITS_COMPONENT = """
pipeline 0-90
  assistant:component 0-90
    builder 0-2
    assistant:agent 2-90
      step 2-50
      step 50-90
"""


def test_an_agent_stands_in_the_row_of_its_component() -> None:
    table = table_from_outline(AGENT_AND_ITS_COMPONENT)
    tree = RunTree(table)
    (pipeline,) = tree.children(ROOT)
    (assistant,) = tree.children(pipeline)
    assert [tree.row(node) for node in tree.children(assistant)] == [2, 4, 5]
    for start in (3, 4, 5):
        assert RunTree(table).node_of(start) is not None
    assert tree.node_of(3) == assistant
    assert tree.row(assistant) == 1


def test_an_agent_of_another_name_has_a_row_of_its_own() -> None:
    outline = AGENT_AND_ITS_COMPONENT.replace("assistant:agent", "helper:agent")
    tree = RunTree(table_from_outline(outline))
    (assistant,) = tree.children(tree.children(ROOT)[0])
    assert [tree.row(node) for node in tree.children(assistant)] == [2, 3]


def test_a_component_with_two_agents_is_neither_of_them() -> None:
    outline = AGENT_AND_ITS_COMPONENT + "    assistant:agent 90-95\n"
    tree = RunTree(table_from_outline(outline))
    (assistant,) = tree.children(tree.children(ROOT)[0])
    assert [tree.row(node) for node in tree.children(assistant)] == [2, 3, 6]


def test_visits_beyond_a_page_are_found_in_theirs() -> None:
    visits = "\n".join(f"  a {n}-{n + 1}" for n in range(2 * PAGE + 5))
    table = table_from_outline(f"pipeline 0-9999\n{visits}")
    for row in (1, PAGE, PAGE + 1, 2 * PAGE + 5):
        tree = RunTree(table)
        node = tree.node_of(row)
        assert node is not None
        assert tree.row(node) == row
        page = tree.parent(node)
        assert len(tree.page(page)) <= PAGE
        assert len(tree.visits(tree.parent(page))) == 2 * PAGE + 5


@given(tables(largest=15))
def test_a_node_has_the_same_name_in_another_tree_of_the_run(table: SpanTable) -> None:
    one, other = RunTree(table), RunTree(table)
    waiting = list(one.children(ROOT))
    while waiting:
        node = waiting.pop()
        waiting += one.children(node)
        found = other.node_for(one.key(node))
        assert found is not None
        assert other.key(found) == one.key(node)
