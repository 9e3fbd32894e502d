"""What a replay needs of the recording half, and what it must not cost it."""

import re
from pathlib import Path

import inspector.recording
from inspector.recording.wrappers.shells import SEAM
from inspector.replay.held_writer import HeldWriter, _Records, _Watched
from inspector.runfile.journal import RunWriter
from tests.helpers import pipelines
from tests.replay.engine.conftest import Offline

RECORDING = Path(next(iter(inspector.recording.__path__)))


def test_the_held_writer_takes_whatever_the_recording_half_asks_of_a_writer() -> None:
    asked = {
        name
        for path in RECORDING.rglob("*.py")
        for name in re.findall(r"\bwriter\.(\w+)\(", path.read_text(encoding="utf-8"))
    } - {"wait", "load"}
    assert {"do", "finish"} <= asked
    # Making records asks for more, of whoever takes them once somebody wants the run.
    records = {"started", "updated", "chunked", "ended", "noted"}
    assert asked - records <= set(dir(HeldWriter))
    assert records <= set(dir(_Watched))
    writer = RunWriter({"id": "some run"})
    assert records <= set(vars(_Records(writer)))
    writer.finish({})


def test_the_seam_is_open_only_while_something_replays(offline: Offline) -> None:
    assert SEAM.instead_of is None
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    seen: list[bool] = []

    def look(_chunk: object) -> None:
        seen.append(SEAM.instead_of is not None)

    offline.replayer(case, run).play({**case.data, "llm": {"streaming_callback": look}})
    assert set(seen) == {True}
    assert SEAM.instead_of is None
    assert SEAM.straight_away is None
