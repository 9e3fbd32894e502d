"""What a durable context tells of its execution and its attempt, and how that attempt ended.

Some of it is private to Hayhooks. Whatever cannot be had is left out: an execution runs on, and
is recorded, with a Hayhooks that keeps these things elsewhere.
"""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from inspector.hayhooks.recorder.layout import SIGNALS, run_id_for
from inspector.recording.stopped import durable_signal

_LONGEST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Which attempt of which execution this is."""

    execution: str
    attempt: int
    deployment: str = ""
    revision: str = ""
    kind: str = "pipeline"
    worker: str = ""
    created_at_ms: int = 0
    from_checkpoint: bool = False
    resumed: bool = False

    @property
    def run(self) -> str:
        """The id of the run that all attempts belong to."""
        return run_id_for(self.execution, self.created_at_ms)

    def said(self) -> dict[str, Any]:
        """Return what a segment says of its attempt, under `extensions.hayhooks`."""
        told: dict[str, Any] = {
            "schema": 1, "run": self.run, "execution": self.execution, "attempt": self.attempt,
            "deployment": self.deployment, "revision": self.revision, "kind": self.kind,
            "created_at_ms": self.created_at_ms, "from_checkpoint": self.from_checkpoint,
            "resumed": self.resumed,
            "worker": {"host": socket.gethostname(), "pid": os.getpid(), "id": self.worker},
        }  # fmt: skip
        return {key: value for key, value in told.items() if value not in ("", 0)}

    def manifest(self) -> dict[str, Any]:
        """Return what is the same in all attempts."""
        said = self.said()
        return {
            key: said[key]
            for key in ("run", "execution", "deployment", "revision", "kind", "created_at_ms")
            if key in said
        }


def facts_of(context: Any) -> Facts:
    """Return what a durable context tells.

    Raises:
        AttributeError: It is no durable context.

    """
    control = _private(context, "_claim", "control")
    checkpoint = _private(context, "_checkpoint")
    return Facts(
        execution=str(context.execution_id),
        attempt=int(context.attempt),
        deployment=_text(control, "deployment"),
        revision=_text(control, "definition_revision"),
        kind=_text(control, "kind") or "pipeline",
        worker=_text(control, "lease_owner"),
        created_at_ms=_number(control, "created_at_ms"),
        from_checkpoint=getattr(checkpoint, "adapter_checkpoint", None) is not None,
        resumed=_private(context, "_resume_input") is not None,
    )


def target_in(context: Any) -> Any:
    """Return the pipeline or agent that an execution runs, where its deployment has one."""
    return _private(context, "_adapter", "target")


def loop_of(context: Any) -> asyncio.AbstractEventLoop | None:
    """Return the event loop of the runtime that an attempt runs on."""
    loop = _private(context, "_claim", "event_loop")
    return loop if isinstance(loop, asyncio.AbstractEventLoop) else None


def ended_as(context: Any, error: BaseException | None) -> dict[str, Any]:
    """Say how an attempt ended, as far as the attempt itself can tell.

    `ended` is `completed`, `waiting`, `retried`, `canceled`, `failed`, `lease lost` (its work
    is another worker's now) or `handed back` (its worker was shut down). One that was killed
    says nothing.
    """
    told: dict[str, Any] = {"ended": _ending(context, error)}
    if _number(_private(context, "_claim", "control"), "cancel_requested_at_ms"):
        told["cancel_requested"] = True
    if error is not None:
        signal = durable_signal(error) or error
        told["error"] = {"type": type(signal).__name__}
        if message := str(signal)[:_LONGEST]:
            told["error"]["message"] = message
        delay = getattr(signal, "delay", None)
        if isinstance(delay, (int, float)) and told["ended"] == "retried":
            told["delay_s"] = delay
    return told


def _ending(context: Any, error: BaseException | None) -> str:
    signal = None if error is None else durable_signal(error)
    if signal is not None:
        names = (kind.__name__ for kind in type(signal).__mro__)
        return next((SIGNALS[name] for name in names if name in SIGNALS), "failed")
    claim = _private(context, "_claim")
    lost = getattr(claim, "lease_lost", None)
    if isinstance(error, asyncio.CancelledError):
        if lost is not None and lost.is_set():
            return "lease lost"
        return "handed back" if getattr(claim, "stopping", False) else "failed"
    if getattr(claim, "owned", True) is False:
        return "lease lost"  # what it returned or raised is discarded
    return "completed" if error is None else "failed"


def _private(thing: Any, *names: str) -> Any:
    for name in names:
        with suppress(Exception):
            thing = getattr(thing, name)
            continue
        return None
    return thing


def _text(thing: Any, name: str) -> str:
    value = getattr(thing, name, None)
    return value if isinstance(value, str) else ""


def _number(thing: Any, name: str) -> int:
    value = getattr(thing, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
