"""Checkpoints of an attempt, as spans: when each was saved, and how long that took.

Everything goes through `DurableContext.checkpoint`: what the adapters save before a component
or after a step, and what the wrapper saves itself. So that one method gets a shell, on this one
context and for as long as the attempt runs. So does `suspend`: it is over for everybody else, who
may end this process at once, before the attempt itself hears that it is to wait.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from inspector.recording.guest import complain
from inspector.recording.session import CURRENT
from inspector.runfile.durable import CHECKPOINT

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.recording.session import LiveSpan

_SHELLS = ("checkpoint", "suspend")


class Checkpoints:
    """Notes the checkpoints of one attempt.

    Args:
        context: Its durable context.
        root: The span of the attempt.
        on_wait: Told that the attempt is about to wait, and with False that it does not.

    """

    def __init__(self, context: Any, root: LiveSpan, on_wait: Callable[[bool], None]) -> None:
        self._context = context
        self._root = root
        self._on_wait = on_wait
        self._plain: dict[str, Any] = {}
        self._put: dict[str, Any] = {"checkpoint": self._checkpoint, "suspend": self._suspend}
        try:
            for name in _SHELLS:
                self._plain[name] = getattr(context, name)
                setattr(context, name, self._put[name])
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            complain("Checkpoints are not recorded", error)

    def close(self) -> None:
        """Leave the context as it was."""
        own = getattr(self._context, "__dict__", {})
        for name, shell in self._put.items():
            with suppress(Exception):
                if own.get(name) is shell:
                    delattr(self._context, name)

    async def _suspend(self, *args: Any, **kwargs: Any) -> None:
        self._tell(is_waiting=True)
        try:
            await self._plain["suspend"](*args, **kwargs)
        except Exception:  # what it raises when it has worked is none
            self._tell(is_waiting=False)
            raise

    def _tell(self, *, is_waiting: bool) -> None:
        try:
            self._on_wait(is_waiting)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            complain("That an attempt waits is written a little later", error)

    async def _checkpoint(self, adapter_checkpoint: Any = None) -> None:
        live = self._opened(adapter_checkpoint)
        try:
            await self._plain["checkpoint"](adapter_checkpoint)
        except BaseException as error:
            if live is not None:
                live.fail(error)
            raise
        finally:
            if live is not None:
                live.end()

    def _opened(self, adapter_checkpoint: Any) -> LiveSpan | None:
        root = self._root
        if root.end_ns is not None:
            return None
        try:
            above = CURRENT.get()
            inside = above is not None and above.recording is root.recording
            live = root.recording.prepare(
                "other", CHECKPOINT, "checkpoint", above if inside else root, "checkpoint", "other"
            )
            if live.head is not None:
                live.head["tags"] = _told(adapter_checkpoint)
            live.open()
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            complain("A checkpoint was not recorded", error)
            return None
        return live


def _told(checkpoint: Any) -> dict[str, Any]:
    """Say what was saved: where a pipeline goes on, at which step an agent is."""
    if not isinstance(checkpoint, dict):
        return {"of": "state"}
    stop = checkpoint.get("break_point")
    if isinstance(stop, dict):
        return {"of": "pipeline", "before": str(stop.get("component_name", ""))[:200]}
    state = checkpoint.get("state")
    told: dict[str, Any] = {"of": "agent"}
    for inner in ("data", "serialized_data", "step_count"):
        state = state.get(inner) if isinstance(state, dict) else None
    if isinstance(state, int):
        told["step"] = state
    if checkpoint.get("phase") == "final":
        told["final"] = True
    return told
