"""Bytes that were recorded: how many, what sort, and written out as a hex dump."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Mapping
from typing import Any, NamedTuple

from inspector.runfile.value import tag_of

_ROW = 16  # bytes of a line
_LINE = 10 + 3 * _ROW + 1 + 1 + _ROW + 1  # characters of a line, its end included
_HOLDERS = frozenset({"image", "file", "byte_stream"})
_SHOWN = bytes(byte if 0x20 <= byte < 0x7F else 0x2E for byte in range(256))

# Pictures that Qt draws from their bytes alone. SVG is none of them: it is a program of
# sorts, and may ask for other files.
_PICTURES = (
    ("png", b"\x89PNG\r\n\x1a\n"),
    ("jpg", b"\xff\xd8\xff"),
    ("gif", b"GIF87a"),
    ("gif", b"GIF89a"),
    ("bmp", b"BM"),
)
_TEXT_TYPES = ("text/", "application/json", "application/xml", "image/svg")


class Recorded(NamedTuple):
    """Bytes as they stand in a run, in base64."""

    base64: str
    mime_type: str = ""

    @property
    def size(self) -> int:
        text = self.base64
        return len(text) * 3 // 4 - text[-2:].count("=")

    def head(self, count: int) -> bytes:
        """Return the first so many bytes; fewer where what stands there is no base64."""
        try:
            return b64decode(self.base64[: -(-count // 3) * 4])[:count]
        except (binascii.Error, ValueError):
            return b""

    @property
    def picture(self) -> str:
        """The format of the picture that the bytes are, as Qt calls it; else nothing."""
        head = self.head(16)
        if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
            return "webp"
        found = next((name for name, magic in _PICTURES if head.startswith(magic)), "")
        # Two letters are no proof: much begins with "BM".
        if found == "bmp" and not self.mime_type.startswith("image/"):
            return ""
        return found

    @property
    def is_text(self) -> bool:
        """Whether it says of itself that it is text."""
        return self.mime_type.startswith(_TEXT_TYPES)


def bytes_in(value: Any) -> Recorded | None:
    """Return the bytes that a value is or carries; `None` where there are none on record."""
    if not isinstance(value, Mapping):
        return None
    mime = value.get("mime_type")
    if tag_of(value) in _HOLDERS:
        value = value.get("data")
    match value:
        case {"$": "bytes", "base64": str(text)}:
            return Recorded(text, mime if isinstance(mime, str) else "")
    return None


def hex_lines(recorded: Recorded, limit: int) -> tuple[str, int]:
    """Return the first `limit` characters of a hex dump, and how long all of it is."""
    lines = -(-recorded.size // _ROW)
    data = recorded.head(min(lines, -(-limit // _LINE)) * _ROW)
    written = "\n".join(
        _line(start, data[start : start + _ROW]) for start in range(0, len(data), _ROW)
    )
    total = max(0, lines * _LINE - 1 - (lines * _ROW - recorded.size))
    return written[:limit], total


def _line(start: int, data: bytes) -> str:
    left, right = data[: _ROW // 2].hex(" "), data[_ROW // 2 :].hex(" ")
    seen = data.translate(_SHOWN).decode("ascii")
    return f"{start:08x}  {left:<{3 * _ROW // 2 - 1}}  {right:<{3 * _ROW // 2 - 1}}  {seen}"
