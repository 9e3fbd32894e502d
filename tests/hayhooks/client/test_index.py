"""The index shows the newest first, goes on where it left off, and keeps what was witnessed."""

import json
import sqlite3
import stat
import subprocess
import sys
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

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
from tests.helpers.raw_server import RawServer, execution, reply

SERVER = Server("s", "http://localhost:1")


@pytest.fixture
def index(tmp_path):
    opened = ExecutionIndex(tmp_path / "cache" / "executions.sqlite")
    yield opened
    opened.close()


class Book:
    """A server's list of executions, oldest first, in pages, as Hayhooks cuts them."""

    def __init__(self, count):
        self.rows = [self.entry(number) for number in range(count)]
        self.pages = 0
        self.inspected = []

    @staticmethod
    def entry(number, status="completed", attempt=1):
        clock = f"{number // 3_600:02}:{number // 60 % 60:02}:{number % 60:02}"
        return {
            "execution_id": f"e{number:05}", "deployment": "rag", "kind": "pipeline",
            "revision": "7", "status": status, "attempt": attempt,
            "created_at": f"2026-01-01T{clock}Z",
            "updated_at": "2026-02-01T00:00:00Z", "cancellation_pending": False,
            "available_at": None,
        }  # fmt: skip

    def answer(self, asked, line):
        parts = urlsplit(asked.path)
        if parts.path != "/rag/executions":
            self.inspected.append(parts.path.rpartition("/")[2])
            found = [row for row in self.rows if row["execution_id"] == self.inspected[-1]]
            if not found:
                return reply({"detail": "Execution not found"}, status="404 Not Found")
            return reply({**execution(), **found[0]})
        self.pages += 1
        query = parse_qs(parts.query)
        cursor = query.get("cursor", [""])[0]
        if cursor and not cursor.startswith("after-"):
            return reply({"detail": "invalid execution cursor"}, status="422 No")
        start = int(cursor.removeprefix("after-") or 0)
        end = start + int(query["limit"][0])
        more = end < len(self.rows)
        return reply(
            {
                "executions": self.rows[start:end], "has_more": more, "skipped_controls": 0,
                "next_cursor": f"after-{end}" if more else None,
            }
        )  # fmt: skip


def asking(server, access=None):
    return HayhooksClient(Server("book", server.url), access or Access())


def test_many_are_shown_newest_first_though_the_server_lists_the_oldest_first(index):
    book = Book(2_345)
    with RawServer(book.answer) as server:
        came = []
        assert index.refresh(asking(server), ["rag"], came.append) == 2_345
        assert came[-1] == 2_345
        assert book.pages == 24
    assert [row.id for row in index.rows(limit=3)] == ["e02344", "e02343", "e02342"]
    assert [row.id for row in index.rows(newest_first=False, limit=2)] == ["e00000", "e00001"]
    assert [row.id for row in index.rows(limit=1, offset=2_344)] == ["e00000"]
    assert index.count() == 2_345
    assert index.count(search="e0001") == 10
    assert index.count(search="%") == index.count(search="_") == 0
    assert index.count(deployment="other") == index.count(status=ExecutionStatus.FAILED) == 0


def test_it_goes_on_where_it_left_off_and_asks_again_for_what_was_not_over(index):
    book = Book(250)
    book.rows[3] = book.entry(3, "running")
    with RawServer(book.answer) as server:
        client = asking(server)
        index.refresh(client, ["rag"])
        book.rows[3] = book.entry(3, "failed", attempt=2)
        book.rows += [book.entry(number) for number in range(250, 420)]
        book.pages = 0
        index.refresh(client, ["rag"])
        assert book.pages == 3  # the last one once more, and two that are new
        assert book.inspected == ["e00003"]
        failed = index.row(client.server, "e00003")
        index.refresh(client, ["rag"])
        assert book.inspected == ["e00003"]
    assert failed is not None
    assert (failed.status, failed.attempt, failed.kind) == (ExecutionStatus.FAILED, 2, "pipeline")
    assert index.count() == 420


def test_what_it_waits_for_is_asked_for_once(index):
    book = Book(2)
    book.rows[1] = book.entry(1, "waiting")
    told = {"waiting": {"kind": "approval", "message": "May I?"}}

    def answer(asked, line):
        if asked.path == "/rag/executions/e00001":
            book.inspected.append("e00001")
            return reply({**execution(), **book.rows[1], **told})
        return book.answer(asked, line)

    with RawServer(answer) as server:
        client = asking(server)
        index.refresh(client, ["rag"])
        index.refresh(client, ["rag"])
        assert index.row(client.server, "e00001").waiting_reason == "May I?"
        assert book.inspected == ["e00001"]
        book.rows[1] = book.entry(1, "waiting", attempt=2)  # it was answered, and waits anew
        told["waiting"]["message"] = "And now?"
        index.refresh(client, ["rag"])
        assert index.row(client.server, "e00001").waiting_reason == "And now?"


def test_what_was_stopped_half_way_is_not_asked_for_again(index):
    book = Book(1_000)
    with RawServer(book.answer) as server:
        client = asking(server)
        index.refresh(client, ["rag"], cancelled=lambda: book.pages >= 4)
        assert index.count() == 400
        index.refresh(client, ["rag"])
    assert index.count() == 1_000
    assert book.pages == 10


def test_what_the_server_let_go_of_stays_and_is_not_asked_for_for_ever(index):
    book = Book(3)
    book.rows[0] = book.entry(0, "waiting")
    with RawServer(book.answer) as server:
        client = asking(server)
        index.refresh(client, ["rag"])
        assert book.inspected == ["e00000"]  # lists do not say what it waits for
        del book.rows[0]
        index.refresh(client, ["rag"])
        index.refresh(client, ["rag"])
    assert book.inspected == ["e00000", "e00000"]
    assert index.count() == 3


def test_a_server_that_was_set_up_anew_is_read_from_the_start(index):
    book = Book(5)
    with RawServer(book.answer) as server:
        client = asking(server)
        index.note_walk(client.server, "", "rag", "of-another-store")
        index.refresh(client, ["rag"])
    assert index.count() == 5


def test_owners_do_not_share_where_they_were(index):
    book = Book(150)
    with RawServer(book.answer) as server:
        index.refresh(asking(server, Access(None, {"X-User": "alice"})), ["rag"])
        book.pages = 0
        index.refresh(asking(server, Access(None, {"X-User": "bob"})), ["rag"])
    assert book.pages == 2


def test_a_deployment_that_lists_nothing_to_us_does_not_hide_the_others(index):
    book = Book(5)

    def answer(asked, line):
        if asked.path.startswith("/owned/"):
            return reply({"detail": "who?"}, status="401 No")
        return book.answer(asked, line)

    with RawServer(answer) as server:
        client, told = asking(server), []
        index.refresh(client, ["owned", "rag"], refused=lambda name, error: told.append(name))
        assert told == ["owned"]
        assert index.count() == 5
        with pytest.raises(HayhooksError, match="who asks"):
            index.refresh(client, ["owned", "rag"])


def row(**fields):
    plain = ExecutionRow("e1", "rag", "agent", "1", ExecutionStatus.RUNNING, 1, 10, 20)
    return replace(plain, **fields)


def test_an_answer_that_is_older_changes_nothing_and_what_it_does_not_say_stays(index):
    index.note_rows(SERVER, [row()])
    index.note_rows(SERVER, [row(kind="", revision="", status=ExecutionStatus.WAITING,
                                 updated_at_ns=30, waiting_reason="May I?")])  # fmt: skip
    index.note_rows(SERVER, [row()])
    index.note_rows(SERVER, [row(status=ExecutionStatus.WAITING, updated_at_ns=30)])
    found = index.row(SERVER, "e1")
    assert found is not None
    assert (found.kind, found.revision, found.status) == ("agent", "1", ExecutionStatus.WAITING)
    assert found.waiting_reason == "May I?"
    assert index.count(search="may i") == 1
    index.note_rows(SERVER, [row(status=ExecutionStatus.COMPLETED, updated_at_ns=40)])
    assert index.rows()[0].waiting_reason is None


def test_servers_are_told_apart_and_forgotten_one_at_a_time(index):
    index.note_rows(SERVER, [row()])
    index.note_rows("http://other", [row(), row(id="e2")])
    assert (index.count(), index.count(server=SERVER)) == (3, 1)
    index.note_event(SERVER, "e1", chunk(1))
    index.forget(SERVER)
    assert (index.count(), index.witnessed(SERVER, "e1")) == (2, ())


def test_the_beginning_of_an_id_finds_it(index):
    index.note_rows(SERVER, [row(id="ab1"), row(id="ab2"), row(id="b%")])
    assert [found.id for found in index.find(SERVER, "ab")] == ["ab1", "ab2"]
    assert index.find(SERVER, "%") == ()


def chunk(number, attempt=1, payload="x"):
    return StreamEvent(f"{number}-0", "chunk", attempt, payload, at_ns=2**62 + number)


def test_what_was_witnessed_is_kept_once_with_its_attempt_and_survives(tmp_path):
    file = tmp_path / "executions.sqlite"
    index = ExecutionIndex(file)
    seen = [
        StreamEvent(None, "attached", 1, {"late": True}, 2**62, Execution(row())),
        chunk(1), chunk(2), chunk(2),
        StreamEvent(None, "reconnecting", 1, "gone", 2**62),
        StreamEvent(None, "attempt", 2, None, 2**62), chunk(3, attempt=2, payload={"a": [1]}),
        StreamEvent(None, "attempt", 2, None, 2**62),
        StreamEvent(None, "completed", 2, None, 2**62,
                    Execution(row(status=ExecutionStatus.COMPLETED, updated_at_ns=99))),
    ]  # fmt: skip
    for event in seen:
        index.note_event(SERVER, "e1", event)
    index.close()
    again = ExecutionIndex(file)
    kept = again.witnessed(SERVER, "e1")
    assert [(event.kind, event.attempt, event.payload) for event in kept if event.id] == [
        ("chunk", 1, "x"), ("chunk", 1, "x"), ("chunk", 2, {"a": [1]}),
    ]  # fmt: skip
    assert [event.kind for event in kept if not event.id] == ["status", "attempt", "completed"]
    assert kept[0].payload["status"] == "running"
    assert again.last_seen(SERVER, "e1") == ("3-0", 2)
    assert again.rows()[0].status is ExecutionStatus.COMPLETED
    again.close()


def test_a_stream_of_one_execution_does_not_fill_the_disk(index, monkeypatch):
    from inspector.hayhooks.client import index as module

    monkeypatch.setattr(module, "_MOST_EVENTS", 5)
    monkeypatch.setattr(module, "_MOST_BYTES", 2_000_000)
    for number in range(9):
        index.note_event(SERVER, "e1", chunk(number))
    assert len(index.witnessed(SERVER, "e1")) == 5
    index.note_event(SERVER, "e2", chunk(1, payload="x" * 3_000_000))
    assert index.witnessed(SERVER, "e2")[0].payload == {"left_out": 3_000_002}
    for number in range(2, 9):
        index.note_event(SERVER, "e2", chunk(number, payload="x" * 900_000))
    assert len(index.witnessed(SERVER, "e2")) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no such permissions")
def test_nobody_else_may_read_it(index, tmp_path):
    index.note_rows(SERVER, [row()])
    for file in (tmp_path / "cache").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_is_damaged_is_put_aside(tmp_path):
    file = tmp_path / "executions.sqlite"
    file.write_bytes(b"no database at all " * 100)
    index = ExecutionIndex(file)
    index.note_rows(SERVER, [row()])
    assert index.count() == 1
    index.close()
    assert (tmp_path / "executions.sqlite.damaged").read_bytes().startswith(b"no database")


def test_a_file_of_another_version_is_put_aside(tmp_path):
    file = tmp_path / "executions.sqlite"
    with sqlite3.connect(file) as other:
        other.execute("PRAGMA user_version = 99")
    other.close()
    index = ExecutionIndex(file)
    assert index.count() == 0
    index.close()


def test_two_programs_use_it_at_once(tmp_path):
    file = tmp_path / "executions.sqlite"
    one, other = ExecutionIndex(file), ExecutionIndex(file)
    one.note_rows(SERVER, [row()])
    other.note_event(SERVER, "e1", chunk(1))
    assert other.count() == 1
    assert len(one.witnessed(SERVER, "e1")) == 1
    one.close()
    other.close()


def test_what_the_server_forgot_is_not_gone_on_from_again(index):
    index.note_event(SERVER, "e1", chunk(1))
    known = index.last_seen(SERVER, "e1")
    assert known[0] is not None
    index.note_event(SERVER, "e1", StreamEvent(None, "gap", 1, "forgotten", 5))
    assert index.last_seen(SERVER, "e1") == (None, 1)
    index.note_event(SERVER, "e1", chunk(2))
    assert index.last_seen(SERVER, "e1")[0] not in {None, known[0]}


def test_opening_it_twice_takes_no_lock_away(tmp_path):
    """Without its locks another program takes the file for its own, and what is in it goes."""
    file = tmp_path / "executions.sqlite"
    one, other = ExecutionIndex(file), ExecutionIndex(file)
    alone = (
        "import sqlite3, sys\n"
        "database = sqlite3.connect(sys.argv[1], timeout=0)\n"
        "database.execute('PRAGMA journal_mode = DELETE')\n"
    )
    said = subprocess.run(
        [sys.executable, "-I", "-c", alone, str(file)], capture_output=True, check=False
    )
    assert b"database is locked" in said.stderr
    one.close()
    other.close()


def test_watching_goes_on_after_what_was_witnessed(index):
    index.note_event("http://x", "e1", chunk(1))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    more = b'id: 2-0\nevent: chunk\ndata: {"attempt": 2, "payload": 2}\n\n'
    end = json.dumps(execution(status="completed", attempt=2)).encode()

    def answer(asked, line):
        if asked.path.endswith("/stream"):
            return head + more + b"event: completed\ndata: " + end + b"\n\n"
        return reply(execution())

    with RawServer(answer) as server:
        client = HayhooksClient(Server("x", server.url))
        index.note_event(client.server, "e1", chunk(1))
        kinds = [event.kind for event in index.watch(client, "rag", "e1")]
    assert kinds == ["attached", "attempt", "chunk", "completed"]
    assert server.asked[0].headers["last-event-id"] == "1-0"
    kept = index.witnessed(client.server, "e1")
    assert [event.id for event in kept if event.id] == ["1-0", "2-0"]
