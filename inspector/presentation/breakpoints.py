"""Where a person wants a replay to pause: what it fits, in words, and as a worker takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.presentation.visible import one_line
from inspector.presentation.words import elided

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inspector.runfile.model import PipelineRun

MOST = 200  # in one run
FULL = "There are as many breakpoints as there can be."
LONGEST_CONDITION = 2_000
PHASES = ("before", "after", "both")
_PHASE_WORDS = {"before": "Before", "after": "After", "both": "Before and after"}
KINDS: dict[str, str] = {
    "tool": "every tool call",
    "llm": "every LLM call",
    "component": "every component",
    "retrieval": "every retriever",
    "agent": "every agent",
    "hook": "every hook",
}
_HELD_KINDS = frozenset({"component", "llm", "tool", "hook"})  # calls with a place of their own
_LONGEST_PLACE = 80


class BreakpointSpec(NamedTuple):
    """One breakpoint. What is not said fits every call."""

    path: str = ""  # exactly this call
    kinds: tuple[str, ...] = ()
    name: str = ""  # of a component or a tool
    visit: int | None = None
    phase: str = "before"  # before, after, both
    condition: str = ""
    enabled: bool = True

    @property
    def key(self) -> str:
        """What no second breakpoint of a run is called.

        A call has one; what covers several may be there before and after them.
        """
        if self.path:
            return self.path
        return "|".join((",".join(self.kinds), self.name, str(self.visit or ""), self.phase))

    @property
    def fields(self) -> dict[str, Any]:
        """The breakpoint as `replay.gate.Breakpoint` takes it."""
        fields = {
            "path": self.path, "kinds": list(self.kinds), "name": self.name, "visit": self.visit,
            "condition": self.condition, "key": self.key,
        }  # fmt: skip
        phase = None if self.phase == "both" else self.phase
        return {"phase": phase, **{name: each for name, each in fields.items() if each}}

    @property
    def place(self) -> str:
        """Where it pauses, in words: `every tool call`, `visit 2 of retriever`."""
        if self.path:
            return elided(one_line(self.path), _LONGEST_PLACE)
        name = elided(one_line(self.name), _LONGEST_PLACE)
        if self.kinds:
            words = " and ".join(KINDS.get(kind, f"every {kind}") for kind in self.kinds)
            words = f"{words} of {name}" if name else words
        else:
            words = name or "every call"
        return f"visit {self.visit} of {words}" if self.visit else words

    @property
    def place_words(self) -> str:
        """The breakpoint as the reason of a pause."""
        when = f" when {elided(one_line(self.condition), _LONGEST_PLACE)}" if self.condition else ""
        return f"breakpoint at {'this call' if self.path else self.place}{when}"

    @property
    def words(self) -> str:
        """The whole breakpoint in one line."""
        when = f" when {one_line(self.condition)}" if self.condition else ""
        off = "" if self.enabled else ", switched off"
        return f"{_PHASE_WORDS[self.phase]} {self.place}{when}{off}"

    def is_at(self, kind: str, role: str, name: str, path: str, visit: int) -> bool:
        """Say whether a call of this kind is where it pauses, whatever the phase and value."""
        # Only when it is asked: the window opens without what a replay needs.
        from inspector.replay.gate import Breakpoint, Stop

        stop = Stop(
            phase="before", path=path, visit=visit, kind=kind, name=name, span_id="", values=None,
            role=role,
        )  # fmt: skip
        return Breakpoint(
            kinds=self.kinds, path=self.path, name=self.name, visit=self.visit, phase=None
        ).is_at(stop)


class GutterMark(NamedTuple):
    """What stands before a call in the gutter. `sort` chooses its shape."""

    sort: str  # set, conditional, off, covered, or "" where one can be set
    spoken: str = ""
    paused: bool = False  # the replay is held here now


def breakpoint_for(run: PipelineRun, row: int) -> BreakpointSpec | None:
    """Return the breakpoint before the call of a row; None where no replay can be held.

    Steps are no calls, and what is inside a component or a tool is held with that.
    """
    span = run.spans[row]
    return breakpoint_at(str(span.kind), span.path)


def breakpoint_at(kind: str, path: str) -> BreakpointSpec | None:
    """Return the breakpoint before a call; None where no replay can be held."""
    if not path:
        return BreakpointSpec(kinds=("agent",)) if kind == "agent" else None
    return BreakpointSpec(path=path) if kind in _HELD_KINDS else None


def mark_at(
    specs: Iterable[BreakpointSpec], kind: str, role: str, name: str, path: str, visit: int
) -> GutterMark | None:
    """Return what stands before a call; None where there is nothing to set."""
    own = breakpoint_at(kind, path)
    if own is None:
        return None
    covered: BreakpointSpec | None = None
    for spec in specs:
        if spec.key == own.key:
            if not spec.enabled:
                return GutterMark("off", "breakpoint, switched off")
            sort = "conditional" if spec.condition else "set"
            return GutterMark(sort, f"breakpoint {spec.words[:1].lower()}{spec.words[1:]}")
        if covered is None and spec.enabled and spec.is_at(kind, role, name, path, visit):
            covered = spec
    if covered is not None:
        return GutterMark("covered", f"breakpoint {covered.words[:1].lower()}{covered.words[1:]}")
    return GutterMark("")


def mark_of_row(specs: Sequence[BreakpointSpec], run: PipelineRun, row: int) -> GutterMark | None:
    """Return what stands before the call of a row of the run's table."""
    span = run.spans[row]
    return mark_at(specs, str(span.kind), span.role, span.name, span.path, span.visit)


def engine_fields(specs: Iterable[BreakpointSpec]) -> tuple[dict[str, Any], ...]:
    """Return the breakpoints that are switched on, as a worker takes them."""
    return tuple(spec.fields for spec in specs if spec.enabled)


def turned(
    now: tuple[BreakpointSpec, ...],
    one: tuple[BreakpointSpec, ...],
    other: tuple[BreakpointSpec, ...],
) -> tuple[BreakpointSpec, ...]:
    """Return breakpoints with what tells `other` from `one`; all else stays as it is now."""
    if now == one:
        return other
    old, new = ({spec.key: spec for spec in specs} for specs in (one, other))
    differs = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    kept = (new.get(spec.key) if spec.key in differs else spec for spec in now)
    there = {spec.key for spec in now}
    added = (spec for spec in other if spec.key in differs and spec.key not in there)
    return (*(spec for spec in kept if spec is not None), *added)


def difference(
    before: Sequence[BreakpointSpec], after: Sequence[BreakpointSpec]
) -> tuple[list[str], list[BreakpointSpec]]:
    """Return the keys to take away from a worker, and what to set then."""
    were = {spec.key: spec for spec in before if spec.enabled}
    are = {spec.key: spec for spec in after if spec.enabled}
    gone = [key for key, spec in were.items() if are.get(key) != spec]
    return gone, [spec for key, spec in are.items() if were.get(key) != spec]


def specs_from(told: Any) -> tuple[BreakpointSpec, ...]:
    """Return breakpoints from what was stored or asked for; what makes no sense is left out."""
    items = told if isinstance(told, list | tuple) else ()
    found: dict[str, BreakpointSpec] = {}
    for item in items[:MOST]:
        spec = _spec_from(item)
        if spec is not None:
            found[spec.key] = spec
    return tuple(found.values())


def stored(specs: Iterable[BreakpointSpec]) -> list[dict[str, Any]]:
    """Return breakpoints as JSON, for `specs_from`."""
    return [
        {name: value for name, value in spec._asdict().items() if value != _DEFAULTS[name]}
        for spec in specs
    ]


_DEFAULTS = BreakpointSpec._field_defaults


def _spec_from(told: Any) -> BreakpointSpec | None:
    if not isinstance(told, dict):
        return None
    kinds = told.get("kinds") or ()
    visit = told.get("visit")
    if not isinstance(kinds, list | tuple) or isinstance(visit, bool):
        return None
    phase = told.get("phase", "before")
    words = {name: told.get(name, "") for name in ("path", "name", "condition")}
    if not all(isinstance(word, str) for word in words.values()):
        return None
    if len(words["condition"]) > LONGEST_CONDITION:
        return None
    return BreakpointSpec(
        path=words["path"],
        kinds=tuple(kind for kind in kinds if kind in KINDS),
        name=words["name"],
        visit=visit if isinstance(visit, int) and visit > 0 else None,
        phase="both" if phase is None else phase if phase in PHASES else "before",
        condition=words["condition"],
        enabled=told.get("enabled") is not False,
    )  # fmt: skip


def kept_name(run: PipelineRun) -> str:
    """Return under which name the breakpoints of a run are remembered."""
    from inspector.presentation.notes import notes_name

    return notes_name(run).removesuffix(".json")


def names_in(run: PipelineRun, most: int = 500) -> list[str]:
    """Return the names of components and tools that a breakpoint can be set on."""
    found: dict[str, None] = {}
    table = run.table
    for row in range(min(len(table), 20_000)):
        if str(table.kind_of(row)) in ("component", "tool", "hook"):
            found[table.name(row)] = None
            if len(found) >= most:
                break
    return list(found)
