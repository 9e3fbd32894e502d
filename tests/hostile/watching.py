"""Sees what this process reads, fetches, starts and imports: run inside of a program of its own."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import socket
import sys
import threading
from pathlib import Path
from typing import Any

from tests.hostile.words import MARK, Bait

ROOT = Path(__file__).parents[2]
_IN_OPEN, _IN_ACCESS, _IN_DELETE_SELF, _IN_ISDIR = 0x20, 0x1, 0x400, 0x40000000
_STARTS = (
    "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.startfile",
    "pty.", "webbrowser.", "urllib.", "http.", "ftplib.", "smtplib.", "socket.connect",
    "socket.getaddrinfo", "socket.gethostby", "socket.sendto", "socket.bind", "pickle.", "marshal.",
    "ctypes.dlopen",
)  # fmt: skip
_PLACES = {"open", "os.listdir", "os.scandir", "os.remove", "os.rename", "os.mkdir", "os.rmdir",
           "os.link", "os.symlink", "os.chmod", "os.chown", "os.truncate", "os.utime",
           "shutil.rmtree", "shutil.copyfile", "shutil.move"}  # fmt: skip
_SETTINGS = ("run-inspector.toml", "pyproject.toml")
_TEXTS = {"compile", "exec", "import"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Server:
    """Listens, and counts who comes; it is asked nothing by a program that fetches nothing."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.visits = 0
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        while True:
            try:
                visitor, _ = self._socket.accept()
            except OSError:
                return
            self.visits += 1
            visitor.close()

    def close(self) -> None:
        self._socket.close()


class Watch:
    """Lists what happened that may not.

    Python's own events tell of all that Python does. Qt and other libraries open files
    below it: who touches the bait is seen by the system.
    """

    def __init__(self, bait: Bait, readable: list[Path], writable: list[Path]) -> None:
        """Begin.

        Args:
            bait: What nobody should touch.
            readable: Files and folders that may be read, besides those of Python and of ours.
            writable: Folders that may be read and written.

        """
        ours = [sys.prefix, sys.base_prefix, sys.exec_prefix, ROOT / "inspector",
                ROOT / "resources", ROOT / "tests", *sys.path[1:]]  # fmt: skip
        self._bait = bait
        self._writable = [os.path.realpath(path) for path in writable]
        self._readable = [os.path.realpath(path) for path in [*ours, *readable] if path]
        self._readable += ["/dev/null", "/dev/urandom", "/proc/", "/usr/share/", "/etc/localtime",
                           "/usr/lib", "/lib", "/etc/mime.types", "/usr/local/etc/mime.types",
                           "/sys/"]  # fmt: skip
        self._readable = [one for one in self._readable if one != os.path.realpath(bait.folder)]
        self._seen: list[str] = []
        self._modules = len(sys.modules)
        self._notes = _notes_of(bait.folder)
        self.reading: str = ""  # the file that is open
        self._busy = threading.local()
        sys.addaudithook(self._on_event)

    def taken(self) -> list[str]:
        """Return what happened since the last time."""
        seen, self._seen = self._seen, []
        if self._notes is not None:
            seen += _read_notes(self._notes)
        named = [
            name for name in sys.modules if MARK in name or name in ("antigravity", "haystack")
        ]
        return seen + [f"imported {name}" for name in named]

    def _on_event(self, event: str, args: tuple[Any, ...]) -> None:
        if getattr(self._busy, "now", False):
            return
        self._busy.now = True
        try:
            if event.startswith(_STARTS):
                if not self._is_ours(event, args):
                    self._seen.append(f"{event} {args!r}"[:300])
            elif event in _PLACES:
                self._look_at(event, args)
            elif event in _TEXTS and any(MARK in str(arg)[:100_000] for arg in args[:1]):
                self._seen.append(f"{event} {args!r}"[:300])
        finally:
            self._busy.now = False

    def _is_ours(self, event: str, args: tuple[Any, ...]) -> bool:
        if event == "marshal.loads":  # what importing is made of
            return True
        if event == "ctypes.dlopen":
            return args[0] is None or self._is_under(str(args[0]), self._readable)
        return False

    def _look_at(self, event: str, args: tuple[Any, ...]) -> None:
        place = args[0] if args else None
        if isinstance(place, int) or place is None:
            return
        path = os.path.realpath(os.fsdecode(place))
        if self._is_under(path, self._writable):
            return
        reads = event in ("os.listdir", "os.scandir") or (
            event == "open" and not (isinstance(args[2], int) and args[2] & _WRITES)
        )
        if reads and (path == self.reading or self._is_under(path, self._readable)):
            return
        if event == "os.listdir" and path in (os.path.realpath(self._bait.folder), os.getcwd()):
            return  # Python itself looks for modules there
        if reads and os.path.basename(path) in _SETTINGS:
            return  # of the user, in the folder where he is and above
        self._seen.append(f"{event} {args!r}"[:300])

    @staticmethod
    def _is_under(path: str, folders: list[str]) -> bool:
        return any(path == one or path.startswith(one.rstrip("/") + "/") for one in folders)


def bounded(memory_bytes: int, cpu_s: int) -> None:
    """Have this process end when it takes more than that."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))


def peak_bytes() -> int:
    """Return the most memory that this program had.

    `ru_maxrss` would count the process that started it, too: it outlives `exec`.
    """
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _notes_of(folder: Path) -> int | None:
    """Have the system note who opens a file of a folder; None where it cannot."""
    if not sys.platform.startswith("linux"):
        return None
    system = ctypes.CDLL(None)
    notes = int(system.inotify_init1(os.O_NONBLOCK))
    system.inotify_add_watch(notes, os.fsencode(folder), _IN_OPEN | _IN_ACCESS)
    return notes


def _read_notes(notes: int) -> list[str]:
    try:
        told = os.read(notes, 65_536)
    except BlockingIOError:
        return []
    found, at = [], 0
    while at < len(told):
        mask = int.from_bytes(told[at + 4 : at + 8], "little")
        size = int.from_bytes(told[at + 12 : at + 16], "little")
        name = told[at + 16 : at + 16 + size].rstrip(b"\0").decode()
        if not mask & _IN_ISDIR:
            found.append(f"touched {name}")
        at += 16 + size
    return found
