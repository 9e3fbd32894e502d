"""People are not asked again, and hooks that say so are not run again."""

import asyncio
import threading
from typing import Any

import pytest
from haystack.components.agents.state import State
from haystack.dataclasses import ChatMessage

from inspector import record_run
from inspector.replay.api import ReplayDriftError, Replayer, replay_run
from inspector.replay.intercept import arm, disarm
from tests.helpers import agents, pipelines
from tests.replay.engine.conftest import Offline


@pytest.mark.parametrize("is_async", [False, True])
def test_a_person_is_not_asked_again(is_async: bool, offline: Offline) -> None:
    case, person = agents.human_in_the_loop(offline.server)
    result, run = offline.record(case)
    asked = list(person.asked)
    assert asked
    replayer = offline.replayer(case, run)
    played = asyncio.run(replayer.play_async()) if is_async else replayer.play()
    assert played == result
    assert person.asked == asked
    assert replayer.report.drifts == ()
    offline.assert_nothing_was_live()


class Telling:
    """A hook that changes the state, and says that it also tells the world."""

    __haystack_side_effecting__ = True
    told = 0

    def run(self, state: State) -> None:
        type(self).told += 1
        state.set("author", f"told {type(self).told}")

    def to_dict(self) -> dict[str, Any]:
        return {"type": "tests.Telling", "init_parameters": {}}


def test_a_hook_with_side_effects_is_not_run_and_its_changes_are_made(offline: Offline) -> None:
    case = agents.three_tools(offline.server)
    case.target.hooks = {"before_llm": [Telling()]}
    result, run = offline.record(case)
    told = Telling.told
    replayer = offline.replayer(case, run)
    assert replayer.play() == result
    assert Telling.told == told
    assert replayer.report.drifts == ()
    offline.assert_nothing_was_live()


def test_a_call_that_nobody_can_place_is_refused_while_a_replay_goes_on(
    offline: Offline,
) -> None:
    """A thread that was started past everything, and has no context: it might be the replay's."""
    generator = pipelines.generator(offline.server)
    _result, run = record_run(generator, {"messages": [ChatMessage.from_user("one")]})
    offline.from_now_on()
    caught: list[BaseException] = []

    def stray() -> None:
        try:
            generator.run([ChatMessage.from_user("two")])
        except BaseException as error:
            caught.append(error)

    heard: list[str] = []

    def during(_chunk: Any) -> None:
        # The worker stands ready before the replay begins, as one of a pool would.
        go.set()
        done.wait(10)
        heard.append("chunk")

    go, done = threading.Event(), threading.Event()

    def worker() -> None:
        go.wait(10)
        stray()
        done.set()

    thread = threading.Thread(target=worker)
    thread.start()
    asked = {"messages": [ChatMessage.from_user("one")], "streaming_callback": during}
    with pytest.raises(ReplayDriftError, match="lost its context"):
        replay_run(generator, run, asked)
    thread.join()
    assert heard
    assert [type(error) for error in caught] == [ReplayDriftError]
    offline.assert_nothing_was_live()


def test_arming_twice_takes_disarming_twice() -> None:
    from inspector.recording.wrappers.shells import SEAM

    thing = object()
    arm([thing])
    arm([thing])
    disarm([thing])
    assert SEAM.instead_of is not None
    disarm([thing])
    assert SEAM.instead_of is None


def test_a_replayer_says_that_it_has_not_played_yet(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    with pytest.raises(Exception, match="Nothing was replayed yet"):
        _ = Replayer(case.target, run).report
