"""What was written for held calls is shown as what counts only once a worker took it."""

from inspector.presentation.held_edits import HeldEdits
from inspector.presentation.held_value import Edit
from inspector.presentation.live_replay import HeldCall

CAME = HeldCall(
    pause=7, phase="after", path="a", visit=1, kind="tool", name="a", span_id="s", source="",
    can_edit=True, values="as it came", cut=False, raised=False,
)  # fmt: skip
FIRST, SECOND = Edit("first", whole="first"), Edit("second", whole="second")


def answered(call: HeldCall, *, edited: bool) -> HeldCall:
    return call._replace(edited=edited, settled=call.settled + 1)


def test_an_edit_counts_once_it_was_taken() -> None:
    edits = HeldEdits()
    edits.ask(7, FIRST)
    assert not edits.take_answer(CAME)
    assert edits.value_of(CAME) == "as it came"
    assert edits.is_other(CAME)
    once = answered(CAME, edited=True)
    assert edits.take_answer(once)
    assert not edits.take_answer(once), "it was answered once"
    assert edits.value_of(once) == "first"


def test_a_second_edit_that_is_refused_leaves_the_first() -> None:
    edits = HeldEdits()
    edits.ask(7, FIRST)
    once = answered(CAME, edited=True)
    edits.take_answer(once)
    edits.ask(7, SECOND)
    edits.refuse(None)
    edits.refuse(7)
    assert edits.value_of(once) == "first"
    assert not edits.take_answer(once)


def test_what_is_put_back_and_what_is_let_go_is_forgotten() -> None:
    edits = HeldEdits()
    edits.ask(7, FIRST)
    once = answered(CAME, edited=True)
    edits.take_answer(once)
    twice = answered(once, edited=False)
    assert edits.take_answer(twice)
    assert edits.value_of(twice) == "as it came"
    edits.ask(7, SECOND)
    edits.keep_only(())
    assert not edits.is_other(twice)
