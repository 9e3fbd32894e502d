"""Who may speak to the server, what it refuses to serve, and its commands."""

import json
import logging
import shutil
import urllib.error
import urllib.request
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

pytest.importorskip("hayhooks", reason="there are no durable agents without hayhooks")
pytest.importorskip("a2a", reason="there is no A2A without its SDK")

from inspector.cli.main import main
from inspector.errors import InspectorError
from inspector.hayhooks.a2a.app import create_a2a_app
from inspector.hayhooks.a2a.client import A2AClient
from inspector.hayhooks.a2a.guard import is_loopback
from inspector.hayhooks.a2a.serving import said_in_lines, serve
from inspector.hayhooks.a2a.stores import Stores, shown_place
from inspector.hayhooks.a2a.targets import agents_at
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.model import HayhooksError
from tests.hayhooks.a2a.clerk import clerk_agent
from tests.helpers.a2a_server import served_here
from tests.helpers.hayhooks_server import PIPELINES

pytestmark = pytest.mark.haystack


def status_of(request):
    """Return with what a request is refused; None where it is not."""
    try:
        with urllib.request.urlopen(request, timeout=30):
            return None
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "[::1"}, 421),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content-Length": "99000000"}, 413),
    ],
)
def test_what_a_page_in_a_browser_could_send_is_refused(served, headers, status):
    body = b'{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}'
    said = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    request = urllib.request.Request(f"{served}/clerk/", body, said, method="POST")
    assert status_of(request) == status


def test_a_body_of_any_length_is_refused_before_it_comes(served):
    at = urlsplit(served)
    with closing(HTTPConnection(at.hostname, at.port, timeout=30)) as connection:
        connection.putrequest("POST", "/clerk/")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        assert connection.getresponse().status == 411


def test_no_page_is_let_read_what_comes_back(served):
    request = urllib.request.Request(f"{served}/status", headers={"Origin": "http://evil.example"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert not [name for name in answer.headers if name.lower().startswith("access-control")]


def test_with_a_token_only_the_card_is_for_all(clerk):
    with served_here([clerk_agent(clerk)], token="open-sesame") as url:
        said = {"Content-Type": "application/json", "Authorization": "Bearer open-sesam"}
        assert status_of(urllib.request.Request(f"{url}/", b"{}", said)) == 401
        with A2AClient(url) as stranger:
            card = stranger.card()
            assert card.tree["securitySchemes"]["bearer"]["httpAuthSecurityScheme"]
            with pytest.raises(HayhooksError, match="does not let us in"):
                stranger.tasks()
        with A2AClient(url, Access("open-sesame")) as friend:
            assert friend.send("say 1", wait=True).state == "completed"


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("box", False)],
)
def test_loopback_is_told_from_the_rest(host, local):
    assert is_loopback(host) is local


def test_nobody_listens_to_all_without_a_token(clerk, monkeypatch):
    monkeypatch.setattr("tests.hayhooks.a2a.test_serving.AGENT", clerk_agent(clerk), raising=False)
    target = "tests.hayhooks.a2a.test_serving:AGENT"
    with pytest.raises(InspectorError, match=r"Anybody who reaches 0\.0\.0\.0 could"):
        serve(target, store="memory", host="0.0.0.0", port=0, announce=print)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nowhere", "no folder and no module:attribute"),
        ("nowhere:thing", "nowhere:thing cannot be loaded: ModuleNotFoundError"),
        ("json:dumps", "json:dumps cannot be loaded: TypeError"),
        (str(PIPELINES / "echo"), "There is no durable wrapper in"),
    ],
)
def test_what_cannot_be_served_is_said(target, words):
    with pytest.raises(InspectorError, match=words):
        agents_at(target, Stores("memory"))


@pytest.mark.parametrize("words", ["", "mysql://x", "redis", "file.sqlite"])
def test_what_is_no_place_for_executions_is_said(words):
    with pytest.raises(InspectorError):
        Stores(words).of("a", None)


def test_a_password_of_redis_is_not_shown():
    stores = Stores("redis://me:secret@127.0.0.1:6379/0")
    assert stores.shown == "redis://127.0.0.1:6379/0"
    assert shown_place("redis://me:secret@h:1/2?password=x") == "redis://h:1/2"
    assert shown_place("redis://:1@secret?2@h/0") == "redis://…"
    assert "secret" not in shown_place("redis::secret@h")
    assert shown_place("sqlite:a@b?c.sqlite") == "sqlite:a@b?c.sqlite"


@pytest.mark.parametrize(
    "words",
    [
        "redis://:secret/1@h/0", "redis://:secret#1@h/0", "redis://:secret?1@h/0",
        "redis+tls://:secret@h/0",
    ],
)  # fmt: skip
def test_a_password_is_not_said_of_an_address_that_is_none(words):
    with pytest.raises(InspectorError) as refused:
        Stores(words)
    assert "secret" not in f"{refused.value}{refused.value.hint}"


def test_two_agents_cannot_share_a_name(clerk):
    with pytest.raises(InspectorError, match="the same name"):
        create_a2a_app([clerk_agent(clerk), clerk_agent(clerk)], base_url="http://127.0.0.1")


def test_a_folder_of_wrappers_is_a_server_of_agents(tmp_path):
    for name in ("approver", "owned", "echo"):
        shutil.copytree(PIPELINES / name, tmp_path / name)
    agents = agents_at(str(tmp_path), Stores("memory"))
    assert [agent.name for agent in agents] == ["approver", "owned"], "echo is not durable"
    by_name = {agent.name: agent for agent in agents}
    assert by_name["owned"].owner is not None
    assert by_name["approver"].description == "Settle a bill, and ask before anybody is charged."


def test_tasks_are_listed_and_kept_from_the_command_line(served, tmp_path, capsys):
    with A2AClient(f"{served}/clerk") as client:
        task = client.send("say 2", wait=True)
    url = f"{served}/clerk/"
    assert main(["hayhooks", "a2a-fetch", url, task.id, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(each["id"], each["state"]) for each in listed["tasks"]] == [(task.id, "completed")]
    place = tmp_path / "tasks.json"
    assert main(["hayhooks", "a2a-fetch", url, task.id, "-o", str(place)]) == 0
    assert main(["show", str(place)]) == 0
    assert "clerk: completed" in capsys.readouterr().out
    assert main(["hayhooks", "a2a-fetch", served]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"{served}/clerk/"
    assert main(["hayhooks", "a2a-fetch", "http://127.0.0.1:9/x"]) == 2
    assert "Nobody answers at 127.0.0.1:9" in capsys.readouterr().err


def test_a_store_that_cannot_be_used_is_said_before_anything_is_served(clerk, tmp_path):
    place = tmp_path / "junk.sqlite"
    place.write_text("no database\n" * 2_000)
    said = []
    with pytest.raises(InspectorError, match=r"cannot be used: junk\.sqlite is no SQLite database"):
        serve(str(PIPELINES / "approver"), store=f"sqlite:{place}", port=0, announce=said.append)
    assert said[0].startswith("approver: http://127.0.0.1:")


def test_a_port_that_is_taken_is_said(clerk, served):
    port = int(served.rpartition(":")[2])
    with pytest.raises(InspectorError, match=rf"Nobody can listen on 127\.0\.0\.1:{port}"):
        serve(str(PIPELINES / "approver"), store="memory", port=port, announce=print)


def test_what_the_sdk_logs_of_nonsense_is_a_line_without_a_traceback(capsys, caplog):
    log = logging.getLogger("a2a.server.routes.jsonrpc_dispatcher")
    told = []
    with said_in_lines(told.append):
        try:
            raise ValueError("x" * 10_000)
        except ValueError:
            log.exception("Failed to parse request params")
        log.info("nothing to tell")
    (line,) = told
    assert line.startswith("Failed to parse request params: ValueError: xxx")
    assert len(line) < 1_000
    assert capsys.readouterr().err == ""
    log.warning("afterwards as ever")
    assert told == [line]
    assert [each.message for each in caplog.records] == ["afterwards as ever"]
