"""Toolsets that fetch their tools when they are warmed up, and are not warmed up in a replay.

An agent asks each toolset for the copy that one run of it uses. In a replay it gets the
tools of the recording instead, where the real ones would have to be fetched from a server
first. The toolset itself stays as it is, for whatever else goes on with it.
"""

from __future__ import annotations

import copy
import threading
from typing import TYPE_CHECKING, Any

from haystack.tools.tool import Tool
from haystack.tools.toolset import Toolset

from inspector.recording.encoding.walk import type_name
from inspector.recording.session import CURRENT
from inspector.recording.walk import instance_dict, walk_values
from inspector.replay.stand_in_tools import is_tool_tree, stand_in
from inspector.replay.warmth import SPARED, spare
from inspector.runfile.drift import Drift, DriftKind, Grade

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from inspector.replay.recorded import Entry
    from inspector.replay.session import ReplaySession

__all__ = ["StandIns", "lend"]

_SEARCHABLE = "haystack.tools.searchable_toolset.SearchableToolset"
_TOOLS = "haystack.agent.tools"
# What a toolset has to say itself if it fetches anything; the base class fetches nothing.
_FETCHING = ("warm_up", "warm_up_async", "__iter__")


class StandIns:
    """What stands for the toolsets of one replay.

    Args:
        session: The replay.
        live: The names of the tools that are there without fetching any.

    """

    def __init__(self, session: ReplaySession, live: Iterable[str]) -> None:
        self._session = session
        self._known = set(live)
        self._lock = threading.RLock()
        self._met: dict[tuple[str, str], list[Any]] = {}
        self._made: dict[tuple[str, int], Toolset | None] = {}

    def warms_up(self, toolset: Any) -> bool:
        """Say whether a toolset is to be warmed up although this is a replay."""
        if not self._fetches(toolset):
            return True
        return _is_searchable(toolset) and self.instead_of(toolset) is None

    def instead_of(self, toolset: Any) -> Toolset | None:
        """Return what stands for a toolset where the replay is now, if anything has to."""
        place = self._place()
        with self._lock:
            key = (place, id(toolset))
            if key not in self._made:
                self._made[key] = self._make(toolset, place)
            return self._made[key]

    def _make(self, toolset: Any, place: str) -> Toolset | None:
        if _is_searchable(toolset):
            return self._searched(toolset, place)
        specs = self._recorded(toolset, place)
        trees = specs.get("tools")
        if not self._fetches(toolset) or not isinstance(trees, list) or not trees:
            return None
        if _has_any(toolset, trees):
            return None  # it was warmed up before, by a live run
        made: Toolset = _named(type(toolset))([])
        made.tools = [self._tool(tree, specs, (toolset,)) for tree in trees if is_tool_tree(tree)]
        self._lend(toolset, made.tools, place)
        return made

    def _searched(self, toolset: Any, place: str) -> Toolset | None:
        """Return a toolset that is searched, over what was in its catalog then."""
        own = instance_dict(toolset) or {}
        if own.get("_passthrough", False) is not None or "_raw_catalog" not in own:
            return None
        specs = self._recorded(toolset, place)
        trees = specs.get("catalog")
        if not isinstance(trees, list):
            return None
        raw = own["_raw_catalog"]
        parts = [raw] if isinstance(raw, Toolset) else list(raw)
        lazy = [
            part
            for part in parts
            if isinstance(part, Toolset) and self._fetches(part) and not _has_any(part, trees)
        ]
        if not lazy:
            return None
        live = {tool.name: tool for part in parts if part not in lazy for tool in _held(part)}
        made = [
            self._tool(tree, specs, tuple(lazy))
            for tree in trees
            if is_tool_tree(tree) and tree["name"] not in live
        ]
        again: Any = copy.copy(toolset)
        for name in _SHELLS:
            vars(again).pop(name, None)
        ours = {tool.name: tool for tool in made}
        names = [tree["name"] for tree in trees if is_tool_tree(tree)]
        # In the order of then: the search prefers what comes first among equals.
        again._raw_catalog = [  # noqa: SLF001 - what its own warm_up begins with
            *({**live, **ours}[name] for name in names),
            *(tool for name, tool in live.items() if name not in names),
        ]
        again._build_catalog()  # noqa: SLF001 - and what it ends with
        for part in lazy:
            self._lend(part, made, place)
        searched: Toolset = again
        return searched

    def _lend(self, toolset: Any, tools: list[Any], place: str) -> None:
        self._session.adopt(walk_values(tools))
        name = type(toolset).__name__
        drift = Drift(
            kind=DriftKind.TOPOLOGY, path=place, visit=1, grade=Grade.NOTE, leaf="agent.tools",
            recorded=[tool.name for tool in tools], live=None, candidate=place or None,
            message=f"{name} was not asked for its tools: they are those that were recorded",
        )  # fmt: skip
        self._session.drift(drift, stop=False)

    def _tool(self, tree: Any, specs: Mapping[str, Any], sources: tuple[Any, ...]) -> Any:
        wiring = specs.get("wiring")
        wires = wiring.get(tree["name"]) if isinstance(wiring, dict) else None
        return stand_in(tree, wires if isinstance(wires, dict) else {}, sources)

    def _fetches(self, toolset: Any) -> bool:
        """Say whether this toolset gets its tools from somewhere, and must not now."""
        cls = type(toolset)
        if not any(getattr(cls, name, None) is not getattr(Toolset, name, None)
                   for name in _FETCHING):  # fmt: skip
            return False
        if _is_searchable(toolset):
            return True
        return self._session.policy.of(toolset, "tool", "", "").treatment in SPARED

    def _place(self) -> str:
        live = CURRENT.get()
        return "" if live is None else self._session.place(live)

    def _recorded(self, toolset: Any, place: str) -> Mapping[str, Any]:
        """Return what was recorded of a toolset: the tools it had when its agent began."""
        kind = type_name(type(toolset))
        met = self._met.setdefault((place, kind), [])
        if not any(each is toolset for each in met):
            met.append(toolset)
        number = next(n for n, each in enumerate(met) if each is toolset)
        there, anywhere = self._of_kind(kind, place)
        for found in (there, anywhere):
            if number < len(found):
                return found[number]
        return {"tools": self._chosen_by_name(place)}

    def _of_kind(
        self, kind: str, place: str
    ) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
        there: list[Mapping[str, Any]] = []
        anywhere: list[Mapping[str, Any]] = []
        for entry, tree in self._trees():
            fields = tree.get("fields")
            if tree.get("type") == kind and isinstance(fields, dict):
                anywhere.append(fields)
                if _is_at(entry, place):
                    there.append(fields)
        return there, anywhere

    def _chosen_by_name(self, place: str) -> list[Any]:
        """Return the recorded tools that nobody else has: chosen by name, they left their set."""
        kept = [
            tree
            for entry, tree in self._trees()
            if _is_at(entry, place) and is_tool_tree(tree) and tree["name"] not in self._known
        ]
        self._known.update(tree["name"] for tree in kept)
        return kept

    def _trees(self) -> Iterator[tuple[Entry, Mapping[str, Any]]]:
        """Yield what the recorded agents had for tools and toolsets."""
        calls = self._session.cassette.calls
        for entry in calls.entries:
            if entry.kind == "agent":
                tools = calls.run.resolve(entry.span.tags).get(_TOOLS)
                for tree in tools if isinstance(tools, list) else [tools]:
                    if isinstance(tree, dict):
                        yield entry, tree


def _is_at(entry: Entry, place: str) -> bool:
    return place in (entry.path, entry.path.rpartition("/")[0])


def _is_searchable(toolset: Any) -> bool:
    return type_name(type(toolset)) == _SEARCHABLE


def _held(part: Any) -> list[Any]:
    """Return the tools that are there without asking for any."""
    if not isinstance(part, Toolset):
        return [part]
    tools = (instance_dict(part) or {}).get("tools")
    return list(tools) if isinstance(tools, list) else []


def _has_any(toolset: Any, trees: list[Any]) -> bool:
    """Say whether a toolset holds any tool as it was recorded, and so has its tools already.

    Before they are warmed up, some hold placeholders, with other descriptions.
    """
    held = {
        (tool.name, tool.description, repr(tool.parameters))
        for tool in _held(toolset)
    }  # fmt: skip
    return any(
        (tree["name"], tree.get("description"), repr(tree.get("parameters"))) in held
        for tree in trees
        if is_tool_tree(tree)
    )


def _named(cls: type) -> Any:
    """Return a plain toolset that calls itself what the real one is called."""
    body = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": None}
    return type(cls.__name__, (Toolset,), body)


# -- on the instances ----------------------------------------------------------------------


def _stand_ins() -> StandIns | None:
    live = CURRENT.get()
    replay = None if live is None else live.recording.replay
    if replay is None:
        return None
    found: StandIns | None = replay.stand_ins
    return found


def _warm_up(self: Any, *args: Any, **kwargs: Any) -> Any:
    here = _stand_ins()
    if here is not None and not here.warms_up(self):
        return None
    return type(self).warm_up(self, *args, **kwargs)


async def _warm_up_async(self: Any, *args: Any, **kwargs: Any) -> Any:
    here = _stand_ins()
    if here is not None and not here.warms_up(self):
        return None
    return await type(self).warm_up_async(self, *args, **kwargs)


def _spawn(self: Any, *args: Any, **kwargs: Any) -> Any:
    here = _stand_ins()
    instead = None if here is None else here.instead_of(self)
    return (type(self).spawn(self, *args, **kwargs) if instead is None
            else instead.spawn(*args, **kwargs))  # fmt: skip


def _selectable(self: Any) -> Any:
    here = _stand_ins()
    instead = None if here is None else here.instead_of(self)
    return (type(self).get_selectable_tools(self) if instead is None
            else instead.get_selectable_tools())  # fmt: skip


_SHELLS: dict[str, Callable[..., Any]] = {
    "warm_up": _warm_up,
    "warm_up_async": _warm_up_async,
    "spawn": _spawn,
    "get_selectable_tools": _selectable,
}


def lend(session: ReplaySession, toolsets: Iterable[Any], instances: Iterable[Any]) -> None:
    """Stand in front of what makes toolsets fetch their tools, until `warmth.spare_no_more`.

    Args:
        session: The replay that they are asked in.
        toolsets: The toolsets.
        instances: What was found in the target; the tools among it are there already.

    """
    fetched = {id(tool) for toolset in toolsets for tool in _held(toolset)}
    live = [each.name for each in instances if isinstance(each, Tool) and id(each) not in fetched]
    session.stand_ins = StandIns(session, live)
    spare(toolsets, _SHELLS)
