"""Leaves of the standard library and of numpy."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.leaves import INLINE_CHARS, LARGEST_INT, bytes_tree, odd_float
from inspector.recording.encoding.walk import REPR_CHARS, Walk, mro_of, truncated, type_name
from inspector.runfile.compact import big_integer
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.recording.capture import Capture

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

LARGEST_COPY = 64 * 2**20
"""What others can write to has to be copied at once, and copying takes the host's time."""


def encode_int(_c: Capture, value: int, _depth: int, _walk: Walk) -> Any:
    """Encode an exact `int` of any size."""
    return value if -LARGEST_INT <= value <= LARGEST_INT else big_integer(value)


def encode_float(_c: Capture, value: float, _depth: int, _walk: Walk) -> Any:
    """Encode an exact `float`."""
    return value if value - value == 0.0 else odd_float(value)


def encode_itself(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
    """Encode None and the booleans."""
    return value


def encode_text(c: Capture, value: str, _depth: int, _walk: Walk) -> Any:
    """Encode an exact `str`."""
    return value if len(value) <= INLINE_CHARS else c.text(value)


def encode_bytes(c: Capture, value: bytes, _depth: int, _walk: Walk) -> Any:
    """Encode bytes; they cannot change, so the work is the writer's."""
    return c.deferred(bytes_tree, value, len(value))


def encode_buffer(c: Capture, value: bytearray | memoryview, _depth: int, _walk: Walk) -> Any:
    """Encode a buffer, copied since others can write to it."""
    size = value.nbytes if type(value) is memoryview else len(value)
    kind = type_name(type(value))
    if size > LARGEST_COPY:
        return truncated(kind, size, "too large to be copied")
    tree = c.deferred(bytes_tree, bytes(value), size)
    return {TAG: "object", "type": kind, "fields": {"value": tree}}


_PLAIN: dict[type, Callable[[Any], Any]] = {
    # Each gives a value of the exact type, past whatever the derived class overrides.
    str: lambda value: str.__getitem__(value, slice(None)),
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    int: int.__int__,
    float: float.__float__,
}


def encode_plain_subclass(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode what derives from a string, a number or bytes: its plain value and its class."""
    order = mro_of(type(value))
    plain = next(plain for base, plain in _PLAIN.items() if base in order)
    tree = c.node(plain(value), depth + 2, walk)
    return {TAG: "object", "type": type_name(type(value)), "fields": {"value": tree}}


def told_by(tag: str, words: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return an encoder for a leaf that one word tells."""

    def encode(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
        return {TAG: tag, "value": words(value)}

    return encode


def seconds_of(value: Any) -> str:
    """Return a time span in seconds, exact to the microsecond however long it is."""
    micro = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
    whole, part = divmod(abs(micro), 1_000_000)
    sign = "-" if micro < 0 else ""
    return f"{sign}{whole}.{part:06d}" if part else f"{sign}{whole}"


def encode_complex(c: Capture, value: complex, depth: int, walk: Walk) -> Any:
    """Encode a complex number."""
    return {
        TAG: "complex",
        "real": c.node(value.real, depth + 1, walk),
        "imag": c.node(value.imag, depth + 1, walk),
    }


def encode_enum(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a member of an enumeration."""
    fields = object.__getattribute__(value, "__dict__")
    return {
        TAG: "enum",
        "type": type_name(type(value)),
        "name": c.node(fields.get("_name_"), depth + 1, walk),
        "value": c.node(fields.get("_value_"), depth + 1, walk),
    }


def encode_callable(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
    """Encode a function or a method by its name; of a partial, the function's."""
    inner = value
    for _ in range(10):
        if type_name(type(inner)) != "functools.partial":
            break
        inner = inner.func
    module = getattr(inner, "__module__", None)
    name = getattr(inner, "__qualname__", None)
    if type(name) is not str:
        name = type_name(type(inner))
    elif type(module) is str and module != "builtins":
        name = f"{module}.{name}"
    return {TAG: "callable", "name": name}


def encode_type(_c: Capture, value: type, _depth: int, _walk: Walk) -> Any:
    """Encode a class by its name."""
    return {TAG: "type", "name": type_name(value)}


def encode_type_form(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
    """Encode a type such as `list[str]`, whose text is its name."""
    return {TAG: "type", "name": bounded_repr(value)}


def bounded_repr(value: Any) -> str:
    """Return a short text for a value, without the address that changes from run to run."""
    kind = type(value)
    own = next(base.__dict__["__repr__"] for base in mro_of(kind) if "__repr__" in base.__dict__)
    if own is object.__repr__:
        return f"<{type_name(kind)} object>"
    try:
        text = repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - anything may come out of a stranger's repr
        return f"<its repr raised {type_name(type(error))}>"
    if type(text) is not str:
        return "<its repr is of a derived class>"
    if len(text) > REPR_CHARS:
        text = text[:REPR_CHARS] + "…"
    return _ADDRESS.sub("", text)


# numpy


def encode_array(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a numpy array, copied at once since others can write to it."""
    dtype = value.dtype
    shape = list(value.shape)
    if dtype.hasobject or dtype.names is not None:
        items = c.node(value.tolist(), depth + 3, walk)
        fields = {"dtype": str(dtype), "shape": shape, "items": items}
        return {TAG: "object", "type": "numpy.ndarray", "fields": fields}
    if value.nbytes > LARGEST_COPY:
        return truncated(f"numpy.ndarray {dtype} {shape}", value.nbytes, "too large to be copied")
    little = value.astype(dtype.newbyteorder("<"), copy=False)
    name = dtype.name if dtype.kind in "biufc" else little.dtype.str.lstrip("<|=")
    return c.deferred(_array_tree, (name, shape, little.tobytes()), value.nbytes)


def _array_tree(parts: tuple[str, list[int], bytes]) -> dict[str, Any]:
    name, shape, data = parts
    return {
        TAG: "array", "dtype": name, "shape": shape, "of": "numpy",
        "base64": base64.b64encode(data).decode(),
    }  # fmt: skip


def encode_array_scalar(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a numpy scalar: an array without dimensions that also says its number."""
    plain = value.item()
    if type(plain) not in {int, float, bool, complex}:
        return encode_array(c, value.reshape(()), depth, walk)
    return {
        TAG: "array", "dtype": value.dtype.name, "shape": [], "of": "numpy",
        "value": c.node(plain, depth + 1, walk),
    }  # fmt: skip
