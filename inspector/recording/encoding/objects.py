"""Objects of any class: what they are can be told, or at least that they were there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.leaves import INLINE_CHARS
from inspector.recording.encoding.scalars import bounded_repr
from inspector.recording.encoding.walk import (
    DEEPEST,
    Walk,
    again,
    mro_of,
    opaque,
    too_deep,
    type_name,
)
from inspector.runfile.interned import Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from inspector.recording.capture import Capture


def encode_opaque(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
    """Encode what has no inside that could be told: its class and its repr."""
    return opaque(type_name(type(value)), bounded_repr(value))


def encode_untouched(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
    """Encode a generator, a stream, a lock: nothing of it is called, not even its repr."""
    return opaque(type_name(type(value)), f"<{type_name(type(value))} object>")


def encode_component(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
    """Encode a live component or pipeline by its class."""
    return {TAG: "component", "type": type_name(type(value))}


def encode_dataclass(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a dataclass by its fields, read past its properties."""
    names = [
        name
        for name in _class_attribute(type(value), "__dataclass_fields__") or ()
        if type(name) is str
    ]
    return encode_fields(c, value, _read(value, names), depth, walk)


def encode_slotted(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode an attrs class or a msgspec struct by its fields."""
    kind = type(value)
    names = _class_attribute(kind, "__struct_fields__")
    if names is None:
        names = [field.name for field in _class_attribute(kind, "__attrs_attrs__") or ()]
    return encode_fields(c, value, _read(value, names), depth, walk)


def encode_pydantic(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a pydantic model by what it holds; nothing is dumped or validated."""
    fields = dict(object.__getattribute__(value, "__dict__"))
    try:
        extra = object.__getattribute__(value, "__pydantic_extra__")
    except AttributeError:
        extra = None
    if type(extra) is dict:
        fields.update(extra)
    return encode_fields(c, value, fields, depth, walk)


def encode_by_to_dict(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode what has Haystack's pair of `to_dict` and `from_dict` by what it says."""
    kind = type_name(type(value))
    if (known := walk.get(id(value))) is not None:
        return again(value, known, walk)
    walk[id(value)] = (value, None)
    try:
        fields = type(value).to_dict(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - anything may come out of a stranger's code
        return opaque(kind, bounded_repr(value), f"its to_dict raised {type_name(type(error))}")
    if type(fields) is not dict:
        return opaque(kind, bounded_repr(value), "its to_dict gave no dict")
    return _with_fields(c, value, fields, depth, walk)


def encode_fields(c: Capture, value: Any, fields: dict[str, Any], depth: int, walk: Walk) -> Any:
    """Return the tag `object` with these fields."""
    if (known := walk.get(id(value))) is not None:
        return again(value, known, walk)
    walk[id(value)] = (value, None)
    return _with_fields(c, value, fields, depth, walk)


def _with_fields(c: Capture, value: Any, fields: dict[str, Any], depth: int, walk: Walk) -> Any:
    kind = type_name(type(value))
    if depth + 2 > DEEPEST:
        return too_deep(kind, len(fields))
    plain: dict[str, Any] = {}
    for name, item in fields.items():
        word = name if type(name) is str and name[:1] != TAG else bounded_repr(name)
        if type(item) is str and len(item) <= INLINE_CHARS:
            plain[word] = item
        else:
            plain[word] = c.node(item, depth + 2, walk)
    tree = Interned({TAG: "object", "type": kind, "fields": plain})
    walk[id(value)] = (value, tree)
    return tree


def _read(value: Any, names: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name in names:
        try:
            fields[name] = object.__getattribute__(value, name)
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001, S112 - a property may raise anything; it is left out
            continue
    return fields


def _class_attribute(kind: type, name: str) -> Any:
    for base in mro_of(kind):
        if name in base.__dict__:
            return base.__dict__[name]
    return None
