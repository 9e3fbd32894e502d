"""How the death of a worker is told: what it died of, and what it said last."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_LONGEST = 300
_OUT_OF_TIME = {"SIGXCPU"}


class DeathWords(NamedTuple):
    """A sentence, and what to do about it."""

    message: str
    hint: str


def readable(printed: bytes) -> str:
    """Return what was printed as text that cannot look like anything but text."""
    text = _ESCAPE.sub("", printed.decode("utf-8", "replace")).replace("\r\n", "\n")
    return "".join(
        each if each in "\n\t" or each.isprintable() else f"\\x{ord(each):02x}" for each in text
    )


def last_line(words: str) -> str:
    """Return the last line of what was printed as a sentence to add, if there is one."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    if not lines:
        return ""
    line = lines[-1]
    return f" It said last: {line[:_LONGEST]}{'…' if len(line) > _LONGEST else ''}"


def stillborn_words(python: Path, directory: Path, error: OSError) -> DeathWords:
    """Say why a worker was not even started."""
    if not directory.is_dir():
        return DeathWords(
            f"There is no folder {directory}.", "Choose the folder of the project again."
        )
    return DeathWords(
        f"{python} cannot be started: {error.strerror}.", "Choose another interpreter."
    )


def death_words(
    code: int, words: str, python: Path, *, limited: bool, work: str = "replay"
) -> DeathWords:
    """Say what a worker died of, from its exit code and from what it printed."""
    if "No module named 'inspector" in words or "No module named inspector" in words:
        return DeathWords(
            f"Run Inspector is not installed for {python}.",
            f"{python} -m pip install haystack-run-inspector",
        )
    if "No module named 'haystack'" in words:
        return DeathWords(
            f"Haystack is not installed for {python}.", "Choose the interpreter of the pipeline."
        )
    last = last_line(words)
    if code >= 0:
        how = f"ended with exit code {code} before the {work} did"
        return DeathWords(f"The worker of the {work} {how}.{last}", "")
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    if limited and name in _OUT_OF_TIME:
        return DeathWords(f"The {work} used up the processor time that it had.{last}", "")
    hint = ""
    if name == "SIGKILL":
        hint = "The system does this when memory runs out."
    return DeathWords(f"The worker of the {work} was ended by {name}.{last}", hint)
