"""The example that one command serves, driven by our client, and killed in between."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

pytest.importorskip("hayhooks", reason="the example is served by Hayhooks")

from inspector.errors import InspectorError
from inspector.hayhooks import example as example_module
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.client import HayhooksClient
from inspector.hayhooks.client.model import HayhooksError, Server
from inspector.hayhooks.example import redis_to_use, serve
from inspector.hayhooks.recorder import stitched
from tests.helpers.redis_server import free_port

ROOT = Path(__file__).parents[3]
TOKEN = "a-token-of-this-test"


@contextmanager
def example(folder: Path, *options: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Serve it; give its address, and the process."""
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "RUN_INSPECTOR_HAYHOOKS_TOKEN": TOKEN,
        "XDG_STATE_HOME": str(folder), "XDG_CACHE_HOME": str(folder), "OTEL_SDK_DISABLED": "true",
    }  # fmt: skip
    code = "import sys; from inspector.cli.main import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "hayhooks", "example", "--port", str(free_port()), *options],
        cwd=folder, env=environment, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        told = ""
        while not (found := re.search(r"http://127\.0\.0\.1:\d+", told)):
            line = process.stderr.readline()
            assert line, f"it ended: {told}"
            told += line
        yield found[0], process
    finally:
        process.kill()
        process.communicate()


def client_of(url: str) -> HayhooksClient:
    client = HayhooksClient(Server("example", url), Access(token=TOKEN))
    for _ in range(600):
        if client.status().state == "up":
            return client
        client._closed.wait(0.05)
    raise AssertionError("it does not answer")


def test_the_example_goes_on_after_it_was_killed_and_ends_when_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    with (
        example(tmp_path, "--file", str(path)) as (url, process),
        closing(client_of(url)) as client,
    ):
        told = {deployment.name: deployment for deployment in client.deployments()}
        assert {name: deployment.kind for name, deployment in told.items()} == {
            "answer": "pipeline", "refund": "agent",
        }  # fmt: skip
        assert told["refund"].resume_schema is not None
        refund = client.submit("refund", {}, key="one").execution.row.id
        for event in client.stream("refund", refund, poll_s=0.05):
            if event.execution is not None and event.execution.waiting is not None:
                assert event.execution.waiting.message == "May I pay 24 euros back for order 4711?"
                break
        done = client.submit("answer", {"seconds_per_word": 0}).execution.row.id
        events = list(client.stream("answer", done))
        assert events[-1].kind == "completed"
        process.kill()
        process.wait()
    with (
        example(tmp_path, "--file", str(path)) as (url, process),
        closing(client_of(url)) as client,
    ):
        assert client.submit("refund", {}, key="one").was_known
        assert client.inspect("answer", done).result["attempt"] == 1
        with pytest.raises(HayhooksError, match="accept"):
            client.resume("refund", refund, {"approved": "perhaps"})
        client.resume("refund", refund, {"approved": True, "note": "Sorry."})
        last = list(client.stream("refund", refund))[-1]
        assert last.kind == "completed"
        assert last.execution is not None
        assert last.execution.result["refunded"] == 24
        assert last.execution.result["reply"].endswith("for order 4711. Sorry.")
        assert {row.id for row in client.page("refund").rows} == {refund}
        process.send_signal(signal.SIGINT)  # Ctrl+C
        assert process.wait(60) in (0, 130, -signal.SIGINT)
    assert [left.name for left in tmp_path.glob("kept.db*")] == ["kept.db"]
    recorded = stitched(tmp_path / "run-inspector" / "hayhooks-example-runs" / refund)
    ended = [each["ended"] for each in recorded.extensions["hayhooks"]["attempts"]]
    assert ended == ["waiting", "completed"], "both servers' attempts are one run"


def test_the_example_uses_a_redis_that_answers(store_redis: str) -> None:
    assert redis_to_use(store_redis) == store_redis


def test_what_keeps_the_example_from_being_served_is_said(tmp_path: Path) -> None:
    def refused(**options: object) -> str:
        with pytest.raises(InspectorError) as said:
            serve(announce=lambda served: None, **{"port": 0, **options})  # type: ignore[arg-type]
        return str(said.value)

    assert refused(redis_url="redis://:secret@127.0.0.1:9/0") == (
        "No Redis answers at redis://127.0.0.1:9/0."
    )
    assert "is no address" in refused(redis_url="nonsense://x")
    assert "secret" not in refused(redis_url="redis://:secret/1@host:1/2")
    assert refused(port=99_999) == "There is no port 99999."


def test_without_hayhooks_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hayhooks.server.app", None)
    with pytest.raises(InspectorError, match="without Hayhooks") as said:
        example_module._app(None)
    assert "pip install" in said.value.hint
