"""Nothing leaves the process during a replay, and whatever tries is a finding."""

import socket
import subprocess
import sys
import threading
import urllib.request
from typing import Any

import pytest
from haystack import Pipeline, component

from inspector import record_run
from inspector.replay.api import ReplayDriftError, Replayer
from tests.helpers.openai_server import OpenAIServer

_DO: dict[str, Any] = {}


@component
class Reaches:
    """Says that it does nothing, and does something."""

    __haystack_side_effecting__ = False

    @component.output_types(text=str)
    def run(self, way: str) -> dict[str, str]:
        try:
            _DO[way]()
        except Exception:
            return {"text": "caught"}
        return {"text": "done"}


def reach(way: str) -> Replayer:
    pipeline = Pipeline()
    pipeline.add_component("reaches", Reaches())
    honest = dict(_DO)
    _DO[way] = lambda: None
    _result, run = record_run(pipeline, {"reaches": {"way": way}})
    _DO.update(honest)
    return Replayer(pipeline, run)


@pytest.fixture(autouse=True)
def ways(openai_server: OpenAIServer) -> None:
    port = int(openai_server.url.rpartition(":")[2].partition("/")[0])
    _DO.update(
        {
            "connection": lambda: socket.create_connection(("127.0.0.1", port), 1).close(),
            "name": lambda: socket.getaddrinfo("localhost", 80),
            "url": lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1),
            "process": lambda: subprocess.run([sys.executable, "-c", "pass"], check=False),
            "datagram": lambda: _datagram(port),
            "thread": lambda: _in_a_thread(port),
        }
    )


def _datagram(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outlet:
        outlet.sendto(b"hello", ("127.0.0.1", port))


def _in_a_thread(port: int) -> None:
    def connect() -> None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except BaseException:
            return

    thread = threading.Thread(target=connect)
    thread.start()
    thread.join()


@pytest.mark.parametrize("way", ["connection", "name", "url", "process", "datagram", "thread"])
def test_an_attempt_is_stopped_and_reported_with_its_stack(
    way: str, openai_server: OpenAIServer
) -> None:
    replayer = reach(way)
    with pytest.raises(ReplayDriftError) as caught:
        replayer.play()
    (blocked,) = caught.value.report.of_kind("blocked network attempt")
    assert blocked.details is not None
    assert "test_guard.py" in blocked.details["stack"]
    assert openai_server.count() == 0


def test_outside_of_a_replay_nothing_is_blocked(openai_server: OpenAIServer) -> None:
    replayer = reach("connection")
    with pytest.raises(ReplayDriftError):
        replayer.play()
    _DO["connection"]()
    _DO["process"]()


def test_other_threads_are_not_blocked_during_a_replay(openai_server: OpenAIServer) -> None:
    done: list[str] = []
    go, gone = threading.Event(), threading.Event()

    def elsewhere() -> None:
        go.wait(10)
        _DO["connection"]()
        done.append("connected")
        gone.set()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    pipeline = Pipeline()
    pipeline.add_component("reaches", Reaches())
    _DO["wait"] = lambda: None
    _result, run = record_run(pipeline, {"reaches": {"way": "wait"}})
    _DO["wait"] = lambda: (go.set(), gone.wait(10))
    Replayer(pipeline, run).play()
    thread.join()
    assert done == ["connected"]
