"""What a replay would do, before it does any of it: told from the file alone.

Which calls are answered, which run again, which could run live and contact whom, which
classes would be imported, which variables read. Nothing that the file names is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from inspector.replay.classes import Treatment
from inspector.replay.definition_facts import Named, named_in
from inspector.replay.manifest_parts import (
    ClassUse,
    Fate,
    Manifest,
    ManifestPart,
    contacts_of,
    leaks_of,
)
from inspector.replay.mode import ReplayError
from inspector.replay.policy import Policy
from inspector.replay.stub_plan import PURE, check_size, mapping
from inspector.runfile.kinds import SpanKind
from inspector.runfile.table import NO_PARENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from inspector.replay.classes import Ruling
    from inspector.runfile.model import PipelineRun
    from inspector.runfile.span import Span

_CALLS = frozenset({SpanKind.COMPONENT, SpanKind.LLM, SpanKind.TOOL, SpanKind.HOOK, SpanKind.OTHER})
_OPEN = frozenset({Fate.RUNS, Fate.CONTAINS})
_FATES = {
    Treatment.ANSWER: Fate.ANSWERED,
    Treatment.NEVER_LIVE: Fate.NEVER_LIVE,
    Treatment.EXECUTE: Fate.RUNS,
    Treatment.CONTAIN: Fate.CONTAINS,
    Treatment.VERIFY: Fate.COMPARED,
    Treatment.FILES: Fate.COMPARED,
    Treatment.UNKNOWN: Fate.NOT_KNOWN,
}
_MOST_PARTS = 2_000
_LONGEST = 300
_LONGEST_PATH = 2_000
_MOST_OWN = 50
_TOOLSET = "Toolset"


def manifest_of(
    run: PipelineRun, *, live_from: str = "", cancelled: Callable[[], bool] | None = None
) -> Manifest:
    """Return what a replay of a run would do.

    Args:
        run: Any run; it may have been written by somebody who means ill.
        live_from: The path of the span from which on calls are to run live.
        cancelled: Says whether nobody wants to know any more.

    Raises:
        ReplayError: There is no such span, or it is inside of what is answered as a whole.

    """
    problems: list[str] = []
    named: list[Named] = []
    try:
        check_size(run.definition, "definition")
        check_size(run.topology, "topology")
        named = named_in(run.definition)
    except ReplayError as error:
        problems.append(str(error))
    parts = _Parts(run, named, cancelled or (lambda: False))
    parts.from_spans(live_from)
    if not problems:
        parts.from_topology()
    if parts.left_out:
        problems.append(f"{parts.left_out} parts more are not listed.")
    if run.definition is None:
        problems.append("The file does not say how the pipeline was set up.")
    return Manifest(
        kind=str(run.kind), name=run.name, parts=tuple(parts.made()),
        classes=tuple(_classes(named)), live_from=live_from, problems=tuple(problems),
        can_be_stubbed=not problems or run.topology is not None,
        answered_before=parts.is_replay,
    )  # fmt: skip


def row_at(run: PipelineRun, path: str) -> int:
    """Return the row of the first span at a path, or of the one with that id.

    Raises:
        ReplayError: There is none.

    """
    row = run.table.row_of(path)
    if row is not None:
        return row
    span = run.at(path) if path else None
    if span is None:
        raise ReplayError(
            f"No recorded call goes by {path[:_LONGEST]!r}.",
            hint="Calls go by their paths, such as llm#1, or by their ids, such as s14.",
        )
    return span.row


class _Draft:
    """One part while the calls of it are counted."""

    __slots__ = ("calls", "fate", "from_here", "kind", "name", "path", "ruling", "scope", "type")

    def __init__(
        self, name: str, scope: str, kind: str, type_name: str, path: str, ruling: Ruling
    ) -> None:
        self.name = name
        self.scope = scope
        self.kind = kind
        self.type = type_name
        self.path = path
        self.ruling = ruling
        self.fate = _FATES[ruling.treatment]
        self.calls = 0
        self.from_here = 0


class _Parts:
    """Gathers the parts of one run."""

    def __init__(self, run: PipelineRun, named: list[Named], cancelled: Callable[[], bool]) -> None:
        self._run = run
        self._policy = Policy()
        self._cancelled = cancelled
        self._drafts: dict[tuple[str, str, str], _Draft] = {}
        self._by_owner: dict[str, _Owned] = {}
        for each in named:
            self._by_owner.setdefault(each.owner, _Owned()).add(each)
        self.left_out = 0
        self.is_replay = bool(run.replay_of)

    def from_spans(self, live_from: str) -> None:
        """Take every recorded call that a replay would be asked for."""
        run, table = self._run, self._run.table
        first_live = row_at(run, live_from) if live_from else len(table)
        scopes: list[str] = []
        closed = bytearray(len(table))  # what is inside of an answer is not asked for
        for row in range(len(table)):
            if not row & 0xFFF and self._cancelled():
                return
            above = table.parent_row[row]
            outer = scopes[above] if NO_PARENT < above < row else ""
            inside = NO_PARENT < above < row and closed[above]
            kind = table.kind_of(row)
            scopes.append(outer)
            closed[row] = inside
            if inside or kind not in _CALLS:
                if inside and row == first_live:
                    raise _inside_an_answer(run.spans[row])
                continue
            name = table.name(row)[:_LONGEST]
            draft = self._draft(outer, kind, name, row)
            if kind != SpanKind.LLM or above == NO_PARENT:
                scopes[row] = _inside(outer, name)
            if draft is None:
                continue
            draft.calls += 1
            draft.from_here += row >= first_live
            closed[row] = draft.fate not in _OPEN

    def _draft(self, scope: str, kind: SpanKind, name: str, row: int) -> _Draft | None:
        key = (scope, str(kind), name)
        draft = self._drafts.get(key)
        if draft is not None or len(self._drafts) >= _MOST_PARTS:
            self.left_out += draft is None
            return draft
        span = self._run.spans[row]
        ruling = self._policy.of_recorded(str(kind), span.operation, span.type, span.path, name)
        draft = _Draft(name, scope, _kind(kind, span), span.type, span.path, ruling)
        self._drafts[key] = draft
        return draft

    def from_topology(self) -> None:
        """Take what the recorded run never came to."""
        components = mapping(self._run.topology, "components")
        # An agent that runs by itself stands there, too: what it is made of is in nothing else.
        is_agent = str(self._run.kind) == SpanKind.AGENT and len(components) == 1
        for name, entry in components.items():
            if not isinstance(entry, Mapping) or not isinstance(entry.get("type"), str):
                continue
            scope = "" if is_agent else str(name)
            if not is_agent:
                kind = "llm" if entry.get("role") == "llm" else "component"
                self._add("", kind, "component", str(name), entry["type"])
            tools = mapping(entry, "agent").get("tools")
            for tool in tools if isinstance(tools, list) else ():
                if isinstance(tool, Mapping) and isinstance(tool.get("name"), str):
                    type_name = tool.get("type")
                    word = type_name if isinstance(type_name, str) else ""
                    self._add(scope, "tool", "tool", tool["name"], word)

    def _add(self, scope: str, kind: str, span_kind: str, name: str, type_name: str) -> None:
        key = (scope, span_kind, name)
        if key in self._drafts or len(self._drafts) >= _MOST_PARTS:
            return
        ruling = self._policy.of_recorded(kind, "", type_name, "", name)
        self._drafts[key] = _Draft(name, scope, kind, type_name, "", ruling)

    def made(self) -> Iterable[ManifestPart]:
        """Yield the parts, in the order in which they came first."""
        for draft in self._drafts.values():
            own = self._named_of(draft)
            hosts, commands, variables = (
                tuple(dict.fromkeys(fact for each in own for fact in getattr(each, what)))
                for what in ("hosts", "commands", "variables")
            )
            reaches = draft.fate not in _OPEN
            yield ManifestPart(
                name=draft.name, scope=draft.scope, kind=draft.kind, type=draft.type,
                word=_word(draft), fate=draft.fate, reason=draft.ruling.reason,
                calls=draft.calls, from_here=draft.from_here,
                contacts=contacts_of(draft.type, hosts) if reaches else (),
                commands=commands if reaches else (),
                variables=variables if reaches else (),
                leaks=leaks_of(draft.type, own) if reaches else (),
            )  # fmt: skip

    def _named_of(self, draft: _Draft) -> list[Named]:
        """Return what of the definition belongs to a part."""
        owner = (draft.scope or draft.name).partition(" › ")[0]
        theirs = self._by_owner.get(owner) or self._by_owner.get("")
        if theirs is None:
            return []
        if draft.kind == "tool":
            return theirs.around(theirs.by_name.get(draft.name) or theirs.toolsets)
        return theirs.around(theirs.by_type.get(draft.type, ()))


class _Owned:
    """What a definition names for one component, the outermost first."""

    def __init__(self) -> None:
        self._all: list[Named] = []
        self.by_name: dict[str, list[int]] = {}
        self.by_type: dict[str, list[int]] = {}
        self.toolsets: list[int] = []

    def add(self, named: Named) -> None:
        place = len(self._all)
        self._all.append(named)
        self.by_type.setdefault(named.type, []).append(place)
        if named.name:
            self.by_name.setdefault(named.name, []).append(place)
        if named.type.endswith(_TOOLSET):
            self.toolsets.append(place)

    def around(self, places: Sequence[int]) -> list[Named]:
        """Return what stands at these places, and what is inside of it, which comes next."""
        found: dict[int, Named] = {}
        for place in places[:_MOST_OWN]:
            start = self._all[place].place
            for inner in range(place, min(place + _MOST_OWN, len(self._all))):
                if self._all[inner].place[: len(start)] != start:
                    break
                found[inner] = self._all[inner]
        return list(found.values())


def _inside(outer: str, name: str) -> str:
    # Where everything is inside of what came before, all of it would be spelled each time.
    return name if not outer else outer if len(outer) > _LONGEST else f"{outer} › {name}"


def _kind(kind: SpanKind, span: Span) -> str:
    return "llm" if span.role == "llm" else str(kind)


def _inside_an_answer(span: Span) -> ReplayError:
    return ReplayError(
        f"{span.path or span.name} is inside of a call that is answered as a whole.",
        hint="Choose that call, or one that stands outside of it.",
    )


_NUMBERS = re.compile(r"#\d+|(?<=step)\d+|\[\d+\]")


def _word(draft: _Draft) -> str:
    """Return by what word a replay is told of a part: a pattern of its paths, else its name."""
    if not draft.path or len(draft.path) > _LONGEST_PATH:
        return draft.name
    plain = draft.path.replace("?", "[?]").replace("*", "[*]")
    return _NUMBERS.sub(_any_number, plain)


def _any_number(found: re.Match[str]) -> str:
    text = found[0]
    return "#*" if text[0] == "#" else "[[]*" if text[0] == "[" else "*"


def _classes(named: list[Named]) -> Iterable[ClassUse]:
    """Yield each class and function once, with where it is used."""
    uses: dict[tuple[str, str], list[Named]] = {}
    for each in named:
        uses.setdefault(("class", each.type), []).append(each)
        for function in each.functions:
            uses.setdefault(("function", function), []).append(each)
    for (what, name), those in uses.items():
        own = what == "class"
        owners = tuple(dict.fromkeys(each.owner for each in those if each.owner))
        yield ClassUse(
            name=name, what=what, owners=owners, is_pure=own and name in PURE,
            commands=tuple(dict.fromkeys(c for each in those if own for c in each.commands)),
            variables=tuple(dict.fromkeys(v for each in those if own for v in each.variables)),
            hosts=tuple(dict.fromkeys(h for each in those if own for h in each.hosts)),
        )  # fmt: skip
