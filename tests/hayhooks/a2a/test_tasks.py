"""Executions as tasks, in what A2A can ask of them; by the SDK's client, and by hand."""

import asyncio

import pytest

pytest.importorskip("hayhooks", reason="there are no durable agents without hayhooks")
pytest.importorskip("a2a", reason="there is no A2A without its SDK")

from a2a.client.errors import A2AClientError
from a2a.helpers import get_artifact_text, get_message_text
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    SubscribeToTaskRequest,
    TaskState,
)
from a2a.utils.errors import (
    InternalError,
    InvalidParamsError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from hayhooks.durable import DurableDeployment, StoreConfig

from inspector.errors import InspectorError
from inspector.hayhooks.a2a.app import ServedAgent, create_a2a_app
from inspector.hayhooks.store import ExecutionDatabase, SQLiteExecutionStore
from tests.hayhooks.a2a.clerk import CONFIG, Order, clerk_agent
from tests.helpers.a2a_sdk import saying, sdk_client, state_in, told, word
from tests.helpers.a2a_server import posted, served_here

pytestmark = pytest.mark.haystack

MONITORED = StoreConfig(monitoring_enabled=True)


async def sent(client, text=None, **more):
    """Send a message and return the task that its stream ends with."""
    events = await told(client.send_message(saying(text, **more)))
    task_id = events[0].task.id
    return await client.get_task(GetTaskRequest(id=task_id))


async def test_what_is_streamed_and_reported_comes_as_events(served):
    async with sdk_client(f"{served}/clerk") as client:
        events = await told(client.send_message(saying("say 3")))
    kinds = [each.WhichOneof("payload") for each in events]
    assert kinds[0] == "task"
    pieces = [each.artifact_update for each in events if each.HasField("artifact_update")]
    streamed = [each for each in pieces if each.artifact.artifact_id == "stream-1"]
    assert "".join(get_artifact_text(each.artifact) for each in streamed) == "0 1 2 "
    assert not streamed[0].append
    assert pieces[-1].artifact.artifact_id == "result"
    assert pieces[-1].last_chunk
    reported = [get_message_text(each.status_update.status.message) for each in events[1:]]
    assert "said it" in reported
    assert [state_in(each) for each in events][-1] == "completed"


async def test_a_task_tells_later_what_its_events_told(served):
    async with sdk_client(f"{served}/clerk") as client:
        task = await sent(client, "say 4")
    assert {each.artifact_id: get_artifact_text(each) for each in task.artifacts} == {
        "stream-1": "0 1 2 3 ",
        "result": "say",
    }
    assert [get_message_text(each) for each in task.history] == ["say 4", "said it"]
    assert task.metadata["revision"] == "7"


async def test_an_attempt_that_was_given_up_has_an_artifact_of_its_own(served):
    async with sdk_client(f"{served}/clerk") as client:
        task = await sent(client, "retry")
    texts = {each.artifact_id: get_artifact_text(each) for each in task.artifacts}
    assert texts["stream-1"] == "from attempt 1; "
    assert texts["stream-2"] == "from attempt 2; "


async def test_who_comes_late_is_told_that_the_beginning_is_gone(served):
    async with sdk_client(f"{served}/brief") as client:
        task = await sent(client, "say 9")
    (stream,) = [each for each in task.artifacts if each.artifact_id == "stream-1"]
    assert stream.metadata["begins_late"] is True
    assert "8 " in get_artifact_text(stream)
    assert "0 " not in get_artifact_text(stream)


async def test_a_failure_names_the_type_and_keeps_its_words_to_the_log(served):
    async with sdk_client(f"{served}/clerk") as client:
        task = await sent(client, "fail secret")
    assert task.status.state == TaskState.TASK_STATE_FAILED
    assert get_message_text(task.status.message) == "ValueError: Durable execution failed"


async def test_the_same_message_begins_one_task(served, clerk):
    async with sdk_client(f"{served}/clerk") as client:
        one = await sent(client, "say 1", message_id="once")
        two = await sent(client, "say 1", message_id="once")
        assert one.id == two.id
        with pytest.raises(InvalidParamsError, match="other content"):
            await sent(client, "say 2", message_id="once")


@pytest.mark.parametrize(
    ("message", "order"),
    [
        ({"text": "say 1"}, ("say 1", "plain")),
        ({"text": '{"prompt": "say 1", "tone": "kind"}'}, ("say 1", "kind")),
        ({"data": {"prompt": "say 1", "tone": "loud"}}, ("say 1", "loud")),
    ],
)
async def test_a_message_is_input_as_text_as_json_and_as_data(served, clerk, message, order):
    async with sdk_client(f"{served}/clerk") as client:
        await sent(client, **message)
    assert (clerk.seen[-1].prompt, clerk.seen[-1].tone) == order
    assert type(clerk.seen[-1]).__name__ == "Order", "not what the message was kept in"


async def test_what_is_no_input_is_refused_in_words(served):
    async with sdk_client(f"{served}/clerk") as client:
        with pytest.raises(InvalidParamsError, match="prompt: Field required") as refused:
            await sent(client, data={"tone": "kind"})
    assert refused.value.data["expected_input_schema"]["required"] == ["prompt"]


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ({"data": {"size": "large"}}, "size: 'large' is not of type 'integer'"),
        ({"text": "large"}, "'large' is not of type 'object'"),
        ({"data": {}}, "'size' is a required property"),
    ],
)
async def test_a_wrong_answer_is_refused_and_the_question_stands(served, answer, wrong):
    async with sdk_client(f"{served}/clerk") as client:
        task = await sent(client, "ask")
        with pytest.raises(InvalidParamsError, match=wrong):
            await sent(client, task=task.id, **answer)
        task = await client.get_task(GetTaskRequest(id=task.id))
        assert task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
        assert get_message_text(task.status.message) == "What size?"
        task = await sent(client, task=task.id, data={"size": 4})
    assert get_artifact_text(task.artifacts[-1]) == "ask: {'size': 4}"


async def test_a_question_without_a_schema_takes_any_text(served):
    async with sdk_client(f"{served}/clerk") as client:
        task = await sent(client, "wonder")
        task = await sent(client, task=task.id, text="that it is fine")
    assert get_artifact_text(task.artifacts[-1]) == "wonder: that it is fine"


async def test_an_answer_that_is_sent_twice_does_not_answer_the_next_question(served):
    async with sdk_client(f"{served}/clerk") as client:
        task = await sent(client, "insist")
        for _ in range(2):
            task = await sent(client, task=task.id, text="red", message_id="first answer")
        assert get_message_text(task.status.message) == "Answer 2?"
        task = await sent(client, task=task.id, text="blue")
    assert get_artifact_text(task.artifacts[-1]) == "red and blue"
    said = [get_message_text(each) for each in task.history]
    assert said == ["insist", "Answer 1?", "red", "Answer 2?", "blue"]


async def test_of_two_answers_at_once_one_is_taken(served):
    async with sdk_client(f"{served}/clerk") as client:
        task = await sent(client, "wonder")
        results = await asyncio.gather(
            *(sent(client, task=task.id, text=each) for each in ("a", "b")),
            return_exceptions=True,
        )
        assert [type(each) for each in results].count(UnsupportedOperationError) == 1


async def test_one_that_runs_is_canceled_and_watched_to_its_end(served):
    async with sdk_client(f"{served}/clerk") as client:
        stream = client.send_message(saying("hold"))
        task_id = (await anext(stream)).task.id
        watching = asyncio.create_task(told(client.subscribe(SubscribeToTaskRequest(id=task_id))))
        with pytest.raises(UnsupportedOperationError, match="only when it asks"):
            await sent(client, "hurry", task=task_id)
        gone = await client.cancel_task(CancelTaskRequest(id=task_id))
        assert gone.status.state == TaskState.TASK_STATE_CANCELED
        assert state_in((await told(stream))[-1]) == "canceled"
        assert state_in((await watching)[-1]) == "canceled"
        with pytest.raises(UnsupportedOperationError, match="is over: canceled"):
            await told(client.subscribe(SubscribeToTaskRequest(id=task_id)))


async def test_who_subscribes_to_a_question_sees_it_answered(served):
    async with sdk_client(f"{served}/clerk") as client:
        task = await sent(client, "insist")
        watched = client.subscribe(SubscribeToTaskRequest(id=task.id))
        assert state_in(await anext(watched)) == "input_required"
        await sent(client, task=task.id, text="red")
        rest = [state_in(each) for each in await told(watched)]
    assert rest[-1] == "input_required", "the next question ends the watch"


async def test_without_streaming_an_answer_waits_or_does_not(served):
    async with sdk_client(f"{served}/clerk", streaming=False) as client:
        (done,) = await told(client.send_message(saying("say 2")))
        assert state_in(done) == "completed"
        asked = saying("hold")
        asked.configuration.return_immediately = True
        (begun,) = await told(client.send_message(asked))
        assert state_in(begun) in {"submitted", "working"}
        await client.cancel_task(CancelTaskRequest(id=begun.task.id))


async def test_contexts_hold_their_tasks_and_refuse_others(served):
    async with sdk_client(f"{served}/clerk") as client:
        task = await sent(client, "ask", context="desk-1")
        alone = await sent(client, "say 1")
        assert (task.context_id, alone.context_id) == ("desk-1", alone.id)
        with pytest.raises(InvalidParamsError, match="in the context desk-1"):
            await sent(client, task=task.id, context="desk-2", data={"size": 1})
        found = await client.list_tasks(
            ListTasksRequest(context_id="desk-1", status=TaskState.TASK_STATE_INPUT_REQUIRED)
        )
        assert [each.id for each in found.tasks] == [task.id]
        assert not found.tasks[0].artifacts


async def test_owners_see_and_begin_their_own(served):
    async def listed(client):
        return [each.id for each in (await client.list_tasks(ListTasksRequest())).tasks]

    url = f"{served}/private"
    async with (
        sdk_client(url, headers={"X-User": "ann"}) as ann,
        sdk_client(url, headers={"X-User": "bob"}) as bob,
    ):
        hers = await sent(ann, "ask", message_id="m")
        his = await sent(bob, "ask", message_id="m")
        assert hers.id != his.id
        assert (await listed(ann), await listed(bob)) == ([hers.id], [his.id])
        with pytest.raises(TaskNotFoundError):
            await bob.get_task(GetTaskRequest(id=hers.id))
        with pytest.raises(TaskNotFoundError):
            await sent(bob, task=hers.id, data={"size": 1})
        with pytest.raises(TaskNotFoundError):
            await bob.cancel_task(CancelTaskRequest(id=hers.id))
    async with sdk_client(url) as stranger:
        with pytest.raises(A2AClientError, match="401"):
            await stranger.list_tasks(ListTasksRequest())


async def test_too_many_tasks_are_refused_for_now(served):
    async with sdk_client(f"{served}/brief") as client:
        task = await sent(client, "ask")
        with pytest.raises(InternalError, match="as many tasks as it takes"):
            await sent(client, "ask")
        await client.cancel_task(CancelTaskRequest(id=task.id))
        assert (await sent(client, "say 1")).status.state == TaskState.TASK_STATE_COMPLETED


@pytest.mark.parametrize("task_id", ["0" * 32, "../../etc", "a b", "x" * 300])
async def test_unknown_and_impossible_ids_are_not_found(served, task_id):
    async with sdk_client(f"{served}/clerk") as client:
        with pytest.raises(TaskNotFoundError):
            await client.get_task(GetTaskRequest(id=task_id))


def test_a_client_of_the_version_before_is_understood(served):
    url = f"{served}/clerk"
    parts = [{"kind": "data", "data": {"prompt": "ask"}}]
    message = {"kind": "message", "role": "user", "messageId": "old", "parts": parts}
    old = {"A2A-Version": "0.3"}
    answer = posted(url, "message/send", {"message": message}, **old)
    task = answer["result"]
    assert (task["kind"], task["status"]["state"]) == ("task", "input-required")
    parts = [{"kind": "data", "data": {"size": 3}}]
    message |= {"messageId": "old 2", "taskId": task["id"], "parts": parts}
    answer = posted(url, "message/send", {"message": message}, **old)
    assert answer["result"]["status"]["state"] == "completed"
    answer = posted(url, "tasks/get", {"id": task["id"]}, **old)
    assert answer["result"]["artifacts"][-1]["parts"][0]["text"] == "ask: {'size': 3}"


async def test_a_started_deployment_is_refused(clerk):
    agent = clerk_agent(clerk, "busy")
    await agent.deployment.start()
    try:
        with pytest.raises(InspectorError, match="was started already"):
            create_a2a_app([agent], base_url="http://127.0.0.1")
    finally:
        await agent.deployment.close()


async def test_ids_and_states_are_those_of_the_executions(clerk):
    """Whatever reads the store sees the tasks: there is no table beside it."""
    agent = clerk_agent(clerk, "alone")
    with served_here([agent]) as url:
        async with sdk_client(url) as client:
            task = await sent(client, "ask")
            control = await agent.deployment.store.read_control(task.id)
            assert control.status.value == "waiting"
            await sent(client, task=task.id, data={"size": 2})
            control = await agent.deployment.store.read_control(task.id)
            assert (control.status.value, word(task.status.state)) == (
                "completed",
                "input_required",
            )


async def test_work_that_begins_says_so_before_what_it_streams(served):
    async with sdk_client(f"{served}/clerk") as client:
        events = await told(client.send_message(saying("say 2")))
    kinds = [each.WhichOneof("payload") for each in events]
    assert state_in(events[1]) == "working"
    assert kinds.index("status_update") < kinds.index("artifact_update")
    ids = [
        each.status_update.status.message.message_id
        for each in events
        if each.HasField("status_update") and each.status_update.status.message.message_id
    ]
    assert len(ids) == len(set(ids)), "nothing is said twice"


async def test_what_hayhooks_own_api_began_is_a_task_too(clerk, tmp_path):
    """And what a task began is work that any worker of the deployment does."""
    database = ExecutionDatabase(tmp_path / "shared.sqlite")
    try:
        with served_here([kept_agent(clerk, database)]) as url:
            async with sdk_client(url) as client:
                waiting = await sent(client, "wonder", context="desk")

        # The same file without us: whoever works on it now knows nothing of messages.
        store = SQLiteExecutionStore(database, "shared", config=MONITORED)
        plain = DurableDeployment("shared", "7", store, Order, clerk.run, config=CONFIG)
        await plain.start()
        theirs = (await plain.submit({"prompt": "wonder"})).control.run_id
        await plain.resume(waiting.id, "by the API", enforce_owner=False)
        await stands(store, waiting.id, "completed")
        await stands(store, theirs, "waiting")
        await plain.close()

        with served_here([kept_agent(clerk, database)]) as url:
            async with sdk_client(url) as client:
                done = await client.get_task(GetTaskRequest(id=waiting.id))
                assert done.context_id == "desk"
                assert get_artifact_text(done.artifacts[-1]) == "wonder: by the API"
                task = await client.get_task(GetTaskRequest(id=theirs))
                assert (word(task.status.state), task.context_id) == ("input_required", theirs)
                assert "wonder" in str(task.history[0].parts[0].data)
                answered = await sent(client, task=theirs, text="fine")
                assert get_artifact_text(answered.artifacts[-1]) == "wonder: fine"
    finally:
        await database.close()


def kept_agent(clerk, database):
    store = SQLiteExecutionStore(database, "shared", config=MONITORED)
    return ServedAgent(DurableDeployment("shared", "7", store, Order, clerk.run, config=CONFIG))


async def test_after_a_change_of_code_a_task_is_canceled_not_resumed(clerk):
    before, after = clerk_agent(clerk, "changing"), clerk_agent(clerk, "changing")
    after.deployment.store, after.deployment.revision = before.deployment.store, "8"
    with served_here([before]) as url:
        async with sdk_client(url) as client:
            task = await sent(client, "ask")
    with served_here([after]) as url:
        async with sdk_client(url) as client:
            with pytest.raises(UnsupportedOperationError, match="code was changed"):
                await sent(client, task=task.id, data={"size": 1})
            gone = await client.cancel_task(CancelTaskRequest(id=task.id))
            assert gone.status.state == TaskState.TASK_STATE_CANCELED


async def stands(store, run_id, status):
    """Return once an execution stands where it should."""
    async with asyncio.timeout(30):
        while (await store.read_control(run_id)).status.value != status:
            await asyncio.sleep(0.02)
