"""Which calls of tools failed: Haystack's own spans do not say it, the conversation does.

A tool that fails leaves a span like any other. What the model is told next carries `error`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.importers.late import Late
from inspector.importers.reading import plain
from inspector.importers.tree_of_spans import NO_PARENT

if TYPE_CHECKING:
    from inspector.importers.reading import Reading
    from inspector.importers.tree_of_spans import Placed

_SAYS_SO = ('"error": true', '"error":true')
_FAILED = "ToolInvocationError"


def note_failed_tools(tree: Placed, readings: list[Reading]) -> None:
    """Mark the calls of tools that the next prompt of their agent tells of as failed."""
    called: dict[int, list[int]] = {}
    for row, reading in enumerate(readings):
        agent = _agent_of(row, tree, readings)
        if reading.kind == "tool":
            called.setdefault(agent, []).append(row)
        elif reading.kind == "llm" and called.get(agent):
            rows = called.pop(agent)
            if _mentions_an_error(reading.inputs):
                _mark(rows, _latest_results(reading.inputs), tree, readings)


def _agent_of(row: int, tree: Placed, readings: list[Reading]) -> int:
    above = tree.parents[row]
    while above != NO_PARENT and readings[above].kind == "step":
        above = tree.parents[above]
    return above


def _mentions_an_error(inputs: Any) -> bool:
    return type(inputs) is Late and any(words in inputs.text for words in _SAYS_SO)


def _latest_results(inputs: Late) -> list[dict[str, Any]]:
    """Return the results at the end of a prompt, as Haystack writes them."""
    tree = plain(inputs.text)
    messages = tree.get("messages") if isinstance(tree, dict) else None
    found: list[dict[str, Any]] = []
    for message in reversed(messages if isinstance(messages, list) else []):
        parts = message.get("content") if isinstance(message, dict) else None
        results = [
            part["tool_call_result"]
            for part in (parts if isinstance(parts, list) else [])
            if isinstance(part, dict) and isinstance(part.get("tool_call_result"), dict)
        ]
        if not results:
            break
        found = results + found
    return found


def _mark(
    rows: list[int], results: list[dict[str, Any]], tree: Placed, readings: list[Reading]
) -> None:
    free = list(results)
    for row in rows:
        reading, span = readings[row], tree.spans[row]
        arguments = plain(reading.inputs.text) if type(reading.inputs) is Late else reading.inputs
        for result in free:
            origin = result.get("origin")
            if not isinstance(origin, dict) or origin.get("tool_name") != reading.name:
                continue
            if arguments is not None and origin.get("arguments") != arguments:
                continue
            free.remove(result)
            if result.get("error") is True and not span.failed:
                span.failed = True
                text = result.get("result")
                message = text if isinstance(text, str) else "the call failed"
                reading.error = {"type": _FAILED, "message": message, "traceback": ""}
                reading.channels = {"status": "the next prompt", "error": "the next prompt"}
            break
