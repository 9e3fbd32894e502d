"""The token that a person has for GitHub: from the environment, the keyring, or typed once.

It stands in no argument, no setting and no file of ours.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from inspector.errors import FetchError

if TYPE_CHECKING:
    from inspector.sources.service import Service

PLACES = ("env", "keyring", "prompt", "none")


def variables_of(service: Service) -> tuple[str, ...]:
    """Return the variables that may hold a token; one for github.com goes nowhere else."""
    if service.is_public:
        return ("GITHUB_TOKEN", "GH_TOKEN")
    return ("GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN")


def token_from(place: str, service: Service) -> str | None:
    """Return the token, where there is one.

    Args:
        place: `env`, `env:NAME`, `keyring`, `prompt` or `none`.
        service: The GitHub that it is for.

    Raises:
        FetchError: There is no such place, or nothing in a place that was named.

    """
    names = variables_of(service)
    if place == "none":
        return None
    if place == "env":
        return next((value for name in names if (value := os.environ.get(name))), None)
    if place.startswith("env:"):
        name = place.removeprefix("env:")
        value = os.environ.get(name)
        if not value:
            raise FetchError(f"The variable {name[:80]} is not set.")
        return value
    if place == "keyring":
        return _of_keyring(names)
    if place == "prompt":
        return _asked(service)
    raise FetchError(
        f"A token comes from no place called {place[:40]!r}.",
        hint=f"Name one of {', '.join(PLACES)}, or env:NAME. A token itself never goes there.",
    )


def _of_keyring(names: tuple[str, ...]) -> str:
    from inspector.replay.keyring_asking import read_ring

    answer = read_ring(names)
    for name in names:
        if name in answer.values:
            return answer.values[name]
    raise FetchError(
        answer.problem or f"The keyring has no {names[0]}.",
        hint=f"keyring set run-inspector {names[0]}",
    )


def _asked(service: Service) -> str:
    import sys
    from getpass import getpass

    if sys.stdin is None or not sys.stdin.isatty():
        raise FetchError("Nobody can be asked for a token here: there is no terminal.")
    return getpass(f"Token for {service.host} (not shown): ")
