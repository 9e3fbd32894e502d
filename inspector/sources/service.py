"""Which GitHub is asked, which of its links lead to runs, and which hosts belong to it."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from inspector.errors import FetchError

_OWNER = r"[A-Za-z0-9_-]{1,100}"
_REPO = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,100}"
_POST = re.compile(
    rf"/(?P<owner>{_OWNER})/(?P<repo>{_REPO})/(?P<kind>issues|pull)/(?P<number>\d{{1,12}})(?:/\S*)?"
)
_PART = re.compile(r"(?P<part>issuecomment-|discussion_r|r|pullrequestreview-)(?P<id>\d{1,18})")
_GIST = re.compile(r"/(?:[A-Za-z0-9_-]{1,100}/)?(?P<id>[0-9a-f]{8,64})(?:/\S*)?")
_FILE = re.compile(
    rf"/(?:user-attachments|{_OWNER}/{_REPO})/files/\d{{1,18}}/(?P<name>[^/?#]{{1,255}})"
)
_PUBLIC = "github.com"
_RESIDENT = ".ghe.com"  # GitHub in the cloud under a name of the company's own
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_DEFAULT_PORTS = {"https": 443, "http": 80}


class Link(NamedTuple):
    """Where something on GitHub is that may hold runs.

    Args:
        kind: `issue`, `pull`, `comment`, `remark` (on a line of a pull request), `review`,
            `gist` or `file`.
        address: As it was given.
        owner: Whose repository.
        repo: Which.
        number: Of the issue or pull request.
        id: Of the comment or gist.
        name: Of the file.

    """

    kind: str
    address: str
    owner: str = ""
    repo: str = ""
    number: str = ""
    id: str = ""
    name: str = ""

    @property
    def words(self) -> str:
        """What it is, in a few words."""
        place = f"{self.owner}/{self.repo}#{self.number}"
        match self.kind:
            case "gist":
                return f"gist {self.id[:8]}"
            case "file":
                return self.name
            case "comment" | "remark":
                return f"a comment on {place}"
            case "review":
                return f"a review of {place}"
            case _:
                return place


class Service(NamedTuple):
    """One GitHub: github.com, or that of a company.

    Args:
        web: Its address for people, such as `https://github.com`.
        api: Its address for programs, such as `https://api.github.com`.
        families: Hosts that belong to it, with all that is below them.

    """

    web: str
    api: str
    families: tuple[str, ...]

    @property
    def host(self) -> str:
        """What people call it."""
        return urlsplit(self.web).netloc

    @property
    def is_public(self) -> bool:
        return self.web == f"https://{_PUBLIC}"

    def owns(self, address: str) -> bool:
        """Say whether an address is of this GitHub, so that it may be fetched from."""
        parts = _split(address)
        if parts is None or parts.username is not None or parts.password is not None:
            return False
        home = urlsplit(self.web)
        host = parts.hostname or ""
        if _place(parts) == _place(home):
            return True
        if parts.scheme != "https" or _port(parts) != _DEFAULT_PORTS["https"]:
            return False
        return any(host == name or host.endswith(f".{name}") for name in self.families)

    def may_know_token(self, address: str) -> bool:
        """Say whether an address is one of the two that a token is meant for."""
        parts = _split(address)
        return parts is not None and _place(parts) in {
            _place(urlsplit(self.web)),
            _place(urlsplit(self.api)),
        }

    def link(self, text: str) -> Link:
        """Take a link to an issue, a pull request, a comment, a gist or an attachment apart.

        Raises:
            FetchError: It leads elsewhere.

        """
        text = text.strip()
        parts = _split(text)
        if parts is None or parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
            raise FetchError(
                "This is no link to GitHub.",
                hint="Copy the address of an issue, a pull request, a comment or a gist.",
            )
        if not self.owns(text):
            raise FetchError(
                f"{parts.hostname[:80]} is not {self.host}, and nothing else is asked.",
                hint="Name a GitHub of your company by its address"
                " (--base-url, or “GitHub address” in the window).",
            )
        found = self._link(text, parts)
        if found is None:
            raise FetchError(
                "This link leads to no issue, pull request, comment or gist.",
                hint="Copy the address of the page that shows the run, or save it as a file.",
            )
        return found

    def _link(self, text: str, parts: SplitResult) -> Link | None:
        if (gist := self._gist_of(parts)) is not None:
            return Link("gist", text, id=gist)
        if _place(parts) != _place(urlsplit(self.web)):
            return None
        path = parts.path.rstrip("/")
        if (file := _FILE.fullmatch(path)) is not None:
            return Link("file", text, name=file["name"])
        if (post := _POST.fullmatch(path)) is None:
            return None
        where = (post["owner"], post["repo"], post["number"])
        if (part := _PART.fullmatch(parts.fragment)) is not None:
            kinds = {"issuecomment-": "comment", "pullrequestreview-": "review"}
            return Link(kinds.get(part["part"], "remark"), text, *where, id=part["id"])
        return Link("pull" if post["kind"] == "pull" else "issue", text, *where)

    def _gist_of(self, parts: SplitResult) -> str | None:
        home = urlsplit(self.web)
        host, path = parts.hostname or "", parts.path.rstrip("/")
        if host == f"gist.{home.hostname}" or host == "gist.githubusercontent.com":
            found = _GIST.fullmatch(path)
        elif _place(parts) == _place(home) and path.startswith("/gist/") and not self.is_public:
            found = _GIST.fullmatch(path.removeprefix("/gist"))
        else:
            return None
        return found["id"] if found else None


PUBLIC = Service(f"https://{_PUBLIC}", f"https://api.{_PUBLIC}", (_PUBLIC, "githubusercontent.com"))


def service_at(base_url: str | None) -> Service:
    """Return the GitHub at an address; github.com where there is none.

    Raises:
        FetchError: The address makes no sense, or would send a token in the clear.

    """
    if not base_url or not base_url.strip():
        return PUBLIC
    given = base_url.strip()
    parts = _split(given if "://" in given else f"https://{given}")
    if parts is None or not parts.hostname or parts.username is not None:
        raise FetchError(
            f"{given[:80]!r} is no address of a GitHub.", hint="Such as https://github.example.com"
        )
    host = parts.hostname
    if parts.scheme not in _DEFAULT_PORTS or (parts.scheme == "http" and host not in _LOOPBACK):
        raise FetchError(
            f"{host[:80]} has to be asked by https.", hint="Anybody on the way could read along."
        )
    if host in {_PUBLIC, f"www.{_PUBLIC}", f"api.{_PUBLIC}"}:
        return PUBLIC
    web = f"{parts.scheme}://{parts.netloc}"
    if host.endswith(_RESIDENT):
        home = host.removeprefix("api.")
        return Service(f"https://{home}", f"https://api.{home}", (home, "githubusercontent.com"))
    return Service(web, f"{web}/api/v3", () if _is_number(host) else (host,))


def is_web_link(text: str) -> bool:
    """Say whether a text is one address on the web."""
    text = text.strip()
    parts = _split(text) if not re.search(r"\s", text) else None
    return parts is not None and parts.scheme in _DEFAULT_PORTS and bool(parts.hostname)


def _split(address: str) -> SplitResult | None:
    # What parsers of addresses disagree about is not fetched.
    if len(address) > 4_096 or not address.isprintable() or "\\" in address:
        return None
    try:
        parts = urlsplit(address)
        _port(parts)
    except ValueError:
        return None
    return parts


def _place(parts: SplitResult) -> tuple[str, str, int]:
    return parts.scheme, parts.hostname or "", _port(parts)


def _port(parts: SplitResult) -> int:
    return parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)


def _is_number(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return host == "localhost"
    return True
