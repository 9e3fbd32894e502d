"""What a person shows a server: the operator's token, and who they are.

It stands in the keyring or in a variable, or is typed once; never in a setting or a file of ours.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from inspector.hayhooks.client.model import HayhooksError, Server

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TOKEN_VARIABLE = "RUN_INSPECTOR_HAYHOOKS_TOKEN"  # noqa: S105 - a name
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}")
_VALUE = re.compile(r"[!-~](?:[ -~]{0,4094}[!-~])?")
# What says how a message is read, and what we say ourselves.
_OURS = frozenset(
    {
        "accept", "connection", "content-length", "content-type", "expect", "host",
        "idempotency-key", "last-event-id", "te", "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class Access:
    """What is shown to one server.

    Args:
        token: The operator's: it lists executions and reads traces, and goes nowhere else.
        owner: Values of the headers that say whose executions are meant.

    """

    token: str | None = None
    owner: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what would not be a header.

        Raises:
            HayhooksError: It is none.

        """
        if self.token is not None and not re.fullmatch(r"[!-~]{1,4096}", self.token):
            raise HayhooksError(
                "What was given as a token is none: it holds blanks or other signs.",
                kind="invalid",
            )
        for name, value in self.owner.items():
            checked_header(name)
            if not _VALUE.fullmatch(value):
                raise HayhooksError(f"The value for {name} cannot be a header.", kind="invalid")

    def __repr__(self) -> str:
        """Say what there is, and no value."""
        return f"Access(token={'yes' if self.token else 'no'}, owner={sorted(self.owner)!r})"

    @property
    def scope(self) -> str:
        """Tell owners apart, without saying who they are."""
        if not self.owner:
            return ""
        pairs = sorted((name.lower(), value) for name, value in self.owner.items())
        return sha256(repr(pairs).encode()).hexdigest()[:16]


def checked_header(name: str) -> str:
    """Return a name of a header that may be set.

    Raises:
        HayhooksError: It may not.

    """
    if not _HEADER.fullmatch(name) or name.lower() in _OURS:
        shown = name[:60] if name.isprintable() else "That"
        raise HayhooksError(
            f"{shown} cannot be a header that names an owner.",
            kind="invalid", hint="Such as X-User or Authorization.",
        )  # fmt: skip
    return name


def ring_name(server: Server, header: str | None = None) -> str:
    """Return what a secret of a server is called in the keyring: a token, or a header's value."""
    return f"hayhooks {server.url} {f'header {header.lower()}' if header else 'token'}"


def access_from_keyring(
    server: Server, *, cancelled: Callable[[], bool] = lambda: False
) -> tuple[Access, str]:
    """Return what the keyring has for a server, and why it could not be asked, if so.

    It waits for the person who unlocks the keyring: for a worker thread.
    """
    from inspector.replay.keyring_asking import read_ring

    headers = {ring_name(server, header): header for header in server.owner_headers}
    answer = read_ring((ring_name(server), *headers), cancelled=cancelled)
    try:
        found = Access(
            answer.values.get(ring_name(server)) or None,
            {header: answer.values[key] for key, header in headers.items() if key in answer.values},
        )
    except HayhooksError as error:
        return Access(), str(error)
    return found, answer.problem


def keep_in_keyring(
    server: Server, access: Access, *, cancelled: Callable[[], bool] = lambda: False
) -> str:
    """Put what is shown to a server into the keyring; return why that failed, if it did."""
    from inspector.replay.keyring_asking import keep_in_ring

    values = {ring_name(server, header): value for header, value in access.owner.items()}
    if access.token:
        values[ring_name(server)] = access.token
    for key, value in values.items():
        if problem := keep_in_ring(key, value, cancelled=cancelled).problem:
            return problem
    return ""


def with_environment(access: Access) -> Access:
    """Return `access` with the token of the environment instead, where there is one."""
    return Access(os.environ.get(TOKEN_VARIABLE) or access.token, access.owner)
