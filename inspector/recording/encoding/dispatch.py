"""Which encoder is for which class."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import functools
import io
import pathlib
import types
import uuid
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding import objects, plain, scalars
from inspector.recording.encoding.errors import encode_exception
from inspector.recording.encoding.haystack_values import BY_NAME, FOR_DERIVED
from inspector.recording.encoding.walk import mro_of, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

    Encode = Callable[..., Any]

EXACT: dict[type, Encode] = {
    dict: plain.encode_dict,
    list: plain.encode_list,
    tuple: plain.encode_tuple,
    set: plain.encode_set,
    frozenset: plain.encode_set,
    str: scalars.encode_text,
    int: scalars.encode_int,
    float: scalars.encode_float,
    bool: scalars.encode_itself,
    type(None): scalars.encode_itself,
    bytes: scalars.encode_bytes,
    bytearray: scalars.encode_buffer,
    memoryview: scalars.encode_buffer,
    complex: scalars.encode_complex,
    dt.datetime: scalars.told_by("datetime", dt.datetime.isoformat),
    dt.date: scalars.told_by("date", dt.date.isoformat),
    dt.time: scalars.told_by("time", dt.time.isoformat),
    dt.timedelta: scalars.told_by("timedelta", scalars.seconds_of),
    decimal.Decimal: scalars.told_by("decimal", str),
    uuid.UUID: scalars.told_by("uuid", str),
    types.FunctionType: scalars.encode_callable,
    types.BuiltinFunctionType: scalars.encode_callable,
    types.MethodType: scalars.encode_callable,
    functools.partial: scalars.encode_callable,
    type: scalars.encode_type,
    types.GenericAlias: scalars.encode_type_form,
    types.UnionType: scalars.encode_type_form,
}
"""Encoders of builtin classes, for values of exactly these."""

_BY_BASE: tuple[tuple[type, Encode], ...] = (
    (enum.Enum, scalars.encode_enum),
    (BaseException, encode_exception),
    (type, scalars.encode_type),
    (dict, plain.encode_dict_subclass),
    (list, plain.encode_sequence_subclass),
    (tuple, plain.encode_sequence_subclass),
    (set, plain.encode_sequence_subclass),
    (frozenset, plain.encode_sequence_subclass),
    (collections.deque, plain.encode_sequence_subclass),
    (str, scalars.encode_plain_subclass),
    (bytes, scalars.encode_plain_subclass),
    (int, scalars.encode_plain_subclass),
    (float, scalars.encode_plain_subclass),
    (pathlib.PurePath, scalars.told_by("path", str)),
)

# Nothing of these is ever called: a read would take from a stream what is not ours.
_UNTOUCHED = (
    types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType, types.ModuleType,
    io.IOBase, map, filter, zip, enumerate, reversed,
)  # fmt: skip
_UNTOUCHED_METHODS = ("__next__", "__anext__", "__await__", "__enter__", "__aenter__")

_PIPELINE = "haystack.core.pipeline.base.PipelineBase"
_PYDANTIC = "pydantic.main.BaseModel"


def encoder_for(kind: type, value: Any) -> Encode:
    """Return the encoder for a class that was not met before, by what it derives from."""
    order = mro_of(kind)
    names = [type_name(base) for base in order]
    for base in names:
        if (known := BY_NAME.get(base)) is not None:
            return known if base is names[0] else FOR_DERIVED.get(known, known)
    if names[0] == "numpy.ndarray":
        return scalars.encode_array
    if "numpy.generic" in names:
        return scalars.encode_array_scalar
    for builtin, encode in _BY_BASE:
        if builtin in order:
            return encode
    return _for_object(order, names, value)


def _for_object(order: tuple[type, ...], names: list[str], value: Any) -> Encode:
    if names[0].startswith("typing."):
        return scalars.encode_type_form
    if _PIPELINE in names or _is_component(value):
        return objects.encode_component
    if _has(order, "__dataclass_fields__"):
        return objects.encode_dataclass
    if _PYDANTIC in names:
        return objects.encode_pydantic
    if _has(order, "__attrs_attrs__", "__struct_fields__"):
        return objects.encode_slotted
    if any(base in order for base in _UNTOUCHED) or _has(order, *_UNTOUCHED_METHODS):
        return objects.encode_untouched
    if _has(order, "to_dict") and _has(order, "from_dict"):
        return objects.encode_by_to_dict
    return objects.encode_opaque


def _has(order: tuple[type, ...], *names: str) -> bool:
    return any(name in base.__dict__ for base in order for name in names)


def _is_component(value: Any) -> bool:
    try:
        return "__haystack_input__" in object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False
