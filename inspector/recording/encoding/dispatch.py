"""Which encoder is for which class."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import functools
import io
import pathlib
import types
import uuid
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding import haystack_values, objects, plain, scalars
from inspector.recording.encoding.errors import encode_exception
from inspector.recording.encoding.walk import mro_of, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

    Encode = Callable[..., Any]

_UNSEEN = (
    types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType, types.ModuleType,
    io.IOBase, map, filter, zip, enumerate, reversed,
)  # fmt: skip

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
    bytes: plain.encode_bytes,
    bytearray: scalars.encode_buffer,
    memoryview: scalars.encode_buffer,
    complex: scalars.encode_complex,
    datetime.datetime: scalars.encode_text_value("datetime", datetime.datetime.isoformat),
    datetime.date: scalars.encode_text_value("date", datetime.date.isoformat),
    datetime.time: scalars.encode_text_value("time", datetime.time.isoformat),
    datetime.timedelta: scalars.encode_text_value("timedelta", datetime.timedelta.total_seconds),
    decimal.Decimal: scalars.encode_text_value("decimal", str),
    uuid.UUID: scalars.encode_text_value("uuid", str),
    types.FunctionType: scalars.encode_callable,
    types.BuiltinFunctionType: scalars.encode_callable,
    types.MethodType: scalars.encode_callable,
    functools.partial: scalars.encode_callable,
    type: scalars.encode_type,
    types.GenericAlias: scalars.encode_generic_alias,
    types.UnionType: scalars.encode_generic_alias,
    collections.deque: plain.encode_sequence_subclass,
}

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
    (pathlib.PurePath, scalars.encode_text_value("path", str)),
)


def encoder_for(kind: type, value: Any) -> Encode:
    """Return the encoder for a class that was not met before, by what it derives from."""
    order = mro_of(kind)
    for base in order:
        if (known := haystack_values.BY_NAME.get(type_name(base))) is not None:
            return known if base is kind else _for_subclass(known)
    name = type_name(kind)
    if name.startswith("numpy."):
        if name == "numpy.ndarray":
            return scalars.encode_array
        if any(type_name(base) == "numpy.generic" for base in order):
            return scalars.encode_array_scalar
    for base, encode in _BY_BASE:
        if base in order:
            return encode
    if any(base in order for base in _UNSEEN) or _has(order, "__next__", "__anext__", "__enter__"):
        return objects.encode_unseen
    if name.startswith("typing."):
        return scalars.encode_generic_alias
    if _is_component(order, value):
        return objects.encode_component
    if _has(order, "__dataclass_fields__"):
        return objects.encode_dataclass
    if any(type_name(base) == "pydantic.main.BaseModel" for base in order):
        return objects.encode_pydantic
    if _has(order, "__attrs_attrs__", "__struct_fields__"):
        return objects.encode_slotted
    if _has(order, "to_dict") and _has(order, "from_dict"):
        return objects.encode_by_to_dict
    return objects.encode_opaque


def _has(order: tuple[type, ...], *names: str) -> bool:
    return any(name in base.__dict__ for base in order for name in names)


def _is_component(order: tuple[type, ...], value: Any) -> bool:
    if any(type_name(base) == "haystack.core.pipeline.base.PipelineBase" for base in order):
        return True
    try:
        return "__haystack_input__" in object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False


def _for_subclass(encode: Encode) -> Encode:
    if encode is haystack_values.encode_document:
        return haystack_values.encode_document_afresh
    return encode
