"""What a replay does with each thing that is asked to run, and who says so.

The order of authority: what the caller says for this replay, what the class says of
itself, the exact table of Haystack's own classes, the pattern of its module, and then
nobody: what is not known is answered, and never run by accident.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from inspector.recording.walk import run_inputs
from inspector.replay.classes import CLASSES, MODULES, Ruling, Treatment
from inspector.replay.mode import ReplayError

__all__ = ["Policy", "Ruling", "Treat", "Treatment"]

Treat = Mapping[str | type, Treatment | str]

TOLD = "the caller of this replay says so"
"""The reason of what nobody else decided."""

_ATTRIBUTES = ("__haystack_side_effecting__", "haystack_side_effecting")
_EFFECTS = Ruling(Treatment.ANSWER, "its class says that it has side effects")
_NO_EFFECTS = Ruling(Treatment.EXECUTE, "its class says that it has no side effects")
_UNKNOWN = Ruling(Treatment.UNKNOWN, "nobody said what it does")
_MODEL = Ruling(Treatment.ANSWER, "stands where an LLM is called")
_TOOL = Ruling(Treatment.ANSWER, "a tool may do anything")
_HOLDS = Ruling(Treatment.CONTAIN, "hands its work to what is inside, which is treated by itself")
_HOOK = Ruling(Treatment.EXECUTE, "changes the agent's state, and nothing else that is known")
_PERSON = Ruling(Treatment.ANSWER, "asks a person")

_SEARCH = Ruling(Treatment.EXECUTE, "searches the tools of the agent, which are in memory")
_SEARCHES = "haystack.tools.searchable_toolset"

_TOOLS = {
    "haystack.tools.pipeline_tool.PipelineTool": _HOLDS,
    "haystack.tools.agent_tool.AgentTool": _HOLDS,
    "haystack.tools.component_tool.ComponentTool": _HOLDS,
}
_HOOKS = {
    "haystack.hooks.human_in_the_loop.hooks.ConfirmationHook": _HOLDS,
}


def qualified(cls: type) -> str:
    """Return the name of a class as Haystack spells it in its spans."""
    return f"{cls.__module__}.{cls.__name__}"


class Policy:
    """Rules on instances and on recorded classes.

    Args:
        treat: What to do with single things: a path, the name of a component or tool, the
            name of a class (all of them may be patterns with `*`), or a class itself.

    """

    def __init__(self, treat: Treat | None = None) -> None:
        self._by_class: dict[type, Ruling] = {}
        self._by_word: dict[str, Ruling] = {}
        for key, treatment in _told(treat):
            ruling = Ruling(treatment, TOLD)
            if isinstance(key, type):
                self._by_class[key] = ruling
                self._by_word[qualified(key)] = ruling
            else:
                self._by_word[key] = ruling
        self._by_pattern = [(word, told) for word, told in self._by_word.items() if "*" in word]
        self._known: dict[tuple[type, str], Ruling] = {}

    def of(self, instance: Any, kind: str, path: str, name: str) -> Ruling:
        """Return what to do with an instance that is called at this place."""
        cls = type(instance)
        if self._by_word or self._by_class:
            told = self._by_class.get(cls) or self.told(path, name, qualified(cls))
            if told is not None:
                return told
        if kind == "tool" and _searches(instance):
            return _SEARCH
        known = self._known.get((cls, kind))
        if known is None:
            known = self._known[cls, kind] = _of_class(cls, kind)
        return known

    def of_recorded(
        self, kind: str, operation: str, type_name: str, path: str, name: str
    ) -> Ruling:
        """Return what would be done with a call that is only known from a file."""
        told = self.told(path, name, type_name) if self._by_word else None
        return told or _by_name(kind, type_name, operation)

    def of_class_named(self, kind: str, type_name: str, path: str, name: str) -> Ruling:
        """Return what is done with an instance of a class, which is asked if it is loaded."""
        told = self.told(path, name, type_name) if self._by_word else None
        if told is not None:
            return told
        module, _, short = type_name.rpartition(".")
        cls = vars(sys.modules[module]).get(short) if module in sys.modules else None
        return _of_class(cls, kind) if isinstance(cls, type) else _by_name(kind, type_name, "")

    def told(self, path: str, name: str, type_name: str) -> Ruling | None:
        """Return what the caller of the replay says, if anything."""
        words = (path, name, type_name, type_name.rpartition(".")[2])
        for word in words:
            if word and (ruling := self._by_word.get(word)) is not None:
                return ruling
        for pattern, ruling in self._by_pattern:
            if any(fnmatchcase(word, pattern) for word in words):
                return ruling
        return None


def _told(treat: Any) -> Iterator[tuple[str | type, Treatment]]:
    if treat is not None and not isinstance(treat, Mapping):
        raise ReplayError(
            f"What to do with components is told by name, not as a {type(treat).__name__}.",
            hint='Such as treat={"mailer": "answer"}.',
        )
    for key, word in (treat or {}).items():
        try:
            yield key, Treatment(word)
        except ValueError:
            known = ", ".join(Treatment)
            raise ReplayError(
                f"{word!r} is nothing to do with {key!r}.", hint=f"Use one of {known}."
            ) from None


def _searches(tool: Any) -> bool:
    """Say whether a tool is the one with which an agent looks for others of its tools."""
    return getattr(getattr(tool, "function", None), "__module__", None) == _SEARCHES


def _of_class(cls: type, kind: str) -> Ruling:
    for attribute in _ATTRIBUTES:
        said = getattr(cls, attribute, None)
        if isinstance(said, bool):
            return _EFFECTS if said else _NO_EFFECTS
    if kind == "hook" and "tool_params" in run_inputs(cls):
        return _PERSON
    return _by_name(kind, qualified(cls), "")


@lru_cache(maxsize=4_096)
def _by_name(kind: str, type_name: str, operation: str) -> Ruling:
    if kind == "tool":
        return _TOOLS.get(type_name) or _by_module(type_name) or _TOOL
    if kind == "hook":
        person = operation.endswith("human_in_the_loop.strategy")
        return _PERSON if person else _HOOKS.get(type_name) or _by_module(type_name) or _HOOK
    if (exact := CLASSES.get(type_name)) is not None:
        return exact
    return _by_module(type_name) or (_MODEL if kind == "llm" else _UNKNOWN)


def is_known(type_name: str) -> bool:
    """Say whether a class is one that we have looked at, or one of a kind of which we know."""
    return type_name in CLASSES or _by_module(type_name) is not None


def _by_module(type_name: str) -> Ruling | None:
    found = [prefix for prefix in MODULES if type_name.startswith(prefix)]
    return MODULES[max(found, key=len)] if found else None
