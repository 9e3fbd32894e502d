"""Where runs go besides a file: a bucket, a database, a queue.

A *sink* gets the finished run. A *stream* gets its records while they happen, as lines of
the journal. Both are called on a thread of their own, one call at a time, may take their
time, and may raise: that is logged and hurts nobody.

    def to_bucket(run: FinishedRun) -> None:
        bucket.put(f"runs/{run.id}.run.json", run.to_bytes())

    with recording(sink=to_bucket): ...
    with recording(stream=each_record(lambda run_id, record: queue.put(record))): ...
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import orjson

from inspector.runfile.finished import FinishedRun

if TYPE_CHECKING:
    from collections.abc import Callable

    Sink = Callable[[FinishedRun], object]
    Stream = Callable[[str, bytes], object]

__all__ = ["FinishedRun", "each_record", "several_sinks", "several_streams"]

log = logging.getLogger("inspector.recording")


def each_record(take: Callable[[str, dict[str, Any]], object]) -> Stream:
    """Return a stream that hands `take` the run's id and one record after the other.

    Records are those of the journal: `run` first, then `value`, `start`, `update`, `chunk`,
    `end` and `header` as they come, `finish` last.
    """

    def stream(run_id: str, lines: bytes) -> None:
        for line in lines.splitlines():
            take(run_id, orjson.loads(line))

    return stream


def several_sinks(*sinks: Sink) -> Sink:
    """Return one sink for many; one that fails does not keep the run from the others."""

    def sink(run: FinishedRun) -> None:
        for one in sinks:
            _call(one, run)

    return sink


def several_streams(*streams: Stream) -> Stream:
    """Return one stream for many; one that fails does not keep records from the others."""

    def stream(run_id: str, lines: bytes) -> None:
        for one in streams:
            _call(one, run_id, lines)

    return stream


def _call(function: Callable[..., object], *arguments: object) -> None:
    try:
        function(*arguments)
    except Exception as error:
        log.warning("A sink failed: %s: %s", type(error).__name__, error, exc_info=error)
