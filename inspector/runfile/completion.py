"""What becomes of a run that is over: its file, its sinks, or nothing."""

# ruff: noqa: PTH120
# Plain strings: with Path, half of the time of a short run would go into its file name.

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.runfile.delivery import DELIVERIES
from inspector.runfile.files import replace
from inspector.runfile.finished import FinishedRun
from inspector.runfile.layout import run_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from inspector.runfile.run_spans import RunSpans
    from inspector.runfile.run_values import RunValues
    from inspector.runfile.spool import Spool

log = logging.getLogger("inspector.recording")

_SAID: set[tuple[str, str]] = set()
_MOST_SAID = 100
_MOST_PENDING = 64 * 2**20


class Completion:
    """Ends one run."""

    def __init__(
        self,
        target: str | None,
        sink: Callable[[FinishedRun], object] | None,
        stream: Callable[[str, bytes], object] | None,
        keep: Callable[[Mapping[str, Any]], bool] | None,
        saved: Callable[[Path], object] | None,
    ) -> None:
        self._target = target
        self._sink = sink
        self._stream = stream
        self._keep = keep
        self._saved = saved
        self._pending = 0  # two threads count here: now and then it is a little off
        self.path: Path | None = None
        self.finished: FinishedRun | None = None

    def run(
        self, header: dict[str, Any], spans: RunSpans, values: RunValues, spool: Spool
    ) -> Iterator[None]:
        """Make the file, a block at a time."""
        if not self._is_kept(header):
            spool.close(remove=True)
            self.finished = FinishedRun(header=header, path=None, data=None)
            return
        data = None
        if self._target is not None:
            try:
                yield from replace(self._target, _parts(header, spans, values))
            except (OSError, ImportError) as error:
                self._say(self._target, "could not be saved", error)
                if spool.path is not None and spool.failure is None:
                    # The journal holds all of it, and opens as well.
                    self.path = Path(spool.path)
                    spool.close(remove=False)
                else:
                    data = b"".join(_parts(header, spans, values))
                    spool.close(remove=False)
            else:
                self.path = Path(self._target)
                spool.close(remove=True)
        elif self._sink is not None or self._stream is None:
            data = b"".join(_parts(header, spans, values))
        self.finished = FinishedRun(header=header, path=self.path, data=data)

    def gave_up(self, header: Mapping[str, Any], error: Exception) -> None:
        """Note that the run could not be ended as it should."""
        self._say(self._target or "the run", "could not be written", error)
        self.finished = FinishedRun(header=header, path=self.path, data=None)

    def deliver(self, done: Callable[[], None]) -> None:
        """Hand the run on; `done` is called when that is over."""
        finished = self.finished
        wanted = finished is not None and (
            (self._sink is not None and (finished.path is not None or finished.data is not None))
            or (self._saved is not None and finished.path is not None)
        )
        if wanted or self._stream is not None:
            DELIVERIES.submit(lambda: self._hand_on(done))
        else:
            done()

    def _hand_on(self, done: Callable[[], None]) -> None:
        finished = self.finished
        try:
            if finished is None:
                return
            if self._sink is not None and (finished.path or finished.data is not None):
                self._sink(finished)
            if self._saved is not None and finished.path is not None:
                self._saved(finished.path)
        finally:
            done()

    @property
    def streams(self) -> bool:
        """Whether somebody wants the records as they come."""
        return self._stream is not None

    @property
    def forgets(self) -> bool:
        """Whether records are of no use once they were passed on."""
        return self._stream is not None and self._sink is None and self._target is None

    def pass_on(self, run_id: str, lines: bytes) -> str:
        """Hand journal lines to whoever follows the run; returns why that was not done."""
        stream, size = self._stream, len(lines)
        if stream is None or not lines:
            return ""
        if self._pending > _MOST_PENDING:
            return "its reader was too slow"

        def deliver() -> None:
            try:
                stream(run_id, lines)
            finally:
                self._pending -= size

        self._pending += size
        DELIVERIES.submit(deliver)
        return ""

    def _is_kept(self, header: Mapping[str, Any]) -> bool:
        if self._keep is None:
            return True
        try:
            return bool(self._keep(header))
        except Exception as error:  # noqa: BLE001 - a policy is the user's code; better one too many
            self._say(self._target or "a run", "was kept, since its policy failed", error)
            return True

    def disk_failed(self, error: OSError | None) -> str:
        """Say that the journal cannot be written, and return it in words for the run."""
        words = (error and error.strerror) or str(error)
        self._say(self._target or "the run", "has no journal any more", error)
        return f"it could not be written ({words}); a crash would have lost the run"

    def abandon(self) -> None:
        """Do nothing with the run: another process will."""
        self._target = self._sink = self._stream = self._keep = self._saved = None

    @staticmethod
    def _say(where: str, what: str, error: Exception | None) -> None:
        """Log a failure once for each directory and kind."""
        key = (os.path.dirname(where), f"{what}|{type(error).__name__}")
        if key in _SAID or len(_SAID) > _MOST_SAID:
            return
        _SAID.add(key)
        reason = getattr(error, "strerror", None) or error
        log.warning("The recording %s %s: %s", where, what, reason)


def _parts(header: dict[str, Any], spans: RunSpans, values: RunValues) -> Iterator[bytes]:
    # Header and spans may still add values, which is why the file has values last.
    return run_file(values.json(header), spans.texts(), values.texts(), named_by_digest=True)
