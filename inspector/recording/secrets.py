"""Keeping credentials out of the file.

A Secret of Haystack serialises as the name of its environment variable. Its value can
still get into a run: in a header, in a base URL, in the text of an error. So every record
is searched for the values of all variables that secrets name, before it is written.
"""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RULE = "secret-env-values"
_HEADER_RULE = "credentials-in-definition"
_SHORTEST_NAMED = 6
_SHORTEST_GUESSED = 12
_DEEPEST = 40
_FRESH_S = 5.0

# What people call the variables in which they keep what must not get out.
_SECRET_ENDINGS = ("_API_KEY", "_APIKEY", "_TOKEN", "_SECRET", "_SECRET_KEY", "_PASSWORD",
                   "_ACCESS_KEY", "_ACCESS_KEY_ID", "_CREDENTIALS")  # fmt: skip

# What can stand outside of a JSON string: to replace it there would break the record.
_BARE = re.compile(r"[-+0-9.eE]+|true|false|null")
_CREDENTIAL_HEADERS = {"authorization", "proxy-authorization", "api-key", "x-api-key", "cookie"}
_USER_IN_URL = re.compile(r"(?<=://)[^/@\s]+:[^/@\s]+(?=@)")


class SecretScrubber:
    """Replaces the values of secrets in the records of a run, and counts them."""

    def __init__(self, needles: dict[bytes, bytes], taken_out: int = 0) -> None:
        self._needles = needles
        self._found = 0
        self._taken_out = taken_out

    def clean(self, text: bytes) -> bytes:
        """Return a record without the values of secrets."""
        if not any(needle in text for needle in self._needles):
            return text
        # In one pass: a placeholder must not be searched for the next secret.
        anything = re.compile(b"|".join(map(re.escape, self._needles)))
        text, count = anything.subn(lambda found: self._needles[found[0]], text)
        self._found += count
        return text

    def report(self) -> dict[str, Any]:
        """Return what the run header says of what was taken out."""
        found = [(RULE, self._found), (_HEADER_RULE, self._taken_out)]
        taken = [{"rule": rule, "count": count} for rule, count in found if count]
        return {"redaction": taken} if taken else {}


def scrubber_for(
    names: frozenset[str], taken_out: int = 0, *, guessed: Iterable[str] | None = None
) -> SecretScrubber | None:
    """Return what keeps the values of these variables, as they are now, out of a run.

    Besides those that secrets name, variables that are called like one are looked at:
    a recording made from tracing alone never sees the secrets of the components.
    """
    if guessed is None:
        guessed = _guessed_names(len(os.environ), int(monotonic() / _FRESH_S))
    values = tuple(
        (name, value)
        for name in dict.fromkeys((*names, *guessed))
        if (value := os.environ.get(name)) and _is_secret(value, named=name in names)
    )
    return SecretScrubber(_needles(values), taken_out) if values or taken_out else None


def _is_secret(value: str, *, named: bool) -> bool:
    shortest = _SHORTEST_NAMED if named else _SHORTEST_GUESSED
    return len(value) >= shortest and not _BARE.fullmatch(value)


@lru_cache(maxsize=1)
def _guessed_names(_variables: int, _moment: int) -> tuple[str, ...]:
    """Return the variables called like a secret. Looking takes longer than a small run."""
    return tuple(name for name in os.environ if name.upper().endswith(_SECRET_ENDINGS))


@lru_cache(maxsize=16)
def _needles(values: tuple[tuple[str, str], ...]) -> dict[bytes, bytes]:
    named = {value: name for name, value in reversed(values)}
    return {
        json.dumps(value, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass"):
            f"<secret:{named[value]}>".encode()
        for value in sorted(named, key=len, reverse=True)  # one may be part of another
    }  # fmt: skip


def secret_names(definition: Any) -> set[str]:
    """Return the environment variables that the secrets of a definition name."""
    return set(_secret_names(definition, 0))


def _secret_names(node: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(node, dict):
        names = node.get("env_vars")
        if node.get("type") == "env_var" and isinstance(names, (list, tuple)):
            yield from (name for name in names if isinstance(name, str))
        for part in node.values():
            yield from _secret_names(part, depth + 1)
    elif isinstance(node, (list, tuple)):
        for part in node:
            yield from _secret_names(part, depth + 1)


def without_credentials(definition: Any) -> tuple[Any, int]:
    """Return a definition without tokens, credential headers and users in URLs; and how many."""
    counter = [0]
    return _without(definition, 0, counter), counter[0]


def _without(node: Any, depth: int, counter: list[int]) -> Any:
    if depth > _DEEPEST:
        return node
    if isinstance(node, dict):
        if node.get("type") == "token" and "token" in node:
            counter[0] += 1
            return {"$": "secret"}
        return {key: _entry(key, part, depth, counter) for key, part in node.items()}
    if isinstance(node, (list, tuple)):
        return [_without(part, depth + 1, counter) for part in node]
    if isinstance(node, str) and "://" in node and "@" in node:
        node, count = _USER_IN_URL.subn("<credentials>", node)
        counter[0] += count
    return node


def _entry(key: Any, part: Any, depth: int, counter: list[int]) -> Any:
    if isinstance(key, str) and isinstance(part, str) and key.lower() in _CREDENTIAL_HEADERS:
        counter[0] += 1
        return f"<{key.lower()}>"
    return _without(part, depth + 1, counter)
