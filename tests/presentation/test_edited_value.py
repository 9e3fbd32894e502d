"""Values that a person writes as JSON, and the sentences on what is wrong with them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import InspectorError
from inspector.presentation.edited_value import (
    LONGEST,
    answer_fault,
    as_json,
    doubt_about,
    fault_in,
    from_json,
    main_text,
    part_at,
    plain_tree,
    with_part,
)


def message(text: str, role: str = "assistant", **more: Any) -> dict[str, Any]:
    return {"$": "chat_message", "role": role, "content": [{"text": text}], **more}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "there is nothing here"),
        ('{"a": }', "Line 1, column 7: a value is missing before"),
        ('{"a": 1\n "b": 2}', "Line 2, column 2: a comma is missing before"),
        ("{a: 1}", "a name in double quotes is missing"),
        ('"open', "this text has no closing quote"),
        ("1 2", "there is more than one value"),
        ("NaN", "NaN is no number"),
        ("18446744073709551616", "18446744073709551616 is too large: whole numbers have at most"),
        ("-9223372036854775809", "at most 64 bits"),
        ("9" * 10_000, "99999999999999999999… is too large"),
        ("1e999", "1e999 is too large for a number"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_json_is_said_with_its_place(text: str, says: str) -> None:
    with pytest.raises(InspectorError) as caught:
        from_json(text)
    assert says in str(caught.value)


trees = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(trees)
def test_what_is_written_out_is_read_as_it_was(tree: Any) -> None:
    assert from_json(as_json(tree)) == tree


def test_what_is_far_too_large_is_not_edited() -> None:
    with pytest.raises(InspectorError, match="too large"):
        as_json("x" * (LONGEST + 1))


def test_a_list_that_was_kept_in_parts_is_edited_in_one() -> None:
    grown = {"$": "list", "after": {"$": "list", "after": [1], "items": [2]}, "items": [3]}
    assert plain_tree({"messages": grown}) == {"messages": [1, 2, 3]}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("a text", ""),
        ({"replies": [message("Hello")]}, "replies[0].content[0].text"),
        ({"text": "About vents"}, "text"),
        ({"a": "one", "b": "two"}, None),
        ({"replies": [message("a"), message("b")]}, None),
        ({"replies": [message("a", meta={"model": "m"})]}, "replies[0].content[0].text"),
        (7, None),
    ],
)
def test_the_text_that_a_value_is_about_is_found(value: Any, path: str | None) -> None:
    assert main_text(value) == path
    if path is not None:
        changed = with_part(value, path, "Other")
        assert part_at(changed, path) == "Other"
        assert part_at(value, path) != "Other", "what was recorded stays as it is"


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (
            {"a": [{"$": "truncated", "size": 1}]},
            "a[0] was kept as its description only (truncated)",
        ),
        (message("x", role="narrator"), "not from “narrator”"),
        ({"$": "chat_message", "role": "user", "content": "x"}, "list of parts"),
        ({"$": "chat_message", "role": "user", "content": [{"txt": "x"}]}, "part 1 of the message"),
        (
            {"$": "chat_message", "role": "user", "content": [{"text": 4}]},
            "is a number, not a text",
        ),
        (
            {"$": "chat_message", "role": "assistant", "content": [{"tool_call": {"name": "x"}}]},
            "arguments of the tool call",
        ),
        ([{"$": "document", "id": "a", "content": 4}], "[0]: the content of a document is a text"),
        ([{"$": "document", "id": "a", "content": "", "score": "x"}], "score of a document"),
        ([{"$": "document", "id": "a", "content": "", "meta": []}], "meta of a document"),
        ([{"$": "document", "content": ""}], "a document needs an id"),
    ],
)
def test_what_a_replay_could_not_make_again_is_refused_in_words(value: Any, says: str) -> None:
    assert says in fault_in(value)


def test_what_is_whole_is_no_fault() -> None:
    call = {"tool_call": {"id": "1", "name": "look_up", "arguments": {}}}
    said = {"$": "chat_message", "role": "assistant", "content": [{"text": "x"}, call]}
    assert fault_in({"replies": [said], "meta": {"$": "redacted", "placeholder": "x"}}) == ""


@pytest.mark.parametrize(
    ("recorded", "value", "role", "says"),
    [
        ({"documents": []}, [], "retriever", "an object with its outputs, not a list"),
        ({"documents": []}, {}, "retriever", "'documents' is missing"),
        ({"documents": []}, {"documents": [], "x": 1}, "retriever", "no output 'x'"),
        ({"replies": []}, {"replies": []}, "llm", "not empty"),
        ({"replies": []}, {"replies": [4]}, "llm", "messages or texts"),
        ({"replies": []}, {"replies": ["fine"]}, "llm", ""),
        ("31 %", {"anything": [1]}, "tool", ""),
        (None, {"replies": ["fine"]}, "llm", ""),
    ],
)
def test_what_is_no_answer_of_such_a_call_is_refused_in_words(
    recorded: Any, value: Any, role: str, says: str
) -> None:
    fault = answer_fault(recorded, value, role)
    assert (says in fault) if says else not fault


def test_another_type_is_odd_and_may_be_meant() -> None:
    assert doubt_about(4, "four") == "It was a number in the recording (4) and is a text now."
    assert doubt_about(4, 5.5) == ""
    assert doubt_about(None, "anything") == ""
