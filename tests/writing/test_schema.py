"""The JSON Schema, the format's page and what we write agree."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from haystack import Document
from haystack.dataclasses import ByteStream, ChatMessage, ImageContent, StreamingChunk, ToolCall
from haystack.utils import Secret
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from inspector.assets import asset
from inspector.recording.capture import Capture
from inspector.runfile.load import load_run
from inspector.runfile.save import to_bytes
from tests.recording.test_capture_round_trip import values
from tests.writing.writing import a_run, recorded, span

SCHEMA = json.loads(asset("schema/run.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
FORMAT = Path(load_run.__code__.co_filename).with_name("FORMAT.md")


def problems(tree: Any) -> list[str]:
    return [f"{error.json_path}: {error.message[:200]}" for error in VALIDATOR.iter_errors(tree)]


def example() -> str:
    page = FORMAT.read_text(encoding="utf-8")
    after = page.split("## An example", 1)[1]
    return after.split("```json\n", 1)[1].split("```", 1)[0]


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


def test_the_example_of_the_format_is_valid_loads_and_is_sound():
    text = example()
    assert problems(json.loads(text)) == []
    run = load_run(text.encode())
    assert (run.name, str(run.status), len(run.spans)) == ("greenhouse", "completed", 3)
    assert run.verify().state == "ok"
    assert run.problems == ()
    assert to_bytes(run) == text.encode()
    assert run.spans[2].inputs["prompt"].endswith("When was the bed watered?")


SHIPPED = sorted(Path(str(asset("examples"))).glob("*.run.json"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_example_that_ships_is_valid(path):
    assert problems(json.loads(path.read_text(encoding="utf-8"))) == []


def test_a_run_with_everything_in_it_is_valid():
    import numpy as np

    capture = Capture()
    call = ToolCall("look_up", {"topic": "bed"}, id="c")
    history = [ChatMessage.from_user(f"u{number}") for number in range(20)]
    try:
        raise ExceptionGroup("several", [ValueError("a")])
    except ExceptionGroup as error:
        told = capture.error(error)
    everything = {
        "document": Document(content="x" * 300, embedding=[0.5] * 30, blob=ByteStream(b"ab")),
        "messages": [
            ChatMessage.from_assistant("hm", tool_calls=[call], reasoning="dry?"),
            ChatMessage.from_tool("dry", origin=call),
            ChatMessage.from_user(
                content_parts=[ImageContent("aa==", "image/png", validation=False)]
            ),
        ],
        "history": history,
        "secret": Secret.from_env_var("GARDEN_KEY"),
        "odd": [object(), len, int, 2**60, 2**50_000, float("nan"), {1: 2}, "\ud800", {1}, 1j],
        "arrays": (np.zeros(3), np.float32(1), np.array([1, "a"], object)),
        "error": ValueError("bad"),
        "deep": (deep := [[]]),
    }
    for _ in range(60):  # the validator is the one that cannot go deeper
        deep[0] = [deep[0]]
    with a_run() as writer:
        writer.start(span(1, inputs=capture.at_once(everything), error=told))
        longer = [*history, ChatMessage.from_user("more")]
        writer.start(span(2, "s1", inputs=capture.at_once({"history": longer})))
        for number in range(10):
            writer.chunk("s2", number, capture.chunk(StreamingChunk(f"w{number}", index=0)))
    tree = json.loads(to_bytes(writer.load()))
    assert problems(tree) == []
    assert '"after"' in json.dumps(tree)


@settings(max_examples=40, deadline=None)
@given(values)
def test_whatever_is_captured_is_valid(value):
    assert problems(json.loads(to_bytes(recorded({"value": value})))) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda tree: tree.update(format="other"),
        lambda tree: tree.update(version=2),
        lambda tree: tree.pop("spans"),
        lambda tree: tree.update(digest="md5:00"),
        lambda tree: tree["run"].update(status="done"),
        lambda tree: tree["run"].update(duration_ns=-1),
        lambda tree: tree["run"].update(started_at="yesterday"),
        lambda tree: tree["spans"][0].update(kind="thing"),
        lambda tree: tree["spans"][0].update(start_ns="0"),
        lambda tree: tree["spans"][0].pop("id"),
        lambda tree: tree["spans"][1].update(inputs={"a": {"$ref": "short"}}),
        lambda tree: tree["spans"][1].update(inputs={"a": {"$": "float", "value": 1}}),
        lambda tree: tree["spans"][1].update(inputs={"a": {"$": "tuple"}}),
        lambda tree: tree["spans"][1].update(inputs={"a": {"$x": 1}}),
        lambda tree: tree["spans"][1].update(outputs={"$": "secret", "value": "shown"}),
        lambda tree: tree["spans"][1].update(chunks=[["late", {}]]),
        lambda tree: tree["spans"][1].update(error="bad"),
        lambda tree: tree["values"].update(other=1),
    ],
)
def test_what_breaks_the_format_is_not_valid(spoil):
    tree = json.loads(example())
    spoil(tree)
    assert problems(tree)


def test_unknown_fields_and_tags_are_valid_everywhere():
    tree = json.loads(example())
    new = {"anything": [1, {"$": "a tag of tomorrow", "x": 1}]}
    tree["new"] = copy.deepcopy(new)
    tree["run"]["new"] = copy.deepcopy(new)
    tree["spans"][0]["new"] = copy.deepcopy(new)
    tree["spans"][0]["outputs"] = new
    assert problems(tree) == []


def test_the_page_of_the_format_names_every_tag_and_field_of_the_schema():
    page = FORMAT.read_text(encoding="utf-8")
    definitions = SCHEMA["$defs"]
    for name, definition in definitions.items():
        if not name.startswith("tag-"):
            continue
        tag = name.removeprefix("tag-")
        assert f"`{tag}`" in page, tag
        for field in definition.get("properties", {}):
            assert f"`{field}`" in page or f'"{field}"' in page or f"`${field}`" in page, (
                tag,
                field,
            )
    for record in ("header", "span"):
        for field in definitions[record]["properties"]:
            assert f"`{field}`" in page, (record, field)
