"""Where every part of the window reports what went wrong or is worth saying."""

import logging

from PySide6.QtCore import QObject, Signal

from inspector.errors import InspectorError

PROMISE = "Nothing leaves this machine. Opening runs no code."

log = logging.getLogger(__name__)


class Messages(QObject):
    """Carries sentences to whoever shows them; does not know who that is."""

    error_shown = Signal(str, str)  # message, hint
    notice_shown = Signal(str)
    crash_reported = Signal(object)  # BaseException

    def failed(self, error: Exception) -> None:
        """Route a failure: expected ones to the banner, bugs to the crash dialog."""
        if isinstance(error, InspectorError):
            log.warning("%s", error)
            self.error_shown.emit(str(error), error.hint)
        else:
            self.crashed(error)

    def crashed(self, error: BaseException) -> None:
        """Report a bug of ours."""
        # Only the kind of error is logged: its message may quote a recorded value.
        log.error("Unexpected failure: %s", type(error).__qualname__)
        self.crash_reported.emit(error)

    def notice(self, sentence: str) -> None:
        """Say something that needs no answer."""
        self.notice_shown.emit(sentence)
