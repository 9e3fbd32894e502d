"""Reading values: what a tagged tree says, without Haystack and without its classes."""

from __future__ import annotations

import base64
import binascii
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Callable

TAG = "$"
REF = "$ref"


def tag_of(tree: Any) -> str | None:
    """Return the tag of a node, or None where it is plain JSON."""
    if isinstance(tree, dict):
        tag = tree.get(TAG)
        return tag if isinstance(tag, str) else None
    return None


def missing(ref: str, why: str) -> dict[str, str]:
    """Return the node that stands where a reference leads nowhere."""
    return {TAG: "missing", "ref": ref, "why": why}


def is_message(tree: Any) -> bool:
    """Whether a node is one chat message."""
    return tag_of(tree) == "chat_message"


def is_document(tree: Any) -> bool:
    """Whether a node is one document."""
    return tag_of(tree) == "document"


def text_of(message: Any) -> str:
    """Return what a chat message says: its text parts, a blank line between them."""
    if not isinstance(message, dict):
        return ""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n\n".join(text for text in texts if isinstance(text, str))


def to_python(tree: Any) -> Any:
    """Return plain Python where nothing is lost by it; other tags stay mappings.

    Trees that this package resolves are at most some two hundred levels deep,
    so recursion is safe here.
    """
    if isinstance(tree, list):
        return [to_python(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    tag = tag_of(tree)
    if tag is not None and (convert := _PLAIN.get(tag)) is not None:
        try:
            return convert(tree)
        except _BAD_VALUE:
            return tree
    return {key: to_python(item) for key, item in tree.items()}


_BAD_VALUE = (
    AttributeError, KeyError, TypeError, ValueError, OverflowError, InvalidOperation,
    binascii.Error,
)  # fmt: skip


def _items(tree: dict[str, Any]) -> list[Any]:
    items = tree["items"]
    if not isinstance(items, list):
        raise TypeError(items)
    return [to_python(item) for item in items]


def _dictionary(tree: dict[str, Any]) -> Any:
    if "type" in tree:
        return tree
    return {key: item for key, item in _items(tree)}  # noqa: C416 - a pair of another length must fail


def _float(tree: dict[str, Any]) -> float:
    if tree["value"] not in {"nan", "inf", "-inf"}:
        raise ValueError(tree["value"])
    return float(tree["value"])


def _integer(tree: dict[str, Any]) -> Any:
    digits = tree["value"]
    # Python refuses to read very long numbers, and would be slow if it did not.
    return int(digits) if len(digits) <= 4_000 else tree


def _text(tree: dict[str, Any]) -> str:
    return base64.b64decode(tree["utf16"], validate=True).decode("utf-16-le", "surrogatepass")


def _bytes(tree: dict[str, Any]) -> Any:
    return base64.b64decode(tree["base64"], validate=True) if "base64" in tree else tree


_PLAIN: dict[str, Callable[[dict[str, Any]], Any]] = {
    "tuple": lambda tree: tuple(_items(tree)),
    "set": lambda tree: set(_items(tree)),
    "frozenset": lambda tree: frozenset(_items(tree)),
    "dict": _dictionary,
    "float": _float,
    "int": _integer,
    "str": _text,
    "bytes": _bytes,
    "complex": lambda tree: complex(to_python(tree["real"]), to_python(tree["imag"])),
    "datetime": lambda tree: datetime.fromisoformat(tree["value"]),
    "date": lambda tree: date.fromisoformat(tree["value"]),
    "time": lambda tree: time.fromisoformat(tree["value"]),
    "timedelta": lambda tree: timedelta(seconds=float(tree["value"])),
    "decimal": lambda tree: Decimal(tree["value"]),
    "uuid": lambda tree: UUID(tree["value"]),
}
