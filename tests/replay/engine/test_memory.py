"""What replays remember of values that they have met: exactly these, and no others."""

from typing import Any

import pytest
from haystack.dataclasses import ChatMessage, Document, ToolCall

from inspector.recording.capture import Capture
from inspector.replay.exact import exact
from inspector.replay.memory import Again, Memory, plain

CALL = ToolCall("look_up", {"topic": "beds", "depth": 1}, id="call-1")


def message(**meta: Any) -> ChatMessage:
    return ChatMessage.from_assistant("It is dry. " * 40, meta=meta, tool_calls=[CALL])


VALUES: dict[str, Any] = {
    "leaves": {"a": 1, "b": None, "c": "word", "d": 0.5},
    "messages": {"messages": [message(n=1), ChatMessage.from_tool("wet", CALL)]},
    "a long history": {"messages": [ChatMessage.from_user(f"{n}") for n in range(12)]},
    "documents": {"documents": [Document(content="Beds. " * 60, meta={"page": 3}, score=0.2)]},
    "embedding": {"embedding": [0.1] * 200},
    "nested": {"llm": {"replies": [message(usage={"tokens": (1, 2)})], "names": ["a", ["b"]]}},
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_a_value_that_was_met_before_is_what_encoding_it_would_make(value: Any) -> None:
    memory, capture = Memory(), Capture()
    first = memory.encoded(value, capture.at_once)
    again = memory.encoded(value, lambda _value: pytest.fail("it was encoded again"))
    assert type(first) is Again
    assert again.known is first.known
    assert plain(again) == plain(Capture().at_once(value))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"n": 1}, {"n": True}),
        ({"n": 1}, {"n": 1.0}),
        ({"n": 0.0}, {"n": -0.0}),
        ({"n": [1]}, {"n": (1,)}),
        ({"n": None}, {"n": "None"}),
        ({"m": message(n=1)}, {"m": message(n=1.0)}),
        ({"m": ChatMessage.from_user("a")}, {"m": ChatMessage.from_system("a")}),
        ({"m": ChatMessage.from_user("a")}, {"m": ChatMessage.from_user("a", name="b")}),
        ({"d": Document(content="a", score=1.0)}, {"d": Document(content="a", score=2.0)}),
        ({"d": Document(content="a")}, {"d": vars(Document(content="a"))}),
    ],
)  # fmt: skip
def test_values_that_differ_are_told_apart(one: Any, other: Any) -> None:
    assert exact(one) is not None
    assert exact(one) != exact(other)


def test_a_message_that_changed_is_another_value() -> None:
    memory, capture = Memory(), Capture()
    said = message(n=1)
    before = memory.encoded({"m": said}, capture.at_once)
    said.meta["n"] = 2
    after = memory.encoded({"m": said}, capture.at_once)
    assert plain(before)["m"]["meta"] == {"n": 1}
    assert plain(after)["m"]["meta"] == {"n": 2}


class Word(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "odd", [b"bytes", bytearray(b"bytes"), Word("word"), {1, 2}, object(), lambda: None]
)
def test_what_is_not_plain_is_encoded_each_time(odd: Any) -> None:
    memory = Memory()
    for _ in range(2):
        assert memory.encoded({"odd": odd}, lambda _value: "encoded") == "encoded"
