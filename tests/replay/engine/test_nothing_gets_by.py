"""Calls that would get by a replay: without a context, without a wrapper, over open wires."""

import contextvars
import multiprocessing
import os
import socket
from collections.abc import Callable, Iterator
from multiprocessing.pool import ThreadPool
from typing import Any, Literal

import pytest
from haystack import Pipeline, component
from haystack.dataclasses import ChatMessage

from inspector import record_run
from inspector.replay.api import ReplayDriftError, Replayer, replay_run
from inspector.replay.mode import ReplayError
from tests.helpers import pipelines
from tests.helpers.openai_script import say
from tests.replay.engine.conftest import Offline

SENT: list[str] = []
ASK = [ChatMessage.from_user("Which bed?")]


def alone(instance: Any) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("it", instance)
    return pipeline


@component
class Sends:
    """Stands for what nobody may run by accident."""

    @component.output_types(out=str)
    def run(self, text: str) -> dict[str, str]:
        SENT.append(text)
        return {"out": text}


@component
class SendsAndCopies:
    """The same, of a class that cannot be wrapped."""

    def __copy__(self) -> "SendsAndCopies":
        return SendsAndCopies()

    @component.output_types(out=str)
    def run(self, text: str) -> dict[str, str]:
        SENT.append(text)
        return {"out": text}


@component
class Runs:
    """Says that it has no side effects, and runs whatever it is told."""

    __haystack_side_effecting__ = False

    def __init__(self, what: Callable[[str], str], inside: Any = None) -> None:
        self.what = what
        self.inside = inside

    @component.output_types(out=str)
    def run(self, text: str) -> dict[str, str]:
        return {"out": self.what(text)}


def recorded(instance: Any) -> tuple[Pipeline, Any]:
    pipeline = alone(instance)
    _result, run = record_run(pipeline, {"it": {"text": "hello"}})
    SENT.clear()
    return pipeline, run


def test_what_cannot_be_wrapped_is_refused_and_not_run() -> None:
    pipeline, run = recorded(SendsAndCopies())
    for mode in ("strict", "drift_ok"):
        with pytest.raises(ReplayError, match="would run live") as caught:
            replay_run(pipeline, run, mode=mode)
        assert "treat=" in caught.value.hint
        assert SENT == []
    replay_run(pipeline, run, mode="drift_ok", treat={"SendsAndCopies": "execute"})
    assert SENT == ["hello"]
    # And nothing is left behind by what was refused.
    pipeline.run({"it": {"text": "again"}})
    assert SENT == ["hello", "again"]


def test_a_pipeline_that_is_made_while_it_runs_is_answered_inside() -> None:
    def what(text: str) -> str:
        return str(alone(Sends()).run({"it": {"text": text}})["it"]["out"])

    pipeline, run = recorded(Runs(what))
    replayer = Replayer(pipeline, run)
    replayer.play()
    assert replayer.report.answered == 1
    assert replayer.report.drifts == ()
    assert SENT == []


def test_an_unwrappable_part_of_such_a_pipeline_fails_the_replay() -> None:
    def what(text: str) -> str:
        return str(alone(SendsAndCopies()).run({"it": {"text": text}})["it"]["out"])

    pipeline, run = recorded(Runs(what))
    with pytest.raises(ReplayDriftError, match="would run live"):
        replay_run(pipeline, run)


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPool]:
    with ThreadPool(1) as made:
        yield made


def on_a_thread_from_before(offline: Offline, pool: ThreadPool) -> Callable[[], Any]:
    """A pool of threads that is older than the replay, and asks what it is given."""
    generator = pipelines.generator(offline.server)

    def ask() -> Any:
        return pool.apply(generator.run, (ASK,))

    ask.generator = generator  # type: ignore[attr-defined]  # so that it is found
    return ask


def in_an_empty_context(offline: Offline, _pool: ThreadPool) -> Callable[[], Any]:
    generator = pipelines.generator(offline.server)

    def ask() -> Any:
        return contextvars.Context().run(generator.run, ASK)

    ask.generator = generator  # type: ignore[attr-defined]
    return ask


@pytest.mark.parametrize("lose", [on_a_thread_from_before, in_an_empty_context])
@pytest.mark.parametrize("swallows", [True, False])
def test_a_call_that_lost_its_context_is_refused_and_fails_the_replay(
    lose: Callable[[Offline, ThreadPool], Callable[[], Any]], swallows: bool, offline: Offline,
    pool: ThreadPool,
) -> None:  # fmt: skip
    offline.server.script = lambda _request: say("The third.")
    ask = lose(offline, pool)

    def what(_text: str) -> str:
        try:
            return str(ask()["replies"][0].text)
        except Exception:
            if swallows:
                return "The third."
            raise

    pipeline, run = recorded(Runs(what, ask.generator))  # type: ignore[attr-defined]
    offline.from_now_on()
    with pytest.raises(ReplayDriftError, match="lost its context") as caught:
        replay_run(pipeline, run)
    assert any("OpenAIChatGenerator" in drift.message for drift in caught.value.report.drifts)
    offline.assert_nothing_was_live()


def test_what_is_sent_over_a_connection_from_before_is_stopped() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        wire = socket.create_connection(server.getsockname())
        other, _address = server.accept()

        def what(text: str) -> str:
            wire.sendall(text.encode())
            return "sent"

        pipeline, run = recorded(Runs(what))
        assert other.recv(10) == b"hello"
        with pytest.raises(ReplayDriftError) as caught:
            replay_run(pipeline, run)
        (blocked,) = caught.value.report.of_kind("blocked network attempt")
        assert "open connection" in str(blocked.live)
        wire.sendall(b"afterwards")
        assert other.recv(20) == b"afterwards", "nothing came during the replay"
        assert "send" not in vars(socket.socket)
        wire.close()
        other.close()


def test_sockets_inside_the_process_are_let_through() -> None:
    one, other = socket.socketpair()

    def what(text: str) -> str:
        one.sendall(text.encode())
        return other.recv(10).decode()

    pipeline, run = recorded(Runs(what))
    assert replay_run(pipeline, run) == {"it": {"out": "hello"}}
    one.close()
    other.close()


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_no_process_is_started_by_multiprocessing(method: Literal["spawn", "fork"]) -> None:
    tries: list[bool] = []

    def what(_text: str) -> str:
        if tries:
            context: Any = multiprocessing.get_context(method)
            context.Process(target=os.getpid).start()
        tries.append(True)
        return "done"

    pipeline, run = recorded(Runs(what))
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(pipeline, run)
    (blocked,) = caught.value.report.of_kind("blocked network attempt")
    assert "process" in str(blocked.live)
