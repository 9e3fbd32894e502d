"""The client against real Hayhooks servers on a real Redis, also while these are killed."""

import threading
from pathlib import Path

import jsonschema
import pytest

pytest.importorskip("hayhooks", reason="there is no server without hayhooks")

from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.client import HayhooksClient
from inspector.hayhooks.client.index import ExecutionIndex
from inspector.hayhooks.client.model import ExecutionStatus, HayhooksError, Server

PATIENCE_S = 60


class Gate:
    """Where an execution stops until it is opened, and what it wrote down on its way."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "gate"
        self.ledger = folder / "ledger"

    @property
    def fields(self):
        return {"gate": str(self.file), "ledger": str(self.ledger)}

    def open(self):
        self.file.touch()

    def entries(self, what):
        lines = self.ledger.read_text().splitlines() if self.ledger.exists() else []
        return [line.split() for line in lines if line.startswith(f"{what} ")]


@pytest.fixture
def gate(tmp_path):
    gate = Gate(tmp_path)
    yield gate
    gate.open()  # whatever became of the test, the servers get their threads back


@pytest.fixture
def server(hayhooks):
    first, second = hayhooks.replicas
    return Server("real", first.url, (second.url,))


@pytest.fixture
def client(server, hayhooks):
    client = HayhooksClient(server, Access(hayhooks.token))
    yield client
    client.close()


@pytest.fixture
def index(tmp_path):
    index = ExecutionIndex(tmp_path / "executions.sqlite")
    yield index
    index.close()


def refused(call):
    with pytest.raises(HayhooksError) as caught:
        call()
    return caught.value


def until(client, deployment, execution, *statuses):
    """Return an execution once it has one of these statuses."""
    for event in client.stream(deployment, execution, poll_s=0.1):
        if event.execution is not None and event.execution.row.status in statuses:
            return event.execution
    raise AssertionError(f"it never was {statuses}")


def words(events, attempt=None):
    return [
        event.payload["content"].strip()
        for event in events
        if event.kind == "chunk" and attempt in {None, event.attempt}
    ]


def test_a_server_says_how_it_is_and_what_it_takes(client):
    status = client.status()
    assert (status.state, status.message) == ("up", "")
    found = {one.name: one for one in client.deployments()}
    durable = {name for name, one in found.items() if one.is_durable}
    assert durable >= {"rag", "approver", "owned", "retrier"}
    assert "echo" in found.keys() - durable
    assert (found["approver"].kind, found["rag"].kind) == ("agent", "pipeline")
    assert found["owned"].owner_headers == ("x-owner",)
    assert found["rag"].resume_schema is None
    jsonschema.validate({"question": "Why?"}, found["rag"].input_schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"chunks": 5}, found["rag"].input_schema)
    jsonschema.validate({"approved": True}, found["approver"].resume_schema)
    assert [one.state for one in client.statuses()] == ["up", "up"]
    assert "traces" in client.traces(5)


def test_what_is_submitted_is_watched_to_its_result(client):
    assert client.status().state == "up"  # which also tells what is a pipeline
    submitted = client.submit("rag", {"question": "Why?", "chunks": 12})
    assert not submitted.was_known
    events = list(client.stream("rag", submitted.execution.row.id))
    assert words(events) == [f"word{number}" for number in range(12)]
    end = events[-1].execution
    assert end is not None
    assert end.result["answer"].startswith("word0 word1")
    assert end.row.kind == "pipeline"
    assert [one.kind for one in end.progress] == ["progress", "checkpoint"]
    assert client.inspect("rag", end.row.id).result == end.result


def test_reattaching_on_the_other_replica_leaves_no_gap_and_no_overlap(client, server, gate):
    task = {"question": "Why?", "chunks": 40, "hold_after": 10, **gate.fields}
    execution = client.submit("rag", task).execution.row.id
    seen, last = [], None
    for event in client.stream("rag", execution):
        if event.kind == "chunk":
            seen.append(event)
            last = event.id
        if len(seen) == 8:
            break
    gate.open()
    other = HayhooksClient(server, base_url=server.replicas[0])
    rest = list(other.stream("rag", execution, last_event_id=last))
    other.close()
    assert words(seen) + words(rest) == [f"word{number}" for number in range(40)]
    assert {event.url for event in rest} == {server.replicas[0]}


def test_a_wait_is_resumed_with_what_it_takes_and_only_once(client, server, gate):
    execution = client.submit("approver", {"ledger": str(gate.ledger)}).execution.row.id
    waiting = until(client, "approver", execution, ExecutionStatus.WAITING)
    assert waiting.row.waiting_reason == "May I charge 20?"
    assert waiting.waiting is not None
    jsonschema.validate({"approved": True}, waiting.waiting.expected_input_schema)
    error = refused(lambda: client.resume("approver", execution, {"approved": "perhaps"}))
    assert error.kind == "invalid"
    assert [path for path, _why in error.fields] == ["approved"]
    assert gate.entries("charge") == []
    other = HayhooksClient(server, base_url=server.replicas[0])
    assert other.resume("approver", execution, {"approved": True}).row.status.is_over is False
    other.close()
    assert (
        refused(lambda: client.resume("approver", execution, {"approved": True})).kind == "conflict"
    )
    end = until(client, "approver", execution, *OVER)
    assert (end.row.status, end.row.attempt) == (ExecutionStatus.COMPLETED, 2)
    assert end.result["answer"] == "Done after 2 calls."
    assert len(gate.entries("charge")) == 1


OVER = (ExecutionStatus.COMPLETED, ExecutionStatus.FAILED, ExecutionStatus.CANCELED)


def test_canceling_ends_an_agent_between_its_steps_and_a_waiting_one_at_once(client):
    task = {"task": "steps=50 delay_ms=40 charge=0"}
    execution = client.submit("approver", task).execution.row.id
    until(client, "approver", execution, ExecutionStatus.RUNNING)
    assert client.cancel("approver", execution).row.cancellation_pending
    end = until(client, "approver", execution, *OVER)
    assert end.row.status is ExecutionStatus.CANCELED
    assert len(end.progress) < 50
    assert end.result is None
    waiting = client.submit("approver", {}).execution.row.id
    until(client, "approver", waiting, ExecutionStatus.WAITING)
    assert client.cancel("approver", waiting).row.status is ExecutionStatus.CANCELED


def test_canceling_a_pipeline_interrupts_nothing_and_throws_its_result_away(client, gate):
    task = {"question": "Why?", "chunks": 6, **gate.fields}
    execution = client.submit("rag", task).execution.row.id
    stream = client.stream("rag", execution)
    events = []
    for event in stream:
        events.append(event)
        if len(words(events)) == 3:
            pending = client.cancel("rag", execution)
            assert pending.row.status is ExecutionStatus.RUNNING
            assert pending.cancellation_requested_at_ns is not None
            gate.open()
    assert words(events)[-1] == "word5"  # it ran to its end
    assert (events[-1].kind, events[-1].execution.result) == ("canceled", None)


def test_the_same_key_starts_one_execution_and_refuses_another_input(client, server, tmp_path):
    key = f"key of {tmp_path.name}"
    first = client.submit("retrier", {"failures": 0}, key=key)
    other = HayhooksClient(server, base_url=server.replicas[0])
    again = other.submit("retrier", {"failures": 0}, key=key)
    other.close()
    assert (first.was_known, again.was_known) == (False, True)
    assert again.execution.row.id == first.execution.row.id
    error = refused(lambda: client.submit("retrier", {"failures": 3}, key=key))
    assert (error.status, error.kind) == (409, "conflict")


def test_retries_and_failures_are_told(client):
    retried = client.submit("retrier", {"failures": 2}).execution.row.id
    events = list(client.stream("retrier", retried))
    assert events[-1].execution.result == {"attempts": 3}
    failed = client.submit("retrier", {"fails": True}).execution.row.id
    end = until(client, "retrier", failed, *OVER)
    assert end.error is not None
    assert end.error.type.endswith("LookupError")
    assert "stay on the server" not in repr(end)


def test_a_wrong_token_lists_nothing(client, server, hayhooks):
    wrong = HayhooksClient(server, Access("not-the-token"))
    for ask in (lambda: wrong.page("rag"), wrong.traces):
        error = refused(ask)
        assert (error.status, error.kind) == (401, "unauthorized")
    assert wrong.status().state == "up"
    wrong.close()
    assert client.page("rag", limit=1).rows


def test_owners_see_their_own_executions_only(server, hayhooks, index):
    alice, bob = (
        HayhooksClient(server, Access(hayhooks.token, {"X-Owner": name}))
        for name in ("alice", "bob")
    )
    mine = alice.submit("owned", {"question": "Whose?"}).execution.row.id
    assert list(alice.stream("owned", mine))[-1].kind == "completed"
    for ask in (
        lambda: bob.inspect("owned", mine),
        lambda: bob.cancel("owned", mine),
        lambda: list(bob.stream("owned", mine)),
    ):
        assert refused(ask).kind == "not_found"
    assert mine in {row.id for row in alice.page("owned").rows}
    assert mine not in {row.id for row in bob.page("owned").rows}
    nobody = HayhooksClient(server, Access(hayhooks.token))
    assert refused(lambda: nobody.page("owned")).kind == "unauthorized"
    told = []
    index.refresh(nobody, refused=lambda name, error: told.append(name))
    assert told == ["owned"]
    for one in (alice, bob, nobody):
        one.close()


def test_many_are_paged_and_shown_newest_first(client, index):
    sent = [client.submit("retrier", {"failures": 0}).execution.row.id for _number in range(120)]
    first = client.page("retrier", limit=50)
    second = client.page("retrier", limit=50, cursor=first.cursor)
    assert len(first.rows) == len(second.rows) == 50
    assert not {row.id for row in first.rows} & {row.id for row in second.rows}
    error = refused(lambda: client.page("retrier", cursor=first.cursor, search="abc"))
    assert error.kind == "invalid"
    assert [row.id for row in client.page("retrier", search=sent[7]).rows] == [sent[7]]
    index.refresh(client, ["retrier"])
    newest = index.rows(deployment="retrier", limit=120)
    times = [row.created_at_ns for row in newest]
    assert times == sorted(times, reverse=True)
    assert {row.id for row in newest} == set(sent)
    assert newest[0].revision == "1"
    until(client, "retrier", sent[-1], *OVER)
    index.refresh(client, ["retrier"])
    assert index.row(client.server, sent[-1]).status is ExecutionStatus.COMPLETED


def test_both_attempts_are_kept_when_the_worker_is_killed_in_mid_answer(
    client, hayhooks, gate, index
):
    task = {"question": "Why?", "chunks": 20, "hold_after": 12, **gate.fields}
    execution = client.submit("rag", task).execution.row.id
    events = []
    for event in index.watch(client, "rag", execution):
        events.append(event)
        if event.kind == "chunk" and len(words(events)) == 12:
            hayhooks.running(int(gate.entries("llm")[0][3])).kill()
            gate.open()
    assert words(events, attempt=1) == [f"word{number}" for number in range(12)]
    assert words(events, attempt=2) == [f"word{number}" for number in range(20)]
    assert [event.attempt for event in events if event.kind == "attempt"] == [2]
    assert (events[-1].kind, events[-1].execution.row.attempt) == ("completed", 2)
    assert len(gate.entries("retriever")) == 1  # its work was saved before
    assert len(gate.entries("llm")) == 2
    late = list(client.stream("rag", execution))
    assert words(late, attempt=1) == []  # the server has forgotten what we have seen
    kept = index.witnessed(client.server, execution)
    assert (len(words(kept, 1)), len(words(kept, 2))) == (12, 20)


@pytest.fixture
def any_client(hayhooks_some):
    """Ask whichever server is up."""
    first, second = hayhooks_some.replicas
    client = HayhooksClient(Server("real", first.url, (second.url,)), Access(hayhooks_some.token))
    yield client
    client.close()


def test_a_server_that_is_down_is_said_and_found_again(any_client, hayhooks_some, gate):
    task = {"question": "Why?", "chunks": 5, **gate.fields}
    execution = any_client.submit("rag", task).execution.row.id
    seen = threading.Event()
    kinds = []

    def watch():
        for event in any_client.stream("rag", execution):
            kinds.append(event.kind)
            seen.set()

    watching = threading.Thread(target=watch)
    watching.start()
    assert seen.wait(PATIENCE_S)
    bill = {"ask": False, "task": "Pay. steps=1 charge=20", **gate.fields}
    agent = any_client.submit("approver", bill).execution.row.id
    while not gate.entries("charge"):  # it is in the middle of its tool
        assert not any_client.inspect("approver", agent).row.status.is_over
    for replica in hayhooks_some.replicas:
        replica.kill()
    assert any_client.status().state == "down"
    assert [one.state for one in any_client.statuses()] == ["down", "down"]
    assert refused(lambda: any_client.inspect("rag", execution)).kind == "down"
    gate.open()
    hayhooks_some.replicas[1].start().wait()
    watching.join(PATIENCE_S)
    assert kinds[-1] == "completed"
    assert "reconnecting" in kinds
    end = until(any_client, "approver", agent, *OVER)
    assert (end.row.status, end.row.attempt) == (ExecutionStatus.COMPLETED, 2)
    # What was under way when the server died was done once more; what was done before was not.
    assert [entry[2] for entry in gate.entries("charge")] == ["1", "2"]
    assert [one.kind for one in end.progress].count("checkpoint") == 3
    assert any_client.status().state == "up"
    assert [one.state for one in any_client.statuses()] == ["down", "up"]


def test_a_store_that_hangs_is_told_from_a_server_that_is_down(any_client, hayhooks_some):
    execution = any_client.submit("retrier", {"failures": 0}).execution.row.id
    until(any_client, "retrier", execution, *OVER)
    hayhooks_some.redis.freeze()
    try:
        # The store is waited for, for longer than a server believes what it knows of its health.
        error = refused(lambda: any_client.inspect("retrier", execution))
        status = any_client.status()
    finally:
        hayhooks_some.redis.thaw()
    assert status.state == "degraded"
    assert "retrier" in status.message
    assert (error.status, error.kind) == (503, "degraded")
    assert any_client.inspect("retrier", execution).result == {"attempts": 1}
