"""Haystack's snapshots, made from recordings: equal to Haystack's own, and Haystack goes on."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.assets import asset
from inspector.errors import InspectorError
from inspector.export.kinds import Options, export_run
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.export.examples import example
from tests.export.hostile_runs import HOSTILE, hostile_run

pytest.importorskip("haystack", reason="Haystack has to load what we write")

from haystack.core.errors import BreakpointException
from haystack.core.pipeline.breakpoint import load_pipeline_snapshot
from haystack.dataclasses.breakpoints import Breakpoint

from inspector import record_run
from tests.helpers import pipelines
from tests.helpers.openai_server import OpenAIServer

pytestmark = pytest.mark.haystack

CASES = ["rag", "parallel_branches", "validator_loop", "router"]


def made(run: PipelineRun, at: str) -> dict[str, Any]:
    data = export_run(run, "snapshot", redact=None, options=Options(at=at)).main
    tree: dict[str, Any] = json.loads(data)
    return tree


def haystacks_own(pipeline: Any, data: Any, name: str, visit: int) -> dict[str, Any]:
    with pytest.raises(BreakpointException) as caught:
        pipeline.run(data, break_point=Breakpoint(name, visit))
    tree: dict[str, Any] = json.loads(json.dumps(caught.value.pipeline_snapshot.to_dict()))
    return tree


def settled(tree: Any) -> Any:
    """Return a snapshot without what is new in every run: moments."""
    if isinstance(tree, dict):
        return {
            key: settled(part)
            for key, part in tree.items()
            if key not in ("timestamp", "completion_start_time")
        }
    return [settled(part) for part in tree] if isinstance(tree, list) else tree


def texts(result: Any) -> list[str]:
    return sorted(
        str(getattr(each, "text", None) or getattr(each, "data", each))
        for part in result.values() for value in part.values()
        for each in (value if isinstance(value, list) else [value])
    )  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_at_every_visit_it_is_the_snapshot_that_haystack_makes_and_haystack_goes_on(
    name: str, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    case = getattr(pipelines, name)(
        openai_server, **({"stream": False} if name == "parallel_branches" else {})
    )
    result, run = record_run(case.target, case.data)
    visits = [span for span in run.spans if span.parent_id == run.roots[0].id]
    assert len(visits) >= 2
    for span in visits:
        ours = made(run, span.id)
        own = haystacks_own(case.target, case.data, span.name, span.visit - 1)
        assert settled(ours) == settled(own)
        place = tmp_path / f"{span.id}.json"
        place.write_text(json.dumps(ours), "utf-8")
        went_on = case.target.run({}, pipeline_snapshot=load_pipeline_snapshot(place))
        assert texts(went_on) == texts(result)


def test_documents_go_on_without_embeddings_and_that_is_said(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    case = pipelines.hybrid_embedding(openai_server)
    result, run = record_run(case.target, case.data)
    for at in ("by_meaning", "joiner"):
        exported = export_run(run, "snapshot", redact=None, options=Options(at=at))
        assert any("embeddings of documents" in note for note in exported.notes)
        place = tmp_path / f"{at}.json"
        place.write_bytes(exported.main)
        went_on = case.target.run({}, pipeline_snapshot=load_pipeline_snapshot(place))
        names = [[each.id for each in out["ranker"]["documents"]] for out in (result, went_on)]
        assert names[0] == names[1]


def test_of_a_run_that_failed_it_is_the_moment_before_the_failure() -> None:
    run = example("crash")
    tree = json.loads(export_run(run, "snapshot", redact=None).main)
    assert tree["break_point"]["component_name"] == "planner"
    recorded = json.loads(json.dumps(run.snapshot))
    assert settled(tree["pipeline_state"]) == settled(recorded["pipeline_state"])


def test_without_a_component_those_that_ran_are_named() -> None:
    with pytest.raises(InspectorError, match="none was named") as caught:
        export_run(example("rag-answer"), "snapshot", redact=None)
    assert "retriever#1, prompt_builder#1, llm#1" in caught.value.hint


def test_a_place_inside_a_component_means_the_component() -> None:
    tree = made(example("agent-tools"), "assistant#1/step1/llm")
    assert tree["break_point"] == {
        "component_name": "assistant", "visit_count": 0, "snapshot_file_path": None,
    }  # fmt: skip
    with pytest.raises(InspectorError, match="in no component"):
        made(example("agent-tools"), "nothing")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"$": "bytes", "base64": "AAAA"}, "bytes at retriever.query"),
        ({"$": "datetime", "value": "2026-11-29T00:00:00"}, "a point in time at retriever.query"),
        ({"$": "object", "type": "os.system", "fields": {}}, "an object of another class"),
        ({"$": "truncated", "type": "str", "size": 9}, "recorded in part at retriever.query"),
        ([{"$": "uuid", "value": "0"}], r"a UUID at retriever.query\[0\]"),
        ({"$": "dict", "items": [[1, 2]]}, "a dictionary with other keys than texts"),
    ],
)
def test_what_haystacks_encoding_cannot_hold_is_named(value: Any, words: str) -> None:
    tree = json.loads(asset("examples/rag-answer.run.json").read_text("utf-8"))
    tree["spans"][0]["inputs"]["retriever"]["query"] = value
    with pytest.raises(InspectorError, match=f"cannot hold .*{words}"):
        made(load_run(json.dumps(tree).encode()), "retriever")


def test_a_function_that_listens_is_left_out_and_that_is_said() -> None:
    tree = json.loads(asset("examples/rag-answer.run.json").read_text("utf-8"))
    tree["spans"][0]["inputs"]["llm"] = {
        "streaming_callback": {"$": "callable", "name": "os.system"}
    }
    run = load_run(json.dumps(tree).encode())
    exported = export_run(run, "snapshot", redact=None, options=Options(at="prompt_builder"))
    assert b"os.system" not in exported.main
    assert any("a function at llm.streaming_callback" in note for note in exported.notes)


def test_a_stranger_can_name_no_class_in_it() -> None:
    """Whoever loads a snapshot imports what it names."""
    for name in ("rag-answer", "crash"):
        run = hostile_run(HOSTILE, name)
        for span in run.spans:
            if span.parent_id != run.roots[0].id:
                continue
            try:
                tree = made(run, span.id)
            except InspectorError:
                continue
            assert types(tree) <= {
                "object", "array", "string", "null", "integer", "number", "boolean",
                "haystack.dataclasses.document.Document",
                "haystack.dataclasses.chat_message.ChatMessage",
                "haystack.core.pipeline.component_checks._NoOutputProduced",
            }  # fmt: skip


def types(tree: Any) -> set[str]:
    """Return what the schemas of a snapshot name."""
    if isinstance(tree, dict):
        found = set().union(*(types(part) for part in tree.values())) if tree else set()
        schema = tree.get("serialization_schema")
        return found | (named(schema) if schema else set())
    return (
        set().union(*(types(part) for part in tree)) if isinstance(tree, list) and tree else set()
    )


def named(schema: Any) -> set[str]:
    inner = [*schema.get("properties", {}).values(), *schema.get("prefixItems", [])]
    inner += [schema["items"]] if schema.get("items") else []
    return {schema["type"]}.union(*(named(each) for each in inner))
