"""What a link to GitHub offers: runs, each with who put it there, when, and how large it is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from inspector.errors import FetchError
from inspector.sources.looks import HEAD, Look, seen
from inspector.sources.packed import Member, member_bytes, member_head, members_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.sources.web import Web

_UNSAFE = re.compile(r"[^A-Za-z0-9._ +@=-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
_SUFFIXES = (".json", ".jsonl", ".gz", ".zst", ".age")
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Offer:
    """A run that can be had.

    Args:
        name: What it is called where it stands.
        how: `attachment`, `block` or `gist`.
        author: Who put it there.
        date: When, in ISO 8601.
        where: The address of the text or gist that it stands in.
        size: In bytes; None where nobody says.
        archive: The name of the archive that it is in.
        what: In which format, where it is none of ours.
        sealed: Whether it is encrypted, so that only opening it tells what it is.

    """

    name: str
    how: str
    author: str
    date: str
    where: str
    size: int | None = None
    archive: str = ""
    sealed: bool = False
    what: str = ""
    held: bytes | None = field(default=None, repr=False, compare=False)
    address: str = field(default="", repr=False)
    member: Member | None = field(default=None, repr=False)

    def fetch(self, web: Web, report: Callable[[float], None] | None = None) -> bytes:
        """Return the run's bytes, as they stand there.

        Raises:
            FetchError: They cannot be had, or are no run.

        """
        if self.held is not None:
            if self.member is None:
                return self.held
            return member_bytes(self.held, self.member)
        data = fetched(web, self.address, report)
        if not seen(data[:HEAD]).opens:
            raise FetchError(f"{self.name} changed since it was looked at, and is no run any more.")
        return data


@dataclass(frozen=True, slots=True)
class Listing:
    """What a link offers, and in words what there was that is no run."""

    title: str
    offers: tuple[Offer, ...]
    notes: tuple[str, ...] = ()


def fetched(web: Web, address: str, report: Callable[[float], None] | None = None) -> bytes:
    """Fetch a whole file."""
    pieces: list[bytes] = []
    with web.download(address) as download:
        read = 0
        while piece := download.read(HEAD):
            pieces.append(piece)
            read += len(piece)
            if report is not None and download.size:
                report(min(1.0, read / download.size))
    return b"".join(pieces)


def looked_at(web: Web, offer: Offer) -> tuple[list[Offer], list[str]]:
    """Find out what an attachment is: the runs in it, and in words what else it is."""
    from dataclasses import replace

    name = offer.name
    with web.download(offer.address) as download:
        head = download.read(HEAD)
        found = seen(head, download.kind)
        if found.look is Look.ZIP:
            pieces = [head]
            while piece := download.read(HEAD):
                pieces.append(piece)
            return _in_archive(offer, b"".join(pieces))
        size = download.size
        if size is None and len(head) < HEAD:
            size = len(head)
    if found.look is Look.PAGE:
        return [], [f"{name} is a web page, not a run."]
    if not found.opens:
        return [], [f"{name} is no run."]
    sealed = found.look is Look.SEALED
    return [replace(offer, size=size, sealed=sealed, what=found.words)], []


def _in_archive(offer: Offer, archive: bytes) -> tuple[list[Offer], list[str]]:
    from dataclasses import replace

    members, notes = members_of(archive)
    notes = [f"In {offer.name}: {words}" for words in notes]
    found = []
    for member in members:
        head = seen(member_head(archive, member, HEAD))
        if head.opens:
            found.append(
                replace(
                    offer,
                    name=member.name,
                    archive=offer.name,
                    size=member.size,
                    held=archive,
                    member=member,
                    sealed=head.look is Look.SEALED,
                    what=head.words,
                )
            )
    if not found and not notes:
        notes = [f"{offer.name} holds no run."]
    return found, notes


def file_name(offer: Offer) -> str:
    """Return a name under which a run may be kept in any folder, whatever it is called there."""
    last = re.split(r"[/\\]", offer.name)[-1]
    name = _UNSAFE.sub("_", last).strip(" ._") or "run"
    if _RESERVED.match(name):
        name = f"run-{name}"
    if not name.lower().endswith(_SUFFIXES):
        name = f"{name}.run.json"
    if len(name) > _LONGEST_NAME:
        suffix = next((s for s in (".run.json.gz", ".run.json", ".run.jsonl", *_SUFFIXES)
                       if name.lower().endswith(s)), "")  # fmt: skip
        name = name[: _LONGEST_NAME - len(suffix)].removesuffix(suffix) + suffix
    return name
