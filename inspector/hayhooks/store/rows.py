"""An execution's control as JSON, and back again with everything looked at."""

from __future__ import annotations

from dataclasses import fields
from types import NoneType
from typing import Any

import orjson
from hayhooks.durable.engine import ExecutionControl, ExecutionStatus

from inspector.hayhooks.store.faults import StoreDamagedError

_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "int | None": (int, NoneType),
    "str": (str,),
    "str | None": (str, NoneType),
    "ExecutionStatus": (str,),
}
# Of whatever version of Hayhooks is installed: what it adds to a control is kept, too.
_FIELDS = tuple(field.name for field in fields(ExecutionControl))
_TYPES = {field.name: _KINDS.get(str(field.type)) for field in fields(ExecutionControl)}


def encode(control: ExecutionControl) -> str:
    """Return all of `control` as JSON."""
    return orjson.dumps({name: getattr(control, name) for name in _FIELDS}).decode()


def decode(data: object, *, run_id: str, deployment: str) -> ExecutionControl:
    """Return the control that was kept for `run_id`.

    Raises:
        StoreDamagedError: It is not what `encode` writes, or another execution's.

    """
    try:
        values = orjson.loads(data)  # type: ignore[arg-type]
    except (orjson.JSONDecodeError, TypeError) as error:
        raise _damaged(run_id, "it is no JSON") from error
    if not isinstance(values, dict):
        raise _damaged(run_id, "it is no object")
    if unknown := values.keys() - set(_FIELDS):
        raise _damaged(run_id, f"this version of Hayhooks knows no {min(unknown)}")
    for name, value in values.items():
        kinds = _TYPES[name]
        if kinds is not None and type(value) not in kinds:
            raise _damaged(run_id, f"{name} is a {type(value).__name__}")
    try:
        control = ExecutionControl(**{**values, "status": ExecutionStatus(values["status"])})
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(run_id, str(error)) from error
    _check(control, run_id, deployment)
    return control


def _check(control: Any, run_id: str, deployment: str) -> None:
    if (control.run_id, control.deployment) != (run_id, deployment):
        raise _damaged(run_id, "it is another execution's")
    if control.version < 1 or control.created_at_ms > control.updated_at_ms:
        raise _damaged(run_id, "its times or its version cannot be")
    if control.available_at_ms is not None and control.status is not ExecutionStatus.QUEUED:
        raise _damaged(run_id, "it waits for its time and is not queued")


def _damaged(run_id: str, why: str) -> StoreDamagedError:
    return StoreDamagedError(f"What was kept of execution {run_id} cannot be read: {why}.")
