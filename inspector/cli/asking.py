"""Asking for what may stand in no argument: passwords and passphrases."""

from __future__ import annotations

import os
import sys

from inspector.errors import InspectorError

PLACES = "prompt, keyring or env:NAME"


def secret_from(place: str, name: str, question: str, *, twice: bool = False) -> str:
    """Return a secret from where a person says it is.

    Args:
        place: `prompt`, `keyring` or `env:NAME`.
        name: What it is called in the keyring.
        question: What a person is asked.
        twice: Whether it is new, so that a slip would lock everybody out.

    Raises:
        InspectorError: It is not there, or nobody can be asked.

    """
    if place.startswith("env:"):
        value = os.environ.get(place.removeprefix("env:"), "")
        if not value:
            raise InspectorError(f"The variable {place.removeprefix('env:')[:80]} is not set.")
        return value
    if place == "keyring":
        from inspector.replay.keyring_asking import read_ring

        answer = read_ring((name,))
        if name not in answer.values:
            raise InspectorError(
                answer.problem or f"The keyring has no {name}.",
                hint=f"keyring set run-inspector {name}",
            )
        return answer.values[name]
    if place != "prompt":
        raise InspectorError(
            f"Nothing is asked at a place called {place[:40]!r}.",
            hint=f"It is {PLACES}. A secret itself never stands there.",
        )
    return _prompted(question, twice=twice)


def _prompted(question: str, *, twice: bool) -> str:
    from getpass import getpass

    if sys.stdin is None or not sys.stdin.isatty():
        raise InspectorError(
            "Nobody can be asked here: there is no terminal.", hint="Say keyring or env:NAME."
        )
    said = getpass(f"{question} (not shown): ")
    if twice and getpass("Once more: ") != said:
        raise InspectorError("Those were two different ones.")
    return said
