"""Keeping a folder of recordings from growing without end."""

from __future__ import annotations

import gzip
import logging
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

log = logging.getLogger("inspector.recording")

_RUN_FILES = (".run.json", ".run.json.gz", ".run.json.zst")
_JOURNALS = (".run.jsonl",)
_LEFT_OVER = re.compile(r"\..+\.run\.json(\.gz|\.zst)?\.[0-9a-f]{12}\.tmp")
_LEFT_OVER_AFTER_S = 3600.0

_OURS = re.compile(rb'\s*\{\s*("record"\s*:\s*"run"\s*,\s*)?"format"\s*:\s*"haystack-run"')
_HEAD_BYTES = 200

_LOOK_ONCE_IN = 50  # a folder of n files is looked through once in n/50 saved runs


@dataclass(frozen=True, slots=True)
class _Found:
    path: Path
    size: int
    written_at: float


@dataclass(slots=True)
class DirectoryLimits:
    """How many recordings a folder may hold, how old and how large.

    The oldest go first. Only run files and abandoned journals are ever removed, told by
    their content and not by their name alone; never one that a process is writing.

    Args:
        max_files: The most run files, None for any number.
        max_age_s: The age from which a run is removed.
        max_bytes: The most bytes of all runs together.

    """

    max_files: int | None = None
    max_age_s: float | None = None
    max_bytes: int | None = None
    _skip: int = field(default=0, init=False, repr=False, compare=False)
    _lock: Any = field(default_factory=Lock, init=False, repr=False, compare=False)

    def saved(self, path: Path) -> None:
        """Take note of a new run file, and make room in its folder when it is time for that."""
        if self.max_files is None and self.max_age_s is None and self.max_bytes is None:
            return
        with self._lock:
            self._skip -= 1
            if self._skip >= 0:
                return
            found = _runs_in(path.parent)
            self._skip = len(found) // _LOOK_ONCE_IN
            self._remove(found, path)

    def enforce(self, directory: Path) -> tuple[Path, ...]:
        """Make room in a folder now; return what was removed."""
        with self._lock:
            return self._remove(_runs_in(directory), None)

    def _remove(self, found: list[_Found], newest: Path | None) -> tuple[Path, ...]:
        found.sort(key=lambda run: run.written_at)
        now = time()
        count, size = len(found), sum(run.size for run in found)
        removed = []
        for run in found:
            too_old = self.max_age_s is not None and now - run.written_at > self.max_age_s
            too_many = self.max_files is not None and count > self.max_files
            too_large = self.max_bytes is not None and size > self.max_bytes
            if not (too_old or too_many or too_large):
                break
            if run.path == newest:
                continue
            if not _may_go(run.path):
                count -= 1  # not ours, or not finished: it takes nobody's place
                size -= run.size
                continue
            try:
                run.path.unlink(missing_ok=True)
            except OSError as error:
                log.warning("Cannot remove the old recording %s: %s", run.path, error.strerror)
                continue
            removed.append(run.path)
            count -= 1
            size -= run.size
        return tuple(removed)


def _runs_in(directory: Path) -> list[_Found]:
    """Return what looks like a run, and clear away what a killed writer left half done."""
    found = []
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            with suppress(OSError):
                if not entry.is_file(follow_symlinks=False):
                    continue
                if entry.name.endswith(_RUN_FILES + _JOURNALS):
                    facts = entry.stat(follow_symlinks=False)
                    found.append(_Found(Path(entry.path), facts.st_size, facts.st_mtime))
                elif _LEFT_OVER.fullmatch(entry.name):
                    age = time() - entry.stat(follow_symlinks=False).st_mtime
                    if age > _LEFT_OVER_AFTER_S:
                        Path(entry.path).unlink()
    return found


def _may_go(path: Path) -> bool:
    """Whether a file is a run of ours that nobody writes."""
    try:
        if path.name.endswith(_JOURNALS) and _is_being_written(path):
            return False
        return any(_OURS.match(head) for head in _heads(path))
    except OSError:
        return False


def _heads(path: Path) -> Iterable[bytes]:
    if path.suffix == ".gz":
        with suppress(EOFError, OSError), gzip.open(path) as file:
            yield file.read(_HEAD_BYTES)
    elif path.suffix == ".zst":
        with suppress(Exception), _zstd_open(path) as file:
            yield file.read(_HEAD_BYTES)
    else:
        with path.open("rb") as file:
            yield file.read(_HEAD_BYTES)


def _zstd_open(path: Path) -> Any:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return zstd.open(path)


def _is_being_written(path: Path) -> bool:
    """Whether a writer holds the lock of its journal."""
    try:
        import fcntl
    except ImportError:
        return True  # Windows: nobody knows, so it stays
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
