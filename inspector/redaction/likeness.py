"""Texts that are the same but for which placeholder stands where."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACEHOLDER = re.compile(r"<([a-z][a-z0-9-]{0,40}):([0-9]{1,6}|[0-9a-f]{8})>")
_MOST = 200_000


def without_numbers(text: str) -> str:
    """Return a text in which placeholders say only what kind of thing they stand for."""
    return PLACEHOLDER.sub(r"<\1>", text) if "<" in text else text


def pairs(mine: Any, theirs: Any) -> Iterator[tuple[str, str]]:
    """Yield the placeholders at the same places of two trees, where the texts are alike."""
    stack = [(mine, theirs)]
    count = 0
    while stack and count < _MOST:
        count += 1
        one, other = stack.pop()
        if isinstance(one, str):
            if isinstance(other, str) and "<" in one and "<" in other:
                yield from _in_texts(one, other)
        elif isinstance(one, dict):
            if isinstance(other, dict):
                named = {without_numbers(key): key for key in other}
                for key, part in one.items():
                    known = key if key in other else named.get(without_numbers(key))
                    if known is not None:
                        stack += ((key, known), (part, other[known]))
        elif isinstance(one, list) and isinstance(other, list):
            stack += zip(one, other, strict=False)


def _in_texts(one: str, other: str) -> Iterator[tuple[str, str]]:
    if without_numbers(one) == without_numbers(other):
        found = zip(PLACEHOLDER.finditer(one), PLACEHOLDER.finditer(other), strict=True)
        yield from ((mine[0], theirs[0]) for mine, theirs in found)


def leaves_without_numbers(tree: Any) -> Any:
    """Return a copy of a tree whose placeholders say only what kind of thing they stand for."""
    if isinstance(tree, str):
        return without_numbers(tree)
    if isinstance(tree, dict):
        return {without_numbers(key): leaves_without_numbers(part) for key, part in tree.items()}
    if isinstance(tree, list):
        return [leaves_without_numbers(part) for part in tree]
    return tree
