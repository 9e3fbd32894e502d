"""Reading the fields of Haystack's classes, and of classes derived from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.leaves import INLINE_CHARS
from inspector.recording.encoding.plain import encode_embedding
from inspector.recording.encoding.walk import Walk, type_name
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Collection

    from inspector.recording.capture import Capture

KNOWN_CLASSES: set[str] = set()
"""Classes that a tag tells by itself; a class derived from one is named beside the tag."""


def fields_of(value: Any) -> dict[str, Any]:
    """Return the instance dictionary, past whatever the class does about attributes."""
    fields: dict[str, Any] = object.__getattribute__(value, "__dict__")
    return fields


def tagged(
    c: Capture, tag: str, value: Any, names: dict[str, str], depth: int, walk: Walk
) -> dict[str, Any]:
    """Return a tag with an object's fields under the names of the format, None left out."""
    tree: dict[str, Any] = {TAG: tag}
    fields = fields_of(value)
    put_fields(c, tree, fields, names, depth, walk)
    put_the_rest(c, tree, value, fields, names, depth, walk)
    return tree


def bare(c: Capture, value: Any, names: dict[str, str], depth: int, walk: Walk) -> dict[str, Any]:
    """Return an object's fields where its place says what it is."""
    tree: dict[str, Any] = {}
    fields = fields_of(value)
    put_fields(c, tree, fields, names, depth, walk)
    put_the_rest(c, tree, value, fields, names, depth, walk)
    return tree


def put_fields(
    c: Capture, tree: dict[str, Any], fields: dict[str, Any], names: dict[str, str],
    depth: int, walk: Walk,
) -> None:  # fmt: skip
    """Put the fields that are set into `tree`."""
    for attribute, name in names.items():
        item = fields.get(attribute)
        if item is None:
            continue
        if type(item) is str and len(item) <= INLINE_CHARS:
            tree[name] = item
        elif attribute == "embedding" and type(item) is list:
            tree[name] = encode_embedding(c, item, depth + 1, walk)
        else:
            tree[name] = c.node(item, depth + 1, walk)


def put_the_rest(
    c: Capture, tree: dict[str, Any], value: Any, fields: dict[str, Any],
    names: Collection[str], depth: int, walk: Walk,
) -> None:  # fmt: skip
    """Put into `tree` what a newer Haystack or a class of the user added to the object."""
    if len(fields) > len(names):
        extra = {
            name: c.node(item, depth + 2, walk)
            for name, item in fields.items()
            if name not in names and item is not None and type(name) is str
        }
        if extra:
            tree["extra_fields"] = extra
    kind = type(value)
    if kind in c.known_classes:
        return
    name = type_name(kind)
    if name in KNOWN_CLASSES:
        c.known_classes.add(kind)
    else:
        tree["class"] = name
