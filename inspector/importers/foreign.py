"""One span as other programs export it, before anybody asks what it means."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

_HEX = re.compile(r"[0-9a-f]+\Z")
_NOTHING = frozenset({"", "0" * 16, "0" * 32})
_LENGTHS_OF_BASE64 = frozenset({12, 24})
_FRACTION = re.compile(r"(\.\d+)")


Event = tuple[str, int | None, dict[str, Any]]


class ForeignSpan:
    """A span of a trace: ids as text, times in nanoseconds since 1970, attributes by name."""

    __slots__ = (
        "attributes", "end", "ended", "events", "failed", "id", "links", "message", "name",
        "parent", "scope", "start", "trace",
    )  # fmt: skip

    def __init__(self, trace: str, id_: str, parent: str | None, name: str) -> None:
        self.trace = trace
        self.id = id_
        self.parent = parent
        self.name = name
        self.start: int | None = None
        self.end: int | None = None
        self.ended = False
        self.attributes: dict[str, Any] = {}
        self.failed = False
        self.message = ""
        self.events: list[Event] = []
        self.links: list[Any] = []
        self.scope = ""

    @property
    def unfinished(self) -> bool:
        """Whether it had not ended; some formats say that it had, and not when."""
        return self.end is None and not self.ended

    @property
    def exception(self) -> dict[str, Any] | None:
        """What the last exception that was noted says."""
        events: list[Event] = self.events
        for name, _, attributes in reversed(events):
            if name == "exception" or "exception.type" in attributes:
                return attributes
        return None


def identifier(value: Any) -> str:
    """Return an id as lower-case hex, whichever way it was spelled; empty for none."""
    if type(value) is str:
        return _spelled(value)
    return "" if value is None else str(value)


@lru_cache(maxsize=65_536)
def _spelled(value: str) -> str:
    text = value.lower()
    if len(text) in (16, 32) and _HEX.match(text):
        return "" if text in _NOTHING else text
    text = text.removeprefix("0x")
    if _HEX.match(text) and len(text) not in _LENGTHS_OF_BASE64:
        return "" if not text.strip("0") else text
    if len(value) in _LENGTHS_OF_BASE64:
        try:
            data = base64.b64decode(
                value, altchars=b"-_" if set(value) & {"-", "_"} else None, validate=True
            )
        except (binascii.Error, ValueError):
            return value
        if len(data) in (8, 16):
            return data.hex() if any(data) else ""
    return value


def nanoseconds(value: Any) -> int | None:
    """Return a time in nanoseconds since 1970; None where there is none."""
    if type(value) is str and value.isdigit():
        return int(value) or None
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value if value > 0 else None
    if isinstance(value, float):
        return int(value) if 0 < value < 2**63 else None
    if isinstance(value, str):
        return from_iso(value)
    if isinstance(value, list) and len(value) == 2 and all(type(each) is int for each in value):
        return int(value[0]) * 10**9 + int(value[1])
    return None


def from_iso(text: str) -> int | None:
    """Return what a time in ISO 8601 is; one without a zone is taken for UTC."""
    fraction = _FRACTION.search(text)
    digits = (fraction[1][1:] + "0" * 9)[:9] if fraction else "0" * 9
    plain = _FRACTION.sub("", text, count=1).replace("Z", "+00:00").replace(" UTC", "+00:00")
    try:
        moment = datetime.fromisoformat(plain)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp()) * 10**9 + int(digits)


def iso(started_ns: int) -> str:
    """Return a time as run files have it: UTC, microseconds, `Z`."""
    seconds, rest = divmod(started_ns, 10**9)
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest // 1000:06d}Z"
