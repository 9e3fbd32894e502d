"""Recorded values as live objects again, through a closed table.

No class that a file names is ever imported, and none is looked up by its name either: what
can be built is what stands in the table, and what the live pipeline itself declares as its
outputs. A tree is turned into a *maker* once; calling the maker gives a fresh object each
time, since whoever gets an answer may change it.
"""

from __future__ import annotations

import sys
from base64 import b64decode, b64encode
from collections import Counter, OrderedDict, defaultdict
from functools import partial
from marshal import dumps, loads
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.replay.haystack_makers import BY_TAG, BY_TYPE
from inspector.runfile.value import TAG, to_python

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Maker = Callable[[], Any]

_LONGEST_WORDS = 300
_DEEPEST = 400
_ATOMS = (str, int, float, bool, type(None))
_PLAIN = frozenset(
    {
        "complex", "date", "datetime", "decimal", "float", "frozenset", "int", "str", "time",
        "timedelta", "tuple", "uuid",
    }
)  # fmt: skip


class CannotReviveError(InspectorError):
    """A recorded value cannot be made again from what is in the file."""


class Reviver:
    """Makes makers.

    Args:
        classes: Classes of the live pipeline that values may be instances of, by their
            qualified names.
        embedding: Returns the numbers behind the digest of an embedding, if they are known.

    """

    def __init__(
        self, classes: Mapping[str, type] | None = None,
        embedding: Callable[[Any], list[float] | None] | None = None,
    ) -> None:  # fmt: skip
        self.classes = classes or {}
        self.knows_classes = classes is not None
        self.embedding = embedding or (lambda _digest: None)
        self._loose = False

    def remark(self, tree: Any, depth: int) -> Maker:
        """Return the maker of what a reply says beside itself, such as its `meta`.

        What cannot be made again there stands as the plain data that it holds: nothing is
        decided by it, and an answer shall not be lost over it.
        """
        try:
            return self.maker(tree, depth)
        except CannotReviveError:
            loose = Reviver(self.classes, self.embedding)
            loose._loose = True
            return loose.maker(tree, depth)

    def value(self, tree: Any) -> Any:
        """Return a live object for a resolved tree, once.

        Raises:
            CannotReviveError: The file does not hold enough of it, or its class refuses it.

        """
        try:
            return self.maker(tree)()
        except CannotReviveError:
            raise
        except Exception as error:
            # A set of lists, a class that wants more: whoever wrote the tree is told.
            raise CannotReviveError(f"This makes no value: {error}"[:_LONGEST_WORDS]) from error

    def maker(self, tree: Any, depth: int = 0) -> Maker:
        """Return what makes the live object anew each time it is called.

        Raises:
            CannotReviveError: The file does not hold enough of it.

        """
        if depth > _DEEPEST:
            raise CannotReviveError("A recorded value is nested too deeply to be made again.")
        if isinstance(tree, _ATOMS):
            return lambda: tree
        if isinstance(tree, list):
            return self.items(tree, depth)
        if not isinstance(tree, dict):
            raise CannotReviveError(f"A recorded value is a {type(tree).__name__}.")
        tag = tree.get(TAG)
        if not isinstance(tag, str):
            return self.fields(tree, depth)
        return self._tagged(tag, tree, depth)

    def items(self, items: list[Any], depth: int) -> Maker:
        """Return the maker of a list."""
        if all(isinstance(item, _ATOMS) for item in items):
            return items.copy
        if is_plain(items):
            return partial(loads, dumps(items))
        makers = [self.maker(item, depth + 1) for item in items]
        if len(makers) == 1:
            only = makers[0]
            return lambda: [only()]
        return lambda: [make() for make in makers]

    def fields(self, fields: dict[str, Any], depth: int) -> Maker:
        """Return the maker of a dictionary."""
        if all(isinstance(item, _ATOMS) for item in fields.values()):
            return fields.copy
        if is_plain(fields):
            return partial(loads, dumps(fields))
        makers = [(key, self.maker(item, depth + 1)) for key, item in fields.items()]
        if len(makers) == 1:
            name, only = makers[0]
            return lambda: {name: only()}
        return lambda: {key: make() for key, make in makers}

    def _tagged(self, tag: str, tree: dict[str, Any], depth: int) -> Maker:
        if (make := BY_TAG.get(tag)) is not None:
            return make(self, tree, depth)
        if tag in _SPECIAL:
            return _SPECIAL[tag](self, tree, depth)
        if tag in _PLAIN:
            value = to_python(tree)
            if isinstance(value, dict):
                raise CannotReviveError(f"A recorded {tag} cannot be read.")
            if tag in ("tuple", "frozenset"):
                return self._sequence(tuple if tag == "tuple" else frozenset, tree, depth)
            return lambda: value
        if self._loose:
            return lambda: dict(tree)
        said = tree.get("type") or tag
        raise CannotReviveError(
            f"A recorded value ({said}) was kept as its description only.",
            hint="Record the run again with larger limits, or let that component run live.",
        )

    def _sequence(self, kind: Callable[[Any], Any], tree: dict[str, Any], depth: int) -> Maker:
        items = tree.get("items")
        inner = self.items(items if isinstance(items, list) else [], depth + 1)
        return lambda: kind(inner())

    def object(self, tree: dict[str, Any], depth: int) -> Maker:
        """Return the maker of an object of a class that we or the live pipeline know."""
        name = str(tree.get("type", ""))
        fields = tree.get("fields")
        fields = fields if isinstance(fields, dict) else {}
        if (make := BY_TYPE.get(name)) is not None:
            return make(self, fields, depth)
        cls = self.classes.get(name) or _of_client(name)
        if cls is None and self._loose:
            return self.fields(fields, depth + 1)
        if cls is None:
            raise CannotReviveError(
                f"A recorded value is a {name or 'nameless object'}, which the live pipeline "
                "does not declare as one of its outputs.",
                hint="Declare it with output_types, or let that component run live.",
            )
        return _of_declared(self, cls, fields, depth)


# Plain data of the client library that Haystack's generators hand on as they get it.
_CLIENTS = ("openai.types.",)


def _of_client(name: str) -> type | None:
    """Return a class of a client's plain data, if its module is loaded already."""
    if not name.startswith(_CLIENTS):
        return None
    module, _, short = name.rpartition(".")
    cls = vars(sys.modules.get(module, object)).get(short)
    return cls if isinstance(cls, type) and hasattr(cls, "model_construct") else None


def is_plain(tree: Any, depth: int = 0) -> bool:
    """Say whether a tree is JSON without tags, which is quickest made anew from bytes."""
    if isinstance(tree, _ATOMS):
        return True
    if depth > _DEEPEST or TAG in tree:
        return False
    parts = tree.values() if isinstance(tree, dict) else tree
    return all(is_plain(part, depth + 1) for part in parts)


def _of_declared(reviver: Reviver, cls: type, fields: dict[str, Any], depth: int) -> Maker:
    """Return the maker of a class that the live pipeline declares, past its constructor.

    What a constructor does (checks, look-ups, connections) it did when the value was made.
    """
    inner = reviver.fields(fields, depth + 1)
    construct = getattr(cls, "model_construct", None)
    if callable(construct):
        return lambda: construct(**inner())
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return lambda: cls(**inner())
    if not hasattr(cls, "__dataclass_fields__"):
        raise CannotReviveError(f"A {cls.__name__} cannot be made again from its fields.")

    def make() -> Any:
        made: Any = object.__new__(cls)
        for key, value in inner().items():
            object.__setattr__(made, key, value)
        return made

    return make


def _enum(reviver: Reviver, tree: dict[str, Any], _depth: int) -> Maker:
    cls = reviver.classes.get(str(tree.get("type")))
    member = getattr(cls, "__members__", {}).get(tree.get("name"))
    if member is not None:
        return lambda: member
    value = tree.get("value")
    if isinstance(value, str) and reviver.knows_classes:
        return lambda: value  # enumerations of strings are compared with strings
    raise CannotReviveError(f"A recorded value is a member of {tree.get('type')}.")


def _set(reviver: Reviver, tree: dict[str, Any], depth: int) -> Maker:
    return reviver._sequence(set, tree, depth)  # noqa: SLF001 - the same thing


def _dict(reviver: Reviver, tree: dict[str, Any], depth: int) -> Maker:
    items = tree.get("items")
    pairs = [
        (reviver.maker(pair[0], depth + 2), reviver.maker(pair[1], depth + 2))
        for pair in (items if isinstance(items, list) else [])
        if isinstance(pair, list) and len(pair) == 2
    ]
    make = _DICTS.get(str(tree.get("type")), dict)
    return lambda: make({key(): value() for key, value in pairs})


# What dictionaries of Python's own may be, past whatever made the values of a new key.
_DICTS: dict[str, Any] = {
    "collections.Counter": Counter,
    "collections.OrderedDict": OrderedDict,
    "collections.defaultdict": partial(defaultdict, None),
}


def _bytes(_reviver: Reviver, tree: dict[str, Any], _depth: int) -> Maker:
    text = tree.get("base64")
    if not isinstance(text, str):
        raise CannotReviveError("Recorded bytes were left out of the file.")
    data = b64decode(text)
    return lambda: data


class _Unknown(float):
    """A number that was not recorded; the first one of an embedding knows its digest."""

    tree: dict[str, Any]

    def __deepcopy__(self, _memo: dict[int, Any]) -> _Unknown:
        return self


class DigestOnly(list[float]):
    """Stands for an embedding of which only the digest was recorded.

    It is as long as the embedding was, and compared it is the embedding that was recorded.
    Nothing can be computed from it; who would do so has to look for it first. Haystack
    copies a list by handing its items to its class, so an item carries the digest.
    """

    __slots__ = ()

    @classmethod
    def of(cls, size: int, tree: dict[str, Any]) -> DigestOnly:
        """Return the stand-in for the embedding that a tree tells of."""
        first = _Unknown()
        first.tree = tree
        return cls([first, *[0.0] * (size - 1)])

    @property
    def tree(self) -> Any:
        """The tree that was recorded."""
        return getattr(self[0], "tree", None) if self else []


def _array(reviver: Reviver, tree: dict[str, Any], _depth: int) -> Maker:
    shape = tree.get("shape")
    shape = shape if isinstance(shape, list) else []
    text = tree.get("base64")
    if "value" in tree:
        number = to_python(tree["value"])
        numpy = sys.modules.get("numpy")
        if tree.get("of") == "numpy" and numpy is not None and isinstance(number, (int, float)):
            scalar = numpy.dtype(str(tree.get("dtype"))).type(number)
            return lambda: scalar
        return lambda: number
    if not isinstance(text, str):
        floats = reviver.embedding(tree.get("digest"))
        if floats is not None:
            return floats.copy
        if tree.get("of") == "list" and len(shape) == 1 and type(shape[0]) is int and shape[0]:
            size = min(shape[0], 10_000_000)
            return lambda: DigestOnly.of(size, tree)
        raise CannotReviveError("Of a recorded array only the digest was kept.")
    if tree.get("of") == "list" and tree.get("dtype") == "float64":
        from array import array

        floats = array("d", b64decode(text)).tolist()
        return floats.copy
    numpy = sys.modules.get("numpy")
    if numpy is None:
        raise CannotReviveError("A recorded value is a numpy array, and numpy is not loaded.")
    data = numpy.frombuffer(b64decode(text), dtype=str(tree.get("dtype"))).reshape(shape)
    copy: Maker = data.copy
    return copy


def _path(_reviver: Reviver, tree: dict[str, Any], _depth: int) -> Maker:
    from pathlib import Path

    path = Path(str(tree.get("value", "")))
    return lambda: path


def _object(reviver: Reviver, tree: dict[str, Any], depth: int) -> Maker:
    return reviver.object(tree, depth)


def _callable(_reviver: Reviver, tree: dict[str, Any], _depth: int) -> Maker:
    name = str(tree.get("name", "")).rpartition(".")[2]

    def stand_in(*_args: Any, **_kwargs: Any) -> None:
        """Do nothing: the function that was passed when this was recorded is not here."""

    stand_in.__name__ = stand_in.__qualname__ = name if name.isidentifier() else "stand_in"
    return lambda: stand_in


def _redacted(_reviver: Reviver, tree: dict[str, Any], _depth: int) -> Maker:
    words = tree.get("placeholder")
    text = words if isinstance(words, str) else "<redacted>"
    return lambda: text


_SPECIAL: dict[str, Callable[[Reviver, dict[str, Any], int], Maker]] = {
    "array": _array,
    "bytes": _bytes,
    "callable": _callable,
    "dict": _dict,
    "enum": _enum,
    "object": _object,
    "path": _path,
    "redacted": _redacted,
    "set": _set,
}


def base64_of(tree: Any) -> str:
    """Return the base64 text of recorded bytes, which images and files hold as it is.

    Raises:
        CannotReviveError: The bytes were left out of the file.

    """
    if isinstance(tree, str):
        return tree
    if isinstance(tree, dict) and isinstance(text := tree.get("base64"), str):
        return text
    if isinstance(tree, bytes):
        return b64encode(tree).decode()
    raise CannotReviveError("The bytes of a recorded image or file were left out of the file.")
