"""The recorded pipeline against the live one."""

import copy
from typing import Any

from inspector.replay.topology import topology_drifts

PIPELINE: dict[str, Any] = {
    "components": {
        "retriever": {"type": "lib.Retriever"},
        "prompt": {"type": "lib.Prompt"},
        "llm": {"type": "lib.LLM"},
        "desk": {
            "type": "lib.Agent",
            "agent": {
                "chat_generator": {"type": "lib.LLM"},
                "tools": [{"type": "lib.Tool", "name": "search"}],
            },
        },
        "inside": {
            "type": "lib.SuperComponent",
            "topology": {"components": {"joiner": {"type": "lib.Joiner"}}, "connections": []},
        },
    },
    "connections": [
        {"sender": "retriever.documents", "receiver": "prompt.documents"},
        {"sender": "prompt.prompt", "receiver": "llm.messages"},
    ],
}


def told(change: Any, **options: Any) -> list[tuple[str, str | None, Any, Any]]:
    live = copy.deepcopy(PIPELINE)
    change(live["components"], live["connections"])
    drifts = topology_drifts(PIPELINE, live, **options)
    assert {drift.kind for drift in drifts} <= {"topology"}
    assert {drift.grade for drift in drifts} <= {"major"}
    return [(drift.path, drift.leaf, drift.recorded, drift.live) for drift in drifts]


def test_the_same_pipeline_is_no_drift():
    assert told(lambda components, connections: connections.reverse()) == []


def test_an_added_component_is_told():
    found = told(lambda components, _: components.update(ranker={"type": "lib.Ranker"}))
    assert found == [("ranker#1", "components.ranker", None, "lib.Ranker")]


def test_a_component_that_never_ran_is_not_new_where_only_those_that_ran_are_known():
    def add(components: Any, _: Any) -> None:
        components.update(ranker={"type": "lib.Ranker"})

    assert told(add, partial=True) == []


def test_a_removed_component_is_told_without_its_connections():
    found = told(lambda components, _: components.pop("retriever"))
    assert found == [("retriever#1", "components.retriever", "lib.Retriever", None)]


def test_another_class_is_told():
    found = told(lambda components, _: components.update(llm={"type": "lib.OtherLLM"}))
    assert found == [("llm#1", "components.llm.type", "lib.LLM", "lib.OtherLLM")]


def test_a_class_of_a_wrapper_is_the_same_however_hayhooks_has_named_its_module():
    served = copy.deepcopy(PIPELINE)
    served["components"]["llm"]["type"] = "_hayhooks_registry.p_616e7377.pipeline_wrapper.Writer"
    plain = copy.deepcopy(PIPELINE)
    plain["components"]["llm"]["type"] = "pipeline_wrapper.Writer"
    assert topology_drifts(served, plain) == ()
    plain["components"]["llm"]["type"] = "pipeline_wrapper.Reader"
    (drift,) = topology_drifts(served, plain)
    assert (drift.path, drift.leaf) == ("llm#1", "components.llm.type")


def test_another_connection_is_told_at_its_receiver():
    def reconnect(_: Any, connections: Any) -> None:
        connections[0]["sender"] = "inside.documents"

    assert told(reconnect) == [
        ("prompt#1", "connections.prompt.documents", "retriever.documents", "inside.documents")
    ]


def test_a_missing_and_a_new_connection_are_told():
    def reconnect(_: Any, connections: Any) -> None:
        connections[0] = {"sender": "llm.replies", "receiver": "inside.values"}

    assert told(reconnect) == [
        ("prompt#1", "connections.prompt.documents", "retriever.documents", None),
        ("inside#1", "connections.inside.values", None, "llm.replies"),
    ]


def test_what_is_inside_a_nested_pipeline_is_told_with_its_path():
    def retype(components: Any, _: Any) -> None:
        components["inside"]["topology"]["components"]["joiner"]["type"] = "lib.Router"

    assert told(retype) == [
        ("inside#1/pipeline#1/joiner#1", "components.joiner.type", "lib.Joiner", "lib.Router")
    ]


def test_an_agents_tools_and_model_are_told():
    def change(components: Any, _: Any) -> None:
        components["desk"]["agent"] = {
            "chat_generator": {"type": "lib.OtherLLM"},
            "tools": [{"type": "lib.Tool", "name": "order"}],
        }

    assert told(change) == [
        ("desk#1", "agent.chat_generator.type", "lib.LLM", "lib.OtherLLM"),
        ("desk#1", "agent.tools[search]", "lib.Tool", None),
        ("desk#1", "agent.tools[order]", None, "lib.Tool"),
    ]


def test_what_was_not_recorded_is_not_compared():
    assert topology_drifts(None, PIPELINE) == ()
    assert topology_drifts(PIPELINE, None) == ()
    assert topology_drifts({"components": [], "connections": "x"}, {"components": {}}) == ()
