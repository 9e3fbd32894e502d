"""Keeping up with a run while it is recorded."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from inspector.errors import RunFileError
from inspector.runfile.claim import is_claimed
from inspector.runfile.intake import open_for_reading
from inspector.runfile.journal_reader import JournalReader, feed_lines
from inspector.runfile.load import load_run
from inspector.runfile.naming import shown_name
from inspector.runfile.problems import Problems
from inspector.runfile.source import FileSource

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.runfile.model import PipelineRun

_QUIET_S = 10.0
"""How long a journal may stand still before it counts as left, where locks tell nothing."""

_SUFFIXES = ("", ".gz", ".zst")
_FIRST_LOOK = 4096


class RunFollower:
    """A run that may still be going on; ask it now and then.

    Works on a journal, on the finished file that takes its place, and across the moment
    when one becomes the other. Each `refresh` costs what was added since the last one.

    Args:
        path: The journal, or the file that it will become.

    Raises:
        RunFileError: It cannot be read, or holds no run.

    """

    def __init__(self, path: Path) -> None:
        self._journal = journal_of(path)
        self._given = path
        self._live: _Live | None = None
        self._stamp: tuple[int, int, int] | None = None
        self.finished = False
        self._run = self._opened()

    @property
    def run(self) -> PipelineRun:
        """The run as the last look found it."""
        return self._run

    def refresh(self) -> PipelineRun:
        """Return the run as it is now: the same object where nothing was added."""
        if self._live is None:
            return self._reloaded()
        status = _status(self._journal)
        if status is not None and self._live.is_file(status):
            added = self._live.read_on()
            if added is None:
                self._run = self._opened()
            elif added or self._live.state_changed():
                self._run = self._live.run()
            self.finished = self._live.ended
            return self._run
        if status is None and self._finished_path() is None:
            # Gone without a finished file: what was read stays readable.
            if self._live.read_on():
                self._run = self._live.run()
            self.finished = True
            return self._run
        self._run = self._opened()
        return self._run

    def _opened(self) -> PipelineRun:
        finished = self._finished_path()
        journal = _status(self._journal)
        if journal is not None and (finished is None or _is_live(self._journal)):
            live = _Live.of(self._journal)
            if live is not None:
                self._live = live
                self.finished = live.ended
                return live.run()
        self._live = None
        path = finished or self._given
        self._stamp = _stamp(path)
        run = load_run(path)
        self.finished = True
        return run

    def _reloaded(self) -> PipelineRun:
        path = self._finished_path() or self._given
        stamp = _stamp(path)
        if stamp is not None and stamp != self._stamp:
            self._run = self._opened()
        return self._run

    def _finished_path(self) -> Path | None:
        name = self._journal.name.removesuffix("l")
        for suffix in _SUFFIXES:
            path = self._journal.with_name(name + suffix)
            if path != self._journal and path.is_file():
                return path
        return None


class _Live:
    """An open journal and how far it was read."""

    def __init__(self, path: Path, source: FileSource) -> None:
        self._path = path
        self._source = source
        self._problems = Problems()
        self._reader = JournalReader(source, shown_name(path), self._problems)
        self._at = 0
        self._was_claimed = False
        self._running = self._is_running()
        self.read_on()

    @classmethod
    def of(cls, path: Path) -> _Live | None:
        """Return an open journal, or None where the file is something else."""
        source = FileSource(open_for_reading(path), shown_name(path))
        source.expect_growth()
        head = source.read_at(0, min(_FIRST_LOOK, source.size))
        return cls(path, source) if head.lstrip().startswith(b'{"record"') else None

    @property
    def ended(self) -> bool:
        """Whether nothing will be added any more."""
        return self._reader.finished or (self._was_claimed and not self._running)

    def is_file(self, status: os.stat_result) -> bool:
        """Whether a file's status is that of this journal."""
        own = self._source.status()
        return (own.st_ino, own.st_dev) == (status.st_ino, status.st_dev)

    def read_on(self) -> int | None:
        """Read what was added; return how much, or None where the file was cut short."""
        size = self._source.status().st_size
        if size < self._at:
            return None
        before = self._at
        self._source.size = size
        self._at = feed_lines(self._reader, self._source, self._at, size)
        return self._at - before

    def state_changed(self) -> bool:
        """Whether the writer came or went since the last look."""
        before, self._running = self._running, self._is_running()
        return before != self._running

    def run(self) -> PipelineRun:
        """Return the run so far; it does not change when more is read."""
        self._running = self._is_running()
        whole = self._at == self._source.size
        return self._reader.run(self._path, running=self._running, whole=whole, goes_on=True)

    def _is_running(self) -> bool:
        if is_claimed(self._source.descriptor()):
            self._was_claimed = True
            return True
        if self._was_claimed:
            return False
        return time.time() - self._source.status().st_mtime < _QUIET_S


def journal_of(path: Path) -> Path:
    """Return where the journal of a run file stands while the run is recorded."""
    name = path.name
    if name.endswith(".jsonl"):
        return path
    for suffix in _SUFFIXES[1:]:
        name = name.removesuffix(suffix)
    return path.with_name(name + "l") if name.endswith(".json") else path


def _is_live(journal: Path) -> bool:
    try:
        descriptor = open_for_reading(journal)
    except RunFileError:
        return False
    try:
        return is_claimed(descriptor)
    finally:
        os.close(descriptor)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _stamp(path: Path) -> tuple[int, int, int] | None:
    status = _status(path)
    return None if status is None else (status.st_ino, status.st_size, status.st_mtime_ns)
