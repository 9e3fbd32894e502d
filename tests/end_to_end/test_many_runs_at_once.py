"""Runs that happen at the same time are kept apart, and each file is complete."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from inspector import load_run, recording
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import Case
from tests.helpers.tools import DIARY

pytestmark = pytest.mark.haystack

RUNS = 20


def assert_none_crossed(folder: Path, cases: list[Case], spans_each: set[int]) -> dict[str, Any]:
    """There is one file for each case; it speaks of its own token and of no other."""
    files = sorted(folder.glob("*.run.json"))
    assert len(files) == len(cases)
    assert not list(folder.glob("*.jsonl")), "nothing is left of the journals"
    tokens = {case.token for case in cases}
    runs = {}
    for path in files:
        text = path.read_text(encoding="utf-8")
        (token,) = (token for token in tokens if token in text)
        run = load_run(path)
        assert run.status == "completed"
        assert run.verify().state == "ok"
        assert run.problems == ()
        assert len(run.roots) == 1
        assert all(span.status == "ok" for span in run.spans)
        assert token in json.dumps(run.outputs, default=str)
        runs[token] = run
    assert set(runs) == tokens, "every run has a file of its own"
    assert {len(run.spans) for run in runs.values()} == spans_each
    return runs


def test_twenty_rag_runs_in_threads_make_twenty_files(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Each thread has a pipeline of its own."""
    cases = [pipelines.rag(openai_server, stream=True) for _number in range(RUNS)]
    with recording(directory=tmp_path), ThreadPoolExecutor(RUNS) as pool:
        list(pool.map(lambda case: case.run(), cases))
    runs = assert_none_crossed(tmp_path, cases, {5})
    for run in runs.values():
        (llm,) = (span for span in run.spans if span.name == "llm")
        assert len(llm.chunks) > 5
        assert llm.usage.total_tokens == run.usage["total_tokens"]


def test_twenty_runs_of_one_pipeline_in_threads_make_twenty_files(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """All threads share one pipeline object, and so its components."""
    shared = pipelines.rag(openai_server)
    others = [pipelines.rag(openai_server) for _number in range(RUNS)]
    with recording(directory=tmp_path), ThreadPoolExecutor(RUNS) as pool:
        list(pool.map(lambda case: shared.target.run(case.data), others))
    assert_none_crossed(tmp_path, others, {5})


def test_twenty_runs_in_tasks_make_twenty_files(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Everything streams at once on one event loop."""
    cases = [pipelines.parallel_branches(openai_server) for _number in range(RUNS)]
    for case in cases:
        for number in range(3):
            component = case.target.get_component(f"llm_{number}")
            component.streaming_callback = pipelines.ignore_chunk_async

    async def run_all() -> None:
        await asyncio.gather(*(case.run_async() for case in cases))

    with recording(directory=tmp_path):
        asyncio.run(run_all())
    runs = assert_none_crossed(tmp_path, cases, {8})
    for run in runs.values():
        assert all(len(span.chunks) > 3 for span in run.spans if span.name.startswith("llm_"))


@pytest.mark.parametrize("way", ["threads", "tasks"])
def test_twenty_agents_at_once_keep_their_tool_calls(
    openai_server: OpenAIServer, tmp_path: Path, way: str
) -> None:
    """The tools are module-level objects that all twenty agents share."""
    cases = [agents.many_steps(openai_server, steps=3) for _number in range(RUNS)]

    async def run_all() -> None:
        await asyncio.gather(*(case.run_async() for case in cases))

    with recording(directory=tmp_path):
        if way == "threads":
            with ThreadPoolExecutor(RUNS) as pool:
                list(pool.map(lambda case: case.run(), cases))
        else:
            asyncio.run(run_all())
    runs = assert_none_crossed(tmp_path, cases, {1 + 4 + 4 + 3})
    for token, run in runs.items():
        tools = [span for span in run.spans if span.kind == "tool"]
        assert sorted(span.outputs["topic"] for span in tools) == sorted(
            entry.arguments["topic"] for entry in DIARY.mentioning(token)
        )
