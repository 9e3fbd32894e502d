"""Asking one GitHub, and nobody else, for no more than was agreed."""

from __future__ import annotations

import json
import re
import socket
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from inspector.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from http.client import HTTPResponse

    from inspector.sources.service import Service

MIB = 2**20
_BLOCK = 64 * 1024
_WAIT_S = 10.0
_MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NEXT = re.compile(r'<([^<>]{1,2000})>\s*;\s*rel="next"')
_HEADERS = {
    "Accept": "application/vnd.github+json",
    "User-Agent": "run-inspector",
    "X-GitHub-Api-Version": "2022-11-28",
}


class FetchLimits(NamedTuple):
    """Where fetching stops and says so.

    Args:
        answer_bytes: Of one answer of the API.
        file_bytes: Of one attachment; GitHub itself takes 25 MB.
        all_bytes: Of everything that is fetched for one link.
        pages: How many pages of a hundred comments are read.
        files: How many attachments are looked at.
        gists: How many linked gists are looked at.

    """

    answer_bytes: int = 16 * MIB
    file_bytes: int = 64 * MIB
    all_bytes: int = 256 * MIB
    pages: int = 10
    files: int = 50
    gists: int = 10


class Download(NamedTuple):
    """A file that is being fetched."""

    size: int | None
    kind: str  # its content type
    read: Callable[[int], bytes]


class Web:
    """Fetches from one GitHub.

    Args:
        service: Which.
        token: Shown to its API and its pages, and to no host that they send us on to.
        limits: Where to stop.
        cancelled: Asked now and then whether to stop.

    """

    def __init__(
        self,
        service: Service,
        token: str | None = None,
        *,
        limits: FetchLimits | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        if token and not re.fullmatch(r"[!-~]{1,4096}", token):
            raise FetchError("What was given as a token is none: it holds blanks or other signs.")
        self.service = service
        self.limits = limits or FetchLimits()
        self._token = token
        self._cancelled = cancelled or (lambda: False)
        self._left = self.limits.all_bytes

    def __repr__(self) -> str:
        """Say who is asked, and no token."""
        return f"Web({self.service.host!r})"

    def listed(self, path: str) -> tuple[list[Any], bool]:
        """Return a list that the API hands out in pages, and whether it is whole.

        Raises:
            FetchError: It cannot be had.

        """
        address: str | None = self._with_hundred(path)
        items: list[Any] = []
        for _page in range(self.limits.pages):
            assert address is not None
            tree, headers = self._asked(address)
            items += tree if isinstance(tree, list) else []
            following = _NEXT.search(headers.get("link") or "")
            address = following[1] if following else None
            if address is None:
                return items, True
        return items, False

    def answer(self, path: str) -> Mapping[str, Any]:
        """Return an object that the API knows.

        Raises:
            FetchError: It cannot be had.

        """
        tree, _headers = self._asked(f"{self.service.api}{path}")
        if not isinstance(tree, dict):
            raise FetchError(f"{self.service.host} answered with something else than asked for.")
        return tree

    @contextmanager
    def download(self, address: str) -> Iterator[Download]:
        """Begin to fetch a file; what is read counts, and no more than that is fetched.

        Raises:
            FetchError: It cannot be had, or is larger than agreed.

        """
        response = self._opened(address)
        with response:
            if response.status != 200:
                raise self._refusal(response, response.read(_BLOCK))
            size = _number(response.headers.get("content-length"))
            limit = self.limits.file_bytes
            if size is not None and size > limit:
                raise FetchError(f"It has {size:,} bytes; up to {limit // MIB} MiB are fetched.")
            read = 0

            def more(length: int) -> bytes:
                nonlocal read
                data = self._read(response, length)
                read += len(data)
                if read > limit:
                    raise FetchError(f"It is larger than {limit // MIB} MiB.")
                if size is not None and len(data) < length and read < size:
                    raise FetchError(f"Only {read:,} of its {size:,} bytes came.")
                return data

            yield Download(size, response.headers.get("content-type") or "", more)

    def _with_hundred(self, path: str) -> str:
        return f"{self.service.api}{path}?per_page=100"

    def _asked(self, address: str) -> tuple[Any, Mapping[str, Any]]:
        response = self._opened(address)
        with response:
            limit = self.limits.answer_bytes
            data = self._read(response, limit + 1)
            if response.status != 200:
                raise self._refusal(response, data)
            if len(data) > limit:
                raise FetchError(f"{self.service.host} answered with more than {limit // MIB} MiB.")
            kind = (response.headers.get("content-type") or "").lower()
            if "html" in kind or data.lstrip()[:1] == b"<":
                raise FetchError(
                    f"{self.service.host} answered with a web page instead of data.",
                    hint="A page to sign in, or a proxy, may stand in between.",
                )
            try:
                tree = json.loads(data)
            except (ValueError, RecursionError) as error:
                raise FetchError(f"{self.service.host} answered with damaged data.") from error
            return tree, {key.lower(): value for key, value in response.headers.items()}

    def _opened(self, address: str) -> HTTPResponse:
        """Ask for an address, and follow where it leads while that is GitHub."""
        for _hop in range(_MOST_REDIRECTS + 1):
            if not self.service.owns(address):
                host = urlsplit(address).hostname if address.isprintable() else None
                raise FetchError(
                    f"{self.service.host} sends us on to {(host or 'an odd address')[:80]},"
                    " which is none of its hosts.",
                    hint="Nothing was fetched from there.",
                )
            if self._cancelled():
                raise FetchError("Fetching was stopped.")
            response = self._sent(address)
            if response.status not in _REDIRECTS:
                return response
            target = response.headers.get("location")
            response.close()
            if not target:
                break
            address = urljoin(address, target)
        raise FetchError(f"{self.service.host} sends us round in circles.")

    def _sent(self, address: str) -> HTTPResponse:
        from http.client import HTTPException
        from urllib.error import URLError
        from urllib.request import Request

        asked = Request(address, headers=dict(_HEADERS))  # noqa: S310 - https, or this machine
        if self._token and self.service.may_know_token(address):
            asked.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            response: HTTPResponse = _opener(address).open(asked, timeout=_WAIT_S)
        except URLError as error:
            raise self._out_of_reach(error.reason) from error
        except (OSError, HTTPException, ValueError) as error:
            raise self._out_of_reach(error) from error
        return response

    def _read(self, response: HTTPResponse, length: int) -> bytes:
        from http.client import HTTPException

        pieces: list[bytes] = []
        missing = length
        while missing > 0:
            if self._cancelled():
                raise FetchError("Fetching was stopped.")
            try:
                # One receive at a time: whoever dribbles is noticed between two of them.
                piece = response.read1(min(_BLOCK, missing))
            except (OSError, HTTPException) as error:
                raise self._out_of_reach(error) from error
            if not piece:
                break
            self._left -= len(piece)
            if self._left < 0:
                raise FetchError(
                    f"That is more than {self.limits.all_bytes // MIB} MiB altogether."
                )
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def _out_of_reach(self, reason: object) -> FetchError:
        import ssl

        host = self.service.host
        if isinstance(reason, ssl.SSLCertVerificationError):
            return FetchError(
                f"The certificate of {host} is not trusted: {reason.verify_message}.",
                hint="Set SSL_CERT_FILE where your network has a certificate of its own.",
            )
        if isinstance(reason, socket.gaierror):
            return FetchError(
                f"{host} cannot be found: this machine seems to be offline.",
                hint="A file that is on this machine opens without a network.",
            )
        if isinstance(reason, TimeoutError):
            return FetchError(f"{host} did not answer within {_WAIT_S:g} seconds.")
        words = getattr(reason, "strerror", None) or type(reason).__name__
        return FetchError(
            f"{host} cannot be reached: {words}.", hint="Look at the network, or a proxy."
        )

    def _refusal(self, response: HTTPResponse, body: bytes) -> FetchError:
        host, status = self.service.host, response.status
        spent = response.headers.get("x-ratelimit-remaining") == "0"
        later = response.headers.get("retry-after")
        if status == 429 or (status == 403 and (spent or later)):
            return self._too_often(response)
        if status == 401:
            return FetchError(
                f"{host} does not accept the token.", hint="It may have run out; make another."
            )
        if status in (404, 410):
            where = "There is nothing at this address" if status == 404 else "It was deleted"
            told = "the token may not read it" if self._token else "it needs a token"
            return FetchError(f"{where} of {host}.", hint=f"If it is private, {told}.")
        if status == 403:
            return FetchError(
                f"{host} does not let us read this.",
                hint="A token may lack the right, or its company's approval."
                if self._token
                else "It may need a token.",
            )
        if status == 451:
            return FetchError(f"{host} may not show this for legal reasons.")
        if status >= 500:
            return FetchError(f"{host} is in trouble (status {status}).", hint="Try again later.")
        return FetchError(f"{host} refused with status {status}.", hint=_said(body))

    def _too_often(self, response: HTTPResponse) -> FetchError:
        host = self.service.host
        until = _number(response.headers.get("x-ratelimit-reset"))
        pause = _number(response.headers.get("retry-after"))
        when = ""
        if pause is not None:
            when = f" It may be asked again in {pause:,} seconds."
        elif until is not None and until < 2**33:
            clock = datetime.fromtimestamp(until).astimezone()
            when = f" It may be asked again at {clock:%H:%M}."
        hint = "" if self._token else "With a token it answers far more often."
        return FetchError(f"{host} was asked too often.{when}", hint=hint)


def _opener(address: str) -> Any:
    """Return what sends a request: by http and https only, and never on by itself."""
    from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler

    opener = OpenerDirector()
    # Without the handler that follows redirects, and without the ones for files and FTP.
    handlers: list[Any] = [HTTPHandler()]
    if address.startswith("https:"):
        handlers = [ProxyHandler(), HTTPHandler(), HTTPSHandler()]
    for handler in handlers:
        opener.add_handler(handler)
    return opener


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"[0-9]{1,15}", text.strip()) else None


def _said(body: bytes) -> str:
    try:
        message = json.loads(body).get("message")
    except (ValueError, RecursionError, AttributeError):
        return ""
    return f"It says: {message[:200]}" if isinstance(message, str) else ""
