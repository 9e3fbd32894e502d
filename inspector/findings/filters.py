"""Haystack's filters, applied to recorded documents: only what can be told for certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from inspector.runfile.value import to_python

if TYPE_CHECKING:
    from inspector.findings.passages import Passage

_DEEPEST = 20
_ABSENT = object()

_COMPARES: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda held, wanted: held == wanted,
    "!=": lambda held, wanted: held != wanted,
    ">": lambda held, wanted: held > wanted,
    ">=": lambda held, wanted: held >= wanted,
    "<": lambda held, wanted: held < wanted,
    "<=": lambda held, wanted: held <= wanted,
    "in": lambda held, wanted: held in wanted,
    "not in": lambda held, wanted: held not in wanted,
}


def admits(filters: Any, one: Passage) -> bool | None:
    """Say whether filters let a document through; None where that cannot be told."""
    return _admits(to_python(filters), one, 0)


def _admits(node: Any, one: Passage, depth: int) -> bool | None:
    if not isinstance(node, Mapping) or depth > _DEEPEST:
        return None
    conditions, operator = node.get("conditions"), node.get("operator")
    if not isinstance(conditions, list):
        return _compares(node, one)
    told = [_admits(each, one, depth + 1) for each in conditions]
    if operator == "AND":
        return False if False in told else None if None in told else True
    if operator == "OR":
        return True if True in told else None if None in told else False
    if operator == "NOT" and None not in told:
        return not all(told)
    return None


def _compares(node: Mapping[str, Any], one: Passage) -> bool | None:
    field, compare = node.get("field"), _COMPARES.get(str(node.get("operator")))
    if not isinstance(field, str) or compare is None:
        return None
    held = _held(field, one)
    if held is _ABSENT:
        held = None
    try:
        return bool(compare(held, node.get("value")))
    except (TypeError, ValueError):
        return None  # a store decides what it makes of unlike things


def _held(field: str, one: Passage) -> Any:
    if field in ("id", "content"):
        return getattr(one, field)
    held: Any = to_python(one.meta)
    for part in field.removeprefix("meta.").split("."):
        held = held.get(part, _ABSENT) if isinstance(held, Mapping) else _ABSENT
    return held


def words_of_filters(filters: Any, depth: int = 0) -> str:
    """Return filters as a sentence has them: `meta.year >= 2024 and meta.lang == "en"`."""
    node = to_python(filters) if depth == 0 else filters
    if not isinstance(node, Mapping) or depth > _DEEPEST:
        return "…"
    conditions = node.get("conditions")
    if not isinstance(conditions, list):
        return f"{node.get('field')} {node.get('operator')} {node.get('value')!r}"
    joined = f" {str(node.get('operator')).lower()} ".join(
        words_of_filters(each, depth + 1) for each in conditions[:4]
    )
    more = " …" if len(conditions) > 4 else ""
    return f"({joined}{more})" if depth else joined + more
