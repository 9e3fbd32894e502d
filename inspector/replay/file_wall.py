"""Which files a process may use that replays what a stranger has written.

A template may call what a value can do, and some values of Haystack can read and write
files. So nothing is written but the replay itself, and nothing is read but the recording
and the code that runs here. It is refused as the system would refuse it: libraries that
merely try go on.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import sysconfig
import tempfile
import zoneinfo
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_LISTING = frozenset({"os.listdir", "os.scandir", "os.chdir"})
_CHANGING = {
    "os.chflags": 1, "os.chmod": 1, "os.chown": 1, "os.mkdir": 1, "os.remove": 1,
    "os.removexattr": 1, "os.rename": 2, "os.rmdir": 1, "os.setxattr": 1, "os.truncate": 1,
    "os.utime": 1,
}  # fmt: skip
"""What changes files, and how many of its arguments are paths."""

_NEVER = frozenset({"os.link", "os.symlink", "sqlite3.connect"})
_CODE = (".py", ".pyc", ".so", ".pyd", ".dll", ".dylib")
_PACKAGES = ("site-packages", "dist-packages")
_HARMLESS = ("/dev/null", "/dev/urandom", "/etc/localtime")


class FileWall:
    """Decides about each file that is opened, listed or changed.

    `admit` and `writing` are for what the host has named, never for what a file says.
    """

    def __init__(self) -> None:
        ours = Path(__file__).parents[1]
        paths = sysconfig.get_paths()
        packages = [each for each in sys.path if Path(each).name in _PACKAGES]
        self._roots = _folders(
            (
                *(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")),
                *packages, *zoneinfo.TZPATH, str(ours), str(ours.parent / "resources"),
            )
        )  # fmt: skip
        # Packages that are being worked on lie anywhere, among files that are no code.
        self._code = _folders(each for each in sys.path if each)
        # Python looks for modules in what stands in its path, also where nothing is.
        self._files = {os.path.normcase(each) for each in (*_HARMLESS, *sys.path) if each}
        self._writable: tuple[str, ...] = ()
        self._scratch = ""

    @contextmanager
    def scratch(self, beside: str) -> Iterator[None]:
        """Let empty folders be made beside a path, until this is over.

        Haystack makes one when a component fails, and hides the error where it cannot.
        """
        place = os.path.dirname(os.path.abspath(beside))  # noqa: PTH100, PTH120
        base = os.path.join(place, "haystack")  # noqa: PTH118
        was_there = os.path.exists(base)  # noqa: PTH110
        self._scratch, before, tempfile.tempdir = _normal(base), tempfile.tempdir, place
        try:
            yield
        finally:
            self._scratch, tempfile.tempdir = "", before
            if not was_there:
                with self.writing(beside):
                    shutil.rmtree(base, ignore_errors=True)

    def admit(self, path: str) -> None:
        """Let one file be read."""
        self._files |= {_normal(path), _normal(os.path.realpath(path))}

    @contextmanager
    def writing(self, path: str) -> Iterator[None]:
        """Let files be written beside a path, for as long as this lasts."""
        self._writable = _folders([os.path.dirname(os.path.abspath(path))])  # noqa: PTH100, PTH120
        try:
            yield
        finally:
            self._writable = ()

    def look(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Look at an event of Python's audit.

        Raises:
            PermissionError: It is about a file that is none of ours.

        """
        if event == "open":
            path, _mode, flags = arguments
            writes = isinstance(flags, int) and flags & _WRITES
            if not (self._may_write(path) if writes else self._may_read(path)):
                _refuse(event, path)
        elif event in _LISTING:
            if not self._may_list(arguments[0]):
                _refuse(event, arguments[0])
        elif event == "os.mkdir" and self._may_make(arguments[0]):
            return
        elif (count := _CHANGING.get(event)) is not None:
            for path in arguments[:count]:
                if not self._may_write(path):
                    _refuse(event, path)
        elif event in _NEVER:
            _refuse(event, arguments[0])

    def _may_write(self, path: Any) -> bool:
        # A number is a file that is open already.
        return isinstance(path, int) or _normal(path).startswith(self._writable)

    def _may_make(self, path: Any) -> bool:
        name = "" if isinstance(path, int) else _normal(path)
        return bool(self._scratch) and f"{name}{os.sep}".startswith(f"{self._scratch}{os.sep}")

    def _may_read(self, path: Any) -> bool:
        if isinstance(path, int):
            return True
        name = _normal(path)
        if name in self._files or name.startswith(self._roots):
            return True
        if f"{name}{os.sep}".startswith(self._writable):
            return True
        return name.startswith(self._code) and name.endswith(_CODE)

    def _may_list(self, path: Any) -> bool:
        if isinstance(path, int):
            return True
        name = _normal(path or ".") + os.sep
        return name.startswith((*self._roots, *self._code, *self._writable))


def _normal(path: Any) -> str:
    # Links are not followed: packages may be links, and no link can be made in here.
    return os.path.normcase(os.path.abspath(os.fsdecode(path)))  # noqa: PTH100


def _folders(paths: Iterable[str]) -> tuple[str, ...]:
    """Return folders as the beginnings of what is in them, also by their real names."""
    found = {each for path in paths for each in (_normal(path), _normal(os.path.realpath(path)))}
    return tuple(sorted(each.rstrip(os.sep) + os.sep for each in found))


def _refuse(event: str, path: Any) -> None:
    sys.stderr.write(f"refused: {event} {str(path)[:200]!r}\n")
    raise PermissionError(errno.EACCES, "A replay of stubs uses no files", str(path)[:200])
