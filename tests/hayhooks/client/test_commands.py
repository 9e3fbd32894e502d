"""`run-inspector hayhooks`: durable executions on the command line, against real servers."""

import json
import os
import signal
import subprocess
import sys

import pytest

from inspector.cli.hayhooks import COMMANDS
from inspector.cli.hayhooks_watch import tell_event
from inspector.hayhooks.client.access import TOKEN_VARIABLE
from inspector.hayhooks.client.model import StreamEvent
from inspector.hayhooks.client.servers import FILE_VARIABLE
from tests.cli.commands import ROOT, called
from tests.helpers.raw_server import RawServer, event, execution, reply, stream_head
from tests.replay.live.test_keys import BACKEND


@pytest.fixture(autouse=True)
def own_files(tmp_path, monkeypatch):
    """Keep what a person has on this machine out of it."""
    monkeypatch.setenv(FILE_VARIABLE, str(tmp_path / "servers.json"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)


@pytest.fixture
def real(hayhooks, monkeypatch, capsys):
    """Know the real servers, and show them the operator's token."""
    first, second = hayhooks.replicas
    added = called(capsys, "hayhooks", "servers", "add", "real", first.url, "--replica", second.url)
    assert added.code == 0
    monkeypatch.setenv(TOKEN_VARIABLE, hayhooks.token)
    return hayhooks


def said(answer):
    """Return what a command said for programs."""
    assert answer.out.isascii()
    return [json.loads(line) for line in answer.out.splitlines()]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(capsys, name):
    answer = called(capsys, "hayhooks", name, "--help")
    assert answer.code == 0
    assert f"run-inspector hayhooks {name}" in answer.out
    assert f"  {name} " in called(capsys, "hayhooks", "--help").out


def test_servers_are_added_listed_and_removed(capsys):
    def add(*more):
        return called(capsys, "hayhooks", "servers", "add", *more)

    none = called(capsys, "hayhooks", "servers")
    assert (none.code, none.out) == (0, "")
    assert none.err.startswith("No server is known yet.\n  run-inspector hayhooks servers add")
    assert add("one", "http://localhost:1416").code == 0
    assert add("two", "https://h.example.com", "--replica", "https://i.example.com").code == 0
    assert add("one", "http://localhost:1").code == 2
    assert add("bad", "ftp://h").code == 2
    listed = called(capsys, "hayhooks", "servers")
    assert listed.out == "one  http://localhost:1416\ntwo  https://h.example.com  (+1)\n"
    assert said(called(capsys, "hayhooks", "servers", "--json"))[0][1]["name"] == "two"
    unclear = called(capsys, "hayhooks", "list")
    assert unclear.code == 2
    assert "one, two" in unclear.err
    assert called(capsys, "hayhooks", "servers", "remove", "one").code == 0
    assert called(capsys, "hayhooks", "servers", "remove", "one").code == 2


def test_a_token_is_kept_by_login_and_shown_from_then_on(capsys, tmp_path, monkeypatch):
    (tmp_path / "paper_ring.py").write_text(BACKEND)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "paper_ring.Ring")
    monkeypatch.setenv("TYPED", "from-the-ring")

    def answer(asked, line):
        if asked.path == "/status":
            return reply({"status": "Up!", "deployments": []})
        return reply({"executions": [], "has_more": False})

    with RawServer(answer) as server:
        called(capsys, "hayhooks", "servers", "add", "raw", server.url)
        login = called(capsys, "hayhooks", "servers", "login", "raw", "--token-from", "env:TYPED")
        assert login.code == 0
        assert called(capsys, "hayhooks", "list", "--deployment", "rag").code == 0
        assert called(capsys, "hayhooks", "list", "--deployment", "rag", "--token-from", "none")
    shown = [asked.headers.get("authorization") for asked in server.asked]
    assert shown == ["Bearer from-the-ring", None]
    assert "from-the-ring" not in (tmp_path / "servers.json").read_text()


def test_the_status_of_servers_is_said(capsys, real):
    answer = called(capsys, "hayhooks", "status")
    assert answer.code == 0
    assert answer.out.count("  up\n") == 2
    assert "  rag  pipeline, durable  rev 1\n" in answer.out
    tree = said(called(capsys, "hayhooks", "status", "--schemas", "--json"))[0]
    schemas = {one["name"]: one["input_schema"] for one in tree["deployments"]}
    assert schemas["rag"]["required"] == ["question"]
    down = called(capsys, "hayhooks", "status", "--server", "http://127.0.0.1:9")
    assert down.code == 1
    assert "down" in down.out


def test_an_execution_is_started_watched_answered_shown_and_listed(capsys, real, tmp_path):
    started = called(
        capsys, "hayhooks", "submit", "approver", "--set", "task=Pay. steps=1 charge=7",
        "--key", f"bill {tmp_path.name}", "--watch", "--until-waiting",
    )  # fmt: skip
    assert started.code == 1
    number = started.out.split()[0]
    assert "waiting, attempt 1: May I charge 7?" in started.err
    listed = called(capsys, "hayhooks", "list", "--status", "waiting", "--search", number)
    assert number in listed.out
    assert "May I charge 7?" in listed.out
    beginning = number[:12]
    bad = called(capsys, "hayhooks", "resume", beginning, "--set", "approved=perhaps")
    assert bad.code == 2
    assert "approved: Input should be a valid boolean" in bad.err
    answer = tmp_path / "answer.json"
    answer.write_text('{"approved": true}')
    resumed = called(capsys, "hayhooks", "resume", beginning, answer, "--watch")
    assert resumed.code == 0
    assert "Done after 2 calls." in resumed.out
    twice = called(capsys, "hayhooks", "resume", beginning, answer)
    assert twice.code == 2
    shown = called(capsys, "hayhooks", "show", beginning)
    assert shown.code == 0
    assert '"answer": "Done after 2 calls."' in shown.out
    tree = said(called(capsys, "hayhooks", "show", beginning, "--json"))[0]
    assert (tree["status"], tree["kind"], tree["attempt"]) == ("completed", "agent", 2)
    assert [one["payload"]["content"] for one in tree["witnessed"] if one["event"] == "chunk"] == [
        "Done ", "after ", "2 ", "calls. ",
    ]  # fmt: skip
    again = called(
        capsys, "hayhooks", "submit", "approver", "--set", "task=Pay. steps=1 charge=7",
        "--key", f"bill {tmp_path.name}", "--json",
    )  # fmt: skip
    assert said(again)[0]["was_known"] is True
    watched = called(capsys, "hayhooks", "watch", beginning)
    assert "Done after 2 calls." in watched.out
    cancelled = called(capsys, "hayhooks", "cancel", beginning)
    assert cancelled.err == "It was completed already.\n"


def test_canceling_says_what_it_interrupts(capsys, real, tmp_path):
    gate = tmp_path / "gate"
    task = json.dumps({"question": "Why?", "gate": str(gate)})
    started = called(capsys, "hayhooks", "submit", "rag", "--json-input", task)
    number = started.out.strip()
    client_words = called(capsys, "hayhooks", "cancel", number, "--deployment", "rag", "--json")
    gate.touch()
    tree = said(client_words)[0]
    assert tree["cancellation_requested_at"] or tree["status"] == "canceled"
    assert "interrupt" in tree["will_not"] or "stays done" in tree["will_not"]
    ended = called(capsys, "hayhooks", "watch", number, "--json")
    assert ended.code == 1
    assert said(ended)[-1]["event"] == "canceled"


def test_a_failure_is_an_exit_code_of_one(capsys, real):
    failed = called(capsys, "hayhooks", "submit", "retrier", "--set", "fails=true", "--watch")
    assert failed.code == 1
    assert "LookupError" in failed.out
    assert called(capsys, "hayhooks", "show", failed.out.split()[0]).code == 1


def test_owners_come_from_where_they_are_named(capsys, real, monkeypatch):
    monkeypatch.setenv("ME", "carol")
    task = ("hayhooks", "submit", "owned", "--set", "question=Whose?", "--watch")
    assert called(capsys, *task, "--owner", "X-Owner=env:ME").code == 0
    refused = called(capsys, *task)
    assert refused.code == 2
    assert "does not know who asks" in refused.err
    listed = called(capsys, "hayhooks", "list")
    assert listed.code == 0
    assert "owned is left out" in listed.err


def _hear_interrupts():
    """Listen to SIGINT: what a shell runs in the background is deaf to it, and all it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_stopping_a_watch_leaves_the_execution_alone(capsys, real, tmp_path):
    gate = tmp_path / "gate"
    task = json.dumps({"question": "Why?", "gate": str(gate)})
    number = called(capsys, "hayhooks", "submit", "rag", "--json-input", task).out.strip()
    with subprocess.Popen(
        [sys.executable, "-m", "inspector.cli.main", "hayhooks", "watch", number, "--json",
         "--server", "real"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=_hear_interrupts,  # noqa: PLW1509 - it only sets a signal
    ) as watching:  # fmt: skip
        assert watching.stdout is not None
        assert json.loads(watching.stdout.readline())["event"] == "attached"
        watching.send_signal(signal.SIGINT)
        _out, err = watching.communicate(timeout=60)
    gate.touch()
    assert watching.returncode == 130
    assert f"run-inspector hayhooks watch {number} --server real\n" in err
    assert called(capsys, "hayhooks", "watch", number).code == 0


def test_nothing_a_server_says_acts_on_the_terminal(capsys):
    evil = "\u001b]0;owned\u0007\u202ered"
    waits = {"kind": evil, "message": evil, "expected_input_schema": {"title": evil}}
    told = execution(
        status="failed", error={"type": evil, "message": evil, "code": evil}, result={evil: evil},
        progress=[{"sequence": 1, "kind": evil, "message": evil, "metadata": {evil: evil}}],
    )  # fmt: skip
    parts = (
        event("chunk", {"attempt": 1, "payload": {"content": evil}}, number="1-0"),
        event("chunk", {"attempt": 2, "payload": {"evil": evil, "tool_calls": [evil]}}),
        event("gap", {"detail": evil}),
        event("failed", told),
    )

    def answer(asked, line):
        if asked.path.endswith("/stream"):
            return stream_head() + b"".join(parts)
        if asked.path == "/status":
            one = {
                "name": "rag",
                "type": evil,
                "execution_mode": "durable",
                "state": "Degraded",
                "description": evil,
                "revision": evil,
                "execution_enumeration": True,
            }
            return reply({"status": evil, "deployments": [one, {**one, "name": evil}]})
        if asked.path.endswith("/executions/e1"):
            return reply(execution(status="waiting", waiting=waits))
        row = {**told, "kind": evil, "revision": evil, "execution_id": "e1"}
        return reply({"executions": [row], "has_more": False})

    with RawServer(answer) as server:
        at = ("--server", server.url)
        for words in (
            ("status",), ("list",), ("list", "--json"), ("show", "e1"), ("show", "e1", "--json"),
            ("watch", "e1"), ("watch", "e1", "--json"), ("cancel", "e1"), ("submit", "rag"),
        ):  # fmt: skip
            said = called(capsys, "hayhooks", *words, *at)
            both = said.out + said.err
            assert "\u001b" not in both
            assert "\u0007" not in both
            assert "\u202e" not in both
            assert "Traceback" not in both


def test_what_attempts_said_does_not_run_together(capsys):
    def chunk(attempt, text):
        return StreamEvent(None, "chunk", attempt=attempt, payload={"content": text})

    tell_event(chunk(1, "The pump is"))
    tell_event(StreamEvent(None, "attempt", attempt=2))
    tell_event(chunk(2, "The pump"))
    assert capsys.readouterr().out == "The pump is\nThe pump"
