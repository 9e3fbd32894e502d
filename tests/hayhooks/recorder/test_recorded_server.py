"""Real servers on a real Redis, killed in the middle: what their recorder leaves is one run."""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hayhooks", reason="there are no durable executions without hayhooks")

from inspector.findings import Finding, check
from inspector.hayhooks.client.client import HayhooksClient
from inspector.hayhooks.client.model import Server
from inspector.hayhooks.recorder import stitched
from inspector.hayhooks.recorder.layout import segments_in
from inspector.runfile.model import PipelineRun
from tests.hayhooks.recorder.recorded_runs import facts, own, tree
from tests.helpers.hayhooks_server import HayhooksCluster, HayhooksReplica

_PATIENCE_S = 60.0


def found(run: PipelineRun, rule: str) -> list[Finding]:
    return [each for each in check(run) if each.rule == rule]


def eventually(holds: Callable[[], Any]) -> Any:
    """Return what holds at last. What it waits for is another process, which tells nobody."""
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        if found := holds():
            return found
        time.sleep(0.02)
    raise AssertionError("it never came to that")


class Killed:
    """An execution whose first attempt was killed, and went on elsewhere."""

    def __init__(self, hayhooks: HayhooksCluster, folder: Path) -> None:
        self.ledger = folder / "ledger"
        self.gate = folder / "gate"
        self.hayhooks = hayhooks
        self.before: PipelineRun | None = None

    def run(self, deployment: str, done: str, **asked: Any) -> PipelineRun:
        """Kill the worker once it has written `done` down; return the run of both attempts."""
        given = {**asked, "ledger": str(self.ledger), "gate": str(self.gate)}
        with closing(self._client(self.hayhooks.replicas[0])) as client:
            execution = client.submit(deployment, given).execution
        place = self.hayhooks._folder / "recorded-runs" / execution.row.id
        eventually(lambda: self.done(done) == 1)
        self.before = stitched(place)
        worker = facts(self.before)["attempts"][0]["worker"]["pid"]
        (victim,) = (each for each in self.hayhooks.replicas if each.pid == worker)
        (survivor,) = (each for each in self.hayhooks.replicas if each.pid != worker)
        victim.kill()
        self.gate.touch()
        with closing(self._client(survivor)) as client:
            eventually(lambda: client.inspect(deployment, execution.row.id).row.status.is_over)
        eventually(lambda: [each.path.suffix for each in segments_in(place)] == [".jsonl", ".json"])
        return stitched(place)

    def done(self, what: str) -> int:
        """Say how often something was written down."""
        lines = self.ledger.read_text().splitlines() if self.ledger.exists() else []
        return sum(line.startswith(f"{what} ") for line in lines)

    def _client(self, replica: HayhooksReplica) -> HayhooksClient:
        return HayhooksClient(Server("test", replica.url))


@pytest.fixture
def killed(hayhooks: HayhooksCluster, tmp_path: Path) -> Killed:
    return Killed(hayhooks, tmp_path)


def test_a_worker_killed_while_its_llm_speaks_leaves_one_run_of_two_attempts(
    killed: Killed,
) -> None:
    run = killed.run("recorded_rag", "llm", question="cats")
    assert str(killed.before.status) == "running"
    assert tree(killed.before)[-1] == "llm#1 unfinished"
    assert tree(run) == [
        "/ ok", "attempt1 unfinished", "retriever#1 ok", "prompt#1 ok",
        "attempt1/checkpoint#1 ok", "llm#1 unfinished", "attempt2 ok", "llm#2 ok",
    ]  # fmt: skip
    first, second = facts(run)["attempts"]
    assert (first["ended"], second["ended"]) == ("killed", "completed")
    assert first["worker"]["pid"] != second["worker"]["pid"]
    assert second["from_checkpoint"] is True
    assert own(run.at("llm#2"))["repeat_of"] == run.at("llm#1").id
    assert run.at("llm#1").inputs == run.at("llm#2").inputs
    assert run.id == killed.before.id
    assert run.verify().state == "ok"
    assert str(run.status) == "completed"
    assert killed.done("retriever") == 1


def test_a_tool_whose_worker_was_killed_is_seen_to_have_run_twice(killed: Killed) -> None:
    run = killed.run("recorded_agent", "charge", task="steps=1 charge=20")
    assert killed.done("charge") == 2, "the customer was charged twice"
    once, again = run.at("step1/tool:charge[0]"), run.at("step1#2/tool:charge[0]")
    assert (once.status, again.status) == ("unfinished", "ok")
    assert once.inputs == again.inputs == {"amount": 20}
    assert own(again) == {
        "attempt": 2, "repeat_of": once.id, "same_inputs": True, "earlier": "unfinished",
    }  # fmt: skip
    assert [each["name"] for each in facts(run)["repeats"] if each["kind"] == "tool"] == ["charge"]
    assert [span.path for span in run.spans if span.name == "look_up"] == ["step0/tool:look_up[0]"]
    assert [each["ended"] for each in facts(run)["attempts"]] == ["killed", "completed"]
    (twice,) = found(run, "effect-repeated")
    assert twice.spans == (again.id, once.id)
    assert "it had begun when its worker was lost" in twice.sentence
