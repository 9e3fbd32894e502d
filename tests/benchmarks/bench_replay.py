"""What answering costs: beside a mock of the client's method, and beside a VCR cassette.

The same component asks the same generator a number of things with prompts of 1 kB, under
three kinds of stand-ins. A replay also holds each call against the recording, and records
itself; the others do neither.
"""

import gc
import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

from haystack import Pipeline, component
from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator, OpenAIChatGenerator
from haystack.dataclasses import ChatMessage, ToolCall

from inspector import record_run
from inspector.replay.api import Replayer
from inspector.replay.session import ReplaySession
from tests.benchmarks.report import Row, row, seconds, skipped
from tests.helpers.openai_script import say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.tools import look_up

PROMPT = ("The bed with the tomatoes is dry at noon although it was watered at dawn. " * 14)[:1000]
CALLS = 300
HAS_VCR = importlib.util.find_spec("vcr") is not None


@component
class Asks:
    """Asks a generator several things, one after the other, and keeps the time of each."""

    def __init__(self, generator: Any, calls: int) -> None:
        self.generator = generator
        self.calls = calls
        self.took: list[float] = []

    @component.output_types(texts=list[str])
    def run(self, topic: str) -> dict[str, list[str]]:
        texts = []
        self.took = []
        for number in range(self.calls):
            messages = [ChatMessage.from_user(f"{number} {topic}")]
            began = time.perf_counter()
            reply = self.generator.run(messages=messages)["replies"][0]
            self.took.append(time.perf_counter() - began)
            texts.append(reply.text)
        return {"texts": texts}


def measure(quick: bool) -> list[Row]:
    """Return the figures of an answered call, and of a whole replayed agent."""
    rounds = 3 if quick else 15
    with OpenAIServer(lambda request: say(f"Answer {request.text[:20]}")) as server:
        generator = OpenAIChatGenerator(api_base_url=server.url, max_retries=0)
        pipeline = Pipeline()
        asks = Asks(generator, CALLS)
        pipeline.add_component("asks", asks)
        data = {"asks": {"topic": PROMPT}}
        _result, run = record_run(pipeline, data)
        completion = _completion(generator, server)
        replayer = Replayer(pipeline, run, treat={"asks": "contain"})
        answering = _answering(replayer, data)
        times: dict[str, list[float]] = {"replay": [], "mock": []}
        for _ in range(rounds):
            gc.collect()
            replayer.play(data)
            times["replay"].append(statistics.median(asks.took))
            with _mocked(generator, completion):
                pipeline.run(data)
            times["mock"].append(statistics.median(asks.took))
        assert replayer.report.same, "the benchmark replays what it recorded"
        replay, mock = (min(times[name]) for name in ("replay", "mock"))
        found = [
            Row("a call with a mock of the client's method", seconds(mock)),
            row("a replayed call of 1 kB", seconds(replay), replay / mock, 1.0, of="the mock"),
            row(
                "of which finding, comparing and giving the answer",
                seconds(answering),
                answering / mock,
                1.0,
                of="the mock",
            ),
        ]
        found += _beside_vcr(pipeline, asks, data, replay)
    return [*found, *_agents(rounds)]


def _answering(replayer: Replayer, data: Any) -> float:
    """Return what the replay itself adds to a call; the rest is that it is recorded again."""
    call = ReplaySession._call
    took: list[float] = []

    def timed(*args: Any, **kwargs: Any) -> Any:
        began = time.perf_counter()
        result = call(*args, **kwargs)
        took.append(time.perf_counter() - began)
        return result

    replayer.play(data)
    ReplaySession._call = timed  # type: ignore[method-assign]
    try:
        replayer.play(data)
    finally:
        ReplaySession._call = call  # type: ignore[method-assign]
    return statistics.median(took)


def _completion(generator: OpenAIChatGenerator, server: OpenAIServer) -> Any:
    assert generator.client is not None
    return generator.client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": "Hello"}]
    )


@contextmanager
def _mocked(generator: Any, completion: Any) -> Iterator[None]:
    client = generator.client
    generator.client = MagicMock()
    generator.client.chat.completions.create.return_value = completion
    try:
        yield
    finally:
        generator.client = client


def _beside_vcr(pipeline: Pipeline, asks: Asks, data: Any, replay: float) -> list[Row]:
    what = "a replayed call beside a VCR cassette"
    if not HAS_VCR:
        return [skipped(what, "vcrpy is not installed")]
    import vcr  # type: ignore[import-not-found, import-untyped, unused-ignore]

    asks.calls = 30
    with tempfile.TemporaryDirectory() as folder:
        cassette = str(Path(folder) / "calls.yaml")
        tape = vcr.VCR(match_on=("method", "uri", "body"), record_mode="new_episodes")
        with tape.use_cassette(cassette):
            pipeline.run(data)
        with tape.use_cassette(cassette):
            pipeline.run(data)
            took = statistics.median(asks.took)
    asks.calls = CALLS
    return [row(what, seconds(took), replay / took, 1 / 100, of="VCR")]


def _agents(rounds: int) -> list[Row]:
    """Replay an agent of tools, beside the bare agent with an LLM that answers at once."""

    def answers(messages: list[ChatMessage]) -> ChatMessage:
        turn = sum(message.role == "assistant" for message in messages)
        if turn < 3:
            call = ToolCall("look_up", {"topic": f"bed {turn}"}, id=f"call-{turn}")
            return ChatMessage.from_assistant(tool_calls=[call])
        return ChatMessage.from_assistant("All beds are looked after.")

    agent = Agent(chat_generator=MockChatGenerator(response_fn=answers), tools=[look_up])
    data = {"messages": [ChatMessage.from_user("Look after the beds.")]}
    _result, run = record_run(agent, data)
    replayer = Replayer(agent, run)
    bare = _fastest(lambda: agent.run(**data), rounds)
    replayed = _fastest(lambda: replayer.play(data), rounds)
    return [
        Row("a bare agent run with instant answers", seconds(bare)),
        row("the same agent replayed", seconds(replayed), replayed / bare, 1 / 0.6, of="bare"),
    ]


def _fastest(act: Callable[[], Any], rounds: int) -> float:
    best = float("inf")
    for _ in range(20 * rounds):
        began = time.perf_counter()
        act()
        best = min(best, time.perf_counter() - began)
    return best


if __name__ == "__main__":
    from tests.benchmarks.report import table

    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    print(table(measure(quick=False)))
