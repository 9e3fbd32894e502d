"""The A2A SDK's own client drives a durable agent, while its server is killed and comes back."""

import json

import pytest

pytest.importorskip("hayhooks", reason="there are no durable agents without hayhooks")
pytest.importorskip("a2a", reason="there is no A2A without its SDK")

from a2a.helpers import get_artifact_text, get_data_parts, get_message_text
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    SubscribeToTaskRequest,
    TaskState,
)
from a2a.utils.errors import InvalidParamsError, TaskNotCancelableError, UnsupportedOperationError

from tests.helpers.a2a_sdk import happened, saying, sdk_client, state_in, told, word
from tests.helpers.a2a_server import A2AProcess
from tests.helpers.hayhooks_server import PIPELINES
from tests.helpers.redis_server import RedisServer

pytestmark = pytest.mark.haystack


@pytest.fixture(params=["sqlite", "redis"])
def store(request, tmp_path):
    """Yield the words for a store that outlives servers."""
    if request.param == "sqlite":
        yield f"sqlite:{tmp_path / 'executions.sqlite'}"
        return
    if not RedisServer.is_installed():
        pytest.skip("redis-server is not on this machine")
    with RedisServer() as redis:
        yield redis.url


@pytest.fixture
def server(store, tmp_path):
    """Yield a server of the approving agent: it looks something up, asks, charges, answers."""
    process = A2AProcess.ours(tmp_path, str(PIPELINES / "approver"), store)
    try:
        yield process.start().wait()
    finally:
        process.kill()


async def test_tasks_outlive_their_server(server, tmp_path):
    gate, ledger = tmp_path / "gate", tmp_path / "ledger"
    work = {"task": "Settle. steps=1 charge=20", "gate": str(gate), "ledger": str(ledger)}
    async with sdk_client(server.url) as client:
        events = await told(client.send_message(saying(data=work, context="desk-7")))
        assert events[0].WhichOneof("payload") == "task"
        assert state_in(events[-1]) == "input_required"
        charged = events[0].task.id
        question = events[-1].status_update.status.message
        assert get_message_text(question) == "May I charge 20?"
        (asked,) = get_data_parts(question.parts)
        assert asked["expected_input_schema"]["required"] == ["approved"]

        waiting = await _begun(client, "Settle. steps=1 charge=7")
        unwanted = await _begun(client, "Settle. steps=1 charge=9")
        with pytest.raises(InvalidParamsError, match=r"approved: 'perhaps' is not of type"):
            await told(client.send_message(saying(data={"approved": "perhaps"}, task=charged)))
        assert await _state(client, charged) == "input_required"

        # Answered, it stands in the tool that charges: from here on it works.
        answer = saying(data={"approved": True, "note": "go"}, task=charged, message_id="yes-1")
        answer.configuration.return_immediately = True
        async with sdk_client(server.url, streaming=False) as blocking:
            (taken,) = await told(blocking.send_message(answer))
        assert state_in(taken) == "working"
        await happened(lambda: "charge" in _lines(ledger))
        server.kill()

    server.start().wait()
    async with sdk_client(server.url) as client:
        task = await client.get_task(GetTaskRequest(id=charged))
        assert (word(task.status.state), task.context_id) == ("working", "desk-7")
        said = [get_message_text(each) for each in task.history]
        assert "May I charge 20?" in said
        assert json.dumps(get_data_parts(task.history[0].parts)[0]["task"]) in json.dumps(work)
        # Sent again, as by somebody who never heard that it had arrived: it counts once.
        again = saying(data={"approved": True, "note": "go"}, task=charged, message_id="yes-1")
        again.configuration.return_immediately = True

        watched = client.subscribe(SubscribeToTaskRequest(id=charged))
        first = await anext(watched)
        assert word(first.task.status.state) == "working"
        gate.touch()
        rest = await told(watched)
        assert state_in(rest[-1]) == "completed"
        done = await client.get_task(GetTaskRequest(id=charged))
        results = {each.artifact_id: each for each in done.artifacts}
        assert get_artifact_text(results["result"]) == "Done after 2 calls."
        assert done.metadata["attempt"] == 3, "waited, was killed, and was taken up again"
        assert _lines(ledger).count("charge") == 2, "the tool that was cut off ran again"
        assert word((await told(client.send_message(again)))[0].task.status.state) == "completed"
        with pytest.raises(UnsupportedOperationError, match="is over: completed"):
            await told(client.send_message(saying("yes", task=charged)))

        # What waited for somebody waits still, and takes a person's word for an answer.
        assert await _state(client, waiting) == "input_required"
        events = await told(client.send_message(saying("yes", task=waiting)))
        assert state_in(events[-1]) == "completed"

        gone = await client.cancel_task(CancelTaskRequest(id=unwanted))
        assert gone.status.state == TaskState.TASK_STATE_CANCELED
        with pytest.raises(TaskNotCancelableError, match="is over: canceled"):
            await client.cancel_task(CancelTaskRequest(id=unwanted))

        listed = await client.list_tasks(ListTasksRequest(page_size=2))
        assert (listed.total_size, len(listed.tasks)) == (3, 2)
        assert listed.tasks[0].id == unwanted, "what changed last stands first"
        more = ListTasksRequest(page_size=2, page_token=listed.next_page_token)
        assert [each.id for each in (await client.list_tasks(more)).tasks] == [charged]
        here = await client.list_tasks(ListTasksRequest(context_id="desk-7"))
        assert [each.id for each in here.tasks] == [charged]


async def _begun(client, text):
    events = await told(client.send_message(saying(text)))
    assert state_in(events[-1]) == "input_required"
    return events[0].task.id


async def _state(client, task_id):
    return word((await client.get_task(GetTaskRequest(id=task_id))).status.state)


def _lines(ledger):
    text = ledger.read_text() if ledger.exists() else ""
    return [line.split()[0] for line in text.splitlines()]
