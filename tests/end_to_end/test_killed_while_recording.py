"""A process that is killed leaves a journal that shows what had happened."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from inspector import load_run
from tests.helpers.openai_script import Call, Reply, Request, call
from tests.helpers.openai_server import OpenAIServer

pytestmark = pytest.mark.haystack

ROOT = Path(__file__).parents[2]
PROMISED_NS = 100_000_000
# The writer's thread needs the processor to keep its promise, and tests share it with others.
GRACE_NS = 150_000_000


def tirelessly(request: Request) -> Reply:
    """Ask for another tool call every time, streaming a sentence before it."""
    text = f"Turn {request.turn}: I look up one more thing, and then the next."
    topic = {"topic": f"thing {request.turn}"}
    return call(Call("look_up", topic), text=text, first_token_s=0.02, token_s=0.002)


def killed_after(lines: int, later_s: float, server: OpenAIServer, folder: Path) -> dict[str, Any]:
    """Let the child get so far, kill it, and return what it had said and when it died."""
    server.script = tirelessly
    command = [sys.executable, "-m", "tests.end_to_end.long_run", server.url, str(folder)]
    environment = {**os.environ, **server.environment}
    child = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    said = [line for _number, line in zip(range(lines), child.stdout, strict=False)]
    # What it says from here on would fill the pipe and stop it, so it is read to the end.
    rest: list[str] = []
    reader = threading.Thread(target=lambda: rest.extend(child.stdout or ()))
    reader.start()
    threading.Event().wait(later_s)
    killed_ns = time.monotonic_ns()
    child.send_signal(signal.SIGKILL)
    child.wait()
    reader.join()
    _out, errors = child.communicate()
    assert child.returncode == -signal.SIGKILL, errors
    whole = [line for line in said + rest if line.endswith("\n")]
    return {"said": [json.loads(line) for line in whole], "killed_ns": killed_ns}


@pytest.mark.parametrize(
    ("lines", "later_s"),
    [(1, 0.0), (3, 0.25), (20, 0.01), (60, 0.07), (150, 0.2), (400, 0.05)],
    ids=["at once", "first tokens", "first turn", "some turns", "more turns", "many turns"],
)
def test_the_journal_of_a_killed_process_shows_all_but_the_last_moment(
    openai_server: OpenAIServer, tmp_path: Path, lines: int, later_s: float
) -> None:
    happened = killed_after(lines, later_s, openai_server, tmp_path)
    until_ns = happened["killed_ns"] - PROMISED_NS - GRACE_NS
    early = [item for item in happened["said"] if item["at_ns"] < until_ns]
    journals = list(tmp_path.glob("*.run.jsonl"))
    if not early and not journals:
        return  # killed within the first tenth of a second: there is nothing to show
    (journal,) = journals
    assert not list(tmp_path.glob("*.run.json"))

    run = load_run(journal)

    assert run.status in ("incomplete", "running")
    assert run.name == "long"
    tools = [span for span in run.spans if span.kind == "tool" and span.status == "ok"]
    answered = {span.arguments["topic"] for span in tools}
    assert {item["text"] for item in early if item["what"] == "tool"} <= answered
    assert all("well watered" in span.outputs for span in tools)
    chunks = [
        chunk.value["content"]
        for span in run.spans
        for chunk in span.chunks or ()
        if chunk.value.get("content")
    ]
    told = [item["text"] for item in happened["said"] if item["what"] == "chunk"]
    assert len(chunks) >= sum(item["what"] == "chunk" for item in early)
    # The recorder may have seen one chunk more than the child could still speak of.
    assert chunks[: len(told)] == told[: len(chunks)]
    unfinished = [span for span in run.spans if span.status == "unfinished"]
    assert unfinished
    assert unfinished[0] == run.spans[0], "the run itself was not over"


def test_a_journal_cut_at_any_byte_still_opens(openai_server: OpenAIServer, tmp_path: Path) -> None:
    killed_after(40, 0.3, openai_server, tmp_path)
    (journal,) = tmp_path.glob("*.run.jsonl")
    data = journal.read_bytes()
    first = data.index(b"\n") + 1
    spans_before = 0
    for end in range(first, len(data), max(1, (len(data) - first) // 150)):
        run = load_run(data[:end])
        assert run.name == "long"
        assert len(run.spans) >= spans_before, "more bytes never show less"
        spans_before = len(run.spans)
