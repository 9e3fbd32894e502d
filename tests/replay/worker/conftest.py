"""What the tests of the worker share: a project with targets in it, and recorded runs of them."""

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector import record_run
from inspector.recording.finding import found_target
from inspector.replay.host import Worker
from inspector.replay.limits import Limits
from inspector.replay.protocol import Job
from inspector.runfile.model import PipelineRun
from tests.helpers.openai_server import OpenAIServer

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"

TARGETS = '''
    """A project of its own, with what its owner replays."""

    import os

    from haystack import Document, Pipeline
    from haystack.components.agents import Agent
    from haystack.components.builders import ChatPromptBuilder
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.dataclasses import ChatMessage
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack.tools.from_function import tool


    def llm():
        return OpenAIChatGenerator(
            model="gpt-4o-mini", api_base_url=os.environ["TEST_LLM_URL"], max_retries=0
        )


    def rag():
        store = InMemoryDocumentStore()
        store.write_documents([Document(id="a", content="The vents open at 27 degrees.")])
        pipeline = Pipeline(metadata={"name": "rag"})
        pipeline.add_component("retriever", InMemoryBM25Retriever(store))
        text = "{% for d in documents %}{{ d.content }}{% endfor %} {{ query }}"
        pipeline.add_component(
            "prompt", ChatPromptBuilder([ChatMessage.from_user(text)], required_variables="*")
        )
        pipeline.add_component("llm", llm())
        pipeline.connect("retriever.documents", "prompt.documents")
        pipeline.connect("prompt.prompt", "llm.messages")
        return pipeline


    @tool
    def read_probe(bed: str) -> str:
        """Read the probe of a bed."""
        return f"{bed}: 31 %"


    def agent():
        return Agent(chat_generator=llm(), tools=[read_probe], system_prompt="Look after it.")
'''


class Project:
    """A folder with a module `garden` in it, and what was recorded there."""

    def __init__(self, folder: Path, server: OpenAIServer) -> None:
        self.folder = folder
        self.server = server
        self.write("garden", TARGETS)

    def write(self, module: str, text: str) -> None:
        (self.folder / f"{module}.py").write_text(textwrap.dedent(text), encoding="utf-8")

    def record(self, name: str, data: Any) -> PipelineRun:
        _result, run = record_run(found_target(f"garden:{name}"), data)
        run.save(self.path(name))
        return run

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.run.json"

    def job(self, name: str, target: str = "", **more: Any) -> Job:
        output = str(self.folder / f"{name}.replay.run.json")
        target = target or f"garden:{name}"
        return Job(target=target, run=str(self.path(name)), output=output, **more)

    def worker(self, job: Job, **more: Any) -> Worker:
        return Worker(job, directory=self.folder, python=sys.executable, **more)


@pytest.fixture
def project(
    tmp_path: Path, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Project]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEST_LLM_URL", openai_server.url)
    before = set(sys.modules), list(sys.path)
    yield Project(tmp_path, openai_server)
    for name in set(sys.modules) - before[0]:
        if name in {"garden"}:
            del sys.modules[name]
    sys.path[:] = before[1]


def played(
    worker: Worker, on_pause: Callable[[Worker, dict[str, Any]], None] | None = None
) -> list[dict[str, Any]]:
    """Go through all events of a worker, answer its pauses, and return them."""
    seen = []
    with worker:
        for event in worker.events():
            seen.append(event)
            if event["event"] == "paused" and on_pause is not None:
                on_pause(worker, event)
    return seen


def of(events: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == name]


def stub_worker(path: Path, folder: Path, **limits: Any) -> Worker:
    job = Job(target="", stub=True, run=str(path), output=str(folder / "replay.run.json"))
    return Worker(job, python=sys.executable, directory=folder, limits=Limits(**limits))
