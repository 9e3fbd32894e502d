"""Addresses of servers that a person typed: http or https, a host, and nothing that hides."""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from inspector.hayhooks.client.model import HayhooksError

_LONGEST = 2_000
_EXECUTION = re.compile(r"[A-Za-z0-9_-]{1,128}")


class Address(NamedTuple):
    """Where a server is.

    Args:
        path: In front of all of its paths; empty for most.

    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def is_secret(self) -> bool:
        """Whether nobody on the way reads along: TLS, or this machine."""
        return self.scheme == "https" or is_this_machine(self.host)


def checked_url(text: str) -> str:
    """Return an address as it is kept: without a slash at the end.

    Raises:
        HayhooksError: It is none.

    """
    address_of(text)
    return text.strip().rstrip("/")


def address_of(text: str) -> Address:
    """Take an address apart.

    Raises:
        HayhooksError: It is none that we ask.

    """
    text = text.strip()
    shown = text[:80] if text.isprintable() else "what was given"
    if not text or len(text) > _LONGEST or not text.isascii() or not text.isprintable():
        raise _no_address(shown)
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _no_address(shown) from error
    if parts.scheme not in {"http", "https"} or not host or " " in text:
        raise _no_address(shown)
    if parts.username is not None or parts.password is not None:
        raise HayhooksError(
            "An address with a name or a password in it is not kept.",
            kind="invalid", hint="The token goes into the keyring.",
        )  # fmt: skip
    if parts.query or parts.fragment:
        raise _no_address(shown)
    standard = 443 if parts.scheme == "https" else 80
    return Address(parts.scheme, host, port or standard, parts.path.rstrip("/"))


def is_this_machine(host: str) -> bool:
    """Whether a host can only be this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def path_of(deployment: str, *, execution: str | None = None, action: str = "") -> str:
    """Return the path of a deployment, an execution, or what is done with it.

    Raises:
        HayhooksError: There can be no such deployment or execution.

    """
    if not deployment or len(deployment) > 512 or deployment in {".", ".."}:
        raise HayhooksError("There is no such deployment.", kind="not_found")
    path = f"/{quote(deployment, safe='')}"
    if execution is not None:
        if not _EXECUTION.fullmatch(execution):
            raise HayhooksError(
                "That is no id of an execution.",
                kind="invalid", hint="It has letters, digits, - and _, at most 128.",
            )  # fmt: skip
        path += f"/executions/{execution}"
    return f"{path}/{action}" if action else path


def _no_address(shown: str) -> HayhooksError:
    return HayhooksError(
        f"{shown or 'Nothing'} is no address of a server.",
        kind="invalid",
        hint="Such as http://localhost:1416 or https://hayhooks.example.com.",
    )
