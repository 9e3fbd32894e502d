"""Components, and what is used like one: generators, embedders, retrievers, builders."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.recording import agent_stop
from inspector.recording.operations import AGENT, CHAT_GENERATOR, COMPONENT, LLM
from inspector.recording.topology import sockets_of
from inspector.recording.walk import opens_a_span
from inspector.recording.wrappers import origins
from inspector.recording.wrappers.inner import (
    INNER,
    Recorded,
    claim,
    open_inner,
    tell,
    when_untold,
)
from inspector.recording.wrappers.shells import HOLDING
from inspector.recording.wrappers.tee import listen
from inspector.runfile.roles import role_of

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan
    from inspector.recording.wrappers.shells import Call, Method
    from inspector.recording.wrappers.tee import Arguments

MOST_CLASSES = 4_096


class _Class:
    """What is to be known of a component's class."""

    __slots__ = ("kind", "qualified", "role", "short")

    def __init__(self, instance: Any) -> None:
        cls = type(instance)
        self.short = cls.__name__
        # Spelled as Haystack spells it in its spans.
        self.qualified = f"{cls.__module__}.{cls.__name__}"
        sockets = (sockets_of(instance, "input"), sockets_of(instance, "output"))
        self.role = role_of(self.qualified, *sockets)
        self.kind = "llm" if self.role == "llm" else "component"


_classes: dict[type, _Class] = {}


def _class_of(instance: Any) -> _Class:
    known = _classes.get(type(instance))
    if known is None:
        if len(_classes) >= MOST_CLASSES:
            _classes.clear()
        known = _classes[type(instance)] = _Class(instance)
    return known


def enter(
    instance: Any, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Call | None:
    """Begin to record a call of a component."""
    live = origins.span_for(instance, (args, kwargs))
    if live is None:
        return origins.nobodys(instance, method, args, kwargs)
    if live.claimed is instance:
        return None  # `run_async` hands over to `run`
    known = _class_of(instance)
    spending = live.recording.spending
    if spending is not None:
        agent_stop.guard(instance)  # it may have come while the run went on
        spending.before(live, known.role)
    inner = None
    if live.claimed is None and _is_for(live, known):
        claim(live, instance)
        if live.operation in _UNNAMED and live.type != known.qualified:
            tell(live, "type", known.qualified)
    elif opens_a_span(instance):
        return _lead_to_its_own_span(live, instance, method, args, kwargs)
    else:
        live = inner = open_inner(
            live, instance, method.named(args, kwargs),
            kind=known.kind, name=known.short, role=known.role, type=known.qualified,
        )  # fmt: skip
    heard = _listen(live, instance, method, args, kwargs)
    then = None
    if inner is None and live.operation == CHAT_GENERATOR:
        then = partial(when_untold, live)
    if heard is None and inner is None and then is None and id(instance) not in HOLDING:
        return None
    if heard is not None:
        args, kwargs = heard
    return Recorded(instance, method, args, kwargs, span=live, inner=inner, then=then)


def _lead_to_its_own_span(
    live: LiveSpan, instance: Any, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Call | None:
    """Let a pipeline or an agent find its way to the span that it is called from."""
    if "tools" in method.takes:
        _adopt(instance, method, args, kwargs)
    return Recorded(instance, method, args, kwargs, span=live, enters=True)


def _listen(
    live: LiveSpan, instance: Any, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Arguments | None:
    """Listen to what will be streamed, and wrap what was passed at run time."""
    try:
        if "tools" in method.takes:
            _adopt(instance, method, args, kwargs)
        return listen(live, instance, method, args, kwargs)
    except Exception as error:  # noqa: BLE001 - a guest never raises into its host
        live.miss("chunks", error)
        return None


# Spans that Haystack opens without saying, or without saying fully, what class runs in them.
_UNNAMED = frozenset({LLM, CHAT_GENERATOR})


def _is_for(live: LiveSpan, known: _Class) -> bool:
    """Say whether Haystack, or `record_run`, opened a span for a call of this class."""
    operation = live.operation
    if operation in (COMPONENT, AGENT, INNER):
        return live.type == known.qualified
    return operation == LLM or (
        operation == CHAT_GENERATOR and live.type in (known.short, known.qualified)
    )


def _adopt(instance: Any, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Wrap tools that are passed at run time: nobody could find them before."""
    tools = kwargs["tools"] if "tools" in kwargs else method.named(args, kwargs).get("tools")
    if tools is None:
        return
    from inspector.recording.attach import adopt_beside

    adopt_beside(instance, tools if type(tools) in (list, tuple) else (tools,))
