"""Looking into values for a condition: their parts, their texts, and how they compare."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from inspector.runfile.value import TAG, is_message, tag_of, text_of, to_python

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_LOOKED_AT = 100_000  # parts of a value
_MOST_TEXT = 4_000_000


class _Missing:
    def __repr__(self) -> str:
        return "missing"


MISSING: Final = _Missing()
"""What stands for a part that is not there."""
_PLAIN = frozenset({"float", "int", "str", "decimal"})
_SEQUENCES = frozenset({"tuple", "set", "frozenset", "list"})


def walked(value: Any, steps: list[str | int]) -> Any:
    """Return what stands where these steps lead; `MISSING` where that is nowhere."""
    for step in steps:
        value = stepped(value, step)
        if value is MISSING:
            return MISSING
    return to_python(value) if tag_of(value) in _PLAIN else value


def stepped(value: Any, step: str | int) -> Any:
    """Return a part of a tree; `MISSING` where there is none."""
    if isinstance(step, int):
        items = _items(value)
        if items is None or not -len(items) <= step < len(items):
            return MISSING
        return items[step]
    if not isinstance(value, dict):
        return MISSING
    match value.get(TAG):
        case "object" if isinstance(value.get("fields"), dict):
            return value["fields"].get(step, MISSING)
        case "dict" if isinstance(value.get("items"), list):
            pairs = (p for p in value["items"] if isinstance(p, list) and len(p) == 2)
            return next((each for key, each in pairs if key == step), MISSING)
    if step in value:
        return value[step]
    return text_of(value) if step == "text" and is_message(value) else MISSING


def _items(value: Any) -> list[Any] | None:
    if isinstance(value, list):
        return value
    if tag_of(value) in _SEQUENCES:
        items = value.get("items")
        # A list may be kept as "that list, and then these items".
        before = _items(value.get("after")) or []
        return [*before, *items] if isinstance(items, list) else None
    return None


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts that stand in a tree, in their order, up to a bound."""
    waiting, looked, letters = [value], 0, 0
    while waiting and looked < _MOST_LOOKED_AT and letters < _MOST_TEXT:
        one = waiting.pop()
        looked += 1
        if isinstance(one, str):
            letters += len(one)
            yield one
        elif isinstance(one, bool) or one is None or one is MISSING:
            continue
        elif isinstance(one, int | float):
            yield str(one)
        elif isinstance(one, Mapping):
            plain = to_python(one) if tag_of(one) in _PLAIN else None
            parts = [part for key, part in one.items() if key != TAG]
            waiting += [str(plain)] if plain is not None else reversed(parts)
        elif isinstance(one, list):
            waiting += reversed(one)


def is_so(value: Any) -> bool:
    """Say whether a value by itself holds: it is there, and neither empty, zero nor false."""
    if value is MISSING or value is None:
        return False
    if isinstance(value, bool | int | float):
        return bool(value)
    items = _items(value)
    return bool(value if items is None else items)


def length_of(value: Any) -> Any:
    """Return how many items or letters there are; `MISSING` of what has none."""
    if isinstance(value, str):
        return len(value)
    items = _items(value)
    if items is not None:
        return len(items)
    if isinstance(value, dict):
        match value.get(TAG), value.get("fields"), value.get("items"):
            case "object", dict() as fields, _:
                return len(fields)
            case "dict", _, list() as pairs:
                return len(pairs)
        return len(value.keys() - {TAG})
    return MISSING


def holds_text(value: Any, wanted: Any) -> bool:
    """Say whether a text stands somewhere in a value, whatever the case."""
    if wanted is MISSING or wanted is None or isinstance(wanted, dict | list):
        return False
    word = str(wanted).casefold()
    return any(word in text.casefold() for text in texts_in(value))


def are_equal(one: Any, other: Any) -> bool:
    """Say whether two values are the same; true is not one."""
    if one is MISSING or other is MISSING or isinstance(one, bool) is not isinstance(other, bool):
        return False
    return bool(one == other)


def are_ordered(one: Any, other: Any) -> bool:
    """Say whether one of two values can be smaller than the other."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str)
    return _is_number(one) and _is_number(other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
