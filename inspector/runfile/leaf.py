"""Reading one record's JSON, forgiving what other writers get wrong and saying so."""

from __future__ import annotations

import base64
import json
from typing import Any

import orjson

from inspector.runfile.value import TAG

NESTED = "is nested too deeply to be shown"
_LONGEST_NUMBER = 4_000
_LEAST, _MOST = -(2**63), 2**64 - 1
_SECOND_LOOK = 2**20


class LeafError(ValueError):
    """One piece of JSON that cannot be read; the sentence says why."""


def read_leaf(text: bytes | memoryview, *, strictly: bool = False) -> tuple[Any, str]:
    """Return the value of a piece of JSON, and what was wrong with it in words.

    NaN, infinities, lone surrogates, broken UTF-8 and numbers that are too long
    come from writers that are not strict; they are read and marked.

    Args:
        text: The JSON.
        strictly: Whether to look also for what fast readers pass over in silence.

    Raises:
        LeafError: Nothing can be made of the text.

    """
    try:
        tree = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if "depth limit" in str(error):
            raise LeafError(NESTED) from None
        return _read_loosely(bytes(text))
    if strictly and len(text) <= _SECOND_LOOK and not _reads_back(tree, len(text)):
        try:
            return _read_loosely(bytes(text))
        except LeafError:
            return tree, ""
    return tree, ""


def _reads_back(tree: Any, length: int) -> bool:
    """Whether JSON gives the same length again: then the fast reader dropped nothing."""
    try:
        return len(orjson.dumps(tree)) == length
    except orjson.JSONEncodeError:
        return False


def _read_loosely(text: bytes) -> tuple[Any, str]:
    said: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            keys = [key for key, _ in items]
            twice = next(key for key in keys if keys.count(key) > 1)
            said.append(f"“{twice[:40]}” stands there twice, and the last one counts")
        return found

    def constant(word: str) -> Any:
        said.append(f"{word} is not JSON")
        return {TAG: "float", "value": {"NaN": "nan", "Infinity": "inf"}.get(word, "-inf")}

    def integer(digits: str) -> Any:
        # Beyond 64 bits nobody downstream can write it as JSON again.
        if len(digits) > _LONGEST_NUMBER or not _LEAST <= (number := int(digits)) <= _MOST:
            said.append("a number is too large for JSON")
            return {TAG: "int", "value": digits}
        return number

    def real(digits: str) -> Any:
        number = float(digits)
        if number in {float("inf"), float("-inf")}:
            said.append("a number is too large")
            return {TAG: "float", "value": "inf" if number > 0 else "-inf"}
        return number

    try:
        words = text.decode("utf-8")
    except UnicodeDecodeError:
        words = text.decode("utf-8", "replace")
        said.append("it is not valid UTF-8")
    try:
        tree = json.loads(
            words,
            object_pairs_hook=pairs,
            parse_constant=constant,
            parse_int=integer,
            parse_float=real,
        )
    except RecursionError:
        raise LeafError(NESTED) from None
    except ValueError as error:
        raise LeafError(f"is not valid JSON ({error})") from None
    holder = [tree]
    if _replace_surrogates(holder):
        said.append("a text holds half a character")
    return holder[0], "; ".join(dict.fromkeys(said))


def _replace_surrogates(holder: list[Any]) -> bool:
    """Put a tag where a string cannot be written as UTF-8, so that nobody trips over it."""
    found = False
    stack: list[Any] = [holder]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if any(_is_broken(key) for key in node):
                found = True
                renamed = {_escaped(key): item for key, item in node.items()}
                node.clear()
                node.update(renamed)
            pairs: Any = node.items()
        else:
            pairs = enumerate(node)
        for key, item in list(pairs):
            if isinstance(item, str):
                if _is_broken(item):
                    found = True
                    halves = item.encode("utf-16-le", "surrogatepass")
                    node[key] = {TAG: "str", "utf16": base64.b64encode(halves).decode()}
            elif isinstance(item, (dict, list)):
                stack.append(item)
    return found


def _is_broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _escaped(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
