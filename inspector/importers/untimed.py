"""Runs of files that know no times: spans in the order in which the file tells of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.importers.building import RunBuilder


class Untimed:
    """Adds spans without times to a run; each is one after the other.

    Args:
        builder: The run.
        why: Why there are no times, for `not_recorded`.

    """

    def __init__(self, builder: RunBuilder, why: str) -> None:
        self._builder = builder
        self._why = why
        self._count = 0
        self._seen: dict[tuple[str | None, str], int] = {}

    def add(
        self,
        kind: str,
        name: str,
        *,
        parent: str | None = None,
        above: str = "",
        status: str = "ok",
        **fields: Any,
    ) -> str:
        """Add a span; return its id. Fields that are None are left out."""
        self._count += 1
        key = (parent, f"{kind} {name}")
        visit = self._seen[key] = self._seen.get(key, 0) + 1
        span_id = f"s{self._count}"
        record: dict[str, Any] = {
            "id": span_id,
            "parent": parent,
            "kind": kind,
            "operation": fields.pop("operation", kind),
            "name": name,
            "role": fields.pop("role", "other"),
            "path": "" if parent is None else f"{above}{name}#{visit}",
            "visit": visit,
            "start_ns": 0,
            "status": status,
        }
        lacking = {
            "start_ns": self._why,
            "end_ns": self._why,
            **(fields.pop("not_recorded", None) or {}),
        }
        for field, value in fields.items():
            if value is not None:
                record[field] = self._builder.value(value)
        record["not_recorded"] = lacking
        self._builder.span(record)
        return span_id
