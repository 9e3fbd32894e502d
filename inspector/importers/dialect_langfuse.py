"""Langfuse's attributes, as its SDK sends them over OTLP."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.importers import dialect_haystack
from inspector.importers.dialect_genai import OPERATIONS
from inspector.importers.foreign import ForeignSpan
from inspector.importers.reading import Reading, mapping, plain, settled, told, usage_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TYPE = "langfuse.observation.type"
_METADATA = "langfuse.observation.metadata."

KINDS = {
    "generation": ("llm", "llm"),
    "agent": ("agent", "agent"),
    "tool": ("tool", "tool"),
    "retriever": ("other", "retrieval"),
    "embedding": ("other", "embedding"),
    "guardrail": ("other", "validation"),
}
_BUCKETS = {
    "input": "input_tokens",
    "prompt_tokens": "input_tokens",
    "output": "output_tokens",
    "completion_tokens": "output_tokens",
    "total": "total_tokens",
}


def read(span: ForeignSpan) -> Reading | None:
    """Return what a span of this dialect means; None where it is none."""
    said = span.attributes.get(TYPE)
    if said is None:
        return None
    attributes = span.attributes
    reading = reading_of(
        span,
        str(said),
        {
            key.removeprefix(_METADATA): value
            for key, value in attributes.items()
            if key.startswith(_METADATA)
        },
    )
    fields = ("langfuse.observation.input", "langfuse.observation.output")
    reading.later = partial(
        note_values, reading, *map(attributes.get, fields), failed=span.failed, before=reading.later
    )
    note_llm(
        reading,
        attributes.get("langfuse.observation.model.name"),
        mapping(attributes.get("langfuse.observation.usage_details")),
    )
    level = attributes.get("langfuse.observation.level")
    if level == "ERROR" and not span.failed:
        span.failed = True
        span.message = str(attributes.get("langfuse.observation.status_message") or "")
    title = attributes.get("langfuse.trace.name")
    reading.title = str(title) if title else ""
    reading.used |= frozenset((*fields, TYPE, "langfuse.observation.model.name",
                         "langfuse.observation.usage_details", "langfuse.trace.name"))  # fmt: skip
    reading.used |= frozenset(key for key in attributes if key.startswith(f"{_METADATA}haystack."))
    return reading


def reading_of(span: ForeignSpan, said: str, metadata: Mapping[str, Any]) -> Reading:
    """Return the reading of an observation: as Haystack's own span, where it carries that."""
    native = {
        key: plain(plain(value)) for key, value in metadata.items() if key.startswith("haystack.")
    }
    twin = ForeignSpan(span.trace, span.id, span.parent, span.name)
    twin.attributes = native
    kind, role = KINDS.get(said.lower(), ("other", "other"))
    if role == "other" and (operation := metadata.get("gen_ai.operation.name")) is not None:
        # Spans of others that only passed through Langfuse say more of themselves.
        kind, role = OPERATIONS.get(str(plain(operation)), (kind, role))
    if native and (reading := dialect_haystack.read(twin)) is not None:
        reading.not_recorded.clear()
        if reading.role == "other":
            reading.role = role
        return reading
    if span.name == "llm":
        reading = Reading("llm", "haystack.agent.step.llm", "llm")
    else:
        reading = Reading(kind, span.name, span.name)
    reading.role = role
    return reading


def note_values(
    reading: Reading,
    inputs: Any,
    outputs: Any,
    *,
    failed: bool,
    before: Callable[[], None] | None = None,
) -> None:
    """Take inputs and outputs; a list of messages stands under the name that Haystack has for it.

    `before` finds out more from them, for spans that are Haystack's own inside.
    """
    reading.inputs, reading.outputs = settled(told(inputs)), settled(told(outputs))
    reading.inputs, reading.outputs = _alone(reading.inputs), _alone(reading.outputs)
    if _are_messages(reading.inputs):
        reading.inputs = {"messages": reading.inputs}
    if _are_messages(reading.outputs):
        reading.outputs = {"replies": reading.outputs}
    for field, given in (("inputs", inputs), ("outputs", outputs)):
        if given is None and not (field == "outputs" and failed):
            reading.not_recorded[field] = f"the observation has no {field[:-1]}"
        else:
            reading.not_recorded.pop(field, None)
    if before is not None:
        before()


def _alone(tree: Any) -> Any:
    """Return a single message as a list of one."""
    return [tree] if isinstance(tree, dict) and tree.get("$") == "chat_message" else tree


def _are_messages(tree: Any) -> bool:
    return (
        isinstance(tree, list)
        and bool(tree)
        and all(isinstance(each, dict) and each.get("$") == "chat_message" for each in tree)
    )


def _summed(details: Mapping[str, Any]) -> dict[str, int]:
    """Return what was sent and answered in all, where the total proves buckets to be apart."""
    sent, answered = (
        sum(n for key, n in details.items() if key.startswith(side) and type(n) is int)
        for side in ("input", "output")
    )
    if not sent or sent + answered != details.get("total"):
        return {}
    return {"input_tokens": sent, "output_tokens": answered}


def note_llm(reading: Reading, model: Any, details: Mapping[str, Any]) -> None:
    """Take model and usage; its buckets have names of everybody's own beside Langfuse's."""
    if reading.role not in ("llm", "embedding"):
        return
    raw: dict[str, Any] = {}
    for key, value in details.items():
        raw.setdefault(_BUCKETS.get(key, key), value)
    raw |= _summed(details)
    cached = next(
        (
            raw[k]
            for k in ("input_cached_tokens", "input_cache_read", "cache_read_input_tokens")
            if k in raw
        ),
        None,
    )
    reasoning = next(
        (raw[k] for k in ("output_reasoning_tokens", "output_reasoning") if k in raw), None
    )
    if cached is not None:
        raw["prompt_tokens_details"] = {"cached_tokens": cached}
    if reasoning is not None:
        raw["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    reading.usage = usage_in(raw) or reading.usage
    if isinstance(model, str) and model:
        reading.llm = {**(reading.llm or {}), "name": model}
