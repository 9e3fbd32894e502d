"""Leaves of the standard library and of numpy."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.plain import bytes_tree, odd_float
from inspector.recording.encoding.walk import REPR_CHARS, Walk, mro_of, opaque, truncated, type_name
from inspector.runfile.compact import big_integer
from inspector.runfile.interned import Deferred
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from inspector.recording.capture import Capture

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_LARGEST_COPY = 16 * 2**20


def encode_int(_c: Capture, value: int, _depth: int, _walk: Walk) -> Any:
    """Encode an exact `int` of any size."""
    return value if -(2**53) <= value <= 2**53 else big_integer(value)


def encode_float(_c: Capture, value: float, _depth: int, _walk: Walk) -> Any:
    """Encode an exact `float`."""
    return value if value - value == 0.0 else odd_float(value)


def encode_itself(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
    """Encode None and the booleans."""
    return value


def encode_text(c: Capture, value: str, _depth: int, _walk: Walk) -> Any:
    """Encode an exact `str`."""
    return value if len(value) <= 200 else c.text(value)


def encode_plain_subclass(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode what derives from a string, a number or bytes: its plain value and its class."""
    kind = type(value)
    for base, plain in _PLAIN_OF.items():
        if base in mro_of(kind):
            tree = c.leaf(plain(value), depth + 2, walk)
            return {TAG: "object", "type": type_name(kind), "fields": {"value": tree}}
    return opaque(type_name(kind))


_PLAIN_OF: dict[type, Any] = {
    str: lambda value: (
        str.__str__(value) if type(value) is str else str.__getitem__(value, slice(None))
    ),
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    int: int.__int__,
    float: float.__float__,
}


def encode_buffer(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
    """Encode a `bytearray` or `memoryview`, copied since others can write to it."""
    size = value.nbytes if type(value) is memoryview else len(value)
    if size > _LARGEST_COPY:
        head = bytes(value[:64]).hex() if type(value) is bytearray else None
        return truncated(type_name(type(value)), size, "too large to be copied", head)
    return Deferred(bytes_tree, bytes(value))


def encode_text_value(tag: str, value_of: Any) -> Any:
    """Return an encoder for a leaf that is told by one text."""

    def encode(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
        return {TAG: tag, "value": value_of(value)}

    return encode


def encode_complex(c: Capture, value: complex, depth: int, walk: Walk) -> Any:
    """Encode a complex number."""
    return {
        TAG: "complex",
        "real": c.leaf(value.real, depth + 1, walk),
        "imag": c.leaf(value.imag, depth + 1, walk),
    }


def encode_enum(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a member of an enumeration."""
    fields = object.__getattribute__(value, "__dict__")
    return {
        TAG: "enum",
        "type": type_name(type(value)),
        "name": c.leaf(fields.get("_name_"), depth + 1, walk),
        "value": c.leaf(fields.get("_value_"), depth + 1, walk),
    }


def encode_callable(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
    """Encode a function or a method by its name."""
    kind = type(value)
    inner = getattr(value, "func", value) if kind.__name__ == "partial" else value
    module = getattr(inner, "__module__", None)
    name = getattr(inner, "__qualname__", None) or getattr(inner, "__name__", None)
    if type(name) is not str:
        return {TAG: "callable", "name": type_name(kind)}
    known = type(module) is str and module != "builtins"
    return {TAG: "callable", "name": f"{module}.{name}" if known else name}


def encode_type(_c: Capture, value: type, _depth: int, _walk: Walk) -> Any:
    """Encode a class by its name."""
    return {TAG: "type", "name": type_name(value)}


def encode_generic_alias(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
    """Encode a type such as `list[str]`, whose text is its name."""
    return {TAG: "type", "name": bounded_repr(value)}


def bounded_repr(value: Any) -> str:
    """Return a short text for a value, without the address that changes from run to run."""
    kind = type(value)
    for base in mro_of(kind):
        own = base.__dict__.get("__repr__")
        if own is not None:
            break
    if own is object.__repr__:
        return f"<{type_name(kind)} object>"
    try:
        text = own(value) if callable(own) else repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - anything may come out of a stranger's repr
        return f"<its repr raised {type_name(type(error))}>"
    if type(text) is not str:
        return "<its repr is not a string>"
    if len(text) > REPR_CHARS:
        text = text[:REPR_CHARS] + "…"
    return _ADDRESS.sub("", text)


# numpy


def encode_array(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a numpy array, copied at once since others can write to it."""
    dtype = value.dtype
    shape = list(value.shape)
    if dtype.hasobject or dtype.names is not None:
        return {
            TAG: "object", "type": "numpy.ndarray",
            "fields": {"dtype": str(dtype), "items": c.leaf(value.tolist(), depth + 2, walk)},
        }  # fmt: skip
    if value.nbytes > _LARGEST_COPY:
        return truncated(f"numpy.ndarray {dtype} {shape}", value.nbytes, "too large to be copied")
    if dtype.byteorder == ">":
        value = value.astype(dtype.newbyteorder("<"))
    name = dtype.name if dtype.kind in "biufc" else dtype.str.lstrip("<>=|")
    return Deferred(_array_tree, (name, shape, value.tobytes()))


def _array_tree(parts: tuple[str, list[int], bytes]) -> dict[str, Any]:
    name, shape, data = parts
    return {
        TAG: "array", "dtype": name, "shape": shape, "of": "numpy",
        "base64": base64.b64encode(data).decode(),
    }  # fmt: skip


def encode_array_scalar(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a numpy scalar: an array of no dimension that also says its number."""
    plain = value.item()
    if type(plain) not in {int, float, bool, complex}:
        return encode_array(c, value.reshape(()), depth, walk)
    return {
        TAG: "array", "dtype": value.dtype.name, "shape": [], "of": "numpy",
        "value": c.leaf(plain, depth + 1, walk),
    }  # fmt: skip
