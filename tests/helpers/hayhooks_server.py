"""Real Hayhooks servers in processes of their own, several on one real Redis.

    with HayhooksCluster(PIPELINES) as cluster:
        first, second = cluster.replicas
        ...
        first.kill()     # as `kill -9` does
        first.start()    # on the same port

Leases are short, so that work of a killed server goes on elsewhere within seconds.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.helpers.redis_server import RedisServer, free_port

ROOT = Path(__file__).parents[2]
PIPELINES = ROOT / "tests" / "hayhooks" / "pipelines"
TOKEN = "operator-of-these-tests-0123456789"
_PATIENCE_S = 90.0
_START = "from hayhooks.cli import hayhooks_cli; hayhooks_cli()"
_SETTINGS = {
    "HAYHOOKS_DURABLE_MODE": "true",
    "HAYHOOKS_DURABLE_LEASE_DURATION_MS": "2000",
    "HAYHOOKS_DURABLE_LEASE_COMMIT_SAFETY_MS": "300",
    "HAYHOOKS_DURABLE_POLL_INTERVAL_SECONDS": "0.2",
    "HAYHOOKS_DURABLE_MAINTENANCE_INTERVAL_SECONDS": "0.3",
    "HAYHOOKS_DURABLE_RETRY_BASE_DELAY_SECONDS": "0.05",
    "HAYHOOKS_DURABLE_SHUTDOWN_GRACE_SECONDS": "0.5",
    "HAYHOOKS_GRACEFUL_SHUTDOWN_TIMEOUT": "1",
    "HAYHOOKS_DURABLE_WORKER_CONCURRENCY": "4",
    "HAYHOOKS_TRACING_TOKEN": TOKEN,
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "OTEL_SDK_DISABLED": "true",
}


class HayhooksReplica:
    """One server. `start` may be called again after `kill`."""

    def __init__(self, pipelines: Path, folder: Path, settings: Mapping[str, str]) -> None:
        self.port = free_port()
        self.log = folder / f"hayhooks-{self.port}.log"
        self._pipelines = pipelines
        self._folder = folder
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> Self:
        """Start it, without waiting for it to answer."""
        environment = {**os.environ, **_SETTINGS, **self._settings}
        environment["PYTHONPATH"] = str(ROOT)
        environment["XDG_CACHE_HOME"] = str(self._folder)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    sys.executable, "-c", _START, "run", "--host", "127.0.0.1",
                    "--port", str(self.port), "--pipelines-dir", str(self._pipelines),
                ],
                # Hayhooks reads a `.env` of the folder that it is started in.
                cwd=self._folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        return self

    def wait(self) -> Self:
        """Return once it answers."""
        until = time.monotonic() + _PATIENCE_S
        while self.is_running and time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"{self.url}/status", timeout=5):
                    return self
            except (OSError, urllib.error.URLError):
                time.sleep(0.05)
        raise RuntimeError(f"Hayhooks does not start:\n{self.log.read_text()[-4000:]}")

    def kill(self) -> None:
        """End it at once, as a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def ensure(self) -> Self:
        """Start it again when a test has killed it."""
        if not self.is_running:
            self.start()
        return self.wait()


class HayhooksCluster:
    """Servers that share a Redis, while it is open.

    Args:
        pipelines: The folder that they serve.
        replicas: How many.
        settings: Further variables, such as HAYHOOKS_DURABLE_MAX_STREAM_CHUNKS.

    """

    token = TOKEN

    def __init__(
        self,
        pipelines: Path = PIPELINES,
        *,
        replicas: int = 2,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.redis = RedisServer()
        self.replicas: tuple[HayhooksReplica, ...] = ()
        self._folder = Path(tempfile.mkdtemp(prefix="hayhooks-"))
        self._pipelines = pipelines
        self._count = replicas
        self._settings = dict(settings or {})

    def running(self, pid: int) -> HayhooksReplica:
        """Return the server of a process, such as the one that a ledger names."""
        return next(replica for replica in self.replicas if replica.pid == pid)

    def __enter__(self) -> Self:
        self.redis.__enter__()
        try:
            settings = {"HAYHOOKS_DURABLE_REDIS_URL": self.redis.url, **self._settings}
            self.replicas = tuple(
                HayhooksReplica(self._pipelines, self._folder, settings).start()
                for _ in range(self._count)
            )
            for replica in self.replicas:
                replica.wait()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for replica in self.replicas:
            replica.kill()
        self.redis.__exit__(None, None, None)
        shutil.rmtree(self._folder, ignore_errors=True)
