"""The failures we expect, each in words for the person who meets it."""


class InspectorError(Exception):
    """Something expected went wrong, said in words for the person who meets it.

    Args:
        message: One sentence naming the thing and what could not be done to it.
        hint: What to try next, when we know.

    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class RunFileError(InspectorError):
    """A run file could not be read or written."""


class SealedFileError(RunFileError):
    """The file is encrypted: what it holds is known once somebody opens it."""


class NewerFormatError(RunFileError):
    """The file was written by a later version than this one can read."""


class BudgetExceededError(InspectorError):
    """A run that is recorded with a budget has used it up, and makes no further calls.

    The only error of ours that goes into a pipeline that runs: its caller asked for it.
    """


class RedactionError(InspectorError):
    """What was asked of a redaction makes no sense, or cannot be done here."""


class FetchError(InspectorError):
    """What was asked for on the web cannot be had, or is not what it should be."""


class RecordingError(InspectorError):
    """A recording could not be started the way the caller asked.

    Raised to the caller of our own functions only, never into a pipeline that runs.
    """
