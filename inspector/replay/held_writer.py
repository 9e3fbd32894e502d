"""The records of a replay, held until somebody wants the run.

Most replays are asked for their result and nothing else. Making their records and turning
them into JSON would cost more than the replay did, so it happens when the run is asked for.
The trees are kept until then, which is also what a live call is compared by.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from inspector.recording import assembly
from inspector.recording.capture import Capture
from inspector.replay.redacted import live_redactor
from inspector.replay.revive import DigestOnly

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.recording.session import LiveSpan
    from inspector.replay.gate import Watch
    from inspector.replay.memory import Memory
    from inspector.runfile.journal import RunWriter
    from inspector.runfile.model import PipelineRun
    from inspector.runfile.scrub import Scrub

    Work = Callable[[tuple[Any, ...]], None]

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

    Spans get their ids and paths at once: a replay finds its answers by them. All other work
    on records waits until somebody wants the run, or is done at once for whoever looks on.
    """

    def __init__(
        self, header: dict[str, Any], scrub: Scrub | None = None, watch: Watch | None = None
    ) -> None:
        self.header = header
        self.scrub = scrub
        self._held: list[tuple[Work, tuple[Any, ...]]] = []
        self._watched = None if watch is None else _Watched(self._held, watch)
        self.lock = threading.RLock()
        self._run: PipelineRun | None = None
        self.asked: dict[str, Any] = {}
        """What each span was given, as a tree."""

    def do(self, work: Work, *material: Any) -> None:
        """Hold a piece of work that makes records, but for what the replay needs of it now."""
        with self.lock:
            if work is assembly.start:
                live, head, _thread = material
                assembly.number(live)
                self.asked[live.id] = head.get("inputs")
            elif work is assembly.update:
                for name in _ASKED:
                    if name in material[1]:
                        self.asked[material[0].id] = material[1][name]
            if self._watched is None:
                self._held.append((work, material))
            else:
                work((self._watched, work, *material))

    def head_of(self, live: LiveSpan) -> dict[str, Any] | None:
        """Return what the first record of a span says that began not long ago."""
        for work, material in self._held[: -_LOOK_BACK - 1 : -1]:
            if work is assembly.start and material[0] is live:
                head: dict[str, Any] = material[1]
                return head
        return None

    def finish(self, fields: dict[str, Any]) -> None:
        self._held.append((_finish, (fields,)))

    def run(self, more: dict[str, Any]) -> PipelineRun:
        """Return the run of the replay, with further fields in its header."""
        from inspector.runfile.journal import RunWriter

        with self.lock:
            if self._run is None:
                redactor = live_redactor(self.scrub)
                writer = RunWriter(
                    {**self.header, **more},
                    scrub=self.scrub,
                    redact=None if redactor is None else redactor.redact,
                    chunk_scrub=redactor,
                )
                records = _Records(writer)
                for work, material in self._held:
                    work((records, work, *material))
                writer.wait(_WAIT_S)
                self._run = writer.load()
                self._held.clear()
                self.asked.clear()
            return self._run


class _Records:
    """Hands records to a writer from this thread."""

    def __init__(self, writer: RunWriter) -> None:
        self.started = writer.start
        self.updated = writer.update
        self.chunked = writer.chunk
        self.ended = writer.end
        self.noted = writer.header
        self.finish = writer.finish


class _Watched:
    """Holds records that are made at once, since somebody looks on."""

    def __init__(self, held: list[tuple[Work, tuple[Any, ...]]], watch: Watch) -> None:
        self._held = held
        self._watch = watch

    def started(self, span: dict[str, Any]) -> None:
        self._held.append((_made, ("started", span)))
        self._watch.began(span)

    def updated(self, span_id: str, fields: dict[str, Any]) -> None:
        self._held.append((_made, ("updated", span_id, fields)))

    def chunked(self, span_id: str, at_ns: int, chunk: Any) -> None:
        self._held.append((_made, ("chunked", span_id, at_ns, chunk)))
        self._watch.chunk(span_id, at_ns, chunk)

    def ended(self, span_id: str, end_ns: int, status: str, fields: dict[str, Any]) -> None:
        self._held.append((_made, ("ended", span_id, end_ns, status, fields)))
        self._watch.ended(span_id, end_ns, status, fields)

    def noted(self, fields: dict[str, Any]) -> None:
        self._held.append((_made, ("noted", fields)))


def _made(record: tuple[Any, ...]) -> None:
    """Hand on a record that was made before: `(records, made, name, *arguments)`."""
    records, _, name, *arguments = record
    getattr(records, name)(*arguments)


def _finish(record: tuple[Any, ...]) -> None:
    """Hand on the last record: `(records, finish, fields)`."""
    record[0].finish(record[2])
