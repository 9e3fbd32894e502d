"""A server may say what it likes: the client stays small, asks nobody else, and tells no secret."""

import json
import socket
import threading

import pytest

from inspector.hayhooks.client import stream as stream_module
from inspector.hayhooks.client import wire as wire_module
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.client import HayhooksClient
from inspector.hayhooks.client.model import HayhooksError, Server
from tests.helpers.raw_server import RawServer, event, execution, reply, stream_head

TOKEN = "operator-token"
ACCESS = Access(TOKEN, {"X-User": "alice"})


def asking(*servers, access=ACCESS, **more):
    first, *others = (server.url for server in servers)
    return HayhooksClient(Server("raw", first, tuple(others)), access, **more)


def refused(call):
    with pytest.raises(HayhooksError) as caught:
        call()
    return caught.value


def test_a_redirect_is_not_followed_and_nothing_is_shown_there():
    with RawServer(lambda asked, line: reply({})) as elsewhere:
        moved = reply(
            {}, status="302 Found", headers=f"Location: {elsewhere.url}/rag/executions\r\n"
        )
        with RawServer(lambda asked, line: moved) as server:
            error = refused(lambda: asking(server).page("rag"))
        assert error.kind == "odd"
        assert elsewhere.asked == []


def test_the_operators_token_goes_to_lists_and_traces_only():
    page = {"executions": [], "has_more": False, "next_cursor": None}

    def answer(asked, line):
        if asked.path.startswith("/rag/executions?"):
            return reply(page)
        return reply({"traces": []} if asked.path.startswith("/traces") else execution())

    with RawServer(answer) as server:
        client = asking(server)
        client.page("rag")
        client.traces()
        client.inspect("rag", "e1")
        client.submit("rag", {})
        client.cancel("rag", "e1")
    shown = [asked.headers.get("authorization") for asked in server.asked]
    assert shown == [f"Bearer {TOKEN}", f"Bearer {TOKEN}", None, None, None]
    assert {asked.headers.get("x-user") for asked in server.asked} == {"alice"}


def test_an_owner_who_is_named_by_authorization_is_tried_where_the_operator_is_refused():
    def answer(asked, line):
        if asked.headers.get("authorization") == "Bearer mine":
            return reply({"executions": [], "has_more": False})
        return reply({"detail": "no"}, status="401 Unauthorized")

    with RawServer(answer) as server:
        client = asking(server, access=Access(TOKEN, {"Authorization": "Bearer mine"}))
        assert client.page("owned").rows == ()
        assert refused(lambda: asking(server).page("owned")).kind == "unauthorized"


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (b"", "down", "cannot be reached"),
        (b"220 mail.example.com ESMTP\r\n\r\n", "down", "cannot be reached"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{", "down", "cut off"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1_000 + b"\r\n", "down", "cannot be reached"),
        (reply(body=b"<html>sign in</html>"), "odd", "damaged"),
        (reply({"detail": "x"}, status="500 Oh"), "odd", "trouble"),
        (reply({"detail": "gone"}, status="503 Oh"), "degraded", "its store does not"),
        (reply({}, status="503 Oh", headers="Retry-After: 7\r\n"), "busy", "nothing more"),
        (reply({}, status="403 Oh"), "forbidden", "lets nobody"),
        (reply({"detail": "x" * 9_000}, status="409 Oh"), "conflict", "as it stands"),
        (reply(["x"], status="418 Oh"), "odd", "418"),
    ],
)
def test_every_odd_answer_is_a_sentence(answer, kind, words):
    with RawServer(lambda asked, line: answer) as server:
        error = refused(lambda: asking(server).inspect("rag", "e1"))
    assert error.kind == kind
    assert words in str(error)
    assert len(str(error)) + len(error.hint) < 1_000


def test_a_busy_server_says_when_to_come_again():
    with RawServer(
        lambda asked, line: reply({}, status="503 Oh", headers="Retry-After: 7\r\n")
    ) as server:
        assert refused(lambda: asking(server).submit("rag", {})).retry_after_s == 7


def test_fields_that_are_refused_are_named():
    detail = [
        {"loc": ["body", "items", 0, "name"], "msg": "Field required", "type": "missing"},
        {"loc": "odd", "msg": "too odd"}, "odder", {"msg": 5},
    ]  # fmt: skip
    with RawServer(lambda asked, line: reply({"detail": detail}, status="422 No")) as server:
        error = refused(lambda: asking(server).submit("rag", {}))
    assert error.fields == (("items.0.name", "Field required"), ("", "too odd"))


def test_an_answer_does_not_grow_for_ever(monkeypatch):
    monkeypatch.setattr(wire_module, "_LARGEST_ANSWER", 1_000_000)

    def endless(asked, line):
        line.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:  # until the client hangs up
            line.sendall(b"8000\r\n" + b"x" * 0x8000 + b"\r\n")

    with RawServer(endless) as server:
        assert "more than" in str(refused(lambda: asking(server).inspect("rag", "e1")))


def test_a_server_that_says_nothing_is_not_waited_for():
    hold = threading.Event()

    def silent(asked, line):
        hold.wait(30)

    with RawServer(silent) as server:
        client = asking(server, timeout_s=0.05)
        assert "in time" in str(refused(lambda: client.inspect("rag", "e1")))
        hold.set()


def test_who_is_down_is_passed_over_and_what_was_sent_is_not_sent_twice():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        gone = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with (
        RawServer(lambda asked, line: reply(execution())) as good,
        RawServer(lambda asked, line: b"") as broken,  # takes it, and says nothing
    ):
        past_gone = HayhooksClient(Server("raw", gone, (good.url,)))
        assert past_gone.resume("rag", "e1", {}).row.id == "e1"
        assert past_gone.submit("rag", {}).execution.row.id == "e1"
        past_broken = asking(broken, good)
        assert refused(lambda: past_broken.submit("rag", {})).kind == "down"
        assert past_broken.submit("rag", {}, key="k").execution.row.id == "e1"
        assert [asked.method for asked in broken.asked] == ["POST", "POST"]
        assert len(good.asked) == 3


def test_closing_ends_what_others_wait_for():
    reached, hold = threading.Event(), threading.Event()

    def silent(asked, line):
        reached.set()
        hold.wait(30)

    with RawServer(silent) as server:
        client = asking(server, timeout_s=60)
        found = []
        waiting = threading.Thread(
            target=lambda: found.append(refused(lambda: client.inspect("rag", "e1")).kind)
        )
        waiting.start()
        assert reached.wait(30)
        client.close()
        waiting.join(30)
        hold.set()
    assert found == ["stopped"]
    assert refused(lambda: client.inspect("rag", "e1")).kind == "stopped"


def test_no_secret_is_in_an_error():
    def echoes(asked, line):
        return reply({"detail": "no"}, status="401 No")

    with RawServer(echoes) as server:
        client = asking(server)
        error = refused(lambda: client.page("rag"))
    assert TOKEN not in f"{error}{error.hint}{client!r}"


@pytest.mark.parametrize("given", [float("nan"), {1, 2}, b"x"])
def test_what_is_no_json_is_not_sent(given):
    with RawServer(lambda asked, line: reply({})) as server:
        assert refused(lambda: asking(server).submit("rag", given)).kind == "invalid"
        assert refused(lambda: asking(server).submit("rag", {}, key="a\r\nX: y")).kind == "invalid"
    assert server.asked == []


# Streams


def streaming(*connections, inspected=None):
    """Answer each connection to a stream with the next of these, questions with an execution."""
    left = list(connections)

    def answer(asked, line):
        if not asked.path.endswith("/stream"):
            return reply(inspected or execution())
        return left.pop(0) if left else reply({"detail": "gone"}, status="404 Not Found")

    return answer


def chunk(number, attempt=1):
    return event("chunk", {"attempt": attempt, "payload": number}, number=f"{number}-0")


def test_a_broken_stream_goes_on_after_the_last_event_on_the_other_address():
    end = event("completed", execution(status="completed", result=5))
    with (
        RawServer(streaming(stream_head() + chunk(1) + chunk(2) + b"id: 3-0\nevent: chu")) as one,
        RawServer(streaming(stream_head() + chunk(3) + end)) as other,
    ):
        events = list(asking(one, other).stream("rag", "e1"))
    told = [(event.kind, event.payload) for event in events if event.kind != "attached"]
    assert told == [
        ("chunk", 1), ("chunk", 2),
        ("reconnecting", told[2][1]),
        ("chunk", 3), ("completed", None),
    ]  # fmt: skip
    resumed = [asked for asked in other.asked if asked.path.endswith("/stream")]
    assert [asked.headers["last-event-id"] for asked in resumed] == ["2-0"]
    assert events[-1].execution is not None
    assert events[-1].execution.result == 5


def test_a_new_attempt_is_said_before_its_first_chunk():
    end = event("failed", execution(status="failed", attempt=3))
    with RawServer(streaming(stream_head() + chunk(1) + chunk(2, attempt=2) + end)) as server:
        events = list(asking(server).stream("rag", "e1"))
    assert [(event.kind, event.attempt) for event in events] == [
        ("attached", 1), ("chunk", 1), ("attempt", 2), ("chunk", 2), ("attempt", 3), ("failed", 3),
    ]  # fmt: skip


def test_a_gap_is_said_and_the_cursor_that_was_forgotten_is_not_used_again():
    gap = event("gap", {"detail": "Requested stream history is no longer available"})
    end = event("completed", execution(status="completed"))
    with RawServer(streaming(stream_head() + gap, stream_head() + chunk(9) + end)) as server:
        events = list(asking(server).stream("rag", "e1", last_event_id="1-0"))
    assert [event.kind for event in events] == [
        "attached", "gap", "reconnecting", "attached", "chunk", "completed",
    ]  # fmt: skip
    streams = [asked for asked in server.asked if asked.path.endswith("/stream")]
    assert [asked.headers.get("last-event-id") for asked in streams] == ["1-0", None]


def test_an_error_of_the_stream_is_a_reason_to_connect_again():
    broken = stream_head() + event("error", {"detail": "Execution stream interrupted"})
    end = stream_head() + event("canceled", execution(status="canceled"))
    with RawServer(streaming(broken, end)) as server:
        events = list(asking(server).stream("rag", "e1"))
    assert [event.kind for event in events][1:3] == ["reconnecting", "attached"]
    assert events[1].payload == "Execution stream interrupted"
    assert events[-1].kind == "canceled"


def test_what_cannot_be_attached_to_is_an_error_and_what_is_lost_later_the_last_event():
    with RawServer(streaming()) as server:
        error = refused(lambda: list(asking(server).stream("rag", "e1")))
    assert error.kind == "not_found"
    with RawServer(streaming(stream_head() + chunk(1))) as server:
        events = list(asking(server).stream("rag", "e1"))
    assert [event.kind for event in events] == ["attached", "chunk", "reconnecting", "error"]
    with RawServer(streaming(stream_head() + chunk(1))) as server:
        events = list(asking(server).stream("rag", "e1", reconnect=False))
    assert [event.kind for event in events] == ["attached", "chunk", "error"]


@pytest.mark.parametrize(
    "sent",
    [
        event("chunk", ["no", "object"]),
        b"event: chunk\ndata: {\n\n",
        b"event: completed\ndata: " + b"[" * 50_000 + b"\n\n",
        event("completed", execution("another", status="completed")),
        event("completed", execution(status="running")),
    ],
)
def test_a_stream_of_no_sense_ends_with_a_sentence(sent):
    with RawServer(streaming(stream_head() + sent)) as server:
        events = list(asking(server).stream("rag", "e1"))
    assert [event.kind for event in events] == ["attached", "error"]
    assert isinstance(events[-1].payload, str)


def test_an_event_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr(stream_module, "EventParser", _Small)

    def endless(asked, line):
        if not asked.path.endswith("/stream"):
            return reply(execution())
        line.sendall(stream_head())
        while True:  # until the client hangs up
            line.sendall(b"data: xxxxxxxxxxxxxxxx\n" * 1_000)

    with RawServer(endless) as server:
        events = list(asking(server).stream("rag", "e1"))
    assert "too large" in events[-1].payload


def test_unknown_events_and_odd_numbers_are_passed_over():
    end = event("completed", execution(status="completed"))
    odd = event("surprise", {}) + event("chunk", {"attempt": "x", "payload": None}, number="é")
    with RawServer(streaming(stream_head() + odd + end)) as server:
        events = list(asking(server).stream("rag", "e1"))
    assert [(event.kind, event.attempt) for event in events] == [
        ("attached", 1), ("chunk", 1), ("completed", 1),
    ]  # fmt: skip


def test_what_is_no_stream_is_not_read_as_one():
    with RawServer(streaming(stream_head("text/html"))) as server:
        assert refused(lambda: list(asking(server).stream("rag", "e1"))).kind == "odd"


def test_closing_ends_a_stream_at_once_and_without_a_word():
    hold = threading.Event()

    def open_ended(asked, line):
        if not asked.path.endswith("/stream"):
            return reply(execution())
        line.sendall(stream_head() + chunk(1))
        hold.wait(60)
        return None

    with RawServer(open_ended) as server:
        client = asking(server)
        kinds = []
        for one in client.stream("rag", "e1", poll_s=None):
            kinds.append(one.kind)
            if one.kind == "chunk":
                client.close()
        hold.set()
    assert kinds == ["attached", "chunk"]


def test_changes_that_streams_do_not_tell_are_asked_for():
    hold = threading.Event()
    waits = {"kind": "approval", "message": "May I?", "expected_input_schema": None}
    told = [
        execution(), execution(sequence=3), execution(status="waiting", waiting=waits, attempt=1),
        execution(status="completed", attempt=2),
    ]  # fmt: skip

    def answer(asked, line):
        if not asked.path.endswith("/stream"):
            return reply(told.pop(0) if len(told) > 1 else told[0])
        line.sendall(stream_head())
        hold.wait(60)
        return None

    with RawServer(answer) as server:
        events = list(asking(server).stream("rag", "e1", poll_s=0.0))
        hold.set()
    assert [event.kind for event in events] == ["attached", "status", "attempt", "completed"]
    assert events[1].execution is not None
    assert events[1].execution.row.waiting_reason == "May I?"


class _Small(stream_module.EventParser):
    def __init__(self):
        super().__init__(largest=100_000)


def test_json_of_a_payload_comes_through_as_it_is():
    payload = {"content": "\u001b[31mred\u202e", "n": 2**70, "list": [None, True, 1.5]}
    sent = event("chunk", {"attempt": 1, "payload": payload}, number="1-0")
    end = event("completed", execution(status="completed"))
    with RawServer(streaming(stream_head() + sent + end)) as server:
        events = list(asking(server).stream("rag", "e1"))
    assert json.loads(json.dumps(events[1].payload)) == payload
