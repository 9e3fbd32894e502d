"""The keyring of the system, asked in a process of its own: it may wait for a person for ever.

What is asked and answered goes through pipes, and stands in no argument and in no file.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    Cancelled = Callable[[], bool]

_MODULE = "inspector.replay.keyring_asking"
SERVICE = "run-inspector"
_WAIT_S = 10.0
_TICK_S = 0.1
_LONGEST = 10_000
_MOST = 100


class RingAnswer(NamedTuple):
    """What the keyring said: values by name, and why it could not be asked, if it could not."""

    values: dict[str, str]
    problem: str = ""

    def __repr__(self) -> str:
        """Say which names were found, without the values."""
        return f"RingAnswer({sorted(self.values)!r}, {self.problem!r})"


def read_ring(
    names: tuple[str, ...], *, wait_s: float = _WAIT_S, cancelled: Cancelled = lambda: False
) -> RingAnswer:
    """Look names up in the keyring, for as long as somebody wants to know."""
    if not names:
        return RingAnswer({})
    return _asked({"do": "read", "names": list(names[:_MOST])}, wait_s, cancelled)


def keep_in_ring(
    name: str, value: str, *, wait_s: float = _WAIT_S, cancelled: Cancelled = lambda: False
) -> RingAnswer:
    """Put a value into the keyring."""
    return _asked({"do": "keep", "name": name, "value": value}, wait_s, cancelled)


def _asked(question: dict[str, Any], wait_s: float, cancelled: Cancelled) -> RingAnswer:
    if getattr(sys, "frozen", False):
        return RingAnswer({}, "This build of the program does not ask the keyring.")
    # Never from the folder that one happens to be in: anybody's files may lie there.
    place = str(Path(__file__).parents[2])
    code = f"import sys, runpy; sys.path.append({place!r}); "
    code += f"runpy.run_module({_MODULE!r}, run_name='__main__')"
    words = [sys.executable, "-P", "-c", code]
    try:
        with subprocess.Popen(  # noqa: S603 - this very interpreter
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True,
        ) as process:  # fmt: skip
            answered = _waited(process, json.dumps(question), wait_s, cancelled)
        if answered is None:
            return RingAnswer({}, f"The keyring did not answer within {wait_s:g} seconds.")
        said = json.loads(answered)
    except (OSError, ValueError):
        return RingAnswer({}, "The keyring of this system cannot be asked.")
    return RingAnswer(dict(said["values"]), str(said["problem"]))


def _waited(
    process: subprocess.Popen[str], question: str, wait_s: float, cancelled: Cancelled
) -> str | None:
    """Return what was answered in time; else end the process, and with it what it asks."""
    deadline = time.monotonic() + wait_s
    asking: str | None = question
    while True:
        try:
            return process.communicate(asking, timeout=_TICK_S)[0]
        except subprocess.TimeoutExpired:
            asking = None  # it was handed over
            if cancelled() or time.monotonic() >= deadline:
                process.kill()
                return None


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """Do what is asked, in the process that was started for it."""
    try:
        import keyring
        from keyring.errors import KeyringError, NoKeyringError
    except ImportError:
        return {"values": {}, "problem": "The keyring package is not installed."}
    values: dict[str, str] = {}
    try:
        if question["do"] == "keep":
            keyring.set_password(SERVICE, question["name"], question["value"])
        else:
            for name in question["names"]:
                found = keyring.get_password(SERVICE, name)
                if found and len(found) <= _LONGEST:
                    values[name] = found
    except NoKeyringError:
        return {"values": values, "problem": "This system has no keyring."}
    except KeyringError as error:
        return {"values": values, "problem": f"The keyring refused ({type(error).__name__})."}
    except Exception as error:  # noqa: BLE001 - a backend of anybody's
        return {"values": values, "problem": f"The keyring failed ({type(error).__name__})."}
    return {"values": values, "problem": ""}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(answer(json.loads(sys.stdin.read()))))
