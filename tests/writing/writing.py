"""Small runs for tests of the writing half."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from inspector.recording.capture import Capture
from inspector.runfile.journal import RunWriter
from inspector.runfile.model import PipelineRun
from inspector.runfile.value import to_python

_NUMBERS = count(1)
TIMEOUT_S = 30


def header(**fields: Any) -> dict[str, Any]:
    return {
        "id": f"01JD{next(_NUMBERS):022d}",
        "kind": "pipeline",
        "name": "greenhouse",
        "mode": "sync",
        "status": "running",
        **fields,
    }


def span(number: int = 1, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"s{number}",
        "parent": parent,
        "kind": "component" if parent else "pipeline",
        "operation": "haystack.component.run" if parent else "haystack.pipeline.run",
        "name": f"part{number}",
        "path": f"part{number}#1" if parent else "",
        "visit": 1,
        "start_ns": number * 1_000,
        **fields,
    }


@contextmanager
def a_run(**options: Any) -> Iterator[RunWriter]:
    """Yield a writer; afterwards the run is finished and written."""
    writer = RunWriter(header(), **options)
    yield writer
    writer.finish({"status": "completed", "duration_ns": 1_000_000})
    assert writer.wait(TIMEOUT_S)


def recorded(*values: Any, capture: Capture | None = None, **options: Any) -> PipelineRun:
    """Return a run with a span for each value, which is its input."""
    capture = capture or Capture()
    with a_run(**options) as writer:
        for number, value in enumerate(values, 1):
            parent = None if number == 1 else "s1"
            writer.start(span(number, parent, inputs=capture.at_once(value)))
            writer.end(f"s{number}", number * 1_000 + 500, "ok", {})
    return writer.load()


def read_back(value: Any, **options: Any) -> Any:
    """Return what a reader sees of a value, resolved, with its tags."""
    return recorded({"value": value}, **options).spans[0].inputs["value"]


def round_trip(value: Any) -> Any:
    """Return the plain Python that a reader makes of a value."""
    return to_python(read_back(value))


def same(one: Any, other: Any) -> bool:
    """Whether two plain values are equal down to the types, the order of keys, and NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return len(one) == len(other) and all(
            same(a, b) for a, b in zip(one.items(), other.items(), strict=True)
        )
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return repr(one) == repr(other)
    if isinstance(one, complex):
        return repr(one) == repr(other)
    return bool(one == other)


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def eventually(claim: Callable[[], bool], timeout_s: float = TIMEOUT_S) -> bool:
    """Ask again until the claim holds; only for what another process does."""
    import time

    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if claim():
            return True
        time.sleep(0.005)
    return False
