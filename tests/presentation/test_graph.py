from itertools import pairwise
from pathlib import Path
from typing import Any

from inspector.presentation.graph import OUTSIDE, graph_of
from inspector.presentation.graph_arrangement import Arrangement, Measures, arrange, neighbour
from inspector.presentation.graph_layout import GAPS, Size
from inspector.presentation.graph_traces import Traces
from inspector.presentation.graph_words import (
    card_words,
    edge_label,
    edge_words,
    graph_summary,
    node_tip,
    sends_to,
    sockets_line,
    type_words,
)
from inspector.presentation.words import duration_words
from inspector.runfile.load import load_run
from tests.helpers.made_pipelines import component, run_of, topology

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"


def example(name: str) -> Traces:
    return Traces(load_run(EXAMPLES / f"{name}.run.json", use_cache=False))


def number(traces: Traces, *labels: str) -> int:
    graph = traces.graph
    return next(one.number for one in graph.nodes if graph.labels(one.number) == list(labels))


def edge(traces: Traces, sender: str, receiver: str) -> int:
    nodes = traces.graph.nodes
    return next(
        index
        for index, one in enumerate(traces.graph.edges)
        if (nodes[one.sender].name, nodes[one.receiver].name) == (sender, receiver)
    )


def two_step(*spans: dict[str, Any]) -> Traces:
    """Return a run of a router that leads to `left` or `right`, and what came of it."""
    built = topology(
        {
            "router": component(role="routing", outputs=("left", "right")),
            "left": component(),
            "right": component(),
        },
        "router.left left.value",
        "router.right right.value",
    )
    return Traces(run_of(built, [{"name": "made", "role": "pipeline"}, *spans]))


ROUTED: dict[str, Any] = {"name": "router", "outputs": {"left": 1}}
LEFT: dict[str, Any] = {"name": "left", "inputs": {"value": 1}, "senders": {"value": ["router"]}}


# The graph


def test_a_graph_has_what_is_inside_of_pipelines_and_agents() -> None:
    graph = example("untaken-branch").graph
    assert [graph.labels(node.number) for node in graph.nodes] == [
        ["router"],
        ["front_desk"],
        ["llm"],
        ["technician"],
        ["technician", "prompt_builder"],
        ["technician", "agent"],
        ["technician", "agent", "llm"],
        ["technician", "agent", "search_manual"],
        ["technician", "agent", "read_sensor"],
    ]


def test_what_is_not_well_formed_is_left_out() -> None:
    graph = graph_of(
        {
            "components": {"one": {"role": 7, "inputs": [], "agent": "?"}, "two": None},
            "connections": [
                {"sender": "one.out", "receiver": "two.in"},
                {"sender": 1},
                "one.out",
                {"sender": "one", "receiver": "one.value"},
            ],
        }
    )
    assert [node.name for node in graph.nodes] == ["one"]
    assert graph.edges == []
    assert graph_of({"components": 5}).nodes == []
    assert graph_of(None).nodes == []


def test_names_with_dots_keep_their_sockets() -> None:
    built = topology({"a.b": component(), "c": component()}, "a.b.value c.value")
    (only,) = graph_of(built).edges
    assert (only.output, only.input) == ("value", "value")


def test_a_pipeline_that_holds_itself_without_end_stops_somewhere() -> None:
    inner: dict[str, Any] = topology({"leaf": component()})
    for _ in range(150):
        inner = topology({"shell": component(topology=inner)})
    assert len(graph_of(inner)) < 60


# What a run did to it


def test_visits_are_counted_and_their_time_is_added_up() -> None:
    traces = example("validator-loop")
    llm = number(traces, "llm")
    table = traces.run.table
    took = sum(table.duration_ns(row) or 0 for row in range(len(table)) if table.name(row) == "llm")
    assert traces.state(llm, None).took_ns == took
    assert card_words(traces, llm, None).count == "×\u202f3"
    assert card_words(traces, llm, None).duration == duration_words(took)


def test_values_are_counted_edge_by_edge() -> None:
    traces = example("validator-loop")
    assert traces.passed(edge(traces, "prompt_builder", "joiner"), None) == 1
    assert traces.passed(edge(traces, "joiner", "llm"), None) == 3
    assert traces.passed(edge(traces, "validator", "joiner"), None) == 2


def test_a_component_that_ran_although_its_route_was_not_taken_is_marked() -> None:
    traces = example("untaken-branch")
    words = card_words(traces, number(traces, "technician"), None)
    assert words.uninvited
    assert "ran although its route was not taken" in words.spoken
    assert not card_words(traces, number(traces, "front_desk"), None).uninvited
    assert traces.was_withheld(edge(traces, "router", "technician"))
    assert not traces.was_withheld(edge(traces, "router", "front_desk"))


def test_who_waits_for_a_loop_at_its_first_visit_is_invited() -> None:
    traces = example("validator-loop")
    assert not any(traces.state(node, None).uninvited for node in range(len(traces.graph)))


def test_a_route_that_was_not_taken_is_told_from_one_that_led_nowhere() -> None:
    taken = two_step(ROUTED, LEFT)
    assert taken.was_withheld(edge(taken, "router", "right"))
    cut_off = two_step(ROUTED)
    assert not cut_off.was_withheld(edge(cut_off, "router", "left"))
    assert cut_off.passed(edge(cut_off, "router", "left"), None) == 0


def test_a_sender_whose_outputs_were_not_recorded_withheld_nothing() -> None:
    traces = two_step({"name": "router"}, {"name": "left", "inputs": {"value": 1}})
    assert not traces.was_withheld(edge(traces, "router", "right"))
    assert traces.passed(edge(traces, "router", "left"), None) == 1
    assert not traces.state(number(traces, "left"), None).uninvited


def test_tools_are_counted_and_a_failed_call_is_marked() -> None:
    traces = example("agent-tools")
    words = card_words(traces, number(traces, "assistant", "read_sensor"), None)
    assert (words.count, words.mark, words.failed, words.failed_always) == (
        "×\u202f3",
        "✕",
        True,
        False,
    )
    assert traces.passed(edge(traces, "llm", "read_sensor"), None) == 3


def test_a_tool_that_the_agent_was_not_built_with_gets_a_node() -> None:
    agent = {"chat_generator": {"type": "house.Generator"}, "tools": [{"type": "house.Toolset"}]}
    built = topology({"agent": component(role="agent", agent=agent)})
    spans: list[dict[str, Any]] = [
        {"name": "made", "role": "pipeline"},
        {"name": "agent", "role": "agent"},
        {"name": "agent", "kind": "agent", "parent": "s2"},
        {"name": "step", "kind": "step", "parent": "s3"},
        {"name": "llm", "kind": "llm", "parent": "s4"},
        {"name": "search", "kind": "tool", "parent": "s4"},
    ]
    traces = Traces(run_of(built, spans))
    assert traces.state(number(traces, "agent", "search"), None).visits == 1
    assert traces.state(number(traces, "agent"), None).visits == 1
    assert traces.node_of(3) == number(traces, "agent")


def test_an_agent_that_ran_alone_is_its_own_graph() -> None:
    agent = {"chat_generator": {"type": "house.Generator"}, "tools": []}
    built = topology({"Helper": component(role="agent", agent=agent)})
    traces = Traces(run_of(built, [{"name": "Agent", "kind": "agent"}]))
    assert traces.state(number(traces, "Helper"), None).visits == 1


def test_only_what_ran_in_a_stretch_of_time_counts_in_it() -> None:
    traces = example("validator-loop")
    llm = number(traces, "llm")
    second = traces.visits[llm].rows[1]
    table = traces.run.table
    inside = table.start_ns[second] + 1, table.end_ns[second] - 1
    assert traces.state(llm, inside).visits == 1
    assert traces.rows_within(traces.visits[llm].rows, inside) == [second]
    words = card_words(traces, number(traces, "prompt_builder"), inside)
    assert not words.ran
    assert "did not run in this stretch of time" in words.spoken


def test_a_run_that_is_still_going_on_says_so() -> None:
    built = topology({"slow": component()})
    spans = [
        {"name": "made", "role": "pipeline", "end_ns": None, "status": "unfinished"},
        {"name": "slow", "end_ns": None, "status": "unfinished"},
    ]
    traces = Traces(run_of(built, spans, status="running"))
    words = card_words(traces, number(traces, "slow"), None)
    assert (words.running, words.mark, words.duration) == (True, "●", "")


# Words


def test_the_summary_says_how_much_ran_and_what_was_not_taken() -> None:
    assert graph_summary(example("untaken-branch"), None) == (
        "4 of 4\u202fcomponents ran · 1\u202froute not taken"
    )


def test_an_edge_says_its_sockets_type_and_count() -> None:
    traces = example("validator-loop")
    assert edge_words(traces, edge(traces, "validator", "joiner"), None) == (
        "validator.validation_error → joiner.value · 2\u202fvalues · list[ChatMessage]"
    )
    traces = example("untaken-branch")
    assert "not taken" in edge_words(traces, edge(traces, "router", "technician"), None)


def test_an_edge_between_sockets_of_one_name_says_it_once() -> None:
    built = topology({"a": component(), "b": component(inputs=("other",))}, "a.value b.other")
    assert edge_label(graph_of(built).edges[0]) == "value → other"
    built = topology({"a": component(), "b": component()}, "a.value b.value")
    assert edge_label(graph_of(built).edges[0]) == "value"


def test_types_lose_their_modules() -> None:
    assert type_words("list[haystack.dataclasses.document.Document]") == "list[Document]"
    assert type_words("dict[str, typing.Any] | None") == "dict[str, Any] | None"


def test_a_tip_lists_the_sockets_with_their_types() -> None:
    traces = example("untaken-branch")
    tip = node_tip(traces, number(traces, "router"), None)
    assert tip[0] == "router"
    assert "in question: Any" in tip
    assert "out fault: str" in tip
    assert "fault: str (not taken)" in sockets_line(traces, number(traces, "router"))


def test_a_list_says_to_whom_something_was_sent() -> None:
    traces = example("untaken-branch")
    assert sends_to(traces, number(traces, "router"), None) == "front_desk, not technician"


def test_names_from_a_file_cannot_break_out_of_their_line() -> None:
    built = topology({"two\nlines\u202e": component()})
    traces = Traces(run_of(built, [{"name": "made", "role": "pipeline"}]))
    assert card_words(traces, 0, None).name == "two lines⟨U+202E⟩"


# The arrangement


def arranged(traces: Traces, *unfolded: int, down: bool = False) -> Arrangement:
    count = len(traces.graph)
    measures = Measures(
        cards=(Size(120, 40),) * count,
        frames=(140.0,) * count,
        title=30,
        padding=10,
        labels=(0.0,) * len(traces.graph.edges),
        gaps=GAPS,
    )
    return arrange(traces.graph, measures, unfolded, down=down)


def test_what_is_folded_is_not_drawn() -> None:
    traces = example("untaken-branch")
    made = arranged(traces)
    assert {card.number for card in made.cards} == set(traces.graph.inside(OUTSIDE))
    inner = number(traces, "technician", "agent", "llm")
    assert made.shown_for(inner) == number(traces, "technician")


def test_a_frame_holds_all_that_is_inside_of_it() -> None:
    traces = example("untaken-branch")
    technician, agent = number(traces, "technician"), number(traces, "technician", "agent")
    for down in (False, True):
        made = arranged(traces, technician, agent, down=down)
        for card in made.cards:
            for around in traces.graph.around(card.number):
                frame = made.card_of[around]
                assert frame.is_open
                assert frame.x <= card.x
                assert frame.y + 30 <= card.y
                assert card.x + card.width <= frame.x + frame.width
                assert card.y + card.height <= frame.y + frame.height
        assert len(made.lines) == len(traces.graph.edges)
        inner = made.card_of[number(traces, "technician", "agent", "llm")]
        at = made.card_at(*inner.middle)
        assert at is not None
        assert at.number == inner.number


def test_unfolding_what_is_inside_of_something_folded_shows_nothing_more() -> None:
    traces = example("untaken-branch")
    made = arranged(traces, number(traces, "technician", "agent"))
    assert {card.number for card in made.cards} == set(traces.graph.inside(OUTSIDE))


def test_arrow_keys_lead_along_a_chain_and_back() -> None:
    made = arranged(example("validator-loop"))
    cards = sorted(made.cards, key=lambda card: card.x)
    for one, other in pairwise(cards):
        assert neighbour(made.cards, one, 1, 0) == other
        assert neighbour(made.cards, other, -1, 0) == one
    assert neighbour(made.cards, cards[-1], 1, 0) is None
    assert neighbour(made.cards, None, 1, 0) is not None


def test_every_node_can_be_reached_with_arrow_keys() -> None:
    traces = example("untaken-branch")
    made = arranged(traces, number(traces, "technician"), number(traces, "technician", "agent"))
    reached = {made.cards[0].number}
    waiting = [made.cards[0]]
    while waiting:
        here = waiting.pop()
        for across, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            there = neighbour(made.cards, here, across, down)
            if there is not None and there.number not in reached:
                reached.add(there.number)
                waiting.append(there)
    assert reached == {card.number for card in made.cards}
