"""Runs of requests and answers: a span for each, side by side, in the order of the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspector.importers.building import RunBuilder, run_id
from inspector.importers.imported import ImportedRun, import_note
from inspector.importers.trees import converted
from inspector.importers.wire import read_wire

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.importers.imported import Context

_NO_TOKENS = "the answer does not say how many tokens it took"
_OPERATIONS = {"llm": "chat", "embedding": "embeddings", "ranking": "rerank", "other": "request"}


@dataclass(slots=True)
class Exchange:
    """A request and its answer, as the file has them.

    Args:
        request: The body of the request; None where the file does not hold it.
        answer: That of the answer; None where there is none.
        name: What people know it by; the model, else the address, where empty.
        url: Where it went.
        status: The HTTP status.
        error: What went wrong, where it is not the answer that says so.
        tags: What else is known of it.
        lacking: What is not recorded and why, by field.
        cut: Whether the answer breaks off.
        label: What it is called where it is no call of a model.
        answered: Whether there was an answer, although it says nothing.

    """

    request: Any = None
    answer: Any = None
    name: str = ""
    url: str = ""
    status: int | None = None
    error: dict[str, str] | None = None
    tags: dict[str, Any] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    label: str = ""
    answered: bool = False


def run_of(
    exchanges: Sequence[Exchange],
    context: Context,
    name: str,
    *,
    why_untimed: str,
    in_order: bool = True,
    **facts: Any,
) -> ImportedRun:
    """Return the run of a list of exchanges.

    Args:
        exchanges: In the order of the file.
        context: Where they come from.
        name: What the run is called.
        why_untimed: Why there are no times.
        in_order: Whether their order is that in which they happened.
        facts: What else the import note says.

    """
    builder = RunBuilder(context.intake)
    visits: dict[tuple[str, str], int] = {}
    states: list[str] = []
    first_error: dict[str, str] | None = None
    for number, each in enumerate(exchanges, 1):
        context.check(number / (len(exchanges) + 1))
        record = _record(each, number, visits, several=len(exchanges) > 1, why=why_untimed)
        states.append(record["status"])
        if "error" in record:
            first_error = first_error or record["error"]
        for key in ("inputs", "outputs", "llm", "usage", "tags", "error"):
            if key in record:
                record[key] = builder.value(record[key])
        builder.span(record)
    context.losses.lose("times and durations", why_untimed)
    if len(exchanges) > 1:
        context.losses.lose("nesting", "nothing says which call belongs to which")
    status = _status(states, in_order=in_order)
    header: dict[str, Any] = {
        "id": run_id(f"{context.name}{context.source.size}{len(exchanges)}", None),
        "name": name,
        "status": status,
        "not_recorded": context.losses.not_recorded,
    }
    if status == "failed" and first_error:
        header["error"] = builder.value(first_error)
    header["extensions"] = {"import": import_note(context, **facts)}
    return ImportedRun(header, builder)


def _status(states: list[str], *, in_order: bool) -> str:
    if "unfinished" in states:
        return "incomplete"
    last = states[-1:] if in_order else [min(states, key=lambda state: state == "failed")]
    return "failed" if last == ["failed"] else "completed"


def _record(
    each: Exchange,
    number: int,
    visits: dict[tuple[str, str], int],
    *,
    several: bool,
    why: str,
) -> dict[str, Any]:
    wire = read_wire(each.request, each.answer, url=each.url, status=each.status)
    kind = "llm" if wire.role == "llm" else "other"
    name = each.name or wire.model or each.label or each.url or "request"
    visit = visits[kind, name] = visits.get((kind, name), 0) + 1
    error = each.error or wire.error
    unfinished = each.cut or (each.answer is None and error is None and not each.answered)
    not_recorded = {"start_ns": why, "end_ns": why, **each.lacking}
    record: dict[str, Any] = {
        "id": f"s{number}",
        "parent": None,
        "kind": kind,
        "operation": _OPERATIONS[wire.role],
        "name": name,
        "role": wire.role,
        "path": f"{name.replace('/', '∕')}#{visit}" if several else "",
        "visit": visit,
        "start_ns": 0,
        "status": "failed" if error else "unfinished" if unfinished else "ok",
    }
    if wire.inputs is not None:
        record["inputs"] = wire.inputs
    if wire.outputs is not None:
        record["outputs"] = wire.outputs
    if wire.llm:
        record["llm"] = wire.llm
    if wire.usage is not None:
        record["usage"] = wire.usage
    elif wire.role == "llm" and record["status"] == "ok":
        not_recorded["usage"] = _NO_TOKENS
    if error:
        record["error"] = error
    if each.tags:
        record["tags"] = converted(each.tags)
    record["not_recorded"] = not_recorded
    return record
