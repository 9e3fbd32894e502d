"""What a recorded definition names: classes, functions, hosts, commands, variables.

It is read as data. Nothing is looked up by a name that stands in it, let alone imported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

# Modules may be called what no Python code could spell, and be imported by that name.
CLASS_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[^\W\d]\w*")
_TYPE_WORDS = re.compile(r"[\w.\[\], |-]+")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://")
_HOST_KEYS = frozenset({"host", "hosts", "hostname", "server", "endpoint", "azure_endpoint"})
_HOST = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*(?::\d{1,5})?")
_FUNCTION_KEYS = frozenset(
    {
        "async_function", "custom_filters", "function", "handler", "streaming_callback",
        "tool_filter",
    }
)  # fmt: skip
_MOST_NODES = 2_000
_MOST_FACTS = 20
_LONGEST = 300
_LONGEST_TYPE = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """One thing that a definition would have made, and what stands in its own parameters."""

    type: str
    place: tuple[str, ...]
    """Where it stands: the component, empty for what runs by itself, then the keys to it."""
    name: str = ""
    """What a tool is called."""
    hosts: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()

    @property
    def owner(self) -> str:
        """The component that it belongs to; empty for what belongs to what runs by itself."""
        return self.place[0]


def named_in(definition: Any) -> list[Named]:
    """Return everything that a definition would have made, outermost first.

    The definition has to be of a size that somebody has looked at (`stub_plan.check_size`).
    """
    components = definition.get("components") if isinstance(definition, Mapping) else None
    found: list[Named] = []
    if isinstance(components, Mapping):
        for name, entry in components.items():
            _collect(entry, (str(name),), found)
    else:
        _collect(definition, ("",), found)
    return found


def names_in(tree: Any) -> set[str]:
    """Return every dotted name in a tree that somebody could take for something to import.

    Whole strings only, or the parts of what reads like a type: `list[package.Thing]`.
    """
    names: set[str] = set()
    waiting = [tree]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, str) and len(item) <= _LONGEST_TYPE and _TYPE_WORDS.fullmatch(item):
            names.update(CLASS_NAME.findall(item))
    return names


def _collect(tree: Any, place: tuple[str, ...], found: list[Named]) -> None:
    """Go through a tree without recursion; what is made inside of it is an entry of its own."""
    waiting: list[tuple[Any, tuple[str, ...]]] = [(tree, place)]
    while waiting and len(found) < _MOST_NODES:
        item, at = waiting.pop()
        inside: list[tuple[Any, tuple[str, ...]]] = []
        if isinstance(item, Mapping) and _is_class(item.get("type")):
            own = _Facts()
            own.take({key: value for key, value in item.items() if key != "type"}, at, inside)
            found.append(own.named(item, at))
        elif isinstance(item, Mapping):
            inside = [(part, (*at, str(key))) for key, part in item.items()]
        elif isinstance(item, list):
            inside = [(part, (*at, str(number))) for number, part in enumerate(item)]
        waiting.extend(reversed(inside))


def _is_class(word: Any) -> bool:
    return isinstance(word, str) and bool(CLASS_NAME.fullmatch(word[: _LONGEST + 1]))


class _Facts:
    """What stands in the parameters of one thing."""

    def __init__(self) -> None:
        self.hosts: dict[str, None] = {}
        self.commands: dict[str, None] = {}
        self.variables: dict[str, None] = {}
        self.functions: dict[str, None] = {}

    def take(
        self, tree: Any, place: tuple[str, ...], inside: list[tuple[Any, tuple[str, ...]]]
    ) -> None:
        """Look through a tree, and leave in `inside` what is made on its own."""
        waiting: list[tuple[str, Any, tuple[str, ...]]] = [("", tree, place)]
        while waiting:
            key, item, at = waiting.pop()
            if isinstance(item, Mapping):
                if _is_class(item.get("type")):
                    inside.append((item, at))
                    continue
                self._mapping(item)
                parts = [
                    (key if key == "custom_filters" else str(name), part, (*at, str(name)))
                    for name, part in item.items()
                ]
            elif isinstance(item, list):
                kept = key if key in _HOST_KEYS else ""
                parts = [(kept, part, (*at, str(number))) for number, part in enumerate(item)]
            else:
                self._leaf(key, item)
                continue
            waiting.extend(reversed(parts))

    def _mapping(self, item: Mapping[str, Any]) -> None:
        if item.get("type") == "env_var":
            names = item.get("env_vars")
            for name in names if isinstance(names, list) else ():
                if isinstance(name, str):
                    self.variables[name[:_LONGEST]] = None
        command = item.get("command")
        if isinstance(command, str) and command:
            given = item.get("args")
            more = given if isinstance(given, list) else ()
            words = [each for each in more if isinstance(each, str)]
            self.commands[" ".join((command, *words))[:_LONGEST]] = None

    def _leaf(self, key: str, value: Any) -> None:
        if not isinstance(value, str) or not value:
            return
        if key in _FUNCTION_KEYS and CLASS_NAME.fullmatch(value[:_LONGEST]):
            self.functions[value[:_LONGEST]] = None
        elif (host := _host(key, value)) is not None:
            self.hosts[host] = None

    def named(self, item: Mapping[str, Any], place: tuple[str, ...]) -> Named:
        data = item.get("data")
        name = data.get("name") if isinstance(data, Mapping) else None
        return Named(
            type=item["type"], place=place,
            name=name[:_LONGEST] if isinstance(name, str) else "",
            hosts=_first(self.hosts), commands=_first(self.commands),
            variables=_first(self.variables), functions=_first(self.functions),
        )  # fmt: skip


def _first(facts: dict[str, None]) -> tuple[str, ...]:
    return tuple(facts)[:_MOST_FACTS]


def _host(key: str, value: str) -> str | None:
    """Return the host that a value names, or None when it names none."""
    if _URL.match(value):
        try:
            parts = urlsplit(value[:_LONGEST_TYPE])
            host, port = parts.hostname, parts.port
        except ValueError:
            return value[:_LONGEST]  # whatever it is, somebody would try to go there
        if not host:
            return None
        shown = f"[{host}]" if ":" in host else host
        return f"{shown}:{port}"[:_LONGEST] if port else shown[:_LONGEST]
    if key in _HOST_KEYS and len(value) <= _LONGEST and _HOST.fullmatch(value):
        return value
    return None
