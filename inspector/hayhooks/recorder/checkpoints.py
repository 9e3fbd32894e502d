"""Checkpoints of an attempt, as spans: when each was saved, and how long that took.

Everything goes through `DurableContext.checkpoint`: what the adapters save before a component
or after a step, and what the wrapper saves itself. So that one method gets a shell, on this one
context and for as long as the attempt runs.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from inspector.hayhooks.recorder.layout import CHECKPOINT
from inspector.recording.guest import complain
from inspector.recording.session import CURRENT

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan


class Checkpoints:
    """Notes the checkpoints of one attempt.

    Args:
        context: Its durable context.
        root: The span of the attempt.

    """

    def __init__(self, context: Any, root: LiveSpan) -> None:
        self._context = context
        self._root = root
        self._plain: Any = None
        try:
            self._plain = context.checkpoint
            context.checkpoint = self._checkpoint
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            complain("Checkpoints are not recorded", error)

    def close(self) -> None:
        """Leave the context as it was."""
        own = getattr(self._context, "__dict__", {})
        with suppress(Exception):
            if own.get("checkpoint") == self._checkpoint:
                del self._context.checkpoint

    async def _checkpoint(self, adapter_checkpoint: Any = None) -> None:
        live = self._opened(adapter_checkpoint)
        try:
            await self._plain(adapter_checkpoint)
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
