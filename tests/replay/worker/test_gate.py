"""A gate holds calls without holding up anything else, and lets them go as it is told."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from haystack import Pipeline
from haystack.components.builders import PromptBuilder

from inspector import record_run
from inspector.replay.api import Replayer
from inspector.replay.failure import ReplayDriftError, StoppedError
from inspector.replay.gate import Breakpoint, Stop
from inspector.replay.mode import ReplayError
from inspector.replay.step_gate import How, Pause, StepGate
from inspector.runfile.model import PipelineRun
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import OpenAIServer

TOOLS = Breakpoint(kinds=("tool",))


class Mover:
    """Moves a gate from a thread of its own, as a window would."""

    def __init__(self, **options: Any) -> None:
        self.seen: list[str] = []
        self.gate = StepGate(self._note, **options)
        self._answer: Callable[[StepGate, Pause], None] = lambda gate, pause: gate.go("continue")

    def always(self, answer: Callable[[StepGate, Pause], None]) -> "Mover":
        self._answer = answer
        return self

    def going(self, how: How) -> "Mover":
        return self.always(lambda gate, pause: gate.go(how, pause.number))

    def _note(self, pause: Pause) -> None:
        self.seen.append(f"{pause.stop.phase} {pause.stop.path}")
        threading.Thread(target=self._answer, args=(self.gate, pause)).start()


def recorded(case: pipelines.Case) -> tuple[Any, PipelineRun]:
    return record_run(case.target, case.data, **case.options)


def test_every_call_of_an_agent_is_held_twice_and_the_result_is_the_same(
    openai_server: OpenAIServer,
) -> None:
    case = agents.three_tools(openai_server)
    result, run = recorded(case)
    mover = Mover(at_first=True).going("step")
    assert Replayer(case.target, run, gate=mover.gate).play() == result
    calls = [span for span in run.spans if span.kind in ("llm", "tool") and span.status == "ok"]
    for span in calls:
        assert f"before {span.path}" in mover.seen
        assert f"after {span.path}" in mover.seen


@pytest.mark.parametrize(
    ("make", "breakpoint_", "times"),
    [(agents.three_tools, TOOLS, 5), (pipelines.rag, Breakpoint(name="prompt_builder"), 1)],
    ids=["awaited calls", "a component that only knows sync"],
)
def test_held_calls_leave_the_event_loop_alone(
    openai_server: OpenAIServer,
    make: Callable[[OpenAIServer], pipelines.Case],
    breakpoint_: Breakpoint,
    times: int,
) -> None:
    case = make(openai_server)
    result, run = recorded(case)
    held_s = 0.2

    def later(gate: StepGate, pause: Pause) -> None:
        threading.Event().wait(held_s)
        gate.go("continue", pause.number)

    mover = Mover(breakpoints=[breakpoint_]).always(later)
    replayer = Replayer(case.target, run, gate=mover.gate)

    async def ticking() -> tuple[Any, float]:
        playing = asyncio.create_task(replayer.play_async())
        longest, last = 0.0, time.monotonic()
        while not playing.done():
            await asyncio.sleep(0.005)
            now = time.monotonic()
            longest, last = max(longest, now - last), now
        return await playing, longest

    again, longest = asyncio.run(ticking())
    assert again == result
    assert len(mover.seen) == times
    assert longest < held_s, "the loop stood still while a call was held"


SYNC_ONLY = 12  # more than the threads that an event loop has for such calls on a small machine


def test_many_sync_components_held_at_once_leave_the_pool_of_the_loop_to_others() -> None:
    made = Pipeline()
    for number in range(SYNC_ONLY):
        builder = PromptBuilder(f"{number}: {{{{ what }}}}", required_variables="*")
        made.add_component(f"prompt_{number}", builder)
    data = {"what": "all at once"}
    result, run = record_run(made, data)

    async def held_together() -> Any:
        loop = asyncio.get_running_loop()
        # As few threads as there can be: one held call in here would be one too many.
        loop.set_default_executor(ThreadPoolExecutor(1, thread_name_prefix="asyncio"))
        all_held = asyncio.Event()

        def note(pause: Pause) -> None:
            if pause.number == SYNC_ONLY:
                loop.call_soon_threadsafe(all_held.set)

        gate = StepGate(note, breakpoints=[Breakpoint(kinds=("component",))])
        replayer = Replayer(made, run, gate=gate, concurrency_limit=SYNC_ONLY)
        playing = asyncio.create_task(replayer.play_async())
        await asyncio.wait_for(all_held.wait(), 60)
        assert await asyncio.wait_for(asyncio.to_thread(int, "7"), 60) == 7
        assert len(gate.held) == SYNC_ONLY
        gate.go("continue")
        played = await playing
        assert replayer.report.drifts == ()
        return played

    assert asyncio.run(held_together()) == result


def test_a_held_call_that_is_let_go_after_its_replay_was_canceled_does_no_harm() -> None:
    made = Pipeline()
    made.add_component("prompt", PromptBuilder("{{ what }}", required_variables="*"))
    _result, run = record_run(made, {"what": "this"})

    async def canceled() -> str:
        loop = asyncio.get_running_loop()
        held = asyncio.Event()

        def note(_pause: Pause) -> None:
            loop.call_soon_threadsafe(held.set)

        gate = StepGate(note, breakpoints=[Breakpoint(name="prompt")])
        replayer = Replayer(made, run, gate=gate)
        playing = asyncio.create_task(replayer.play_async())
        await asyncio.wait_for(held.wait(), 60)
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
        gate.go("continue")
        return str(replayer.run.status)

    assert asyncio.run(canceled()) == "canceled"


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_parallel_tool_calls_are_held_together_and_let_go_in_any_order(
    openai_server: OpenAIServer, is_async: bool
) -> None:
    case = agents.three_tools(openai_server)
    result, run = recorded(case)
    together = []

    def backwards(gate: StepGate, pause: Pause) -> None:
        if not pause.stop.path.startswith("step0/"):
            gate.go("continue", pause.number)
            return
        held = gate.held
        if len(held) == 3:
            together.append(len(held))
            for each in reversed(held):
                gate.go("continue", each.number)

    mover = Mover(breakpoints=[TOOLS]).always(backwards)
    replayer = Replayer(case.target, run, gate=mover.gate)
    again = asyncio.run(replayer.play_async()) if is_async else replayer.play()
    assert again == result
    assert together
    assert replayer.report.drifts == ()


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_stopping_lets_parallel_calls_go_and_ends_the_replay(
    openai_server: OpenAIServer, is_async: bool
) -> None:
    case = agents.three_tools(openai_server)
    _result, run = recorded(case)

    def stop(gate: StepGate, _pause: Pause) -> None:
        if len(gate.held) == 3:
            gate.stop()

    mover = Mover(breakpoints=[TOOLS]).always(stop)
    replayer = Replayer(case.target, run, gate=mover.gate)
    with pytest.raises(StoppedError):
        asyncio.run(replayer.play_async()) if is_async else replayer.play()
    assert mover.gate.held == ()
    assert sorted(mover.seen) == [f"before {path}" for path in STEP0_TOOLS]


STEP0_TOOLS = ["step0/tool:look_up[0]", "step0/tool:look_up[2]", "step0/tool:measure[1]"]


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_call_that_raises_is_held_after_it_and_may_give_something_back_instead(
    openai_server: OpenAIServer, is_async: bool
) -> None:
    case = agents.three_tools(openai_server)
    result, run = recorded(case)
    raised = []

    def look(gate: StepGate, pause: Pause) -> None:
        if isinstance(pause.stop.values, Exception):
            raised.append(pause.stop.path)
        gate.go("continue", pause.number)

    def repair(gate: StepGate, pause: Pause) -> None:
        if isinstance(pause.stop.values, Exception):
            gate.set_value("repaired", pause.number)
        gate.go("continue", pause.number)

    after = Breakpoint(kinds=("tool",), phase="after")
    looking = Replayer(case.target, run, gate=Mover(breakpoints=[after]).always(look).gate)
    again = asyncio.run(looking.play_async()) if is_async else looking.play()
    assert again == result
    assert raised == ["step0/tool:measure[1]"]

    repairing = Replayer(case.target, run, gate=Mover(breakpoints=[after]).always(repair).gate)
    with pytest.raises(ReplayDriftError, match=r"step1/llm is given something else"):
        asyncio.run(repairing.play_async()) if is_async else repairing.play()
    drift = next(each for each in repairing.report.drifts if each.path == "step1/llm")
    assert str(drift.leaf).endswith("tool_result.error")
    assert (drift.recorded, drift.live) == (True, False)


def test_over_passes_what_is_inside_and_out_leaves_it(openai_server: OpenAIServer) -> None:
    case = agents.three_tools(openai_server, in_pipeline=True)
    _result, run = recorded(case)
    over = Mover(at_first=True).going("over")
    Replayer(case.target, run, gate=over.gate).play()
    assert over.seen == ["before support_agent#1", "after support_agent#1"]

    first = [True]

    def out(gate: StepGate, pause: Pause) -> None:
        if pause.stop.kind == "tool":
            gate.remove()
            first.clear()
        gate.go("out" if not first else "continue", pause.number)

    leaving = Mover(breakpoints=[Breakpoint(name="take_note")]).always(out)
    Replayer(case.target, run, gate=leaving.gate).play()
    assert leaving.seen[-1] == "after support_agent#1"
    assert len(leaving.seen) == 2


def test_pausing_while_it_runs_holds_the_next_call(openai_server: OpenAIServer) -> None:
    case = pipelines.rag(openai_server)
    _result, run = recorded(case)

    def show(chunk: Any) -> None:
        """Be what the pipeline does between two places, while somebody asks for a pause."""
        mover.gate.pause()

    mover = Mover()
    data = case.data
    data["llm"] = {"streaming_callback": show}
    Replayer(case.target, run, gate=mover.gate).play(data)
    assert mover.seen == ["after llm#1"]


def test_a_call_on_a_loop_that_is_not_awaited_is_refused_and_not_blocked() -> None:
    gate = StepGate(lambda pause: None, breakpoints=[Breakpoint(path="llm#1")])

    async def call() -> None:
        gate.before(stop_at("llm#1"))

    with pytest.raises(ReplayError, match="everything on the loop would stand still"):
        asyncio.run(call())


@pytest.mark.parametrize("how", ["step", "into", "over"])
def test_stepping_goes_past_a_call_on_the_loop_that_is_not_awaited(
    openai_server: OpenAIServer, how: How
) -> None:
    """Haystack's agent renders its system prompt on the event loop, where nothing may wait."""
    case = agents.three_tools(openai_server)
    result, run = recorded(case)
    mover = Mover(at_first=True).going(how)
    replayer = Replayer(case.target, run, gate=mover.gate)
    assert asyncio.run(replayer.play_async()) == result
    assert replayer.report.same
    assert {"before ", "before step0/llm", "after step0/llm", "before step1/llm"} <= set(mover.seen)
    assert not [place for place in mover.seen if "ChatPromptBuilder" in place]
    every = Mover(breakpoints=[Breakpoint(phase=None)])
    assert asyncio.run(Replayer(case.target, run, gate=every.gate).play_async()) == result
    assert "after step3/llm" in every.seen


def test_what_nobody_lets_go_is_stopped_after_a_while() -> None:
    gate = StepGate(lambda pause: None, at_first=True, longest_hold_s=0.01)
    assert gate.before(stop_at("llm#1")).action == "stop"

    async def call() -> str:
        gate = StepGate(lambda pause: None, at_first=True, longest_hold_s=0.01)
        return (await gate.before_async(stop_at("llm#1"))).action

    assert asyncio.run(call()) == "stop"


def test_a_held_call_that_is_canceled_is_held_no_more_and_that_is_told() -> None:
    gone: list[int] = []
    gate = StepGate(
        lambda pause: None, at_first=True, on_gone=lambda pause: gone.append(pause.number)
    )

    async def cancel() -> None:
        task = asyncio.create_task(gate.before_async(stop_at("llm#1")))
        while not gate.held:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert gate.held == ()
    assert gone == [1]


def test_a_call_that_is_let_go_is_not_told_of_as_gone() -> None:
    gone: list[int] = []
    gate = StepGate(
        lambda pause: gate.go("continue"), at_first=True,
        on_gone=lambda pause: gone.append(pause.number),
    )  # fmt: skip

    async def call() -> str:
        return (await gate.before_async(stop_at("llm#1"))).action

    assert asyncio.run(call()) == "go_on"
    assert gone == []


def stop_at(path: str, **more: Any) -> Stop:
    fields = {"phase": "before", "visit": 1, "kind": "llm", "name": "llm", "span_id": "s1"}
    return Stop(path=path, values={}, **{**fields, **more})


@pytest.mark.parametrize(
    ("breakpoint_", "fits"),
    [
        (Breakpoint(), True),
        (Breakpoint(kinds=("llm", "tool")), True),
        (Breakpoint(kinds=("tool",)), False),
        (Breakpoint(path="agent#1/step0/llm"), True),
        (Breakpoint(path="agent#*/llm"), True),
        (Breakpoint(path="agent#2/*"), False),
        (Breakpoint(name="l*"), True),
        (Breakpoint(visit=2), False),
        (Breakpoint(phase="after"), False),
        (Breakpoint(phase=None), True),
    ],
)
def test_a_breakpoint_fits_what_it_says(breakpoint_: Breakpoint, fits: bool) -> None:
    assert breakpoint_.fits(stop_at("agent#1/step0/llm")) is fits


def test_brackets_in_a_path_are_brackets() -> None:
    stop = stop_at("step0/tool:search[0]", kind="tool", name="search")
    assert Breakpoint(path="step0/tool:search[0]").fits(stop)
    assert Breakpoint(path="*/tool:search[0]").fits(stop)
    assert not Breakpoint(path="*/tool:search[1]").fits(stop)
