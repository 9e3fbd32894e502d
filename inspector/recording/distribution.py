"""Who gets a run that several recorders record: it is made once, and handed to each.

The innermost recorder with a directory has the run written there while it happens. The
others get a copy when it is over, as far as their own policy keeps it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inspector.recording.guest import complain
from inspector.recording.keep import Always
from inspector.recording.kept_runs import RecordedRun
from inspector.recording.sinks import several_streams

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from inspector.recording.settings import Settings
    from inspector.runfile.finished import FinishedRun
    from inspector.runfile.journal import RunWriter


class Distribution:
    """What becomes of one run, for all the recorders that record it."""

    def __init__(self, everyone: Sequence[Settings], file_name: str) -> None:
        self._everyone = everyone
        self._file_name = file_name
        with_directory = [one for one in everyone if one.directory is not None]
        self._writes = with_directory[-1] if with_directory else None
        self._runs: list[RecordedRun] = []

    @property
    def target(self) -> Path | None:
        """Where the run is written while it happens."""
        return None if self._writes is None else self._place_for(self._writes)

    @property
    def sink(self) -> Callable[[FinishedRun], object] | None:
        """Return who is to be called with the finished run, if anybody has to."""
        if len(self._everyone) == 1:
            return self._everyone[0].sink
        return self._hand_out

    @property
    def stream(self) -> Callable[[str, bytes], object] | None:
        """Return who follows the run while it happens."""
        streams = [one.stream for one in self._everyone if one.stream is not None]
        return several_streams(*streams) if len(streams) > 1 else streams[0] if streams else None

    @property
    def keep(self) -> Callable[[Mapping[str, Any]], bool] | None:
        """Return who decides whether the run is kept, unless that is clear."""
        if any(type(one.keep) is Always for one in self._everyone):
            return None
        return lambda header: any(one.keep.keeps(header) for one in self._everyone)

    @property
    def saved(self) -> Callable[[Path], object] | None:
        """Return who makes room in the directory of the file that was written."""
        limits = None if self._writes is None else self._writes.directory_limits
        return None if limits is None else limits.saved

    def handles(self, writer: RunWriter) -> list[RecordedRun]:
        """Return what each recorder remembers of the run."""
        self._runs.extend(RecordedRun(writer) for _ in self._everyone)
        return self._runs

    def _place_for(self, settings: Settings) -> Path | None:
        directory = settings.directory
        return None if directory is None else directory / f"{self._file_name}{settings.suffix}"

    def _hand_out(self, finished: FinishedRun) -> None:
        """Give each recorder its own; on the thread of the sinks."""
        kept_where_written = self._writes is None or self._writes.keep.keeps(finished.header)
        for settings, run in zip(self._everyone, self._runs, strict=True):
            try:
                own = self._own(settings, finished, kept_where_written=kept_where_written)
                run.keep(own)
                if settings.sink is not None and own is not None:
                    settings.sink(own)
            except Exception as error:  # noqa: BLE001 - the others shall have theirs
                complain("A recorder did not get its run", error)
        if not kept_where_written and finished.path is not None:
            finished.path.unlink(missing_ok=True)

    def _own(
        self, settings: Settings, finished: FinishedRun, *, kept_where_written: bool
    ) -> FinishedRun | None:
        if not settings.keep.keeps(finished.header):
            return None
        if settings is not self._writes and settings.directory is not None:
            return replace(finished, path=self._copied(settings, finished), data=None)
        if kept_where_written:
            return finished
        return replace(finished, path=None, data=finished.to_bytes())

    def _copied(self, settings: Settings, finished: FinishedRun) -> Path:
        place = self._place_for(settings)
        assert place is not None
        finished.load().save(place)
        if settings.directory_limits is not None:
            settings.directory_limits.saved(place)
        return place
