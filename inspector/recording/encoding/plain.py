"""Builtin leaves and containers."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.walk import (
    DEEPEST,
    MOST_NODES,
    SHARED_FROM,
    Walk,
    opaque,
    truncated,
    type_name,
)
from inspector.runfile.compact import LARGEST_INT, big_integer
from inspector.runfile.interned import Deferred, Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inspector.recording.capture import Capture

INLINE_CHARS = 200
"""A longer string becomes a value of its own, kept once however often it is passed on."""

NoneType = type(None)
_SMALL = LARGEST_INT
_MANY = 32
_EMBEDDING_KEYS = frozenset({"embedding", "embeddings", "query_embedding"})
_PACKED_FROM = 128


def encode_dict(c: Capture, value: dict[Any, Any], depth: int, walk: Walk) -> Any:
    """Encode an exact `dict`."""
    try:
        return _dict_of(c, value, value, depth, walk)
    except RuntimeError as error:
        if isinstance(error, RecursionError):
            raise
        # Another thread changed it meanwhile. Copying happens in one go.
        return _dict_of(c, value, value.copy(), depth, walk)


def _dict_of(
    c: Capture, original: dict[Any, Any], value: dict[Any, Any], depth: int, walk: Walk
) -> Any:
    size = len(value)
    if not size:
        return {}
    if walk and (known := walk.get(id(original))) is not None:
        return _again(original, known, walk)
    if size > _MANY and not walk.has_room(size):
        return truncated("dict", size, f"the value has more than {MOST_NODES:,} elements")
    inside = depth + 1
    entered = False
    tree: dict[str, Any] = {}
    for key, item in value.items():
        if type(key) is not str or key[:1] == TAG:
            return _pairs_of(c, original, value, depth, walk)
        kind = type(item)
        if kind is str:
            tree[key] = item if len(item) <= INLINE_CHARS else c.text(item)
        elif kind is int:
            tree[key] = item if -_SMALL <= item <= _SMALL else big_integer(item)
        elif kind is bool or kind is NoneType:
            tree[key] = item
        elif kind is float:
            tree[key] = item if item - item == 0.0 else odd_float(item)
        else:
            if not entered:
                if depth >= DEEPEST:
                    return _too_deep("dict", size)
                entered = True
                walk[id(original)] = (original, None)
            if kind is list and key in _EMBEDDING_KEYS:
                tree[key] = encode_embedding(c, item, inside, walk)
            else:
                tree[key] = c.node(item, inside, walk)
    if entered or size >= SHARED_FROM:
        walk[id(original)] = (original, tree)
    return Interned(tree) if 0 < depth <= 2 else tree


def _pairs_of(
    c: Capture, original: Any, value: dict[Any, Any], depth: int, walk: Walk, kind: str = ""
) -> Any:
    if depth + 2 >= DEEPEST:
        return _too_deep("dict", len(value))
    walk[id(original)] = (original, None)
    inside = depth + 3
    pairs = [
        [c.leaf(key, inside, walk), c.leaf(item, inside, walk)] for key, item in dict.items(value)
    ]
    tree: dict[str, Any] = {TAG: "dict", "items": pairs}
    if kind:
        tree["type"] = kind
    walk[id(original)] = (original, tree)
    return tree


def encode_dict_subclass(c: Capture, value: dict[Any, Any], depth: int, walk: Walk) -> Any:
    """Encode what derives from `dict`, by what the dictionary itself holds."""
    if (known := walk.get(id(value))) is not None:
        return _again(value, known, walk)
    if not walk.has_room(dict.__len__(value)):
        return truncated("dict", dict.__len__(value), "the value has too many elements")
    return _pairs_of(c, value, dict(dict.items(value)), depth, walk, type_name(type(value)))


def encode_list(c: Capture, value: list[Any], depth: int, walk: Walk) -> Any:
    """Encode an exact `list`."""
    size = len(value)
    if not size:
        return []
    if walk and (known := walk.get(id(value))) is not None:
        return _again(value, known, walk)
    value_type = type(value[0])
    if value_type in c.kept_types:
        return c.objects(value, depth, walk)
    if size > _MANY:
        if not walk.has_room(size):
            head = encode_list(c, value[:3], depth, walk)
            return truncated("list", size, f"more than {MOST_NODES:,} elements") | {"first": head}
        if (same := _leaves_of_one_kind(value)) is not None:
            walk[id(value)] = (value, same)
            return Interned(same) if 0 < depth <= 2 else same
    tree = encode_items(c, value, value[:], depth, walk)
    return Interned(tree) if 0 < depth <= 2 and type(tree) is list else tree


def encode_items(
    c: Capture, original: Any, items: Iterable[Any], depth: int, walk: Walk, levels: int = 1
) -> Any:
    """Encode the elements of a sequence, which stand `levels` below it."""
    inside = depth + levels
    entered = False
    tree: list[Any] = []
    add = tree.append
    for item in items:
        kind = type(item)
        if kind is str:
            add(item if len(item) <= INLINE_CHARS else c.text(item))
        elif kind is int:
            add(item if -_SMALL <= item <= _SMALL else big_integer(item))
        elif kind is bool or kind is NoneType:
            add(item)
        elif kind is float:
            add(item if item - item == 0.0 else odd_float(item))
        else:
            if not entered:
                if inside > DEEPEST:
                    return _too_deep("list", len(original))
                entered = True
                walk[id(original)] = (original, None)
            add(c.node(item, inside, walk))
    if entered or len(tree) >= SHARED_FROM:
        walk[id(original)] = (original, tree)
    return tree


def encode_tuple(c: Capture, value: tuple[Any, ...], depth: int, walk: Walk) -> Any:
    """Encode an exact `tuple`."""
    return _tagged(c, "tuple", value, value, depth, walk)


def encode_set(c: Capture, value: set[Any], depth: int, walk: Walk) -> Any:
    """Encode an exact `set`, sorted where that can be, so that equal sets look the same."""
    items: list[Any] = list(value)
    kinds = set(map(type, items))
    if len(kinds) == 1 and kinds <= _SORTABLE:
        items.sort()
    return _tagged(c, "set" if type(value) is set else "frozenset", value, items, depth, walk)


def _tagged(c: Capture, tag: str, value: Any, items: Iterable[Any], depth: int, walk: Walk) -> Any:
    if walk and (known := walk.get(id(value))) is not None:
        return _again(value, known, walk)
    if len(value) > _MANY and not walk.has_room(len(value)):
        return truncated(tag, len(value), "the value has too many elements")
    if depth + 1 >= DEEPEST:
        return _too_deep(tag, len(value))
    tree = encode_items(c, value, items, depth, walk, levels=2)
    return {TAG: tag, "items": tree}


def encode_sequence_subclass(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a namedtuple, a deque and whatever derives from a list, tuple or set."""
    if (known := walk.get(id(value))) is not None:
        return _again(value, known, walk)
    kind = type(value)
    for base in kind.__mro__:
        if base in _ITERATORS:
            break
    items = list(_ITERATORS[base](value))
    if len(items) > _MANY and not walk.has_room(len(items)):
        return truncated(type_name(kind), len(items), "the value has too many elements")
    if depth + 2 >= DEEPEST:
        return _too_deep(type_name(kind), len(items))
    names = _field_names(kind) if base is tuple else None
    fields: dict[str, Any] = {}
    if names is not None and len(names) == len(items):
        walk[id(value)] = (value, None)
        for name, item in zip(names, items, strict=True):
            fields[name] = c.leaf(item, depth + 2, walk)
    else:
        fields["items"] = encode_items(c, value, items, depth, walk, levels=2)
    return {TAG: "object", "type": type_name(kind), "fields": fields}


def _field_names(kind: type) -> tuple[str, ...] | None:
    names = kind.__dict__.get("_fields")
    if type(names) is tuple and all(type(name) is str and name[:1] != TAG for name in names):
        return names
    return None


_ITERATORS: dict[type, Any] = {
    list: list.__iter__,
    tuple: tuple.__iter__,
    set: set.__iter__,
    frozenset: frozenset.__iter__,
}
_SORTABLE = {str, int, float, bytes}


def encode_embedding(c: Capture, value: list[Any], depth: int, walk: Walk) -> Any:
    """Encode what is called an embedding: a digest unless the whole was asked for."""
    if value and type(value[0]) is list:
        return [
            encode_embedding(c, item, depth + 1, walk)
            if type(item) is list
            else c.leaf(item, depth + 1, walk)
            for item in value[:]
        ]
    if len(value) < SHARED_FROM or type(value[0]) is not float:
        return encode_list(c, value, depth, walk)
    floats = value[:]
    if set(map(type, floats)) != {float}:
        return encode_list(c, value, depth, walk)
    return Deferred(pack_floats if c.keep_embeddings else digest_floats, floats)


def _leaves_of_one_kind(value: list[Any]) -> Any:
    """Return the tree of a long list whose elements are all the same kind of leaf."""
    items = value[:]
    kinds = set(map(type, items))
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    if kind is str:
        return items if max(map(len, items)) <= INLINE_CHARS else None
    if kind is int:
        return items if min(items) >= -_SMALL and max(items) <= _SMALL else None
    if kind is float:
        if len(items) >= _PACKED_FROM:
            return Deferred(pack_floats, items)
        # A sum shows NaN and infinity, wherever they stand.
        return items if sum(items) - sum(items) == 0.0 else None
    return None


def _again(value: Any, known: tuple[Any, Any], walk: Walk) -> Any:
    tree = known[1]
    if tree is None:
        return opaque(type_name(type(value)), "...", "it contains itself")
    # The second time and later: kept once, or a few lists of each other would explode.
    if not isinstance(tree, Interned):
        tree = Interned(tree)
        walk[id(value)] = (value, tree)
    return tree


def _too_deep(kind: str, size: int) -> dict[str, Any]:
    return truncated(kind, size, f"nested more than {DEEPEST} levels deep")


# Leaves


def odd_float(number: float) -> dict[str, Any]:
    """Encode NaN and the infinities."""
    return {TAG: "float", "value": repr(number)}


def encode_bytes(_c: Capture, value: bytes, _depth: int, _walk: Walk) -> Any:
    """Encode bytes; they cannot change, so the work is the writer's."""
    return Deferred(bytes_tree, value)


def bytes_tree(data: bytes) -> dict[str, Any]:
    """Return the tag of bytes."""
    return {TAG: "bytes", "base64": base64.b64encode(data).decode()}


def pack_floats(floats: list[float]) -> dict[str, Any]:
    """Return floats as a packed array, which keeps every bit."""
    data = _packed(floats)
    return {
        TAG: "array", "dtype": "float64", "shape": [len(floats)], "of": "list",
        "base64": base64.b64encode(data).decode(),
    }  # fmt: skip


def digest_floats(floats: list[float]) -> dict[str, Any]:
    """Return the array without its numbers: enough to see whether it is the same."""
    from inspector.runfile.digest import value_id

    return {
        TAG: "array", "dtype": "float64", "shape": [len(floats)], "of": "list",
        "digest": value_id(_packed(floats)),
    }  # fmt: skip


def _packed(floats: list[float]) -> bytes:
    import sys
    from array import array

    numbers = array("d", floats)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
