"""Catches what nobody caught, and writes it down without a recorded value."""

import faulthandler
import logging
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import PySide6
from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import TextIOWrapper

log = logging.getLogger("inspector.qt")

# Said by the platform that draws without a display, of hints to a window manager.
_OF_NO_CONCERN = "This plugin does not support"
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class CrashGuard(QObject):
    """Hands uncaught exceptions of every thread to `caught`, on the thread of the window."""

    caught = Signal(object)  # BaseException

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._faults: TextIOWrapper | None = None
        self._before: tuple[Callable[..., object], Callable[..., object]] | None = None

    def install(self, state_folder: Path) -> None:
        """Begin to watch. Crashes of the process itself are written to `state_folder`."""
        self._before = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        qInstallMessageHandler(log_qt)
        try:
            state_folder.mkdir(parents=True, exist_ok=True)
            # Open as long as the process lives: faulthandler writes to it when all is lost.
            self._faults = (state_folder / "crash.log").open("w", encoding="utf-8")
            faulthandler.enable(self._faults)
        except OSError as error:
            log.warning("Crashes cannot be written down: %s", error)

    def remove(self) -> None:
        """Stop watching, as at the end of the program."""
        if self._before is not None:
            sys.excepthook, threading.excepthook = self._before
            self._before = None
        qInstallMessageHandler(None)
        if self._faults is not None:
            faulthandler.disable()
            self._faults.close()
            self._faults = None

    def _on_exception(
        self,
        kind: type[BaseException],
        error: BaseException,
        where: TracebackType | None,
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, where)
            return
        self.caught.emit(error.with_traceback(where))

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self.caught.emit(args.exc_value)


def log_qt(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    """Write down what Qt has to say, as a message handler for it."""
    level = _LEVELS.get(kind, logging.WARNING)
    if message.startswith(_OF_NO_CONCERN):
        level = logging.DEBUG
    log.log(level, "%s", message)


def crash_report(error: BaseException, program_version: str) -> str:
    """Return what happened, for an issue: places in code, kinds of error, versions.

    It holds no message and no value of an error: both may quote what was recorded.
    """
    import platform
    import traceback

    lines = [
        f"Run Inspector {program_version}",
        f"Python {platform.python_version()}, PySide6 {PySide6.__version__}, {sys.platform}",
        "",
    ]
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        kind = type(current)
        lines.append(f"{kind.__module__}.{kind.__qualname__}")
        lines.extend(
            f"  {_place(frame.filename)}:{frame.lineno} in {frame.name}"
            for frame in reversed(traceback.extract_tb(current.__traceback__))
        )
        current = current.__cause__ or current.__context__
        if current is not None:
            lines.append("caused by")
    return "\n".join(lines)


def _place(filename: str) -> str:
    """Return a file's place without the folders of whoever runs this."""
    parts = Path(filename).parts
    for root in ("inspector", "site-packages"):
        if root in parts:
            return "/".join(parts[parts.index(root) :])
    return Path(filename).name
