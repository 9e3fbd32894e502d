"""What stands at a gate, and what is decided there: on, with another value, or no further.

A gate is asked before and after each call that a replay can get in between. It knows
neither who moves it nor what it is told to show: a worker, a test or a person's own code.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from inspector.replay.condition import Condition, Given, read_condition
from inspector.replay.condition_values import MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Phase = Literal["before", "after"]
KINDS: Final = frozenset({"component", "llm", "tool", "hook", "agent", "pipeline"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A place where a replay can be held."""

    phase: Phase
    path: str
    visit: int
    kind: str
    name: str
    span_id: str
    values: Any
    """The live inputs before a call, as they are passed by name; after it, its result, or the
    exception that it raised."""
    can_edit: bool = True
    source: str = ""
    """Where the result comes from, or will: `recorded`, `live`, `executed`, `verified`."""
    role: str = ""
    """What a component does, such as `llm` or `retrieval`."""
    state: Mapping[str, Any] | None = None
    """What the agent around the call had in its state when the call came, if there is one."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate decides."""

    action: Literal["go_on", "replace", "stop"]
    value: Any = None

    @classmethod
    def replace(cls, value: Any) -> Verdict:
        """Go on with another value: the inputs before a call, the result after it."""
        return cls("replace", value)


GO_ON: Final = Verdict("go_on")
STOP: Final = Verdict("stop")


class Watch(Protocol):
    """Is told what happens in a replay, on the threads of the replay: it has to be quick."""

    def began(self, span: dict[str, Any]) -> None:
        """Take the record of a span that has begun."""

    def ended(self, span_id: str, end_ns: int, status: str, fields: dict[str, Any]) -> None:
        """Take what a span has ended with."""

    def chunk(self, span_id: str, at_ns: int, chunk: Any) -> None:
        """Take one chunk of a stream, as a tree."""

    def drifted(self, drift: Any) -> None:
        """Take a drift as it is found."""


class Gate(Protocol):
    """Is asked before and after each call. `watch` may be None."""

    watch: Watch | None

    def before(self, stop: Stop) -> Verdict:
        """Decide before a call; the answer may take as long as it takes."""
        ...

    def after(self, stop: Stop) -> Verdict:
        """Decide after a call."""
        ...

    async def before_async(self, stop: Stop) -> Verdict:
        """Decide before a call on an event loop, without holding the loop."""
        ...

    async def after_async(self, stop: Stop) -> Verdict:
        """Decide after a call on an event loop."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakpoint:
    """Where to pause. What is not said fits everything.

    Args:
        kinds: Kinds of spans, such as `("tool", "llm")`; an LLM is one as a component, too.
        path: A path, or a pattern of one with `*`.
        name: The name of a component or a tool, or a pattern of one.
        visit: Which visit, from 1.
        phase: `"before"` or `"after"` the call; both for None.
        condition: What has to be so of the value, in the language of `condition`.
        key: What whoever set it calls it.

    Raises:
        ConditionError: The condition cannot be understood.

    """

    kinds: Sequence[str] = ()
    path: str = ""
    name: str = ""
    visit: int | None = None
    phase: Phase | None = "before"
    condition: str = ""
    key: str = ""
    _condition: Condition | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.condition:
            object.__setattr__(self, "_condition", read_condition(self.condition))

    def fits(self, stop: Stop) -> bool:
        """Say whether a replay is to be paused at this place."""
        return self.is_at(stop) and (self._condition is None or self._condition.holds(_given(stop)))

    def is_at(self, stop: Stop) -> bool:
        """Say whether this is the place, whatever its value."""
        return (
            (not self.kinds or stop.kind in self.kinds or _does(stop, self.kinds))
            and (not self.path or _like(stop.path, self.path))
            and (not self.name or _like(stop.name, self.name))
            and (self.visit is None or stop.visit == self.visit)
            and (self.phase is None or stop.phase == self.phase)
        )


def _does(stop: Stop, kinds: Sequence[str]) -> bool:
    # A component that calls the tools that an LLM asked for is no tool itself.
    return stop.role in kinds and stop.role != "tool"


def _given(stop: Stop) -> Given:
    """Return what a condition is asked of: the trees are made at most once, and when needed."""
    from inspector.replay.telling import shown

    @lru_cache(maxsize=1)
    def value() -> Any:
        return shown(stop.values)[0]

    @lru_cache(maxsize=1)
    def state() -> Any:
        return MISSING if stop.state is None else shown(stop.state)[0]

    return Given(value, state, raised=isinstance(stop.values, BaseException))


def _like(word: str, pattern: str) -> bool:
    # Paths hold brackets (`tool:search[0]`), which fnmatch would take for a set of characters.
    return word == pattern or fnmatchcase(word, pattern.replace("[", "[[]"))
