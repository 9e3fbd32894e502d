"""What answering costs: beside a mock of the client's method, and beside a VCR cassette.

The same component asks the same generator a number of things with prompts of 1 kB, under
three kinds of stand-ins, which take turns in one process. A replay also holds each call
against the recording, and can tell afterwards what happened; the others do neither. The
first replay of a run works out what the later ones know, so it has a row of its own.
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
from inspector.replay.policy import Treatment
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.benchmarks.report import Row, medians, row, seconds, skipped
from tests.helpers.openai_script import say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.tools import look_up

PROMPT = ("The bed with the tomatoes is dry at noon although it was watered at dawn. " * 14)[:1000]
CALLS = 300
VCR_CALLS = 30  # each takes as long as hundreds of the others, and longer with each that is kept
RUNS = 1_000
TREAT: dict[str | type, Treatment | str] = {"asks": "contain"}
BESIDE_VCR = "a replayed call beside a VCR cassette"
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
    """Return the figures of an answered call, and of whole replayed runs."""
    rounds = 3 if quick else 15
    with OpenAIServer(lambda request: say(f"Answer {request.text[:20]}")) as server:
        generator = OpenAIChatGenerator(api_base_url=server.url, max_retries=0)
        pipeline = Pipeline()
        asks = Asks(generator, CALLS)
        pipeline.add_component("asks", asks)
        data = {"asks": {"topic": PROMPT}}
        _result, run = record_run(pipeline, data)
        completion = _completion(generator, server)
        replayer = Replayer(pipeline, run, treat=TREAT)

        def mocked() -> None:
            with _mocked(generator, completion):
                pipeline.run(data)

        def first() -> None:
            Replayer(pipeline, _opened_anew(run), treat=TREAT).play(data)

        modes: dict[str, Callable[[], Any]] = {
            "mock": mocked,
            "replay": lambda: replayer.play(data),
            "first": first,
        }
        if not HAS_VCR:
            return [*_calls(asks, modes, rounds), skipped(BESIDE_VCR, "vcrpy is not installed")]
        with _tape(pipeline, asks, data) as taped:
            rows = _calls(asks, {**modes, "vcr": taped}, rounds)
        assert replayer.report.same, "the benchmark replays what it recorded"
    return [*rows, *_agents(rounds)]


def _calls(asks: Asks, modes: dict[str, Callable[[], Any]], rounds: int) -> list[Row]:
    """Let all kinds of stand-ins take turns, and compare the medians of a call."""
    times: dict[str, list[float]] = {name: [] for name in modes}
    ratios: dict[str, list[float]] = {name: [] for name in modes}
    asks.calls = CALLS
    modes["replay"]()  # the first replay of a run has a row of its own
    for _ in range(rounds):
        for name, act in modes.items():
            asks.calls = VCR_CALLS if name == "vcr" else CALLS
            gc.collect()
            act()
            times[name].append(statistics.median(asks.took))
        for name in modes:
            ratios[name].append(times[name][-1] / times["mock"][-1])
    took = medians(times)
    beside = medians(ratios)
    rows = [
        Row("a call with a mock of the client's method", seconds(took["mock"])),
        row(
            "a replayed call of 1 kB", seconds(took["replay"]), beside["replay"], 1.0,
            of="the mock",
        ),
        Row(
            "a call in the first replay of a run", seconds(took["first"]),
            f"{beside['first']:.3g} x the mock",
        ),
    ]  # fmt: skip
    if "vcr" in took:
        ratio = statistics.median(
            replay / vcr for replay, vcr in zip(times["replay"], times["vcr"], strict=True)
        )
        rows.append(row(BESIDE_VCR, seconds(took["vcr"]), ratio, 1 / 100, of="VCR"))
    return rows


def _opened_anew(run: PipelineRun) -> PipelineRun:
    """Return the run as it is before anything was replayed of it."""
    with tempfile.TemporaryDirectory() as folder:
        run.save(path := Path(folder) / "calls.run.json")
        return load_run(path.read_bytes())


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


@contextmanager
def _tape(pipeline: Pipeline, asks: Asks, data: Any) -> Iterator[Callable[[], Any]]:
    """Record a cassette of a few calls, and yield what plays it."""
    import vcr  # type: ignore[import-not-found, import-untyped, unused-ignore]

    asks.calls = VCR_CALLS
    with tempfile.TemporaryDirectory() as folder:
        cassette = str(Path(folder) / "calls.yaml")
        tape = vcr.VCR(match_on=("method", "uri", "body"), record_mode="new_episodes")
        with tape.use_cassette(cassette):
            pipeline.run(data)

        def taped() -> None:
            with tape.use_cassette(cassette):
                pipeline.run(data)

        yield taped


def _agents(rounds: int) -> list[Row]:
    """Replay an agent of tools, beside the bare agent with an LLM that answers at once."""

    def answers(messages: list[ChatMessage]) -> ChatMessage:
        turn = sum(message.role == "assistant" for message in messages)
        if turn < 3:
            call = ToolCall("look_up", {"topic": f"bed {turn}"}, id=f"call-{turn}")
            return ChatMessage.from_assistant(tool_calls=[call])
        return ChatMessage.from_assistant("All beds are looked after.")

    agent = Agent(chat_generator=MockChatGenerator(response_fn=answers), tools=[look_up])
    data: dict[str, Any] = {"messages": [ChatMessage.from_user("Look after the beds.")]}
    _result, run = record_run(agent, data)
    replayer = Replayer(agent, run)
    replayer.play(data)
    bare, replayed = _in_turns(
        lambda: agent.run(**data), lambda: replayer.play(data), RUNS if rounds > 3 else RUNS // 5
    )
    assert replayer.report.same, "the benchmark replays what it recorded"
    return [
        Row("a bare agent run with instant answers", seconds(bare)),
        row("the same agent replayed", seconds(replayed), replayed / bare, 1 / 0.6, of="bare"),
    ]


def _in_turns(one: Callable[[], Any], other: Callable[[], Any], runs: int) -> tuple[float, float]:
    """Return the medians of two things that take turns."""
    took: tuple[list[float], list[float]] = ([], [])
    gc.collect()
    for _ in range(runs):
        for act, times in zip((one, other), took, strict=True):
            began = time.perf_counter()
            act()
            times.append(time.perf_counter() - began)
    return statistics.median(took[0]), statistics.median(took[1])


if __name__ == "__main__":
    from tests.benchmarks.report import table

    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    print(table(measure(quick=False)))
