"""Who may speak to the server at all, before A2A looks at what is said.

Pages in a browser can send requests to this machine: a host name that is not ours (which a
page's owner may point here) and a body that is not declared as JSON (the only kind that a page may
send without asking) are refused.
"""

from __future__ import annotations

import hmac
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Receive, Scope, Send

_JSON = frozenset({"application/json", "application/a2a+json"})
MOST_BYTES = 8_000_000
_CARD = "/.well-known/agent-card.json"


def is_loopback(host: str) -> bool:
    """Whether a host is reached from this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _host_of(header: str) -> str:
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""  # which is nobody's


class Guard:
    """Lets through what may come in.

    Args:
        app: What answers it.
        hosts: The names under which the server is known; an empty list lets any through.
        token: What callers have to carry as a bearer; None when anybody may call.

    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str], token: str | None) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._token = token.encode() if token else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send)
            return
        status, words = refusal
        headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
        await JSONResponse({"detail": words}, status_code=status, headers=headers)(
            scope, receive, send
        )

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        host = _host_of(headers.get("host", ""))
        if self._hosts and host not in self._hosts:
            return 421, "This server is not known under that name."
        if scope["method"] == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind not in _JSON:
                return 415, "Send JSON, and say so in Content-Type."
            length = headers.get("content-length", "")
            if not length.isdigit():
                return 411, "Say in Content-Length how long the request is."
            if int(length) > MOST_BYTES:
                return 413, "The request is too large."
        if self._token is None or scope["path"].endswith(_CARD):
            return None
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and hmac.compare_digest(given.encode(), self._token):
            return None
        return 401, "Say who you are: Authorization: Bearer TOKEN."
