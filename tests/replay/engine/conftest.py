"""What the tests of the engine share: recording a case, and replaying it cut off from all."""

from collections.abc import Callable
from typing import Any

import pytest

from inspector import record_run, record_run_async
from inspector.replay.api import Replayer
from inspector.runfile.model import PipelineRun
from tests.helpers.openai_server import KEY_VARIABLE, OpenAIServer
from tests.helpers.pipelines import Case
from tests.helpers.tools import DIARY


class Offline:
    """Records cases with a server, and replays them without one.

    The server stays up, and counts: a replay that asks it anything is found out. The key is
    taken out of the environment before each replay.
    """

    def __init__(self, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.server = server
        self._monkeypatch = monkeypatch
        self.asked = 0
        self.done = 0

    def record(self, case: Case) -> tuple[Any, PipelineRun]:
        result, run = record_run(case.target, case.data, **case.options)
        self.from_now_on()
        return result, run

    async def record_async(self, case: Case) -> tuple[Any, PipelineRun]:
        result, run = await record_run_async(case.target, case.data, **case.options)
        self.from_now_on()
        return result, run

    def cut_off(self) -> None:
        self._monkeypatch.delenv(KEY_VARIABLE, raising=False)

    def allow_key(self) -> None:
        self._monkeypatch.setenv(KEY_VARIABLE, self.server.key)

    def from_now_on(self) -> None:
        """Take away the key, and count from here."""
        self.asked = self.server.count()
        self.done = len(DIARY.entries)
        self.cut_off()

    def replayer(self, case: Case, run: PipelineRun, **options: Any) -> Replayer:
        return Replayer(case.target, run, **case.options, **options)

    def assert_nothing_was_live(self) -> None:
        assert self.server.count() == self.asked, "the server was asked during a replay"
        assert len(DIARY.entries) == self.done, "a tool ran during a replay"


@pytest.fixture
def offline(openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> Offline:
    return Offline(openai_server, monkeypatch)


Made = Callable[[OpenAIServer], Case]
