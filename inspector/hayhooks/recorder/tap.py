"""What stands between a recording and its writer, so that a kill loses as little as can be.

The writer brings records to the disk a few hundredths of a second later. For most programs
that is soon enough. Here the last thing that an attempt began is what everybody asks about
when its worker was killed: whether the customer was charged. So the start of whatever may have
effects is on its way to the file before it runs.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from inspector.recording import assembly
from inspector.recording.guest import complain
from inspector.runfile.writer_thread import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.hayhooks.recorder.live import SpanStream
    from inspector.recording.session import LiveSpan
    from inspector.runfile.journal import RunWriter

_PATIENCE_S = 0.5
_MOST_WAITS_IN_VAIN = 2
_EFFECTIVE = frozenset({"component", "llm", "tool"})


class TappedWriter:
    """A `RunWriter` for a recording: it passes everything on, and looks at starts and ends."""

    def __init__(self, writer: RunWriter, stream: SpanStream | None) -> None:
        self._writer = writer
        self._stream = stream
        self._in_vain = 0
        self._late: threading.Event | None = None  # what was waited for in vain last

    def do(self, work: Callable[[tuple[Any, ...]], None], *material: Any) -> None:
        """Pass work on to the writer."""
        self._writer.do(work, *material)
        try:
            if work is assembly.start:
                self._started(material[0])
            elif work is assembly.end and self._stream is not None:
                self._writer.do(self._stream.ended, material[0])
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            complain("What an attempt begins is written a little later", error)

    def _started(self, live: LiveSpan) -> None:
        if self._stream is not None:
            self._writer.do(self._stream.started, live)
        if live.kind in _EFFECTIVE:
            self.secure()

    def secure(self) -> None:
        """Have everything that was taken so far in the file, within a moment.

        A disk that does not answer is waited for twice, then no more until it does: the
        execution matters more.
        """
        if SHARED.is_current():
            return
        if self._late is not None and self._late.is_set():
            self._in_vain, self._late = 0, None
        if self._in_vain >= _MOST_WAITS_IN_VAIN:
            return
        written = threading.Event()
        self._writer.do(_bring_to_disk, written)
        SHARED.hurry()
        if not written.wait(_PATIENCE_S):
            self._in_vain += 1
            self._late = written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)


def _bring_to_disk(record: tuple[Any, ...]) -> None:
    writer, _, written = record
    try:
        writer.flush()
    finally:
        written.set()
