"""What is wrong with what agents do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.findings.argument_schema import misfit
from inspector.findings.finding import Finding, Severity
from inspector.findings.reading import counted, named
from inspector.runfile.kinds import KIND_CODE, SpanKind, SpanStatus
from inspector.runfile.value import TAG, to_python

if TYPE_CHECKING:
    from inspector.findings.reading import Reading
    from inspector.runfile.model import Span

_LIMIT = "max_agent_steps"
_TOOLS = "haystack.agent.tools"
_MAX_STEPS = "haystack.agent.max_steps"
_EXITS = "haystack.agent.exit_conditions"
_DEEPEST_TOOLSET = 5


def step_limit(reading: Reading) -> Iterator[Finding]:
    """Find agents that were not done when they had taken all the steps they may take."""
    for span in reading.spans(reading.of_kind(SpanKind.AGENT)):
        if span.status != SpanStatus.OK:
            continue
        steps = [each for each in reading.run.children(span) if each.kind == SpanKind.STEP]
        if not _ran_out_of_steps(reading, span, steps):
            continue
        yield Finding(
            "step-limit",
            Severity.WARNING,
            f"{named(span)} stopped at its limit of {counted(len(steps), 'step')}, "
            "before it had an answer.",
            (steps[-1].id, span.id) if steps else (span.id,),
            "Look at what its last steps were after; then raise `max_agent_steps`, or help it "
            "to come to an end.",
        )


def _ran_out_of_steps(reading: Reading, span: Span, steps: list[Span]) -> bool:
    outputs = span.outputs
    if isinstance(outputs, Mapping) and outputs.get("exit_reason") is not None:
        return bool(outputs["exit_reason"] == _LIMIT)
    # Older versions of Haystack do not say why an agent stopped: it was still calling tools,
    # none of which is one that ends it.
    tags = span.tags or {}
    if not steps or tags.get(_MAX_STEPS) != len(steps):
        return False
    tools = [each for each in reading.run.children(steps[-1]) if each.kind == SpanKind.TOOL]
    exits = tags.get(_EXITS)
    ends = set(map(str, exits)) if isinstance(exits, list) else set()
    return bool(tools) and not any(tool.name in ends for tool in tools)


def arguments_misfit(reading: Reading) -> Iterator[Finding]:
    """Find tools that a model called with arguments that their own description forbids."""
    known: dict[int | None, Mapping[str, Any]] = {}
    for row in reading.of_kind(SpanKind.TOOL):
        agent = reading.agent_of(row)
        if agent not in known:
            known[agent] = {} if agent is None else _schemas(reading, agent)
        schema = known[agent].get(reading.table.name(row))
        arguments = None if schema is None else _arguments(reading, row)
        if arguments is None:
            continue
        if wrong := misfit(arguments, schema):
            span = reading.run.spans[row]
            yield Finding(
                "arguments-misfit",
                Severity.WARNING,
                f"{named(span)} was called{reading.place_of(span)} with arguments that its "
                f"schema forbids: {wrong}.",
                (span.id, *_asker(reading, span)),
                "The model made them up: say in the tool's description what is allowed.",
            )


def _arguments(reading: Reading, row: int) -> Any:
    """Return what a tool was asked; None where that is no dictionary."""
    text = reading.skim.asked.get(row)
    if text is not None and b"$" not in text:
        try:
            plain = msgspec.json.decode(text) if text else None
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            plain = None
        return plain if isinstance(plain, dict) else None
    (span,) = reading.spans([row])
    return to_python(span.inputs) if isinstance(span.inputs, Mapping) else None


def _schemas(reading: Reading, agent: int) -> Mapping[str, Any]:
    """Return the schemas of the tools that an agent was given, by their names."""
    tags = reading.run.spans[agent].tags or {}
    found: dict[str, Any] = {}
    _collect(reading.run.resolve(tags.get(_TOOLS)), found, 0)
    return found


def _collect(tree: Any, found: dict[str, Any], depth: int) -> None:
    if depth > _DEEPEST_TOOLSET:
        return
    if isinstance(tree, list):
        for each in tree:
            _collect(each, found, depth + 1)
    elif isinstance(tree, Mapping):
        name, parameters = tree.get("name"), tree.get("parameters")
        if tree.get(TAG) == "tool" and isinstance(name, str) and isinstance(parameters, Mapping):
            # Two tools of one name leave open which of them was called.
            found[name] = None if name in found else to_python(parameters)
        else:
            _collect(tree.get("tools"), found, depth + 1)


def _asker(reading: Reading, span: Span) -> tuple[str, ...]:
    """Return the call of the model that asked for a tool."""
    parent = reading.run.parent(span)
    if parent is None:
        return ()
    code = KIND_CODE[SpanKind.LLM]
    asked = [
        each for each in reading.run.children(parent)
        if reading.table.kind[each.row] == code and each.row < span.row
    ]  # fmt: skip
    return (asked[-1].id,) if asked else ()
