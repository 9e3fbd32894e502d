"""Sealing and unsealing in a process of its own: the library holds the interpreter meanwhile.

A passphrase takes a second or more by design, in which a window could not be painted. Secrets
and data go through pipes, and stand in no argument and in no file.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from inspector.errors import InspectorError
from inspector.trust.sealing import Secret, seal, unseal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import IO

_MODULE = "inspector.trust.unsealing"
_LOOK_S = 0.1
_GOOD, _BAD = b"+", b"-"


def unsealed_elsewhere(data: bytes, secret: Secret, cancelled: Callable[[], bool]) -> bytes:
    """Return what is sealed, without keeping other threads from their work.

    Raises:
        InspectorError: The secret does not open it, or it was stopped.

    """
    if getattr(sys, "frozen", False):
        return unseal(data, secret)
    head = {"do": "unseal", "passphrase": secret.passphrase, "keys": list(secret.keys)}
    return _answered(head, data, cancelled, "Opening")


def sealed_elsewhere(
    data: bytes, to: Sequence[str], passphrase: str, cancelled: Callable[[], bool]
) -> bytes:
    """Return data sealed for public keys or with a passphrase, in the same way.

    Raises:
        InspectorError: There is neither or both, a key is none, or it was stopped.

    """
    if getattr(sys, "frozen", False):
        return seal(data, to=to, passphrase=passphrase)
    head = {"do": "seal", "passphrase": passphrase, "keys": list(to)}
    return _answered(head, data, cancelled, "Sealing")


def _answered(
    head: Mapping[str, object], data: bytes, cancelled: Callable[[], bool], doing: str
) -> bytes:
    # Never from the folder that one happens to be in: anybody's files may lie there.
    place = str(Path(__file__).parents[2])
    code = f"import sys, runpy; sys.path.append({place!r}); "
    code += f"runpy.run_module({_MODULE!r}, run_name='__main__')"
    with subprocess.Popen(  # noqa: S603 - this very interpreter
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        # After a timeout, communicate() never writes what is left of its input.
        pipe, process.stdin = process.stdin, None
        assert pipe is not None
        feeder = Thread(target=_feed, args=(pipe, json.dumps(head).encode() + b"\n" + data))
        feeder.start()
        while True:
            try:
                answer, _ = process.communicate(timeout=_LOOK_S)
                feeder.join()
                break
            except subprocess.TimeoutExpired:
                if cancelled():
                    process.kill()
                    process.communicate()
                    feeder.join()
                    raise InspectorError(f"{doing} was stopped.") from None
    if answer.startswith(_GOOD):
        return answer[1:]
    try:
        told = json.loads(answer[1:])
        raise InspectorError(str(told["message"]), hint=str(told["hint"]))
    except (ValueError, KeyError, TypeError) as error:
        raise InspectorError(f"{doing} it failed here.") from error


def _feed(pipe: IO[bytes], given: bytes) -> None:
    # Who reads it may have ended, or been stopped.
    with suppress(OSError), pipe:
        pipe.write(given)


def main() -> None:
    """Answer one question, in the process that was started for it."""
    head = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    try:
        if head["do"] == "seal":
            made = seal(data, to=head["keys"], passphrase=head["passphrase"])
        else:
            made = unseal(data, Secret(head["passphrase"], tuple(head["keys"])))
    except InspectorError as error:
        told = json.dumps({"message": str(error), "hint": error.hint})
        sys.stdout.buffer.write(_BAD + told.encode())
    else:
        sys.stdout.buffer.write(_GOOD)
        sys.stdout.buffer.write(made)


if __name__ == "__main__":
    main()
