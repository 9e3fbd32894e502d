"""A temporary folder that goes with its window, or at a later start if the window was killed."""

import os
import stat
import sys
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, gettempdir
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.gui.tasks.runner import TaskRunner

PREFIX = "run-inspector-"
_LOCK = "in-use.lock"


class OwnFolder:
    """A folder of this process in the temporary directory, locked for as long as it is used.

    The system lets go of the lock when the process is gone, however that came.
    """

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
        self.path = Path(self._folder.name)
        self._lock: int | None = None
        # Under its name only once it is locked: others take what is there and free for left.
        # On Windows it is locked by being open, and could not be renamed.
        at = self.path / _LOCK
        early = at if sys.platform == "win32" else at.with_suffix(".new")
        try:
            self._lock = os.open(early, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            if early != at and _locks(self._lock):
                early.rename(at)
        except OSError:
            pass  # a place without locks: nobody sweeps it, either

    def close(self) -> None:
        """Take the folder away, with what is in it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        self._folder.cleanup()


def sweep() -> list[Path]:
    """Take away the folders of this user whose process is gone; return which."""
    try:
        with os.scandir(gettempdir()) as entries:
            found = [Path(entry.path) for entry in entries if entry.name.startswith(PREFIX)]
    except OSError:
        return []
    return [folder for folder in found if _take_away(folder)]


def sweep_beside(tasks: "TaskRunner") -> None:
    """Sweep beside the window, which has no use for what becomes of it."""
    tasks.start(lambda _cancelled: sweep(), done=_ignore, failed=_ignore, key="sweep folders")


def _ignore(_result: object) -> None:
    pass


def _take_away(folder: Path) -> bool:
    try:
        if not _is_ours(folder.lstat()):
            return False
        if sys.platform == "win32":
            (folder / _LOCK).unlink()  # which is refused while somebody has it open
        else:
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if not _locks(lock):
                    return False
            finally:
                os.close(lock)
    except OSError:
        return False  # there is no lock, or it is not for us to look at
    rmtree(folder, ignore_errors=True)
    return True


def _is_ours(found: os.stat_result) -> bool:
    if not stat.S_ISDIR(found.st_mode):
        return False
    return sys.platform == "win32" or (
        found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _locks(lock: int) -> bool:
    """Lock an open file, unless somebody else has; say whether it is locked now.

    Raises:
        OSError: There are no locks there.

    """
    if sys.platform == "win32":
        return True  # that it is open is its lock
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
