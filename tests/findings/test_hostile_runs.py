"""Whatever stands in a file: no rule fails, and each finding can be shown."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from inspector.assets import asset
from inspector.findings import examine
from inspector.presentation.finding_list import finding_rows
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.helpers.span_runs import bomb, document, message, nested, run_with

EXAMPLES = ("agent-tools", "crash", "untaken-branch", "validator-loop", "rag-answer",
            "parallel-branches")  # fmt: skip
HOSTILE: tuple[Any, ...] = (
    None, True, 0, -1, 2**63 - 1, 1e308, "", "x" * 5_000, "\x00\u202e", [], {}, [None], [[]],
    {"$": "document"}, {"$": 3}, {"$ref": "nowhere"}, {"$": "chat_message", "content": 5},
    {"$": "document", "id": 4, "content": {}, "meta": [], "score": "high"}, {"": {"": {}}},
    {"$": "opaque"}, {"$": "truncated", "size": "much"}, [3, "a", {}], {"replies": {"a": 1}},
    {"documents": [None, 3]}, {"tool_call": {"name": []}}, nested(60),
)  # fmt: skip


def looked_at(run: PipelineRun) -> None:
    found, skipped = examine(run)
    assert skipped == ()
    assert len(finding_rows(run, found)) == len(found)


def places(tree: Any, depth: int = 0) -> Iterator[tuple[Any, Any]]:
    """Yield each place of a tree: what holds it, and its key."""
    keys = list(tree) if isinstance(tree, dict) else range(len(tree))
    for key in keys:
        yield tree, key
        if isinstance(tree[key], dict | list) and depth < 12:
            yield from places(tree[key], depth + 1)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_run_with_anything_in_any_place_is_looked_at_by_every_rule(name: str) -> None:
    draw = random.Random(f"hostile {name}")
    whole = orjson.loads(asset(f"examples/{name}.run.json").read_bytes())
    del whole["digest"], whole["record_digests"]
    for _ in range(40):
        file = copy.deepcopy(whole)
        for part in (file["spans"], file["spans"], file["values"], file["run"]):
            for holder, key in draw.sample(list(places(part)), k=4):
                if isinstance(key, int) and key >= len(holder):
                    continue
                holder[key] = copy.deepcopy(draw.choice(HOSTILE))
        looked_at(load_run(orjson.dumps(file), use_cache=False))


@pytest.mark.parametrize("role", ["retrieval", "ranking", "prompt", "llm", "routing", "other"])
def test_a_span_of_any_role_may_hold_anything(role: str) -> None:
    for hostile in (*HOSTILE, bomb(8)):
        looked_at(
            run_with(
                {"name": "all"},
                {"name": "find", "role": "retrieval", "retrieval": hostile,
                 "inputs": {"query": hostile, "filters": hostile, "score_threshold": hostile},
                 "outputs": {"documents": []}, "receivers": {"documents": ["next"]}},
                {"name": "next", "role": role, "senders": {"documents": ["find"], "a": hostile},
                 "receivers": {"a": hostile, "b": ["find", "next"]},
                 "inputs": {"documents": [document(1, "text"), hostile], "query": hostile},
                 "outputs": {"documents": hostile, "replies": hostile, "prompt": hostile}},
                {"kind": "agent", "name": "a", "outputs": {"messages": [message("tool"), hostile]},
                 "tags": {"haystack.agent.tools": hostile}},
                {"kind": "llm", "name": "m", "parent": "s4", "outputs": {"replies": [hostile]},
                 "usage": hostile, "llm": hostile, "chunks": hostile, "inputs": {"tools": hostile}},
                {"kind": "tool", "name": "t", "parent": "s4", "inputs": hostile,
                 "outputs": {"error": hostile}},
                topology={"components": {"find": hostile, "x": hostile},
                          "connections": [hostile, {"sender": hostile, "receiver": "x.y"}]},
                definition=hostile, inputs=hostile,
            )
        )  # fmt: skip


def test_values_that_unfold_without_end_are_looked_at_in_time() -> None:
    # Each value holds the one before twice: 2**60 leaves, were they written out.
    values: dict[str, Any] = {f"{0:032x}": {"$": "opaque", "type": "t", "repr": "x"}}
    for number in range(1, 60):
        ref = {"$ref": f"{number - 1:032x}"}
        values[f"{number:032x}"] = [ref, ref]
    top = {"$ref": f"{59:032x}"}
    spans = [
        {}, {"role": "retrieval", "name": "r", "outputs": {"documents": top},
             "receivers": {"documents": ["p"]}},
        {"role": "prompt", "name": "p", "senders": {"documents": ["r"]},
         "inputs": {"documents": top}, "outputs": {"prompt": top}},
        {"kind": "agent", "outputs": {"messages": [message("tool"), top]}},
        {"kind": "tool", "parent": "s4", "outputs": top, "inputs": top},
    ]  # fmt: skip
    looked_at(run_with(*spans, values=values))
