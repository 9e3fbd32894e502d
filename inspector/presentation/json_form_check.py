"""What is wrong with the values of a form, in words that stand beside each field."""

import json
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from inspector.presentation.json_form import NOTHING, Field
from inspector.presentation.visible import one_line
from inspector.presentation.words import number_words, plural

Path = tuple[str | int, ...]
"""Where a value stands: keys of objects and places in lists, from the outside in."""

_LIMITS: Mapping[str, tuple[Callable[[float, float], bool], str]] = {
    "minimum": (operator.ge, "at least"), "maximum": (operator.le, "at most"),
    "exclusiveMinimum": (operator.gt, "more than"), "exclusiveMaximum": (operator.lt, "less than"),
}  # fmt: skip
_LONGEST = 400
_MOST_PROBLEMS = 200


class Problem(NamedTuple):
    """One thing that is wrong, and where."""

    path: Path
    words: str


def problems_of(field: Field, value: Any, path: Path = ()) -> list[Problem]:
    """Return what is wrong with a value; nothing when the server may take it.

    `NOTHING` stands for a value that was left out. Patterns and formats are left to the server.
    """
    if value is NOTHING:
        if not field.required:
            return []
        return [Problem(path, _missing(field))]
    if value is None:
        if field.nullable or field.kind == "json":
            return []
        return [Problem(path, "Null is no value for this one.")]
    return _CHECKS[field.kind](field, value, path)


def number_from(text: str, *, whole: bool) -> int | float | None:
    """Return the number that a text spells; None when it spells none."""
    cleaned = text.strip().replace("\u202f", "").replace("\u00a0", "")
    try:
        return int(cleaned) if whole or cleaned.lstrip("+-").isdigit() else _finite(float(cleaned))
    except ValueError:
        return None


def json_from(text: str) -> tuple[Any, str]:
    """Return the value that a text spells as JSON, and what is wrong with it."""
    try:
        return json.loads(text, parse_constant=_refuse), ""
    except json.JSONDecodeError as error:
        return NOTHING, f"This is no JSON: line {error.lineno}, character {error.colno}."
    except (ValueError, RecursionError):
        return NOTHING, "This is no JSON."


def problems_at(fields: Iterable[tuple[str, str]]) -> list[Problem]:
    """Return what a server says is wrong: paths such as `items.0.name`, and words of its own."""
    found = []
    for place, words in list(fields)[:_MOST_PROBLEMS]:
        steps = [step for step in place.split(".") if step]
        if steps and steps[0] == "body":
            steps = steps[1:]
        path = tuple(int(step) if step.isdigit() else step for step in steps)
        found.append(Problem(path, one_line(words)[:_LONGEST] or "The server refuses this."))
    return found


def nearest(path: Path, places: Iterable[Path]) -> Path:
    """Return the place of the form that is the path, or the innermost one around it."""
    known = set(places)
    while path and path not in known:
        path = path[:-1]
    return path


def _missing(field: Field) -> str:
    match field.kind:
        case "text":
            return "Write something here: it is required."
        case "switch":
            return "Choose yes or no: it is required."
        case "choice":
            return "Choose one: it is required."
        case _:
            return "A value is required here."


def _check_text(field: Field, value: Any, path: Path) -> list[Problem]:
    if not isinstance(value, str):
        return [Problem(path, "This takes text.")]
    return _size(field, len(value), "Length", "character", path)


def _check_number(field: Field, value: Any, path: Path) -> list[Problem]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        whole = field.kind == "integer"
        return [Problem(path, "This takes a whole number." if whole else "This takes a number.")]
    if field.kind == "integer" and value != int(value):
        return [Problem(path, "This takes a whole number.")]
    for word, (is_within, said) in _LIMITS.items():
        if word in field.bounds and not is_within(value, field.bounds[word]):
            return [Problem(path, f"It has to be {said} {_spelled(field.bounds[word])}.")]
    return []


def _check_switch(_field: Field, value: Any, path: Path) -> list[Problem]:
    return [] if isinstance(value, bool) else [Problem(path, "This takes yes or no.")]


def _check_choice(field: Field, value: Any, path: Path) -> list[Problem]:
    alike = (each for each in field.choices if type(each) is type(value) and each == value)
    if next(alike, NOTHING) is not NOTHING:
        return []
    return [Problem(path, "This is none of the values it may have.")]


def _check_object(field: Field, value: Any, path: Path) -> list[Problem]:
    if not isinstance(value, Mapping):
        return [Problem(path, "This takes an object.")]
    return [
        problem
        for each in field.fields
        for problem in problems_of(each, value.get(each.name, NOTHING), (*path, each.name))
    ]


def _check_list(field: Field, value: Any, path: Path) -> list[Problem]:
    if not isinstance(value, list):
        return [Problem(path, "This takes a list.")]
    found = _size(field, len(value), "Items", "item", path)
    if field.item is not None:
        for place, item in enumerate(value):
            found += problems_of(field.item, item, (*path, place))
    return found


def _size(field: Field, size: int, _what: str, unit: str, path: Path) -> list[Problem]:
    ends = "Length" if unit == "character" else "Items"
    least, most = field.bounds.get(f"min{ends}"), field.bounds.get(f"max{ends}")
    if least is not None and size < least:
        return [Problem(path, f"It takes at least {plural(int(least), unit)}; there are {size}.")]
    if most is not None and size > most:
        return [Problem(path, f"It takes at most {plural(int(most), unit)}; there are {size}.")]
    return []


def _check_json(_field: Field, _value: Any, _path: Path) -> list[Problem]:
    return []


_CHECKS: Mapping[str, Callable[[Field, Any, Path], list[Problem]]] = {
    "text": _check_text, "integer": _check_number, "number": _check_number,
    "switch": _check_switch, "choice": _check_choice, "object": _check_object,
    "list": _check_list, "json": _check_json,
}  # fmt: skip


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("JSON has no such number.")
    return value


def _refuse(_word: str) -> Any:
    raise ValueError("JSON has no such number.")


def _spelled(limit: float) -> str:
    return number_words(limit) if isinstance(limit, int) else f"{limit:g}"
