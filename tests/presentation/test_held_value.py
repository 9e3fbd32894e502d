"""What is seen of a held call, and what may be put in the place of its value."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.held_value import (
    Edit,
    EditError,
    about_words,
    differs_from_recorded,
    messages_of,
    place_of,
    place_words,
    read_edit,
    reads_as_text,
    recorded_value,
    row_words,
    state_nodes,
    text_to_edit,
    title_words,
    value_nodes,
    value_title,
)
from inspector.presentation.live_replay import HeldCall, LiveReplay
from inspector.presentation.value_paths import ABSENT, split
from tests.helpers.drawn_runs import run_from_outline


def message(role: str, text: str) -> dict[str, Any]:
    return {"$": "chat_message", "role": role, "content": [{"text": text}]}


def call(phase: str, kind: str, values: Any, **more: Any) -> HeldCall:
    fields = {"path": f"step0/{kind}", "name": "search", "role": "", "source": "recorded"}
    return HeldCall(
        pause=1, phase=phase, visit=1, kind=kind, span_id="s1", can_edit=True, values=values,
        cut=False, **{"raised": False, **fields, **more},
    )  # fmt: skip


BEFORE = call("before", "tool", {"bed": "basil", "deep": 3})
TOOLS = [{"$": "opaque", "type": "Tool", "repr": "<Tool>"}]
LLM = call("before", "llm", {"messages": [message("user", "Dry?")], "tools": TOOLS})
REPLY = call("after", "llm", {"replies": [message("assistant", "Yes.")], "meta": TOOLS[0]})


def edited(held: HeldCall, value: Any) -> Edit:
    return read_edit(held, json.dumps(value), as_text=False)


def fault(held: HeldCall, text: str) -> tuple[str, str]:
    """Return what is said of a text that is no value, and what of it is underlined."""
    with pytest.raises(EditError) as caught:
        read_edit(held, text, as_text=False)
    return str(caught.value), text[caught.value.start : caught.value.end]


def test_a_call_is_named_with_its_side_and_what_its_result_is() -> None:
    assert title_words(BEFORE) == "Before the tool call search"
    assert title_words(call("after", "llm", {}, name="llm")._replace(visit=2)) == (
        "After the LLM call llm, visit 2"
    )
    assert place_words(BEFORE) == "step0/tool"
    assert about_words(BEFORE) == "has a recorded answer"
    failed = call("after", "tool", {}, raised=True, source="executed")
    assert "it raised an exception, run again" in about_words(failed)
    assert about_words(BEFORE, "breakpoint at this call", is_other=True).endswith(
        "not what was recorded · breakpoint at this call"
    )
    assert row_words(BEFORE) == ("before search", "bed: \u201cbasil\u201d, deep: 3")


def test_the_value_is_a_tree_of_its_parts_or_one_value() -> None:
    assert [node.path for node in value_nodes(BEFORE, BEFORE.values)] == [
        "inputs.bed", "inputs.deep",
    ]  # fmt: skip
    result = call("after", "tool", "31 %")
    assert [(node.label, node.value) for node in value_nodes(result, "31 %")] == [
        ("result", "31 %")
    ]
    raised = call("after", "tool", {"type": "ValueError", "message": "no"}, raised=True)
    assert value_title(raised) == "Exception"
    assert len(value_nodes(raised, raised.values)) == 1


def test_messages_are_those_of_the_call_or_else_those_its_agent_has() -> None:
    assert len(messages_of(LLM, LLM.values).turns) == 1
    state = {"messages": [message("system", "Look."), message("user", "Dry?")], "step_count": 1}
    inside = BEFORE._replace(state=state)
    assert [turn.role for turn in messages_of(inside, inside.values).turns] == ["system", "user"]
    after = REPLY._replace(state=state)
    assert [turn.role for turn in messages_of(after, after.values).turns] == [
        "system", "user", "assistant",
    ]  # fmt: skip
    assert not messages_of(BEFORE, BEFORE.values)
    assert [node.label for node in state_nodes(inside)] == ["messages", "step_count"]
    assert state_nodes(BEFORE) == []


def test_a_text_is_edited_as_the_text_that_it_is() -> None:
    held = call("after", "tool", 'He said "31 %"\nand left')
    assert reads_as_text(held, held.values)
    assert text_to_edit(held, held.values) == held.values
    assert read_edit(held, "{", as_text=True) == Edit("{", whole="{")


def test_only_what_was_changed_is_handed_over() -> None:
    assert edited(BEFORE, {"bed": "peppers", "deep": 3}) == Edit(
        {"bed": "peppers"}, merge=True, whole={"bed": "peppers", "deep": 3}
    )
    other = [message("user", "Wet?")]
    edit = edited(LLM, {"messages": other, "tools": TOOLS})
    assert edit.value == {"messages": other}, "what no file could bring back stays as it lives"
    assert edited(BEFORE, BEFORE.values).is_nothing
    replies = [message("assistant", "No.")]
    assert edited(REPLY, {"replies": replies, "meta": TOOLS[0]}).value == {"replies": replies}


def test_what_is_no_json_is_underlined_where_it_begins() -> None:
    words, wrong = fault(BEFORE, '{"bed": basil}')
    assert words == "Line 1, column 9: a value is missing before 'basil}'."
    assert wrong == "basil"
    assert fault(BEFORE, '{"bed" "basil"}')[1] == '"basil"'
    assert "at the end" in fault(BEFORE, '{"bed": "basil"')[0]
    assert fault(BEFORE, "")[0].startswith("Line 1, column 1: there is nothing here")
    assert "NaN is no number" in fault(BEFORE, '{"bed": NaN, "deep": 3}')[0]


def test_inputs_have_names_and_none_of_them_is_taken_away() -> None:
    assert fault(BEFORE, "[1]")[0] == "The inputs of a call are passed by name."
    assert fault(BEFORE, '{"bed": "x"}')[0] == (
        "The input 'deep' is missing; inputs cannot be taken away."
    )


def test_a_fault_deep_inside_is_underlined_where_it_stands() -> None:
    bad = {"$": "chat_message", "role": "robot", "content": []}
    text = json.dumps({"tools": TOOLS, "messages": [message("user", "{]"), bad]}, indent=2)
    words, wrong = fault(LLM, text)
    assert words.startswith("messages[1]: a message is from user, system")
    assert json.loads(wrong) == bad
    opaque = {"$": "opaque", "type": "x.Y"}
    words, wrong = fault(BEFORE, json.dumps({"bed": opaque, "deep": 3}))
    assert "was kept as its description only" in words
    assert json.loads(wrong) == opaque


def test_an_answer_has_the_outputs_it_had_and_an_llm_replies() -> None:
    rest = {"meta": TOOLS[0]}
    assert (
        "list of replies that is not empty" in fault(REPLY, json.dumps({"replies": [], **rest}))[0]
    )
    component = call("after", "component", {"documents": [], "count": 1})
    assert "The output 'count' is missing" in fault(component, '{"documents": []}')[0]
    assert "no output 'more'" in fault(component, '{"documents": [], "count": 1, "more": 2}')[0]
    tool = call("after", "tool", {"any": "thing"})
    assert edited(tool, [1, 2]) == Edit([1, 2], whole=[1, 2])


def test_an_exception_gives_way_to_a_result() -> None:
    raised = call("after", "tool", {"type": "ValueError"}, raised=True)
    assert reads_as_text(raised, raised.values)
    assert text_to_edit(raised, raised.values) == ""
    component = call("after", "component", {"type": "ValueError"}, raised=True)
    assert edited(component, {"documents": []}) == Edit({"documents": []}, whole={"documents": []})


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)


def places(value: Any, path: str = "") -> list[tuple[str, Any]]:
    found = [(path, value)]
    if isinstance(value, list):
        for at, part in enumerate(value):
            found += places(part, f"{path}[{at}]")
    if isinstance(value, dict):
        for key, part in value.items():
            found += places(part, f"{path}[{json.dumps(key)}]")
    return found


@given(_json, st.sampled_from([None, 2]))
def test_every_part_of_a_json_text_is_found_where_it_stands(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    for path, part in places(value):
        start, end = place_of(text, split(path))
        assert json.loads(text[start:end]) == part


def test_a_part_that_is_not_there_is_all_of_it() -> None:
    assert place_of('{"a": 1}', split("b")) == (0, 8)
    assert place_of("", split("b")) == (0, 0)


NO_PRICE = {"type": "shop.NoPrice", "message": "no price for gold"}


@pytest.mark.parametrize(
    ("values", "raised", "differs"),
    [
        ({**NO_PRICE, "traceback": "elsewhere"}, True, False),
        ({**NO_PRICE, "message": "no price for tin"}, True, True),
        ({**NO_PRICE, "type": "shop.NoStock"}, True, True),
        ("3.50", False, True),
    ],
    ids=["as recorded", "in other words", "of another type", "a result"],
)
def test_an_exception_is_held_against_the_recorded_one(
    values: Any, raised: bool, differs: bool
) -> None:
    said = {"search": {"error": NO_PRICE, "outputs": {"error": "no price for gold"}}}
    run = run_from_outline("pipeline 0-9\n  search:tool 1-2 failed", fields=said)
    live = LiveReplay(run, {"search": 1})
    now = call("after", "tool", values, path="search", raised=raised)
    assert differs_from_recorded(live, now) is differs
    assert recorded_value(live, now) is ABSENT, "an exception cannot be put in a result's place"


def test_a_result_is_another_where_an_exception_comes_instead() -> None:
    said = {"search": {"outputs": "3.50"}}
    run = run_from_outline("pipeline 0-9\n  search:tool 1-2", fields=said)
    live = LiveReplay(run, {"search": 1})
    raised = call("after", "tool", NO_PRICE, path="search", raised=True)
    assert differs_from_recorded(live, raised)
    assert recorded_value(live, raised) == "3.50"
    assert not differs_from_recorded(live, call("after", "tool", "3.50", path="search"))
