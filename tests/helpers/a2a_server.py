"""Servers of A2A for the tests: in processes of their own, which can be killed, and in this one."""

import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from tests.helpers.hayhooks_server import ROOT
from tests.helpers.redis_server import free_port

_PATIENCE_S = 90.0
# Leases are short, so that what a killed server had goes on within seconds.
_SETTINGS = {
    "HAYHOOKS_DURABLE_LEASE_DURATION_MS": "1500",
    "HAYHOOKS_DURABLE_LEASE_COMMIT_SAFETY_MS": "300",
    "HAYHOOKS_DURABLE_POLL_INTERVAL_SECONDS": "0.2",
    "HAYHOOKS_DURABLE_MAINTENANCE_INTERVAL_SECONDS": "0.2",
    "HAYHOOKS_DURABLE_SHUTDOWN_GRACE_SECONDS": "0.5",
    "HAYHOOKS_DURABLE_WORKER_CONCURRENCY": "4",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "OTEL_SDK_DISABLED": "true",
}
_OURS = "from inspector.cli.main import console; console()"
_THEIRS = "from hayhooks.cli import hayhooks_cli; hayhooks_cli()"


class A2AProcess:
    """A server in a process of its own. `start` may be called again after `kill`.

    Args:
        folder: Where it is started, and where its log goes.
        code: What Python runs.
        arguments: Those of the command, without the port.

    """

    def __init__(self, folder: Path, code: str, arguments: Sequence[str]) -> None:
        self.port = free_port()
        self.log = folder / f"a2a-{self.port}.log"
        self._folder = folder
        self._command = [sys.executable, "-c", code, *arguments, "--port", str(self.port)]
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    def ours(cls, folder: Path, target: str, store: str) -> Self:
        return cls(folder, _OURS, ["hayhooks", "a2a", target, "--store", store])

    @classmethod
    def of_hayhooks(cls, folder: Path, pipelines: Path) -> Self:
        arguments = ["a2a", "run", "--host", "127.0.0.1", "--pipelines-dir", str(pipelines)]
        return cls(folder, _THEIRS, arguments)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Self:
        environment = {**os.environ, **_SETTINGS, "PYTHONPATH": str(ROOT)}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        return self

    def wait(self) -> Self:
        """Return once it answers."""
        assert self._process is not None
        until = time.monotonic() + _PATIENCE_S
        while self._process.poll() is None and time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"{self.url}/status", timeout=5):
                    return self
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"The server does not start:\n{self.log.read_text()[-4000:]}")

    def kill(self) -> None:
        """End it at once, as a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@contextmanager
def served_here(agents: Sequence[Any], *, port: int = 0, **options: Any) -> Iterator[str]:
    """Serve agents from a thread of this process, on any port unless told; yield the address."""
    import uvicorn

    from inspector.hayhooks.a2a.app import create_a2a_app

    listening = socket.create_server(("127.0.0.1", port))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    app = create_a2a_app(agents, base_url=url, **options)
    config = uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        until = time.monotonic() + _PATIENCE_S
        while not server.started and thread.is_alive() and time.monotonic() < until:
            time.sleep(0.01)
        assert server.started
        yield url
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def posted(url: str, method: str, params: Mapping[str, Any], **headers: str) -> Any:
    """Return what a call answers, spelled by hand."""
    import json

    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    said = {"Content-Type": "application/json", "A2A-Version": "1.0", **headers}
    request = urllib.request.Request(f"{url}/", json.dumps(body).encode(), said)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)
