"""A value that changes after it was captured is recorded as it was, and as it is later."""

import copy
import threading
import warnings
from typing import Any

import pytest
from haystack import Document
from haystack.dataclasses import ChatMessage, TextContent, ToolCall
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.recording.capture import Capture
from inspector.runfile.model import PipelineRun
from tests.writing.writing import a_run, span


class Watched:
    """Captures values one after the other and tells what a reader sees of each."""

    def __init__(self) -> None:
        self.capture = Capture()
        self.trees: list[Any] = []

    def see(self, value: Any) -> None:
        self.trees.append(self.capture.at_once(value))

    def read(self) -> PipelineRun:
        with a_run() as writer:
            for number, tree in enumerate(self.trees, 1):
                writer.start(span(number, None if number == 1 else "s1", inputs=tree))
                writer.end(f"s{number}", 10_000 + number, "ok", {})
        return writer.load()

    def seen(self) -> list[Any]:
        return [one.inputs for one in self.read().spans]


def quietly(change: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Haystack warns of assignments
        change()


def turn(number: int) -> list[ChatMessage]:
    call = ToolCall("look_up", {"topic": f"t{number}"}, id=f"c{number}")
    asked = ChatMessage.from_assistant(tool_calls=[call], meta={"turn": number})
    return [asked, ChatMessage.from_tool(f"found {number}", origin=call)]


def plain(message: ChatMessage) -> Any:
    """Return what a reader must see of a message."""
    watched = Watched()
    watched.see({"m": copy.deepcopy(message)})
    return watched.seen()[0]["m"]


MESSAGE_CHANGES = {
    "a key of the meta": lambda m: m.meta.__setitem__("reviewed", True),
    "a value deep in the meta": lambda m: m.meta["usage"].__setitem__("prompt_tokens", 9),
    "the meta itself": lambda m: setattr(m, "_meta", {"other": 1}),
    "the text": lambda m: setattr(m._content[0], "text", "changed"),
    "the parts": lambda m: m._content.append(TextContent("more")),
    "the list of parts": lambda m: setattr(m, "_content", [TextContent("other")]),
    "the name": lambda m: setattr(m, "_name", "someone"),
    "the arguments of a call": lambda m: m._content[1].arguments.__setitem__("topic", "x"),
}


@pytest.mark.parametrize("change", MESSAGE_CHANGES.values(), ids=MESSAGE_CHANGES.keys())
@pytest.mark.parametrize("length", [1, 4, 12, 80])
def test_a_message_changed_in_place_is_told_as_it_was_and_as_it_is(change, length):
    call = ToolCall("look_up", {"topic": "bed"}, id="c")
    message = ChatMessage.from_assistant(
        "text", tool_calls=[call], meta={"usage": {"prompt_tokens": 3}}
    )
    before = plain(message)
    history = [message, *(ChatMessage.from_user(f"u{n}") for n in range(length - 1))]
    watched = Watched()
    watched.see({"messages": history})
    quietly(lambda: change(message))
    watched.capture.dirty()
    watched.see({"messages": history})
    watched.see({"messages": [*history, ChatMessage.from_user("next")]})
    first, second, third = watched.seen()
    assert first["messages"][0] == before
    assert second["messages"][0] == plain(message) != before
    assert third["messages"][: len(history)] == second["messages"]


def test_a_change_that_nobody_told_us_of_is_noticed_even_in_a_very_long_history():
    history = [ChatMessage.from_user(f"u{n}", meta={"n": n}) for n in range(400)]
    watched = Watched()
    for _ in range(3):  # in a row, so that there was no time to look at everything
        watched.see({"messages": history})
    before = watched.trees[-1]["messages"]
    history[5].meta["n"] = "changed"
    watched.capture.dirty(likely=False)
    for _ in range(100_000):  # it will not take so long
        watched.see({"messages": history})
        if watched.trees[-1]["messages"] is not before:
            break
        del watched.trees[-1]
    first, _, third, last = (seen["messages"][5]["meta"] for seen in watched.seen())
    assert (first, third, last) == ({"n": 5}, {"n": 5}, {"n": "changed"})


def test_a_history_that_grows_in_two_ways_is_told_both_ways():
    history = [ChatMessage.from_user(f"u{n}") for n in range(40)]
    watched = Watched()
    for tail in ("", "left", "right", "left again"):
        watched.see({"messages": [*history, *([ChatMessage.from_user(tail)] if tail else [])]})
    longer = [*history, ChatMessage.from_user("both")]
    watched.see({"messages": longer})
    watched.see({"messages": [*longer, ChatMessage.from_user("end")]})
    lists = [seen["messages"] for seen in watched.seen()]
    last = [messages[-1]["content"][0]["text"] for messages in lists]
    assert last == ["u39", "left", "right", "left again", "both", "end"]
    assert [len(messages) for messages in lists] == [40, 41, 41, 41, 41, 42]


def test_threads_that_go_on_from_one_history_do_not_mix_their_messages():
    history = [ChatMessage.from_user(f"u{n}") for n in range(40)]
    capture = Capture()
    capture.at_once({"messages": history})
    told: dict[int, Any] = {}

    def go_on(number: int) -> None:
        mine = history
        trees = []
        for turn_number in range(30):
            mine = [*mine, ChatMessage.from_user(f"{number}:{turn_number}")]
            trees.append(capture.at_once({"messages": mine}))
        told[number] = trees[-1]

    threads = [threading.Thread(target=go_on, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with a_run() as writer:
        for number in range(6):
            writer.start(span(number + 1, None if number == 0 else "s1", inputs=told[number]))
    for number, one in enumerate(writer.load().spans):
        texts = [message["content"][0]["text"] for message in one.inputs["messages"]]
        assert texts[40:] == [f"{number}:{turn_number}" for turn_number in range(30)]


def test_a_part_replaced_by_an_equal_one_and_then_changed_is_noticed():
    message = ChatMessage.from_user("text", meta={"list": [1]})
    watched = Watched()
    watched.see([message])
    message.meta["list"] = [1]
    watched.see([message])
    message.meta["list"].append(2)
    watched.see([message])
    assert [seen[0]["meta"]["list"] for seen in watched.seen()] == [[1], [1], [1, 2]]


DOCUMENT_CHANGES = {
    "the content": lambda d: setattr(d, "content", "changed"),
    "the score": lambda d: setattr(d, "score", 0.75),
    "a key of the meta": lambda d: d.meta.__setitem__("page", 4),
    "the type of a leaf": lambda d: d.meta.__setitem__("page", 3.0),
    "the order of the meta": lambda d: d.meta.__setitem__("a", d.meta.pop("a")),
    "a list in the meta": lambda d: d.meta["tags"].append("new"),
    "the embedding": lambda d: d.embedding.__setitem__(0, 0.5),
    "whether there is an embedding": lambda d: setattr(d, "embedding", None),
}


@pytest.mark.parametrize("change", DOCUMENT_CHANGES.values(), ids=DOCUMENT_CHANGES.keys())
def test_a_document_changed_in_place_is_told_as_it_was_and_as_it_is(change):
    document = Document(
        id="d", content="dry " * 100, score=0.5, embedding=[0.1] * 20,
        meta={"a": 1, "page": 3, "tags": ["x"]},
    )  # fmt: skip
    watched = Watched()
    watched.see({"documents": [document]})
    watched.see({"documents": [copy.deepcopy(document)]})
    quietly(lambda: change(document))
    watched.see({"documents": [document]})
    first, copied, second = (seen["documents"][0] for seen in watched.seen())
    assert first == copied
    fresh = Watched()
    fresh.see({"documents": [copy.deepcopy(document)]})
    assert second == fresh.seen()[0]["documents"][0]
    assert repr(second) != repr(first)


def test_an_output_is_told_as_it_was_when_the_next_component_changes_it():
    output: dict[str, Any] = {"value": {"deep": [1, {"a": "b"}]}, "texts": ["long " * 100]}
    watched = Watched()
    watched.see(output)
    output["value"]["deep"][1]["a"] = "changed"
    output["texts"][0] = "other"
    output.clear()
    assert watched.seen()[0] == {"value": {"deep": [1, {"a": "b"}]}, "texts": ["long " * 100]}


def test_arrays_and_buffers_are_told_as_they_were():
    import numpy as np

    array, buffer = np.zeros(3, np.uint8), bytearray(b"abc")
    watched = Watched()
    watched.see({"array": array, "buffer": buffer, "floats": (floats := [0.5] * 200)})
    array[0], buffer[0] = 7, 0
    floats[0] = 9.0
    seen = watched.seen()[0]
    assert seen["array"]["base64"] == "AAAA"
    assert seen["buffer"]["fields"]["value"]["base64"] == "YWJj"
    assert seen["floats"]["base64"].startswith("AAAAAAAA4D8")


def test_a_tool_whose_parameters_change_is_told_as_it_was_and_as_it_is():
    from tests.recording.test_capture_haystack import a_tool

    tool = a_tool()
    watched = Watched()
    watched.see({"tools": [tool]})
    tools = [tool]
    watched.see({"tools": tools})
    tool.parameters["properties"]["depth"] = {"type": "integer"}
    watched.see({"tools": [tool]})
    tool.parameters["properties"]["width"] = {"type": "integer"}
    watched.capture.dirty()
    watched.see({"tools": tools})
    told = [list(seen["tools"][0]["parameters"]["properties"]) for seen in watched.seen()]
    assert told == [["topic"], ["topic"], ["topic", "depth"], ["topic", "depth", "width"]]


def test_a_growing_history_reads_whole_at_every_turn_and_its_file_grows_with_the_turns():
    def size_after(turns: int) -> int:
        history = [ChatMessage.from_system("Be brief."), ChatMessage.from_user("When?")]
        watched = Watched()
        lengths = []
        for number in range(turns):
            watched.see({"messages": history})
            lengths.append(len(history))
            history = [*history, *turn(number)]
        run = watched.read()
        assert [len(one.inputs["messages"]) for one in run.spans] == lengths
        last = run.spans[-1].inputs["messages"][-1]
        assert last["content"][0]["tool_result"]["result"] == f"found {turns - 2}"
        return sum(run.values.size(digest) for digest in run.values.digests())

    assert size_after(100) < 2.2 * size_after(50)


def test_a_chain_of_thousands_of_histories_of_which_the_last_is_written_can_be_written():
    history = [ChatMessage.from_user(f"u{number}") for number in range(8)]
    watched = Watched()
    for number in range(3_000):
        tree = watched.capture.at_once({"messages": history})
        history = [*history, ChatMessage.from_user(f"more {number}")]
    watched.trees.append(tree)
    assert len(watched.seen()[0]["messages"]) == 8 + 2_999


STEPS = ["grow", "meta", "text", "drop", "copy", "swap"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(STEPS), st.integers(0, 50)),
        min_size=2,
        max_size=12,
    ),
    st.integers(8, 40),
)  # fmt: skip
def test_whatever_happens_to_a_history_each_capture_tells_what_it_was(steps, length):
    history = [ChatMessage.from_user(f"u{n}", meta={"n": n}) for n in range(length)]
    watched = Watched()
    expected = []
    for step, at in steps:
        watched.see({"messages": history})
        expected.append([(m.text, dict(m.meta)) for m in history])
        message = history[at % len(history)]
        match step:
            case "grow":
                history = [*history, ChatMessage.from_user(f"g{at}")]
            case "meta":
                message.meta[f"k{at}"] = at
            case "text":
                quietly(lambda m=message, n=at: setattr(m._content[0], "text", f"t{n}"))
            case "drop":
                history = history[1:] if len(history) > 8 else history
            case "copy":
                history = copy.deepcopy(history)
            case "swap":
                history[0], history[-1] = history[-1], history[0]
        watched.capture.dirty()
    seen = [
        [(m["content"][0]["text"], m["meta"]) for m in one["messages"]] for one in watched.seen()
    ]
    assert seen == expected
