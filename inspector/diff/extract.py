"""What a person wants to know of an answer: a field, a match, or what a function makes of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from inspector.diff.answer import outputs_of
from inspector.errors import InspectorError
from inspector.runfile.value import tag_of, text_of, to_python

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_PATH = re.compile(r'\.?([^.\[\]"]+)|\[(-?\d+)\]|\["((?:[^"\\]|\\.)*)"\]')
_ABSENT = object()
_FENCED = re.compile(r"```[a-zA-Z]{0,20}\n([^`]*)```")
_QUICK = 4_000
_PATIENCE_S = 5.0
# Python's matcher can take longer than anybody lives, and cannot be stopped from within.
_CHILD = (
    "import json,re,sys;p,t=json.load(sys.stdin);m=re.search(p,t);"
    "print(json.dumps(None if m is None else (m.group(1) if m.re.groups else m.group())))"
)


@dataclass(frozen=True, slots=True)
class Extractor:
    """Takes one value out of an answer."""

    name: str
    take: Callable[[PipelineRun, str], Any]

    def of(self, run: PipelineRun, answer: str) -> Any:
        """Return the value as plain JSON, or None where there is none.

        Raises:
            InspectorError: It could not be taken.

        """
        value = self.take(run, answer)
        try:
            return json.loads(json.dumps(value))
        except (TypeError, ValueError, RecursionError):
            return repr(value)


def extractor_of(wanted: str | Callable[[str], Any] | None) -> Extractor | None:
    """Return the extractor that a person describes.

    Args:
        wanted: `field:PATH` for a field of the outputs, or of an answer that is JSON;
            `regex:PATTERN` for the first group of its first match, or all of it;
            `python:MODULE:FUNCTION` for a function that is given the answer's text;
            a function. Words without a prefix are a field.

    Raises:
        InspectorError: The words make no sense, or the function is not there.

    """
    if wanted is None:
        return None
    if not isinstance(wanted, str):
        return _by_function(getattr(wanted, "__name__", "the function"), wanted)
    kind, colon, rest = wanted.partition(":")
    if colon and kind == "regex":
        return _by_pattern(rest)
    if colon and kind == "python":
        return _by_function(rest, _imported(rest))
    return _by_field(rest if colon and kind == "field" else wanted)


def _by_field(path: str) -> Extractor:
    steps = _steps(path)

    def take(run: PipelineRun, answer: str) -> Any:
        outputs = outputs_of(run)
        found = _followed(outputs, steps)
        if found is _ABSENT and steps[:1] == ["outputs"]:
            found = _followed(outputs, steps[1:])
        if found is _ABSENT:
            found = _followed(_as_json(answer), steps)
        return None if found is _ABSENT else to_python(found)

    return Extractor(f"The field {path}", take)


def _steps(path: str) -> list[str | int]:
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        found = _PATH.match(path, at)
        if found is None:
            raise InspectorError(
                f"The field {path!r} is no path.",
                hint='Write it as answer_builder.answers[0].data or answer["a b"].',
            )
        name, number, quoted = found.groups()
        if number is not None:
            steps.append(int(number))
        else:
            steps.append(name if quoted is None else quoted.replace('\\"', '"'))
        at = found.end()
    if not steps:
        raise InspectorError("The field to extract has no name.", hint="Write field:PATH.")
    return steps


def _followed(tree: Any, steps: list[str | int]) -> Any:
    for step in steps:
        if isinstance(step, int):
            items = tree.get("items") if tag_of(tree) in ("tuple", "set") else tree
            if not isinstance(items, list) or not -len(items) <= step < len(items):
                return _ABSENT
            tree = items[step]
            continue
        if not isinstance(tree, Mapping):
            return _ABSENT
        if tag_of(tree) == "chat_message" and step == "text":
            tree = text_of(tree)
            continue
        fields = tree.get("fields") if tag_of(tree) == "object" else None
        holder = fields if isinstance(fields, Mapping) and step in fields else tree
        if step not in holder:
            return _ABSENT
        tree = holder[step]
    return tree


def _as_json(answer: str) -> Any:
    fenced = _FENCED.search(answer)
    for text in (answer, fenced.group(1) if fenced else ""):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            continue
    return None


def _by_pattern(pattern: str) -> Extractor:
    if not pattern:
        raise InspectorError("The expression to extract is empty.", hint="Write regex:PATTERN.")
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise InspectorError(
            f"The expression {pattern[:80]!r} cannot be read: {error}.",
            hint="It is one of Python's regular expressions.",
        ) from None

    def take(_: PipelineRun, answer: str) -> Any:
        if len(answer) <= _QUICK and _is_harmless(pattern):
            found = compiled.search(answer)
            if found is None:
                return None
            return found.group(1) if compiled.groups else found.group()
        return _searched_apart(pattern, answer)

    return Extractor(f"The expression {pattern[:80]!r}", take)


def _is_harmless(pattern: str) -> bool:
    """Whether a pattern repeats so little that a short text takes it no time."""
    # A repeated group may match one text in more ways than there are atoms.
    bounded = "{" not in pattern and pattern.count("*") + pattern.count("+") <= 1
    return bounded and not any(f"){sign}" in pattern for sign in "*+")


def _searched_apart(pattern: str, answer: str) -> Any:
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and our own line of code
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=json.dumps([pattern, answer]), capture_output=True, text=True,
            encoding="ascii", timeout=_PATIENCE_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise InspectorError(
            f"The expression {pattern[:80]!r} takes too long on this answer.",
            hint="Repeats inside repeats, such as (a+)+, make it slow.",
        ) from None
    except OSError as error:
        raise InspectorError(f"The expression could not be looked for: {error}.") from None
    if done.returncode != 0:
        raise InspectorError(f"The expression {pattern[:80]!r} could not be looked for.")
    return json.loads(done.stdout)


def _imported(words: str) -> Callable[[str], Any]:
    module, _, name = words.rpartition(":")
    try:
        found: Any = import_module(module) if module else None
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:  # noqa: BLE001 - importing somebody's module may do anything
        raise InspectorError(
            f"The function {words} cannot be imported: {error}.",
            hint="Write python:MODULE:FUNCTION.",
        ) from None
    if not callable(found):
        raise InspectorError(f"{words} is no function.", hint="Write python:MODULE:FUNCTION.")
    return found  # type: ignore[no-any-return]  # whatever can be called


def _by_function(name: str, function: Callable[[str], Any]) -> Extractor:
    def take(_: PipelineRun, answer: str) -> Any:
        try:
            return function(answer)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise InspectorError(f"The function {name} failed on an answer: {said}") from error

    return Extractor(f"The function {name}", take)
