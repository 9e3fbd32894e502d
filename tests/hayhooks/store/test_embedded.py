"""Durable executions that this program runs itself, driven without a word of asyncio."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("hayhooks", reason="nothing runs durably without hayhooks")

from dataclasses import replace

from hayhooks.durable import DurableContext
from pydantic import BaseModel
from redis import Redis

from inspector.hayhooks.client.model import ExecutionStatus, HayhooksError, StreamEvent
from inspector.hayhooks.embedded import LIMITS, PACE, EmbeddedExecutions, Work

SOON = replace(
    PACE,
    poll_interval_seconds=0.05,
    maintenance_interval_seconds=0.1,
    shutdown_grace_seconds=0.2,
    lease_duration_ms=2_000,
)
SHORT = replace(LIMITS, lease_commit_safety_ms=200)
_PATIENCE_S = 60.0


class Job(BaseModel):
    say: str
    times: int = 1


class Decision(BaseModel):
    approved: bool


class Gates:
    """What tests hold jobs at."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()


def speak(context: DurableContext, job: Job) -> dict[str, object]:
    """Say something several times.

    More words.
    """
    for number in range(job.times):
        context.stream_chunk_sync({"n": number})
        context.report_progress_sync(f"said {job.say}")
    return {"said": job.say, "attempt": context.attempt}


def ask(context: DurableContext, job: Job) -> dict[str, object]:
    decision = context.resume_input
    if not isinstance(decision, dict):
        context.stream_chunk_sync("before")
        context.suspend_sync(
            {
                "kind": "approval",
                "message": f"May I say {job.say}?",
                "expected_input_schema": Decision.model_json_schema(),
            }
        )
        raise AssertionError("it waits")
    context.stream_chunk_sync("after")
    return {"approved": decision["approved"]}


@pytest.fixture
def gates() -> Gates:
    return Gates()


@pytest.fixture
def works(gates: Gates) -> list[Work]:
    def held(context: DurableContext, job: Job) -> dict[str, object]:
        gates.reached.set()
        while not gates.open.wait(0.01):
            context.check_cancelled_sync()
        return {"said": job.say}

    def broken(context: DurableContext, job: Job) -> None:
        raise LookupError("no such word")

    return [
        Work(name="speak", revision="1", request=Job, run=speak),
        Work(name="ask", revision="1", request=Job, run=ask, resume=Decision, is_agent=True),
        Work(name="held", revision="1", request=Job, run=held),
        Work(name="broken", revision="1", request=Job, run=broken),
    ]


@pytest.fixture(params=["sqlite", "redis"])
def ours(
    request: pytest.FixtureRequest, works: list[Work], tmp_path: Path
) -> Iterator[EmbeddedExecutions]:
    url = request.getfixturevalue("store_redis") if request.param == "redis" else None
    if url:
        url = url.removesuffix("/0") + "/5"
        with closing(Redis.from_url(url)) as client:
            client.flushdb()
    with EmbeddedExecutions(
        works, path=tmp_path / "executions.db", redis_url=url, pace=SOON, limits=SHORT
    ) as executions:
        yield executions


def kinds(events: list[StreamEvent]) -> list[str]:
    return [event.kind for event in events]


def test_work_is_submitted_watched_and_done(ours: EmbeddedExecutions) -> None:
    submitted = ours.submit("speak", {"say": "hello", "times": 3})
    row = submitted.execution.row
    assert (row.status, row.revision, row.kind) == (ExecutionStatus.QUEUED, "1", "pipeline")
    events = list(ours.stream("speak", row.id))
    assert [event.payload for event in events if event.kind == "chunk"] == [
        {"n": 0}, {"n": 1}, {"n": 2},
    ]  # fmt: skip
    assert (events[0].kind, events[-1].kind) == ("attached", "completed")
    done = events[-1].execution
    assert done is not None
    assert done.result == {"said": "hello", "attempt": 1}
    assert [progress.message for progress in done.progress] == ["said hello"] * 3
    again = list(ours.stream("speak", row.id, last_event_id=events[1].id))
    assert [event.payload for event in again if event.kind == "chunk"] == [{"n": 1}, {"n": 2}]
    assert ours.inspect("speak", row.id) == done
    lost = list(ours.stream("speak", row.id, last_event_id="0-999999999"))
    assert kinds(lost) == ["attached", "gap", "chunk", "chunk", "chunk", "completed"]


def test_what_waits_is_told_and_goes_on_when_it_is_answered(ours: EmbeddedExecutions) -> None:
    row = ours.submit("ask", {"say": "hello"}).execution.row
    waiting = ours.wait("ask", row.id, _PATIENCE_S)
    assert waiting.waiting is not None
    assert (waiting.row.status, waiting.waiting.message) == ("waiting", "May I say hello?")
    assert waiting.waiting.expected_input_schema == Decision.model_json_schema()
    with pytest.raises(HayhooksError) as refused:
        ours.resume("ask", row.id, {"approved": "perhaps"})
    assert refused.value.kind == "invalid"
    assert [path for path, _ in refused.value.fields] == ["approved"]
    ours.resume("ask", row.id, {"approved": True})
    events = list(ours.stream("ask", row.id))
    assert [(event.kind, event.attempt, event.payload) for event in events[1:-1]] in (
        [("chunk", 1, "before"), ("attempt", 2, None), ("chunk", 2, "after")],
        [("chunk", 1, "before"), ("status", 2, None), ("attempt", 2, None), ("chunk", 2, "after")],
    )
    assert ours.inspect("ask", row.id).result == {"approved": True}
    with pytest.raises(HayhooksError) as late:
        ours.resume("ask", row.id, {"approved": False})
    assert late.value.kind == "conflict"


def test_a_key_finds_what_was_submitted_with_it(ours: EmbeddedExecutions) -> None:
    first = ours.submit("speak", {"say": "hello"}, key="k")
    again = ours.submit("speak", {"say": "hello"}, key="k")
    assert (first.was_known, again.was_known) == (False, True)
    assert again.execution.row.id == first.execution.row.id
    with pytest.raises(HayhooksError) as refused:
        ours.submit("speak", {"say": "other"}, key="k")
    assert refused.value.kind == "conflict"


def test_running_work_is_cancelled_and_a_watcher_may_leave(
    ours: EmbeddedExecutions, gates: Gates
) -> None:
    row = ours.submit("held", {"say": "hello"}).execution.row
    assert gates.reached.wait(_PATIENCE_S)
    left: list[StreamEvent] = []
    for event in ours.stream("held", row.id, cancelled=lambda: bool(left)):
        left.append(event)
    assert kinds(left) == ["attached"]
    assert ours.cancel("held", row.id, reason="enough").row.cancellation_pending
    assert ours.wait("held", row.id, _PATIENCE_S).row.status == "canceled"


def test_what_fails_says_so_and_what_is_wrong_is_refused(ours: EmbeddedExecutions) -> None:
    row = ours.submit("broken", {"say": "hello"}).execution.row
    failed = ours.wait("broken", row.id, _PATIENCE_S)
    assert failed.error is not None
    assert (failed.row.status, failed.error.type) == ("failed", "LookupError")
    for act, kind in (
        (lambda: ours.submit("speak", {"times": "many"}), "invalid"),
        (lambda: ours.submit("speak", {"say": "x" * 2_000_000}), "too_large"),
        (lambda: ours.submit("nothing", {}), "not_found"),
        (lambda: ours.inspect("speak", "nobody"), "not_found"),
        (lambda: list(ours.stream("speak", "nobody")), "not_found"),
        (lambda: ours.page("speak", cursor="odd"), "invalid"),
    ):
        with pytest.raises(HayhooksError) as refused:
            act()
        assert refused.value.kind == kind


def test_what_can_be_run_and_what_was_run_is_listed(ours: EmbeddedExecutions) -> None:
    told = {deployment.name: deployment for deployment in ours.deployments()}
    assert told["speak"].description == "Say something several times."
    assert told["speak"].input_schema == Job.model_json_schema()
    assert (told["ask"].kind, told["ask"].resume_schema) == ("agent", Decision.model_json_schema())
    for key in "abc":
        row = ours.submit("speak", {"say": key}, key=key).execution.row
        ours.wait("speak", row.id, _PATIENCE_S)
    first = ours.page("speak", limit=2)
    rest = ours.page("speak", limit=2, cursor=first.cursor)
    assert len({row.id for row in (*first.rows, *rest.rows)}) == 3
    assert rest.cursor is None
    assert {row.status for row in first.rows} == {"completed"}
    assert ours.page("speak", status=ExecutionStatus.FAILED).rows == ()
    assert ours.health()["speak"]["accepting"] is True


def test_a_closed_one_says_so_and_another_goes_on_with_its_work(
    works: list[Work], tmp_path: Path, gates: Gates
) -> None:
    path = tmp_path / "executions.db"
    first = EmbeddedExecutions(works, path=path, pace=SOON, limits=SHORT).start()
    row = first.submit("held", {"say": "later"}).execution.row
    assert gates.reached.wait(_PATIENCE_S)
    first.close()
    first.close()
    with pytest.raises(HayhooksError) as refused:
        first.inspect("held", row.id)
    assert refused.value.kind == "stopped"
    with pytest.raises(HayhooksError):
        first.start()
    gates.open.set()
    with EmbeddedExecutions(works, path=path, pace=SOON, limits=SHORT) as second:
        assert second.wait("held", row.id, _PATIENCE_S).result == {"said": "later"}


def test_who_watches_is_let_go_when_it_is_closed(
    works: list[Work], tmp_path: Path, gates: Gates
) -> None:
    ours = EmbeddedExecutions(works, path=tmp_path / "executions.db", pace=SOON, limits=SHORT)
    ours.start()
    row = ours.submit("held", {"say": "later"}).execution.row
    seen: list[str] = []
    watching = threading.Event()

    def watch() -> None:
        for event in ours.stream("held", row.id):
            seen.append(event.kind)
            watching.set()
        seen.append("let go")

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert watching.wait(_PATIENCE_S)
    assert gates.reached.wait(_PATIENCE_S)
    ours.close()
    watcher.join(_PATIENCE_S)
    assert (seen[0], seen[-1]) == ("attached", "let go")


def test_a_store_that_cannot_be_opened_is_said_in_words(works: list[Work], tmp_path: Path) -> None:
    path = tmp_path / "executions.db"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(HayhooksError, match=r"executions\.db is no SQLite database"):
        EmbeddedExecutions(works, path=path, pace=SOON, limits=SHORT).start()
    with pytest.raises(HayhooksError, match="Redis"):
        EmbeddedExecutions(
            works, redis_url="redis://127.0.0.1:9/0", pace=SOON, limits=SHORT
        ).start()


_GUEST = """
import logging, os, sys
from loguru import logger
logger.remove()
kept = logger.add(sys.stdout, format="{message}")
from pathlib import Path
from inspector.hayhooks.embedded import EmbeddedExecutions, Work
from pydantic import BaseModel
class Job(BaseModel):
    n: int
def run(context, job):
    raise LookupError("odd")
work = Work(name="w", revision="1", request=Job, run=run)
with EmbeddedExecutions([work], path=Path("e.db")) as ours:
    row = ours.submit("w", {"n": 1}).execution.row
    print(ours.wait("w", row.id).row.status.value)
logger.info("still here")
heavy = ("hayhooks.server", "hayhooks.settings", "haystack", "fastapi")
print([name for name in sys.modules if name.startswith(heavy)])
print(os.environ.get("FROM_DOT_ENV"), logging.getLogger().handlers)
"""


def test_a_program_keeps_its_logging_its_environment_and_its_imports(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("FROM_DOT_ENV=read\n")
    root = Path(__file__).parents[3]
    ran = subprocess.run(
        [sys.executable, "-c", _GUEST], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert ran.stdout.splitlines() == ["failed", "still here", "[]", "None []"]
    assert ran.stderr == ""


def test_nothing_is_kept_longer_in_a_file_than_was_said(works: list[Work], tmp_path: Path) -> None:
    limits = replace(SHORT, terminal_ttl_seconds=1)
    with EmbeddedExecutions(
        works, path=tmp_path / "executions.db", pace=SOON, limits=limits
    ) as ours:
        row = ours.submit("speak", {"say": "hello"}).execution.row
        assert ours.wait("speak", row.id, _PATIENCE_S).row.status.is_over
        gone = threading.Event()
        for _ in range(600):
            if not ours.page("speak").rows:
                break
            gone.wait(0.05)
        with pytest.raises(HayhooksError) as refused:
            ours.inspect("speak", row.id)
        assert refused.value.kind == "not_found"
