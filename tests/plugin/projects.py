"""A project that is not ours: its files, and its tests run as people run them."""

from __future__ import annotations

import os
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, parse

from tests.helpers.openai_server import KEY_VARIABLE

if TYPE_CHECKING:
    from pathlib import Path

PIPELINE = '''
"""Notes that answer a question."""

import os

from haystack import Document, Pipeline
from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

NOTES = ("The pump is looked after by the night shift.", "The roof vents open at 27 degrees.")


def build(words="Answer from the notes.", notes=NOTES):
    store = InMemoryDocumentStore()
    store.write_documents([Document(id=f"n{n}", content=text) for n, text in enumerate(notes)])
    template = words + "\\n{% for d in documents %}{{ d.content }}\\n{% endfor %}"
    pipeline = Pipeline(metadata={"name": "notes"})
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=1))
    pipeline.add_component(
        "prompt", ChatPromptBuilder([ChatMessage.from_user(template)], required_variables="*")
    )
    pipeline.add_component(
        "llm", OpenAIChatGenerator(api_base_url=os.environ.get("NOTES_LLM", "http://127.0.0.1:9"))
    )
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "llm.messages")
    return pipeline


def ask(query="Who maintains the pump?"):
    return {"retriever": {"query": query}}
'''

_KEYS = (KEY_VARIABLE, "NOTES_LLM", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTHONPATH")


class Ran:
    """What pytest said, and what it reported of each test."""

    def __init__(self, code: int, out: str, err: str, report: Path) -> None:
        self.code = code
        self.text = out + err
        self._out = out
        self.calls = 0
        self._cases: list[tuple[str, Element]] = []
        if report.is_file():
            for case in parse(report).iter("testcase"):
                short = case.get("classname", "").rpartition(".")[2]
                self._cases.append((f"{short}.{case.get('name')}", case))
            report.unlink()

    @property
    def ending(self) -> str:
        """The last line, without the time it took."""
        last = [line for line in self._out.splitlines() if line.strip()][-1]
        return last.strip("= ").rpartition(" in ")[0]

    def outcome(self, test: str) -> str:
        """Return `passed`, `failed` or `error`."""
        return {"failure": "failed", "error": "error"}.get(self._finding(test).tag, "passed")

    def told(self, test: str) -> str:
        """Return why a test failed."""
        return self._finding(test).text or ""

    def _finding(self, test: str) -> Element:
        (case,) = [case for name, case in self._cases if f".{name}".endswith(f".{test}")]
        return next((each for each in case if each.tag in ("failure", "error")), case)


class Project:
    """A directory with a pipeline and tests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("notes.py", PIPELINE)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    def pytest(self, *arguments: str, llm: str | None = None) -> Ran:
        """Run the tests in a process of their own; with a model only where `llm` names one."""
        env = {key: value for key, value in os.environ.items() if key not in _KEYS}
        env |= {"PYTHONDONTWRITEBYTECODE": "1", "HAYSTACK_TELEMETRY_ENABLED": "False"}
        if llm is not None:
            env |= {KEY_VARIABLE: os.environ[KEY_VARIABLE], "NOTES_LLM": llm}
        report = self.root / "report.xml"
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
        command.append(f"--junitxml={report}")
        ran = subprocess.run(
            command,
            cwd=self.root,
            env=env,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr, report)
