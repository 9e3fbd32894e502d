"""Recorded exceptions, raised again as what they were.

A class is found only where its module is loaded already; nothing is imported for it. An
exception is made past its constructor, which may want things that nobody recorded, in a
class derived from the original: `isinstance`, `str`, `args` and attributes are as they were.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from inspector.runfile.value import to_python

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LONGEST_CHAIN = 20
_WRAPPED = "haystack.core.errors.PipelineRuntimeError"
_COMPONENT = "haystack.component.run"


class RecordedError(Exception):
    """An exception that was recorded, and whose class is not loaded here.

    `recorded_type` names the class that it had.
    """

    recorded_type = ""


def error_maker(tree: Mapping[str, Any], operation: str = "") -> Callable[[], BaseException]:
    """Return what makes a recorded exception anew each time.

    Args:
        tree: The error as it was recorded, references followed.
        operation: Of the span that it stands on. A component's span holds what Haystack made
            of the component's own exception, which is the cause of it.

    """
    if operation == _COMPONENT and tree.get("type") == _WRAPPED:
        cause = tree.get("cause")
        if isinstance(cause, dict) and "component failed to run" in str(tree.get("message")):
            tree = cause
    cls = _class_for(tree)
    message = tree.get("message")
    text = message if isinstance(message, str) else str(message)
    attributes = _attributes(tree)
    chain = {
        name: error_maker(inner)
        for name in ("cause", "context")
        if isinstance(inner := tree.get(name), dict) and _length(tree) < _LONGEST_CHAIN
    }

    def make() -> BaseException:
        error = cls.__new__(cls, text)
        error.args = (text,)
        for name, value in attributes.items():
            try:
                object.__setattr__(error, name, value)
            except (AttributeError, TypeError):
                continue
        if "cause" in chain:
            error.__cause__ = chain["cause"]()
        if "context" in chain:
            error.__context__ = chain["context"]()
        return error

    return make


def _length(tree: Mapping[str, Any]) -> int:
    length = 0
    inner: Any = tree
    while isinstance(inner, dict) and length < _LONGEST_CHAIN:
        length += 1
        inner = inner.get("cause") or inner.get("context")
    return length


def _attributes(tree: Mapping[str, Any]) -> dict[str, Any]:
    kept = tree.get("attributes")
    if not isinstance(kept, dict):
        return {}
    told = {key: to_python(value) for key, value in kept.items() if not key.startswith("__")}
    return {key: value for key, value in told.items() if not isinstance(value, dict) or value}


def _class_for(tree: Mapping[str, Any]) -> type[BaseException]:
    """Return a class that is, and reads as, the nearest loaded one of the recorded kinds."""
    name = str(tree.get("type", ""))
    order = tree.get("mro")
    names = [name, *(order if isinstance(order, list) else [])]
    found = next((cls for each in names if (cls := _loaded(str(each))) is not None), None)
    exact = found is not None and _name_of(found) == name
    if found is None or found in (Exception, BaseException):
        found, exact = RecordedError, False
    text = str(tree.get("message", ""))
    fields: dict[str, Any] = {
        "__init__": lambda _self, *_args, **_kwargs: None,
        "__str__": lambda _self: text,
        "__module__": found.__module__,
        "__qualname__": found.__qualname__,
        "__reduce__": lambda self: (RecordedError, (str(self),)),
    }
    if not exact:
        fields["recorded_type"] = name
    try:
        return cast("type[BaseException]", type(found.__name__, (found,), fields))
    except TypeError:
        # A class that cannot be derived from.
        return cast("type[BaseException]", type("RecordedError", (RecordedError,), fields))


def _name_of(cls: type) -> str:
    return (
        cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    )


def _loaded(name: str) -> type[BaseException] | None:
    """Return an exception class by its qualified name, if its module is loaded."""
    parts = name.split(".")
    for split in range(len(parts) - 1, -1, -1):
        module = sys.modules.get(".".join(parts[:split]) or "builtins")
        if module is None:
            continue
        found: Any = module
        for part in parts[split:]:
            found = vars(found).get(part) if hasattr(found, "__dict__") else None
        if isinstance(found, type) and issubclass(found, BaseException):
            return found if issubclass(found, Exception) else None
        return None
    return None
