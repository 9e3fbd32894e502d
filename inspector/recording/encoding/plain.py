"""Builtin containers, in one pass without a call for each leaf."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.leaves import (
    INLINE_CHARS,
    LARGEST_INT,
    NoneType,
    digest_floats,
    odd_float,
    pack_floats,
)
from inspector.recording.encoding.walk import (
    DEEPEST,
    MOST_NODES,
    SHARED_FROM,
    Walk,
    again,
    mro_of,
    too_deep,
    truncated,
    type_name,
)
from inspector.runfile.compact import big_integer
from inspector.runfile.interned import Deferred, Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inspector.recording.capture import Capture

INTERNED_DEPTHS = (1, 2)
"""Where the values of sockets stand: kept once, for the next component gets the same."""

_MANY = 32
_PACKED_FROM = 128
_EMBEDDING_KEYS = frozenset({"embedding", "embeddings", "query_embedding"})
_TOO_MANY = f"the value has more than {MOST_NODES:,} elements"


def encode_dict(c: Capture, value: dict[Any, Any], depth: int, walk: Walk) -> Any:
    """Encode an exact `dict`."""
    if not value:
        return {}
    if walk and (known := walk.get(id(value))) is not None:
        return again(value, known, walk)
    if len(value) > _MANY and not walk.has_room(len(value)):
        return truncated("dict", len(value), _TOO_MANY)
    try:
        tree = encode_few(c, value, value, depth, walk)
    except RuntimeError as error:
        if isinstance(error, RecursionError):
            raise
        # Another thread changed it meanwhile. Copying happens in one go.
        tree = encode_few(c, value, value.copy(), depth, walk)
    return Interned(tree) if depth in INTERNED_DEPTHS else tree


def encode_few(
    c: Capture, original: dict[Any, Any], items: dict[Any, Any], depth: int, walk: Walk
) -> Any:
    """Encode the items of a dictionary that is not too large and was not met before."""
    entered = False
    tree: dict[str, Any] = {}
    for key, item in items.items():
        if type(key) is not str or key[:1] == TAG:
            return _pairs(c, original, items.copy(), depth, walk)
        kind = type(item)
        if kind is str:
            tree[key] = item if len(item) <= INLINE_CHARS else c.text(item)
        elif kind is int:
            tree[key] = item if -LARGEST_INT <= item <= LARGEST_INT else big_integer(item)
        elif kind is bool or kind is NoneType:
            tree[key] = item
        elif kind is float:
            tree[key] = item if item - item == 0.0 else odd_float(item)
        else:
            if not entered:
                if depth >= DEEPEST:
                    return too_deep("dict", len(items))
                entered = True
                walk[id(original)] = (original, None)
            if kind is list and key in _EMBEDDING_KEYS:
                tree[key] = encode_embedding(c, item, depth + 1, walk)
            else:
                tree[key] = c.node(item, depth + 1, walk)
    if entered or len(tree) >= SHARED_FROM:
        walk[id(original)] = (original, tree)
    return tree


def _pairs(
    c: Capture, original: Any, items: dict[Any, Any], depth: int, walk: Walk, kind: str = ""
) -> Any:
    if depth + 2 >= DEEPEST:
        return too_deep(kind or "dict", len(items))
    walk[id(original)] = (original, None)
    inside = depth + 3
    tree: dict[str, Any] = {
        TAG: "dict",
        "items": [
            [c.node(key, inside, walk), c.node(item, inside, walk)] for key, item in items.items()
        ],
    }
    if kind:
        tree["type"] = kind
    walk[id(original)] = (original, tree)
    return tree


def encode_dict_subclass(c: Capture, value: dict[Any, Any], depth: int, walk: Walk) -> Any:
    """Encode what derives from `dict`, by what the dictionary itself holds."""
    if (known := walk.get(id(value))) is not None:
        return again(value, known, walk)
    items: dict[Any, Any] = {}
    items.update(dict.items(value))
    kind = type_name(type(value))
    if not walk.has_room(len(items)):
        return truncated(kind, len(items), _TOO_MANY)
    return _pairs(c, value, items, depth, walk, kind)


def encode_list(c: Capture, value: list[Any], depth: int, walk: Walk) -> Any:
    """Encode an exact `list`."""
    if not value:
        return []
    if walk and (known := walk.get(id(value))) is not None:
        return again(value, known, walk)
    encode_all = c.encoders_of_lists.get(type(value[0]))
    if encode_all is not None:
        return (
            encode_all(c, value, depth, walk) if depth < DEEPEST else too_deep("list", len(value))
        )
    items = value[:]
    size = len(items)
    if size > _MANY and not walk.has_room(size):
        return truncated("list", size, _TOO_MANY)
    if size > _MANY and (same := _leaves_of_one_kind(items)) is not None:
        tree = same
        walk[id(value)] = (value, tree)
    else:
        tree = encode_items(c, value, items, depth, walk)
    if depth in INTERNED_DEPTHS:
        if type(tree) is list:
            tree = Interned(tree)
        c.remember_list(value, items, tree)
    return tree


def encode_items(
    c: Capture, original: Any, items: Iterable[Any], depth: int, walk: Walk, levels: int = 1
) -> Any:
    """Encode the elements of a sequence, which stand `levels` below it."""
    entered = False
    tree: list[Any] = []
    add = tree.append
    for item in items:
        kind = type(item)
        if kind is str:
            add(item if len(item) <= INLINE_CHARS else c.text(item))
        elif kind is int:
            add(item if -LARGEST_INT <= item <= LARGEST_INT else big_integer(item))
        elif kind is bool or kind is NoneType:
            add(item)
        elif kind is float:
            add(item if item - item == 0.0 else odd_float(item))
        else:
            if not entered:
                if depth + levels > DEEPEST:
                    return too_deep("list", len(original))
                entered = True
                walk[id(original)] = (original, None)
            add(c.node(item, depth + levels, walk))
    if entered or len(tree) >= SHARED_FROM:
        walk[id(original)] = (original, tree)
    return tree


def _leaves_of_one_kind(items: list[Any]) -> Any:
    """Return the tree of a long list whose elements are all the same kind of leaf."""
    kinds = set(map(type, items))
    if len(kinds) != 1:
        return None
    kind = type(items[0])
    if kind is str:
        return items if max(map(len, items)) <= INLINE_CHARS else None
    if kind is int:
        return items if min(items) >= -LARGEST_INT and max(items) <= LARGEST_INT else None
    if kind is float:
        if len(items) >= _PACKED_FROM:
            return Deferred(pack_floats, items)
        total = sum(items)  # shows NaN and infinity, wherever they stand
        return items if total - total == 0.0 else None
    return None


def encode_embedding(c: Capture, value: list[Any], depth: int, walk: Walk) -> Any:
    """Encode what is called an embedding: as a digest, unless the whole was asked for."""
    if not value:
        return []
    if type(value[0]) is list:
        if depth >= DEEPEST or ((known := walk.get(id(value))) is not None and known[1] is None):
            return encode_list(c, value, depth, walk)
        walk[id(value)] = (value, None)
        tree: Any = [
            encode_embedding(c, item, depth + 1, walk)
            if type(item) is list
            else c.node(item, depth + 1, walk)
            for item in value[:]
        ]
        walk[id(value)] = (value, tree)
        return tree
    floats = value[:]
    if len(floats) < SHARED_FROM or set(map(type, floats)) != {float}:
        return encode_list(c, value, depth, walk)
    return Deferred(pack_floats if c.keep_embeddings else digest_floats, floats)


def encode_tuple(c: Capture, value: tuple[Any, ...], depth: int, walk: Walk) -> Any:
    """Encode an exact `tuple`."""
    return _tagged(c, "tuple", value, value, depth, walk)


def encode_set(c: Capture, value: set[Any] | frozenset[Any], depth: int, walk: Walk) -> Any:
    """Encode an exact `set`, sorted where that can be, so that equal sets look the same."""
    items: list[Any] = list(value)
    kinds = set(map(type, items))
    if len(kinds) == 1 and kinds <= _SORTABLE:
        items.sort()
    return _tagged(c, "set" if type(value) is set else "frozenset", value, items, depth, walk)


_SORTABLE = {str, int, float, bytes}


def _tagged(c: Capture, tag: str, value: Any, items: Iterable[Any], depth: int, walk: Walk) -> Any:
    if walk and (known := walk.get(id(value))) is not None:
        return again(value, known, walk)
    if len(value) > _MANY and not walk.has_room(len(value)):
        return truncated(tag, len(value), _TOO_MANY)
    if depth + 1 >= DEEPEST:
        return too_deep(tag, len(value))
    tree = {TAG: tag, "items": encode_items(c, value, items, depth, walk, levels=2)}
    if id(value) in walk:
        walk[id(value)] = (value, tree)
    return tree


def encode_sequence_subclass(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a namedtuple, a deque and whatever derives from a list, tuple or set."""
    if (known := walk.get(id(value))) is not None:
        return again(value, known, walk)
    order = mro_of(type(value))
    name = type_name(type(value))
    base = next(base for base in order if base in _ITERATORS)
    items = list(_ITERATORS[base](value))
    if not walk.has_room(len(items)):
        return truncated(name, len(items), _TOO_MANY)
    if depth + 2 >= DEEPEST:
        return too_deep(name, len(items))
    fields: dict[str, Any] = {}
    names = _names_of_fields(order) if base is tuple else ()
    if names and len(names) == len(items):
        walk[id(value)] = (value, None)
        for field, item in zip(names, items, strict=True):
            fields[field] = c.node(item, depth + 2, walk)
    else:
        fields["items"] = encode_items(c, value, items, depth, walk, levels=2)
    tree = {TAG: "object", "type": name, "fields": fields}
    walk[id(value)] = (value, tree)
    return tree


def _names_of_fields(order: tuple[type, ...]) -> tuple[str, ...]:
    names = next((base.__dict__["_fields"] for base in order if "_fields" in base.__dict__), ())
    if type(names) is tuple and all(type(name) is str and name[:1] != TAG for name in names):
        return names
    return ()


_ITERATORS: dict[type, Any] = {
    list: list.__iter__,
    tuple: tuple.__iter__,
    set: set.__iter__,
    frozenset: frozenset.__iter__,
    deque: deque.__iter__,
}
