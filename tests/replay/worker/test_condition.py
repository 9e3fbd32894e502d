"""Conditions on values: what they mean, where they are wrong, and that they cannot do harm."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.replay.condition import Given, read_condition
from inspector.replay.condition_tokens import ConditionError
from inspector.replay.condition_values import MISSING, texts_in
from inspector.replay.gate import Breakpoint, Stop

MESSAGE = {"$": "chat_message", "role": "user", "content": [{"text": "Is there FIRE?"}]}
VALUE = {
    "bed": "basil",
    "count": 3,
    "ready": True,
    "score": {"$": "float", "value": "inf"},
    "documents": [{"$": "document", "id": "a", "content": "Dry soil", "meta": {"my page": 7}}],
    "pair": {"$": "tuple", "items": [1, "two"]},
    "thing": {"$": "object", "type": "a.B", "fields": {"unit": "kelvin"}},
    "table": {"$": "dict", "items": [["key", "pairs"]]},
    "grown": {"$": "list", "after": ["first"], "items": ["second"]},
    "messages": [MESSAGE],
    "nothing": None,
}


def holds(text: str, value: Any = None, **more: Any) -> bool:
    tree = VALUE if value is None else value
    return read_condition(text).holds(Given(lambda: tree, **more))


@pytest.mark.parametrize(
    "text",
    [
        'bed == "basil"',
        "bed = 'basil'",
        "count > 2 and count <= 3",
        "ready",
        "not nothing",
        "ready == true",
        "score > 1000",
        'documents[0].meta["my page"] >= 7',
        "documents[-1].content contains 'SOIL'",
        'messages[0].text contains "fire"',
        'messages contains "fire"',
        "length(documents) == 1",
        "length(bed) = 5",
        'text(messages) == "user\nIs there FIRE?"',
        "exists(bed) and not exists(gone)",
        "exists(nothing)",
        "pair[1] == 'two'",
        "thing.unit == 'kelvin'",
        "table.key == 'pairs'",
        "grown[0] == 'first' and grown[1] == 'second'",
        "gone != 1",
        "NOT gone AND (false OR ready)",
        "value contains 'kelvin'",
        "value.count == -1 or count == 3.0",
    ],
)
def test_what_is_so_is_so_and_its_opposite_is_not(text: str) -> None:
    assert holds(text)
    assert not holds(f"not ({text})")


@pytest.mark.parametrize(
    "text",
    [
        "gone", "gone == null", "gone < 1", "gone > 1", "nothing", "bed > 3", "ready == 1",
        "documents[9]", "documents.first", "bed.letters", "raised", "state.done",
        "length(count) > 0", "bed contains nothing", "bed contains gone",
    ],
)  # fmt: skip
def test_what_makes_no_sense_of_a_value_is_not_so(text: str) -> None:
    assert not holds(text)


def test_all_of_a_result_its_error_and_the_state_of_the_agent_have_names() -> None:
    assert holds("value contains '31 %'", "basil: 31 %")
    assert holds("raised and type contains 'Timeout'", {"type": "TimeoutError"}, raised=True)
    assert holds("length(state.messages) == 1", state=lambda: {"messages": [MESSAGE]})
    # What is called like one of these names is what is meant.
    assert holds("state == 'on'", {"state": "on"}, state=lambda: {"messages": []})


@pytest.mark.parametrize(
    ("text", "wrong", "words"),
    [
        ("", " ", "no condition"),
        ("bed ==", "=", "missing at the end"),
        ("bed basil", "basil", "does not belong here"),
        ("count > 1 && ready", "&&", "means nothing here"),
        ("(count > 1", "(", "not closed"),
        ("count > 1)", ")", "closes nothing"),
        ("size_of(bed) > 1", "size_of", "no function size_of"),
        ('bed == "basil', '"basil', "quotation mark is not closed"),
        ("bed.", ".", "no name behind the dot"),
        ("documents[x]", "[", "whole number or a text"),
        ("documents[1.5]", "1.5", "whole number or a text"),
        ("documents[1", "[", "bracket is not closed"),
        ("1 < count < 3", "<", "Two comparisons"),
        ("== 3", "==", "value is missing before"),
        ("bed; count", ";", "means nothing here"),
        ("not", "t", "missing at the end"),
    ],
)
def test_an_error_says_where_it_is(text: str, wrong: str, words: str) -> None:
    with pytest.raises(ConditionError, match=words) as caught:
        read_condition(text)
    error = caught.value
    assert (text or " ")[error.start : error.end] == wrong


def test_what_is_too_long_or_too_deep_is_refused() -> None:
    for text in ("a" * 3_000, "(" * 60 + "a" + ")" * 60, "not " * 60 + "a", "length(" * 60):
        with pytest.raises(ConditionError):
            read_condition(text)


def is_in_order(text: str) -> bool:
    """Say whether a text is answered with yes or no, or refused with a place inside of it."""
    try:
        return read_condition(text).holds(Given(lambda: VALUE)) in (True, False)
    except ConditionError as error:
        return 0 <= error.start < error.end <= max(len(text), 1)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_place_and_never_does_anything_else(text: str) -> None:
    assert is_in_order(text)


_WORDS = st.sampled_from(
    ["bed", "count", "and", "or", "not", "(", ")", "==", "<", "contains", "1", "'x'", ".", "[",
     "]", "length", "state", "raised", "value", "null"]
)  # fmt: skip


@given(st.lists(_WORDS, max_size=14))
def test_words_of_the_language_in_any_order_do_no_harm_either(words: list[str]) -> None:
    assert is_in_order(" ".join(words))


class Trap:
    """A value that would do something if its attributes were looked at."""

    touched = False

    @property
    def armed(self) -> bool:
        type(self).touched = True
        return True


def test_live_objects_are_not_touched() -> None:
    stop = Stop(phase="before", path="a#1", visit=1, kind="component", name="a", span_id="s1",
                values={"trap": Trap()})  # fmt: skip
    assert not Breakpoint(condition="trap.armed").fits(stop)
    assert not Breakpoint(condition="trap.__class__").fits(stop)
    assert Breakpoint(condition="exists(trap)").fits(stop)
    assert not Trap.touched


def test_a_value_that_shares_its_parts_is_looked_at_up_to_a_bound() -> None:
    bomb: Any = ["x"]
    for _ in range(40):
        bomb = [bomb, bomb]
    assert sum(1 for _ in texts_in(bomb)) < 100_000
    assert not holds("value contains 'y'", {"bomb": bomb})


def test_a_condition_is_only_asked_where_the_rest_fits() -> None:
    asked = []

    class Watched:
        def __repr__(self) -> str:
            asked.append(True)
            return "basil"

    stop = Stop(phase="before", path="a#1", visit=1, kind="component", name="a", span_id="s1",
                values={"it": Watched()})  # fmt: skip
    assert not Breakpoint(name="b", condition="it contains 'basil'").fits(stop)
    assert not asked
    assert Breakpoint(name="a", condition="it contains 'basil'").fits(stop)
    assert asked


def test_missing_says_what_it_is() -> None:
    assert repr(MISSING) == "missing"
