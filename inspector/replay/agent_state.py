"""What an agent has in its state while one of its calls is on its way through a gate.

Haystack hands the state to tools and hooks that ask for it, and to nobody else. An agent
calls its LLM from the very frame that holds the state, on the same thread and in the same
task, so it is found there; its tools, which may run on other threads, come after that.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from inspector.recording.wrappers.state import is_state

if TYPE_CHECKING:
    from types import FrameType

    from inspector.recording.session import LiveSpan

_FARTHEST = 40  # frames: the wrappers, and between them and the agent's step nothing else
_lock = threading.Lock()
_states: WeakKeyDictionary[LiveSpan, Any] = WeakKeyDictionary()  # by the spans of agents
# Live things that say nothing: the tools are told with the LLM's inputs.
_LEFT_OUT = frozenset({"tools", "hook_context"})


def note_state(live: LiveSpan) -> None:
    """Remember the state of the agent whose LLM is being called here."""
    if live.kind != "llm":
        return
    agent = _agent_around(live)
    if agent is None:
        return
    state = _state_on_the_stack()
    if state is not None:
        with _lock:
            _states[agent] = state


def state_around(live: LiveSpan) -> dict[str, Any] | None:
    """Return what the state of the agent around a call holds now, by its keys."""
    agent = _agent_around(live)
    while agent is not None:
        with _lock:
            state = _states.get(agent)
        if state is not None:
            return {
                str(key): value for key, value in list(state.data.items()) if key not in _LEFT_OUT
            }
        agent = _agent_around(agent)
    return None


def _agent_around(live: LiveSpan) -> LiveSpan | None:
    around = live.parent
    while around is not None and around.kind != "agent":
        around = around.parent
    return around


def _state_on_the_stack() -> Any:
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the documented way
    for _ in range(_FARTHEST):
        if frame is None:
            return None
        if frame.f_globals.get("__name__", "").startswith("haystack."):
            context = frame.f_locals.get("exe_context")
            state = getattr(context, "state", None)
            if is_state(state):
                return state
        frame = frame.f_back
    return None
