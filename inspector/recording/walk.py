"""Find everything inside a pipeline or an agent whose calls are worth recording.

The walk reads attributes where they are kept, in `__dict__` and in slots. It calls no
property, no `__getattr__` and no `__iter__` of the program: a toolset that connects to
its server when it is iterated over is not connected by being looked at.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections import deque
from enum import Enum, StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_OBJECTS = 20_000
MOST_ELEMENTS = 1_000
SAMPLE = 8
DEEPEST_HOLDER = 3  # objects of the program in a row that are nothing to Haystack
MOST_CLASSES = 4_096


class What(StrEnum):
    """What a found object is to Haystack, which decides what of it is recorded."""

    COMPONENT = "component"
    TOOL = "tool"
    HOOK = "hook"
    STRATEGY = "confirmation strategy"


class Found:
    """One object whose calls are recorded, and what holds it."""

    __slots__ = ("first_holder", "holders", "instance", "part", "what")

    def __init__(self, instance: Any, what: What, part: str, holder: Found | None) -> None:
        self.instance = instance
        self.what = what
        self.part = part
        self.first_holder = holder
        self.holders: list[Found] = [] if holder is None else [holder]

    def add_holder(self, holder: Found) -> None:
        if holder is not self and holder not in self.holders:
            self.holders.append(holder)

    def above(self) -> set[int]:
        """Return the addresses of what holds it, directly or not."""
        addresses: set[int] = set()
        todo = list(self.holders)
        while todo:
            holder = todo.pop()
            if id(holder.instance) not in addresses and holder is not self:
                addresses.add(id(holder.instance))
                todo.extend(holder.holders)
        return addresses

    @property
    def where(self) -> str:
        """Where it was found first, such as `support_agent.tools[0]`."""
        parts: list[str] = []
        found: Found | None = self
        while found is not None:
            if found.part:
                parts.append(found.part)
            found = found.first_holder
        return ".".join(reversed(parts)) or type(self.instance).__name__


class _Kind(StrEnum):
    LEAF = "leaf"
    SEQUENCE = "sequence"
    MAPPING = "mapping"
    METHOD = "method"
    PARTIAL = "partial"
    PIPELINE = "pipeline"
    TOOLSET = "toolset"
    HOLDER = "holder"


_SIMPLE: tuple[type, ...] = (
    str, bytes, bytearray, int, float, complex, type(None), type, Enum, types.ModuleType,
    types.FunctionType, types.BuiltinFunctionType, types.CodeType, types.FrameType,
    types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType,
)  # fmt: skip
_SEQUENCES = (list, tuple, set, frozenset, deque)

_BUILT_IN = frozenset({list, tuple, dict, set, frozenset})

# Schemas and the like: large, and nothing lives in them.
_PLAIN_DATA = frozenset({"parameters", "state_schema", "resolved_state_schema"})

# Which of its inputs tell that an object with a `run` of its own is used like a component.
_TELLING_INPUTS = frozenset(
    {"messages", "prompt", "query", "queries", "query_embedding", "text", "texts", "documents"}
)

_facts: dict[type, _Facts] = {}
_leaves: set[type] = set()


def walk(target: Any) -> tuple[Found, ...]:
    """Return what is inside `target`, itself included, each object once."""
    return tuple(Walk().from_values([("", target)]))


def walk_values(values: Iterable[Any], holder: Found | None = None) -> tuple[Found, ...]:
    """Return what is inside values that turned up at run time, such as an agent's tools."""
    return tuple(Walk().from_values([("", value) for value in values], holder))


class Walk:
    """One walk: what is still to be looked at, and what has been."""

    def __init__(self) -> None:
        self.was_cut_short = False
        self.toolsets: list[Any] = []
        self._found: dict[int, Found] = {}
        # What only leads on is looked into once for each that holds it. It is kept alive,
        # or another object could get its address meanwhile.
        self._seen: dict[tuple[int, int], Any] = {}
        self._todo: deque[tuple[str, Any, _Facts, Found | None, int]] = deque()

    def from_values(
        self, values: Iterable[tuple[str, Any]], holder: Found | None = None
    ) -> Iterator[Found]:
        self._add(values, "", holder, 0)
        while self._todo:
            if len(self._seen) + len(self._found) >= MOST_OBJECTS:
                self.was_cut_short = True
                return
            part, value, facts, above, depth = self._todo.popleft()
            kind = facts.kind
            if not isinstance(kind, What):
                key = (id(value), id(above))
                if key not in self._seen:
                    self._seen[key] = value
                    self._look_into(facts, part, value, above, depth)
            elif (known := self._found.get(id(value))) is not None:
                if above is not None:
                    known.add_holder(above)
            else:
                found = self._found[id(value)] = Found(value, kind, part, above)
                yield found
                # The name of what holds something starts its path anew.
                self._add(facts.attributes(value), "", found, 0)

    def _look_into(
        self, facts: _Facts, part: str, value: Any, holder: Found | None, depth: int
    ) -> None:
        match facts.kind:
            case _Kind.SEQUENCE | _Kind.MAPPING:
                elements = ((f"[{key!r:.40}]", item) for key, item in _elements(value))
                self._add(elements, part, holder, depth)
            case _Kind.PIPELINE:
                self._add(_nodes(value), part, holder, 0)
            case _Kind.METHOD:
                self._add([("", value.__self__)], part, holder, depth)
            case _Kind.PARTIAL:
                self._add([("", value.func)], part, holder, depth)
            case _Kind.TOOLSET:
                if not any(known is value for known in self.toolsets):
                    self.toolsets.append(value)
                self._add(facts.attributes(value), part, holder, 0)
            case _ if depth < DEEPEST_HOLDER:
                self._add(facts.attributes(value), part, holder, depth + 1)

    def _add(
        self, items: Iterable[tuple[str, Any]], part: str, holder: Found | None, depth: int
    ) -> None:
        for name, item in items:
            cls = type(item)
            if cls in _leaves or (cls in _BUILT_IN and not item):
                continue
            facts = _facts.get(cls) or _classify(cls)
            if facts.kind is not _Kind.LEAF and name not in _PLAIN_DATA:
                dot = "." if part and name and name[0] != "[" else ""
                self._todo.append((f"{part}{dot}{name}", item, facts, holder, depth))


class _Facts:
    """What is to be known of a class: how its objects are treated and where they keep things."""

    __slots__ = ("getter", "kind", "slots")

    def __init__(self, kind: What | _Kind, cls: type) -> None:
        self.kind = kind
        self.getter = None if kind is _Kind.LEAF else _dict_getter(cls)
        self.slots = () if kind is _Kind.LEAF else tuple(_slots(cls))

    def attributes(self, instance: Any) -> list[tuple[str, Any]]:
        """Return the attributes kept on an object, without asking the object for any."""
        # What Haystack hangs on a component (sockets, its pipeline) leads back out of it.
        kept = list((self.dict_of(instance) or {}).items())
        kept = [pair for pair in kept if pair[0][:2] != "__"]
        for name, slot in self.slots:
            try:
                kept.append((name, slot.__get__(instance)))
            except Exception:  # noqa: BLE001, S112 - an empty slot is no finding
                continue
        return kept

    def dict_of(self, instance: Any) -> dict[str, Any] | None:
        if self.getter is None:
            return None
        try:
            kept = self.getter.__get__(instance)
        except Exception:  # noqa: BLE001 - nothing is kept where it cannot be read
            return None
        return kept if isinstance(kept, dict) else None


def instance_dict(instance: Any) -> dict[str, Any] | None:
    """Return the `__dict__` of a found object itself, or None when it has none."""
    cls = type(instance)
    return (_facts.get(cls) or _classify(cls)).dict_of(instance)


def opens_a_span(instance: Any) -> bool:
    """Say whether Haystack itself gives the calls of this component a span inside of them.

    Agents do, and components that are a pipeline.
    """
    own = instance_dict(instance) or {}
    if "chat_generator" in own and "max_agent_steps" in own:
        return True
    pipeline = type(own.get("pipeline"))
    return (_facts.get(pipeline) or _classify(pipeline)).kind is _Kind.PIPELINE


def _dict_getter(cls: type) -> Any:
    for owner in cls.__mro__:
        getter = vars(owner).get("__dict__")
        if getter is not None:
            # A class may dress its `__dict__` up as a property: that would be a call.
            return getter if isinstance(getter, types.GetSetDescriptorType) else None
    return None


def _slots(cls: type) -> Iterator[tuple[str, types.MemberDescriptorType]]:
    for owner in cls.__mro__:
        for name, slot in list(vars(owner).items()):
            if isinstance(slot, types.MemberDescriptorType):
                yield name, slot


def _elements(value: Any) -> list[tuple[Any, Any]]:
    """Return what a container holds: nothing, when a sample shows that it is plain data."""
    # The built-in methods, not those of a subclass: its iteration may load or connect.
    if isinstance(value, dict):
        pairs: list[tuple[Any, Any]] = list(islice(dict.items(value), MOST_ELEMENTS))
    else:
        base = next(base for base in _SEQUENCES if isinstance(value, base))
        pairs = list(enumerate(islice(base.__iter__(value), MOST_ELEMENTS)))
    if len(pairs) > SAMPLE and all(_is_leaf(item) for _, item in pairs[:SAMPLE]):
        return []
    return pairs


def _is_leaf(value: Any) -> bool:
    cls = type(value)
    return (_facts.get(cls) or _classify(cls)).kind is _Kind.LEAF


def components_of(target: Any) -> list[tuple[str, Any]]:
    """Return the components of a pipeline by name; nothing for anything else."""
    cls = type(target)
    if (_facts.get(cls) or _classify(cls)).kind is not _Kind.PIPELINE:
        return []
    return _nodes(target)


def _nodes(pipeline: Any) -> list[tuple[str, Any]]:
    try:
        return list(pipeline.walk())
    except Exception:  # noqa: BLE001 - a pipeline that cannot be walked has nothing to record
        return []


def _classify(cls: type) -> _Facts:
    if len(_facts) >= MOST_CLASSES:
        _facts.clear()
        _leaves.clear()
    try:
        facts = _Facts(_kind_of(cls), cls)
    except Exception:  # noqa: BLE001 - a class that cannot be read is left alone
        facts = _Facts(_Kind.LEAF, cls)
    _facts[cls] = facts
    if facts.kind is _Kind.LEAF:
        _leaves.add(cls)
    return facts


def _kind_of(cls: type) -> What | _Kind:
    if issubclass(cls, _SIMPLE):
        return _Kind.LEAF
    for base, kind in (
        (_SEQUENCES, _Kind.SEQUENCE),
        (dict, _Kind.MAPPING),
        (types.MethodType, _Kind.METHOD),
        (functools.partial, _Kind.PARTIAL),
    ):
        if issubclass(cls, base):
            return kind
    haystack = _haystack()
    families: tuple[tuple[str, What | _Kind], ...] = (
        ("pipeline", _Kind.PIPELINE), ("tool", What.TOOL), ("toolset", _Kind.TOOLSET)
    )  # fmt: skip
    for name, family in families:
        if (known := haystack.get(name)) is not None and issubclass(cls, known):
            return family
    if isinstance(cls, haystack.get("component", ())):
        return What.COMPONENT
    if _is_data_or_store(cls):
        return _Kind.LEAF
    return _by_shape(cls) or (_Kind.LEAF if _is_foreign(cls) else _Kind.HOLDER)


def _haystack() -> dict[str, type]:
    """Return Haystack's own classes, as far as this version and this process have them."""
    places = {
        "pipeline": ("haystack.core.pipeline.base", "PipelineBase"),
        "component": ("haystack.core.component.component", "ComponentMeta"),
        "tool": ("haystack.tools.tool", "Tool"),
        "toolset": ("haystack.tools.toolset", "Toolset"),
    }
    # What the process has not imported cannot be inside the target either.
    return {
        key: cls
        for key, (module, name) in places.items()
        if isinstance(cls := getattr(sys.modules.get(module), name, None), type)
    }


def _by_shape(cls: type) -> What | None:
    """Tell hooks, strategies and undecorated components by what their `run` takes."""
    takes = run_inputs(cls)
    if not takes:
        return None
    if takes == {"state"}:
        return What.HOOK
    if {"tool_name", "tool_params"} <= takes:
        return What.STRATEGY
    return What.COMPONENT if takes & _TELLING_INPUTS and not _is_foreign(cls) else None


def run_inputs(cls: type) -> frozenset[str]:
    """Return the names of what the `run` (or `run_async`) of a class takes."""
    for name in ("run", "run_async"):
        method = inspect.getattr_static(cls, name, None)
        if isinstance(method, (staticmethod, classmethod)):
            method = method.__func__
        if inspect.isfunction(method):
            return frozenset(inspect.signature(method).parameters) - {"self", "cls"}
    return frozenset()


def _is_data_or_store(cls: type) -> bool:
    module = cls.__module__ or ""
    return (
        module.startswith(("haystack.dataclasses", "haystack.utils", "haystack.core"))
        or ".document_stores" in module
        or inspect.getattr_static(cls, "write_documents", None) is not None
    )


def _is_foreign(cls: type) -> bool:
    """Say whether a class is of a package that is neither Haystack's nor the program's own.

    Clients, sessions and models of other packages are live: nothing looks into them.
    """
    return _is_foreign_package((cls.__module__ or "").partition(".")[0])


@functools.lru_cache(maxsize=1_024)
def _is_foreign_package(package: str) -> bool:
    if package.startswith("haystack") or package == "__main__":
        return False
    if package in sys.stdlib_module_names or package in {"", "builtins"}:
        return True
    module = sys.modules.get(package)
    places = [getattr(module, "__file__", None) or "", *getattr(module, "__path__", ())]
    return any("site-packages" in place or "dist-packages" in place for place in places)
