"""Plain data as JSON can say it, for what Haystack and its components say of themselves."""

from __future__ import annotations

from typing import Any

_DEEPEST = 60
_LONGEST_REPR = 200
_LARGEST_INT = 2**53


def json_only(value: Any, depth: int = 0) -> Any:
    """Return a copy of `value` that is JSON, with text in place of what is not."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is int:
        return value if -_LARGEST_INT <= value <= _LARGEST_INT else str(value)
    if kind is float:
        return value if value - value == 0.0 else str(value)
    if depth > _DEEPEST:
        return "..."
    if isinstance(value, dict):
        return {str(key): json_only(part, depth + 1) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_only(part, depth + 1) for part in value]
    if isinstance(value, (set, frozenset)):
        return sorted((json_only(part, depth + 1) for part in value), key=str)
    try:
        return repr(value)[:_LONGEST_REPR]
    except Exception:  # noqa: BLE001 - a foreign `repr` may do anything
        return f"<{kind.__name__}>"
