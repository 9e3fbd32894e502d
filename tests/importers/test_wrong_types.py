"""What other programs wrote may have anything anywhere: it opens, or is refused in words."""

import copy
import json

import pytest

from inspector import load_runs
from inspector.errors import InspectorError
from tests.importers.files import FOREIGN
from tests.importers.made_codex import session_lines
from tests.importers.made_langsmith import rows
from tests.importers.made_trajectories import atif, atif_steps, swe
from tests.importers.test_claude_code import SESSION
from tests.importers.test_inspect import HEADER, at, model_event, sample

WRONG = [
    None,
    7,
    -1.5,
    True,
    "x",
    [],
    {},
    [[1]],
    {"$ref": "a"},
    10**30,
    "\ud800",
    [None],
    "é" * 300,
]

_TOOL = {"event": "tool", "timestamp": at(3), "completed": at(4), "function": "tide", "id": "c",
         "arguments": {"x": 1}, "result": "low", "span_id": "s",
         "events": [{"event": "info", "data": 1}]}  # fmt: skip
_SAMPLE = sample(
    {"event": "span_begin", "timestamp": at(1), "id": "s", "type": "agent", "name": "pilot"},
    {"event": "step", "action": "begin", "type": "solver", "name": "plan", "timestamp": at(1)},
    model_event(input=[], input_refs=[[0, 2]], span_id="s"), _TOOL,
    {"event": "score", "timestamp": at(5), "score": {"value": "C"}},
    {"event": "error", "timestamp": at(5), "error": {"message": "KeyError('x')"}},
    {"event": "span_end", "timestamp": at(6), "id": "s"},
    attachments={"h": "salt"}, error={"message": "x", "traceback": "y"}, started_at=at(1),
    events_data={"messages": [
        {"role": "system", "content": "attachment://h"},
        {"role": "assistant", "content": [{"type": "reasoning", "reasoning": "hm"}],
         "tool_calls": [{"id": "c", "function": "tide", "arguments": {}}]},
    ]},
)  # fmt: skip
_SUBAGENT = [{"source_call_id": "c1", "subagent_trajectory_ref": [{"trajectory_id": "t2"}]}]
_MINI = json.loads((FOREIGN / "swe_agent" / "mini_2.4.6.traj.json").read_text())

DOCUMENTS = {
    "inspect": {**HEADER, "samples": [_SAMPLE]},
    "inspect-messages": {**HEADER, "samples": [sample(
        messages=[{"role": "assistant", "content": "x", "model": "a/b",
                   "tool_calls": [{"id": "c", "function": "f", "arguments": {}}]},
                  {"role": "tool", "tool_call_id": "c", "content": "y", "error": None}],
    )]},
    "atif": atif([*atif_steps()[2:], {"source": "agent", "observation": {"results": _SUBAGENT}}],
                 subagent_trajectories=[{**atif(), "trajectory_id": "t2"}]),
    "swe-agent": swe(),
    "mini-swe-agent": {**_MINI, "info": {**_MINI["info"], "config": {}}},
    "langsmith": rows(),
    "claude-code": SESSION,
    "codex": session_lines(),
}  # fmt: skip


def places(tree, path=()):
    """Yield where each value of a document stands."""
    yield path
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in inner if isinstance(tree, (dict, list)) else ():
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))
        else:
            yield (*path, key)


def exchanged(tree, path, value):
    """Return a document with something else in one place."""
    if not path:
        return value
    made = copy.deepcopy(tree)
    above = made
    for key in path[:-1]:
        above = above[key]
    above[path[-1]] = value
    return made


def opened(data):
    """Look at all that a file holds; it may be refused, in words."""
    try:
        runs = load_runs(data)
    except InspectorError as error:
        assert str(error).strip().endswith((".", "?"))  # noqa: PT017 - either is right
        return 0
    for run in runs:
        starts = [span.start_ns for span in run.spans]
        assert starts == sorted(starts)
        assert len({span.id for span in run.spans}) == len(starts)
        for span in run.spans:
            assert isinstance(span.name, str)
            assert span.raw["id"] == span.id  # the table and the records are of one order
            assert not span.problems
            for field in ("inputs", "outputs", "error", "usage", "tags", "tool_call"):
                getattr(span, field)
        assert run.timeline is not None
        assert run.usage is None or run.usage["calls"] >= 0
    return len(runs)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_any_value_may_stand_anywhere(name):
    tree = DOCUMENTS[name]
    found = list(places(tree))
    several = 0
    for number, path in enumerate(found):
        # Each place gets some of them, and each of them many places.
        for value in WRONG[number % 4 :: 4]:
            text = json.dumps(exchanged(tree, path, value))
            several += bool(opened(text.encode()))
    assert several > len(found)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_any_value_may_be_missing_or_go_deep(name):
    tree = DOCUMENTS[name]
    deep = "[" * 1_500 + "]" * 1_500
    for path in places(tree):
        if path and isinstance(path[-1], str):
            made = exchanged(tree, path, None)
            above = made
            for key in path[:-1]:
                above = above[key]
            del above[path[-1]]
            opened(json.dumps(made).encode())
    paths = list(places(tree))
    for path in paths[1 :: max(1, len(paths) // 6)]:
        text = json.dumps(exchanged(tree, path, "DEEP")).replace('"DEEP"', deep)
        opened(text.encode())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_may_end_anywhere(name):
    data = json.dumps(DOCUMENTS[name]).encode()
    for end in range(1, len(data), max(1, len(data) // 60)):
        opened(data[:end])
