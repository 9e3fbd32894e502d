"""Builtin leaves, and their trees that are made on the writer's thread."""

from __future__ import annotations

import base64
import sys
from array import array
from binascii import b2a_base64
from typing import Any

import orjson

from inspector.runfile.compact import LARGEST_INT
from inspector.runfile.digest import value_id
from inspector.runfile.value import TAG

__all__ = ["INLINE_CHARS", "LARGEST_INT", "NoneType"]

INLINE_CHARS = 200
"""A longer string becomes a value of its own, kept once however often it is passed on."""

NoneType = type(None)

_PIECE = 3 * 2**18  # a multiple of three: pieces of base64 join without padding


def odd_float(number: float) -> dict[str, Any]:
    """Encode NaN and the infinities."""
    return {TAG: "float", "value": repr(number)}


def bytes_tree(data: bytes) -> Any:
    """Return the tag of bytes; of many as JSON, made in pieces, since others want to run, too."""
    if len(data) <= _PIECE:
        return {TAG: "bytes", "base64": base64.b64encode(data).decode()}
    pieces = [
        b2a_base64(data[at : at + _PIECE], newline=False) for at in range(0, len(data), _PIECE)
    ]
    return orjson.Fragment(b'{"$":"bytes","base64":"%s"}' % b"".join(pieces))


def pack_floats(floats: list[float]) -> dict[str, Any]:
    """Return floats as a packed array, which keeps every bit."""
    return {
        TAG: "array", "dtype": "float64", "shape": [len(floats)], "of": "list",
        "base64": base64.b64encode(_packed(floats)).decode(),
    }  # fmt: skip


def digest_floats(floats: list[float]) -> dict[str, Any]:
    """Return the array without its numbers: enough to see whether it is the same."""
    return {
        TAG: "array", "dtype": "float64", "shape": [len(floats)], "of": "list",
        "digest": value_id(_packed(floats)),
    }  # fmt: skip


def _packed(floats: list[float]) -> bytes:
    numbers = array("d", floats)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
