"""Executions of real servers as runs, and forked from what their Redis holds of them."""

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hayhooks", reason="there are no durable executions without hayhooks")

from inspector import load_run
from inspector.cli.main import main
from inspector.errors import InspectorError
from inspector.hayhooks.as_run import fetched, recorded, skeleton, told
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.client import HayhooksClient
from inspector.hayhooks.client.index import ExecutionIndex
from inspector.hayhooks.client.model import (
    Execution,
    ExecutionRow,
    ExecutionStatus,
    HayhooksError,
    Server,
    StreamEvent,
)
from inspector.hayhooks.fork import fork
from inspector.hayhooks.stored import Stored, read_stored
from tests.helpers.hayhooks_server import PIPELINES, HayhooksCluster

pytestmark = pytest.mark.timeout(180)

ROW = ExecutionRow("e1", "rag", "pipeline", "1", ExecutionStatus.RUNNING, 1, 0, 0)


class Bench:
    """Servers, their client, and where executions leave their traces."""

    def __init__(self, cluster: HayhooksCluster, folder: Path) -> None:
        self.cluster = cluster
        self.ledger = folder / "ledger"
        server = Server("bench", cluster.replicas[0].url, (cluster.replicas[1].url,))
        self.client = HayhooksClient(server, Access(cluster.token))
        self.index = ExecutionIndex(folder / "executions.sqlite")

    def ran(self, deployment: str, given: dict[str, Any]) -> Execution:
        """Return what became of an execution that was watched until it ended or waits."""
        submitted = self.client.submit(deployment, {**given, "ledger": str(self.ledger)})
        known = submitted.execution.row.id
        for event in self.index.watch(self.client, deployment, known):
            if event.execution is not None and event.execution.waiting is not None:
                break
        return self.client.inspect(deployment, known)

    def did(self, what: str) -> int:
        """Return how often something was done, whoever did it."""
        lines = self.ledger.read_text().splitlines() if self.ledger.exists() else []
        return sum(line.startswith(f"{what} ") for line in lines)


@pytest.fixture
def bench(hayhooks: HayhooksCluster, tmp_path: Path) -> Iterator[Bench]:
    made = Bench(hayhooks, tmp_path)
    with closing(made.client), closing(made.index):
        yield made


@pytest.fixture(autouse=True)
def own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("RUN_INSPECTOR_HAYHOOKS_SERVERS", str(tmp_path / "servers.toml"))


def test_what_was_seen_of_an_execution_is_a_run_that_says_what_it_lacks(bench: Bench) -> None:
    execution = bench.ran("rag", {"question": "pumps", "chunks": 5})
    data, silent = fetched(bench.client, bench.index, execution)
    run = skeleton(data)
    assert (run.name, run.status, run.kind) == ("rag", "completed", "pipeline")
    assert run.outputs["answer"] == "word0 word1 word2 word3 word4 "
    facts = run.extensions["hayhooks"]
    assert facts["skeleton"]
    assert facts["attempts"] == [{"attempt": 1, "ended": "completed", "witnessed": True}]
    (attempt,) = [span for span in run.spans if span.name == "attempt 1"]
    assert [chunk.value["content"] for chunk in attempt.chunks] == [f"word{n} " for n in range(5)]
    lacks = {each["what"] for each in run.not_recorded}
    assert {"the input", "what components were given and returned"} <= lacks
    assert all("traces" in sentence for sentence in silent)


def test_the_store_knows_the_input_and_the_checkpoint(bench: Bench) -> None:
    execution = bench.ran("rag", {"question": "pumps"})
    data, _ = fetched(bench.client, bench.index, execution, place=bench.cluster.redis.url)
    run = skeleton(data)
    assert run.inputs["question"] == "pumps"
    assert run.snapshot["break_point"]["component_name"] == "llm"
    (checkpoint,) = [s for s in run.spans if s.operation == "inspector.checkpoint"]
    assert checkpoint.outputs["adapter_kind"] == "pipeline"
    stored = read_stored(bench.cluster.redis.url, "rag", execution.row.id)
    seen = bench.index.witnessed(bench.client.server, execution.row.id)
    assert [each["id"] for each in stored.chunks] == [e.id for e in seen if e.kind == "chunk"] != []
    assert "the input" not in {each["what"] for each in run.not_recorded}


def test_a_pipeline_goes_on_from_its_checkpoint_without_doing_again_what_was_done(
    bench: Bench,
) -> None:
    execution = bench.ran("rag", {"question": "pumps", "chunks": 3})
    assert (bench.did("retriever"), bench.did("llm")) == (1, 1)
    stored = read_stored(bench.cluster.redis.url, "rag", execution.row.id)
    reports: list[str] = []
    forked = fork(stored, str(PIPELINES / "rag"), said=reports.append)
    assert forked.status == "completed"
    assert (bench.did("retriever"), bench.did("llm")) == (1, 2)
    assert [s.name for s in forked.run.spans if s.kind == "component"] == ["llm"]
    assert forked.run.status == "completed"
    assert forked.run.outputs["llm"]["replies"] == ["word0 word1 word2 "]
    assert reports
    # What was forked stands where it stood.
    after = bench.client.inspect("rag", execution.row.id)
    assert (after.row.attempt, after.sequence) == (execution.row.attempt, execution.sequence)


def test_a_waiting_agent_is_answered_in_a_fork_and_still_waits_where_it_is(bench: Bench) -> None:
    execution = bench.ran("approver", {"task": "Settle. steps=2 charge=20"})
    assert execution.row.status == "waiting"
    looked_up = bench.did("look_up")
    stored = read_stored(bench.cluster.redis.url, "approver", execution.row.id)
    forked = fork(stored, str(PIPELINES), answer={"approved": True})
    assert forked.status == "completed"
    assert bench.did("charge") == 1
    assert bench.did("look_up") == looked_up
    assert bench.client.inspect("approver", execution.row.id).row.status == "waiting"
    bench.client.cancel("approver", execution.row.id)


def test_what_cannot_be_forked_or_read_is_said(bench: Bench, tmp_path: Path) -> None:
    execution = bench.ran("retrier", {"times": 0})
    stored = read_stored(bench.cluster.redis.url, "retrier", execution.row.id)
    if stored.checkpoint is None:
        with pytest.raises(InspectorError, match="no checkpoint"):
            fork(stored, str(PIPELINES / "retrier"))
    with pytest.raises(HayhooksError, match="no execution"):
        read_stored(bench.cluster.redis.url, "rag", execution.row.id)
    with pytest.raises(InspectorError, match="no place"):
        read_stored("http://127.0.0.1/", "rag", execution.row.id)
    with pytest.raises(HayhooksError):
        read_stored("redis://127.0.0.1:1/0", "rag", execution.row.id)
    with pytest.raises(InspectorError, match="no store of executions"):
        read_stored(f"sqlite:{tmp_path / 'none.sqlite'}", "rag", execution.row.id)
    assert list(tmp_path.glob("none*")) == []
    assert recorded(tmp_path, execution.row.id) is None


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the usual file has another place")
def test_looking_for_the_usual_store_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with pytest.raises(InspectorError, match="no store of executions"):
        read_stored("sqlite:", "rag", "e1")
    assert not (tmp_path / "state").exists()


def test_what_placeholders_were_made_with_is_in_no_document() -> None:
    own = {"run": "01", "schema": 1, "salt": "5a17"}
    kept = {"adapter_kind": "agent", "application_state": {"theirs": 1, "run_inspector": own}}
    stored = Stored(input={}, checkpoint=kept, execution=Execution(ROW))
    assert stored.said["checkpoint"] == {
        "adapter_kind": "agent",
        "application_state": {"theirs": 1, "run_inspector": {"run": "01", "schema": 1}},
    }
    assert stored.checkpoint is kept, "who goes on from it needs the same placeholders"


def test_what_an_abandoned_attempt_streamed_is_had_from_the_store() -> None:
    def kept(number: int, attempt: int, text: str) -> dict[str, Any]:
        return {"id": f"{number}-0", "kind": "chunk", "attempt": attempt, "payload": text,
                "at_ns": number * 10**6, "kept": True}  # fmt: skip

    row = replace(ROW, attempt=2)
    stored = Stored(
        input={}, checkpoint=None, execution=Execution(row),
        chunks=(kept(5, 1, "lost "), kept(6, 1, "words"), kept(7, 2, "new "), kept(8, 2, "words")),
    )  # fmt: skip
    seen = [StreamEvent("8-0", "chunk", 2, "words", 9 * 10**6)]
    run = skeleton(told(Execution(row), events=seen, stored=stored))
    said = {span.name: span.outputs for span in run.spans if span.name.startswith("attempt")}
    assert said == {
        "attempt 1": {"streamed": "lost words"}, "attempt 2": {"streamed": "new words"},
    }  # fmt: skip
    witnessed = [each["witnessed"] for each in run.extensions["hayhooks"]["attempts"]]
    assert witnessed == [False, True]


def test_the_command_line_fetches_and_forks(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    execution = bench.ran("rag", {"question": "pumps", "chunks": 2})
    monkeypatch.setenv("RUN_INSPECTOR_HAYHOOKS_TOKEN", bench.cluster.token)
    monkeypatch.setenv("RUN_INSPECTOR_HAYHOOKS_STORE", bench.cluster.redis.url)
    where = ["--server", bench.client.server.url, "--deployment", "rag"]
    out = tmp_path / "fetched.run.json"
    words = ["hayhooks", "fetch", execution.row.id, "-o", str(out), *where]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["skeleton"]
    assert told["execution"] == execution.row.id
    assert load_run(out).inputs["question"] == "pumps"
    forked = tmp_path / "forked.run.json"
    words = ["hayhooks", "fork", execution.row.id, "-o", str(forked), *where]
    words += ["--target", "tests.helpers.hayhooks_parts:rag_pipeline"]  # without its wrapper
    assert main(words) == 2
    assert "--allow-live" in capsys.readouterr().err
    assert not forked.exists()
    assert main([*words, "--allow-live"]) == 0
    assert load_run(forked).status == "completed"
    assert bench.did("retriever") == 1
