"""The records of a replay, held until somebody wants the run.

Most replays are asked for their result and nothing else. Turning their records into JSON
would cost more than the replay did, so it happens when the run is asked for. The trees are
kept until then, which is also what a live call is compared by.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from inspector.recording.capture import Capture
from inspector.replay.revive import DigestOnly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inspector.replay.gate import Watch
    from inspector.replay.memory import Memory
    from inspector.replay.shortcuts import Shortcut
    from inspector.runfile.model import PipelineRun
    from inspector.runfile.scrub import Scrub

_WAIT_S = 60.0
_ASKED = ("inputs", "arguments")
_REMEMBERED = frozenset({dict, list})
_LOOK_BACK = 64


class HeldCapture(Capture):
    """A capture whose texts wait for no writer, and so never for too long.

    Args:
        memory: What earlier replays of the run have encoded already.

    """

    def __init__(self, memory: Memory | None = None) -> None:
        super().__init__(keep_embeddings=False)
        self._memory = memory
        self._waiting = _Unmeasured()  # type: ignore[assignment]  # it only counts bytes
        self._encoders[DigestOnly] = _as_recorded
        self._answers: dict[int, tuple[Any, Any]] = {}

    def expect(self, answer: Any, tree: Any) -> None:
        """Take a tree for an answer that is about to be given, and will be recorded."""
        self._answers[id(answer)] = (answer, tree)

    def at_once(self, value: Any) -> Any:
        if self._answers:
            known = self._answers.pop(id(value), None)
            if known is not None and known[0] is value:
                return known[1]
        if self._memory is not None and type(value) in _REMEMBERED:
            return self._memory.encoded(value, super().at_once)
        return super().at_once(value)

    def memo(self, value: Any) -> Any:
        if self._memory is not None and type(value) is dict:
            return self._memory.encoded(value, super().memo)
        return super().memo(value)


def _as_recorded(_capture: Capture, value: DigestOnly, _depth: int, _walk: Any) -> Any:
    """Encode what stands for an embedding by the digest that it has."""
    return value.tree


class _Unmeasured:
    __slots__ = ()

    bytes = property(lambda _self: 0, lambda _self, _count: None)


class HeldWriter:
    """Takes what a `RunWriter` takes, and passes it on to one when it has to.

    What a `RunWriter` does on its own thread (numbering spans, spelling their paths) happens
    at once: a replay finds its answers by them.
    """

    def __init__(
        self, header: dict[str, Any], scrub: Scrub | None = None, watch: Watch | None = None
    ) -> None:
        self._header = header
        self._scrub = scrub
        self._watch = watch
        self._records: list[tuple[Any, ...]] = []
        self.lock = threading.RLock()
        self._run: PipelineRun | None = None
        self.asked: dict[str, Any] = {}
        """What each span was given, as a tree."""

    def do(self, work: Callable[[tuple[Any, ...]], None], *material: Any) -> None:
        """Do a piece of work that makes records."""
        with self.lock:
            work((self, work, *material))

    def started(self, span: dict[str, Any]) -> None:
        self.asked[span["id"]] = span.get("inputs")
        self._records.append(("start", span))
        if self._watch is not None:
            self._watch.began(span)

    def updated(self, span_id: str, fields: dict[str, Any]) -> None:
        for name in _ASKED:
            if name in fields:
                self.asked[span_id] = fields[name]
        self._records.append(("update", span_id, fields))

    def chunked(self, span_id: str, at_ns: int, chunk: Any) -> None:
        self._records.append(("chunk", span_id, at_ns, chunk))
        if self._watch is not None:
            self._watch.chunk(span_id, at_ns, chunk)

    def ended(self, span_id: str, end_ns: int, status: str, fields: dict[str, Any]) -> None:
        self._records.append(("end", span_id, end_ns, status, fields))
        if self._watch is not None:
            self._watch.ended(span_id, end_ns, status, fields)

    start, update, chunk, end = started, updated, chunked, ended

    def noted(self, fields: dict[str, Any]) -> None:
        self._records.append(("header", fields))

    header = noted

    def take(
        self, shortcut: Shortcut, number: int, parent_id: str, times: tuple[int, int],
        thread: str | None,
    ) -> None:  # fmt: skip
        """Take note of a call that is known, whose records are made when they are wanted."""
        self._records.append((shortcut, number, parent_id, times, thread))

    def span_of(self, span_id: str) -> dict[str, Any] | None:
        """Return the first record of a span that began not long ago."""
        for record in self._records[: -_LOOK_BACK - 1 : -1]:
            if record[0] == "start" and record[1]["id"] == span_id:
                found: dict[str, Any] = record[1]
                return found
        return None

    def finish(self, fields: dict[str, Any]) -> None:
        self._records.append(("finish", fields))

    def run(self, more: dict[str, Any]) -> PipelineRun:
        """Return the run of the replay, with further fields in its header."""
        from inspector.runfile.journal import RunWriter

        with self.lock:
            if self._run is None:
                writer = RunWriter({**self._header, **more}, scrub=self._scrub)
                for name, *arguments in self._all_records():
                    getattr(writer, name)(*arguments)
                writer.wait(_WAIT_S)
                self._run = writer.load()
                self._records.clear()
                self.asked.clear()
            return self._run

    def _all_records(self) -> Iterator[tuple[Any, ...]]:
        for record in self._records:
            if isinstance(record[0], str):
                yield record
            else:
                yield from record[0].records(*record[1:])
