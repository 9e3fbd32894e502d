"""Our client of A2A: against our server, against Hayhooks' own, and against liars."""

import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("hayhooks", reason="there are no agents to ask without hayhooks")
pytest.importorskip("a2a", reason="there is no A2A without its SDK")

from inspector import load_runs
from inspector.hayhooks.a2a.as_run import fetched, tasks_as_runs
from inspector.hayhooks.a2a.client import A2AClient
from inspector.hayhooks.a2a.events import Told
from inspector.hayhooks.a2a.rpc import Rpc
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.model import HayhooksError
from inspector.hayhooks.client.wire import Wire
from inspector.importers.a2a_told import read_task
from tests.helpers.a2a_server import A2AProcess

pytestmark = pytest.mark.haystack

ORDINARY = Path(__file__).parent / "ordinary"


@pytest.fixture(scope="module")
def parrot(tmp_path_factory):
    """Yield Hayhooks' own A2A server, with one ordinary wrapper."""
    process = A2AProcess.of_hayhooks(tmp_path_factory.mktemp("hayhooks"), ORDINARY)
    try:
        yield process.start().wait().url
    finally:
        process.kill()


@pytest.fixture
def ask():
    """Return a function that makes clients, which are closed in the end."""
    made = []

    def client(url, **more):
        made.append(A2AClient(url, **more))
        return made[-1]

    yield client
    for each in made:
        each.close()


def test_a_card_says_what_forms_are_built_from(served, ask):
    card = ask(f"{served}/clerk/.well-known/agent-card.json").card()
    assert (card.name, card.version, card.protocol, card.streams) == ("clerk", "7", "1.0", True)
    assert card.input_schema["required"] == ["prompt"]
    assert card.resume_schema is None


def test_agents_of_a_server_are_found(served, ask):
    found = ask(served).agents()
    assert found == tuple(f"{served}/{name}/" for name in ("clerk", "brief", "private"))
    assert ask(found[0]).agents() == (found[0].rstrip("/"),)


def test_a_question_is_answered_as_from_a_form(served, ask):
    client = ask(f"{served}/clerk")
    events = list(client.send_and_stream("ask", context_id="desk"))
    task = events[-1].task
    assert (task.state, task.asks, task.context_id) == ("input-required", True, "desk")
    assert task.message.text == "What size?"
    assert task.message.schema["properties"]["size"] == {"type": "integer"}
    with pytest.raises(HayhooksError, match="is not of type 'integer'") as refused:
        client.send(data={"size": "large"}, task_id=task.id)
    assert (refused.value.kind, refused.value.fields) == (
        "invalid",
        (("size", "'large' is not of type 'integer'"),),
    )
    assert client.task(task.id).asks
    client.send(data={"size": 3}, task_id=task.id)
    last = list(client.stream(task.id))[-1].task
    assert (last.state, last.text) == ("completed", "ask: {'size': 3}")
    assert task.id in {each.id for each in client.tasks(context_id="desk")}


def test_a_stream_puts_the_task_together(served, ask):
    task = list(ask(f"{served}/clerk").send_and_stream("say 12"))[-1].task
    texts = {each.id: each.text for each in task.artifacts}
    assert texts["stream-1"] == "".join(f"{number} " for number in range(12))
    assert [each.text for each in task.history] == ["say 12", "said it"]


def test_a_task_is_canceled_and_then_cannot_be(served, ask):
    client = ask(f"{served}/clerk")
    task = client.send("hold")
    assert not task.is_over
    assert client.cancel(task.id).state == "canceled"
    with pytest.raises(HayhooksError, match="is over: canceled") as refused:
        client.cancel(task.id)
    assert refused.value.kind == "conflict"
    assert [each.task.state for each in client.stream(task.id)] == ["canceled"]


def test_closing_ends_a_watch_of_another_thread(served, ask):
    client = ask(f"{served}/clerk")
    task = client.send("hold")
    came, ended = threading.Event(), threading.Event()

    def watch():
        try:
            for _ in client.stream(task.id):
                came.set()
        except HayhooksError:
            pass
        ended.set()

    thread = threading.Thread(target=watch)
    thread.start()
    assert came.wait(30)
    client.close()
    assert ended.wait(30)
    thread.join()
    ask(f"{served}/clerk").cancel(task.id)


def test_owners_are_told_apart_by_their_headers(served, ask):
    url = f"{served}/private"
    ann, bob = (ask(url, secrets=Access(owner={"X-User": name})) for name in ("ann2", "bob2"))
    task = ann.send("ask")
    assert [each.id for each in ann.tasks()] == [task.id]
    with pytest.raises(HayhooksError) as refused:
        bob.task(task.id)
    assert refused.value.kind == "not_found"
    with pytest.raises(HayhooksError, match="does not let us in") as refused:
        ask(url).tasks()
    assert refused.value.kind == "unauthorized"


def test_tasks_become_runs_that_say_what_is_missing(served, ask):
    client = ask(f"{served}/clerk")
    asked = client.send("ask", wait=True)
    client.send(data={"size": 5}, task_id=asked.id, wait=True)
    failed = client.send("fail now", wait=True)
    data = fetched(client, [asked.id, failed.id])
    (_, first), (task, second) = tasks_as_runs(data)
    assert (first.name, first.status) == ("clerk", "completed")
    assert "what happened inside the agent" in {each["what"] for each in first.not_recorded}
    asking = next(span for span in first.spans if span.name == "input required")
    assert asking.inputs["messages"][0]["content"][0]["text"] == "What size?"
    assert '"size"' in json.dumps(asking.outputs)
    assert (task.state, second.status, second.roots[0].error.type) == (
        "failed",
        "failed",
        "ValueError",
    )


def test_hayhooks_own_server_is_a_source(parrot, ask):
    (url,) = ask(parrot).agents()
    client = ask(url)
    assert client.card().name == "parrot"
    task = client.send("one two three", wait=True)
    assert (task.state, task.text.split()) == ("completed", ["one", "two", "three"])
    failed = client.send("fail", wait=True)
    assert failed.state == "failed"
    assert "the parrot is tired" in failed.text
    assert {each.id for each in client.tasks()} == {task.id, failed.id}
    runs = load_runs(fetched(client))
    by_status = {str(run.status): run for run in runs}
    assert set(by_status) == {"completed", "failed"}
    assert "one two three" in json.dumps(by_status["completed"].outputs)
    assert "one two three" in json.dumps(by_status["completed"].inputs)


class _Liar(BaseHTTPRequestHandler):
    """Answers with what the server holds for a path."""

    def do_GET(self):
        self._answer(self.server.said.get(self.path))

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posted.append(self.path)
        self._answer(self.server.said.get("POST"))

    def _answer(self, said):
        data = (
            b"" if said is None else said if isinstance(said, bytes) else json.dumps(said).encode()
        )
        self.send_response(404 if said is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


@pytest.fixture
def liar():
    """Yield a server that says what a test has it say; `.url` is where."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Liar)
    server.daemon_threads = True
    server.said, server.posted = {}, []
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def card_of(url, **more):
    interfaces = [{"protocolBinding": "JSONRPC", "url": url, "protocolVersion": "1.0"}]
    return {"name": "liar", "supportedInterfaces": interfaces, **more}


def test_a_card_cannot_send_calls_to_another_server(liar, ask):
    liar.said["/.well-known/agent-card.json"] = card_of("http://192.0.2.1/rpc")
    with pytest.raises(HayhooksError, match=r"sends its calls to 192\.0\.2\.1:80") as refused:
        ask(liar.url).send("hello")
    assert refused.value.kind == "odd"


def test_a_card_may_call_this_machine_by_another_name(liar, ask):
    liar.said["/.well-known/agent-card.json"] = card_of(f"http://0.0.0.0:{liar.server_port}/rpc")
    task = {"id": "t", "status": {"state": "TASK_STATE_WORKING"}}
    liar.said["POST"] = {"jsonrpc": "2.0", "id": 1, "result": {"task": task}}
    assert ask(liar.url).send("hello").state == "working"
    assert liar.posted == ["/rpc"]


@pytest.mark.parametrize(
    "said",
    [
        b"<html>",
        b"[" * 100_000,
        {"result": 3},
        {"result": {"task": {"id": 7, "status": []}}},
        {"error": {"code": "x", "message": ["\x1b[31m"], "data": [[{}]]}},
        {"result": {"tasks": "all"}},
    ],
)
def test_odd_answers_are_errors_in_words(liar, ask, said):
    liar.said["/.well-known/agent-card.json"] = card_of(f"{liar.url}/")
    liar.said["POST"] = said
    client = ask(liar.url)
    with pytest.raises(HayhooksError):
        client.task("t")


def test_a_stream_that_breaks_off_is_an_error(liar, ask):
    liar.said["/.well-known/agent-card.json"] = card_of(f"{liar.url}/")
    task = {"id": "t", "status": {"state": "TASK_STATE_WORKING"}}
    liar.said["POST"] = {"jsonrpc": "2.0", "id": 1, "result": {"task": task}}
    came = []
    with pytest.raises(HayhooksError, match="ended before the task did") as broken:
        came.extend(each.task.state for each in ask(liar.url).stream("t"))
    assert broken.value.kind == "down"
    assert came == ["working"]
    stopped = ask(liar.url).stream("t", cancelled=lambda: True)
    assert [each.task.state for each in stopped] == ["working"]


def test_agents_that_a_server_lists_may_be_called_as_folders_may(liar, ask):
    liar.said["/status"] = {"agents": ["2nd-agent", "../up", "a/b", "x?y", "caf\u00e9", 7]}
    assert ask(liar.url).agents() == (f"{liar.url}/2nd-agent/",)


def test_no_secret_travels_in_the_open():
    with pytest.raises(HayhooksError, match="in the open"):
        A2AClient("http://192.0.2.1:1418/agent", Access("secret-token"))
    assert "secret-token" not in repr(A2AClient("https://192.0.2.1/a", Access("secret-token")))


def test_where_no_agent_is_it_is_said(liar, ask):
    with pytest.raises(HayhooksError, match=r"There is no agent of A2A at 127\.0\.0\.1") as found:
        ask(liar.url).agents()
    assert found.value.kind == "not_found"


def test_an_agent_of_the_version_before_is_spoken_to_in_it(served):
    """All but the list of tasks, which A2A 0.3 does not have."""
    with A2AClient(f"{served}/clerk") as client:
        card = replace(client.card(), protocol="0.3")
    wire = Wire(f"{served}/clerk", 20.0)
    rpc = Rpc(wire, {}, card)
    try:
        message = {"messageId": "m-0.3", "parts": [{"data": {"prompt": "ask"}}]}
        params = {"message": message}
        rpc.say_when(params, wait=True)
        task = read_task(rpc.call("SendMessage", params))
        assert (task.state, task.message.text) == ("input-required", "What size?")
        answer = {"messageId": "n-0.3", "taskId": task.id, "parts": [{"data": {"size": 4}}]}
        results = rpc.stream("SendStreamingMessage", {"message": answer}, lambda: False)
        last = list(Told().events(results))[-1].task
        assert (last.state, last.text) == ("completed", "ask: {'size': 4}")
        with pytest.raises(HayhooksError, match="has no list of tasks"):
            rpc.call("ListTasks", {})
    finally:
        rpc.close()
