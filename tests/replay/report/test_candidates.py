"""The recorded call that comes nearest, in words."""

from inspector.replay.candidates import difference_words, nearest, request_words
from tests.replay.report.trees import message


def test_the_call_that_differs_least_is_nearest():
    live = {"messages": [message("Be brief.", "system"), message("Where is the tap?")]}
    found = nearest(
        live,
        [
            ("llm#1", {"messages": [message("Be kind.", "system"), message("Who are you?")]}),
            ("llm#2", {"messages": [message("Be brief.", "system"), message("Where is it?")]}),
            ("llm#3", {"messages": []}),
        ],
    )
    assert found is not None
    assert found.path == "llm#2"
    assert difference_words(found) == (
        "llm#2 differs in messages[1].content[0].text: “Where is it?” is now “Where is the tap?”"
    )


def test_the_first_of_equal_ones_is_nearest_and_none_of_none():
    found = nearest({"a": 1}, [("x", {"a": 2}), ("y", {"a": 3})])
    assert found is not None
    assert found.path == "x"
    assert nearest({"a": 1}, []) is None


def test_further_differences_are_counted():
    found = nearest({"a": 1, "b": 1, "c": 1}, [("x", {"a": 2, "b": 2, "c": 2})])
    assert found is not None
    assert difference_words(found) == "x differs in a: 2 is now 1, and in 2 places more"


def test_a_call_given_the_same_says_so():
    found = nearest({"a": 1}, [("x", {"a": 1})])
    assert found is not None
    assert found.first is None
    assert difference_words(found) == "x was given the same"


def test_counts_are_words():
    assert request_words(1, 2) == "recorded once, requested twice"
    assert request_words(0, 1) == "recorded never, requested once"
    assert request_words(3, 4) == "recorded 3 times, requested 4 times"
