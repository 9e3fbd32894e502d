"""What our own export to OpenTelemetry writes: it says of each span where it sat in the run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.importers import dialect_genai, dialect_haystack
from inspector.importers.late import Late
from inspector.importers.reading import Reading, note_retrieval, plain, settled
from inspector.runfile.roles import role_of

if TYPE_CHECKING:
    from inspector.importers.foreign import ForeignSpan

ID = "run_inspector.span.id"
_PATH, _STATUS = "run_inspector.span.path", "run_inspector.span.status"
_HAYSTACKS = {
    "llm": dialect_haystack.LLM,
    "tool": dialect_haystack.TOOL,
    "agent": dialect_haystack.AGENT,
    "step": dialect_haystack.STEP,
    "component": dialect_haystack.COMPONENT,
    "pipeline": dialect_haystack.PIPELINE,
}
_UNFINISHED = ("unfinished", "canceled")


def read(span: ForeignSpan) -> Reading | None:
    """Return what a span of ours means; None where it is none."""
    attributes = span.attributes
    if ID not in attributes:
        return None
    reading = dialect_genai.read(span) or Reading("other", span.name, span.name)
    path = attributes.get(_PATH)
    reading.path = path if isinstance(path, str) else ""
    _settle_kind(attributes, reading)
    reading.operation = _HAYSTACKS.get(reading.kind, span.name)
    if attributes.get(_STATUS) in _UNFINISHED:
        span.end = None
    else:
        span.ended = True  # also where the run had no times at all
    reading.later = partial(_values, span, reading, reading.later)
    reading.used |= {ID, _PATH, _STATUS, "error.type", "haystack.agent.step"}
    reading.used |= {key for key in attributes if key.startswith("haystack.component.")}
    return reading


def _settle_kind(attributes: dict[str, Any], reading: Reading) -> None:
    segment = (reading.path or "").rpartition("/")[2]
    name = attributes.get("haystack.component.name")
    step = attributes.get("haystack.agent.step")
    if name is not None:
        reading.kind, reading.name = "component", str(name)
        reading.type = str(attributes.get("haystack.component.fully_qualified_type") or "")
        if reading.role in ("", "other"):
            reading.role = role_of(reading.type)
    elif "haystack.pipeline.input_data" in attributes or reading.kind == "pipeline":
        reading.kind, reading.role = "pipeline", "pipeline"
        reading.title = reading.name
    elif isinstance(step, int):
        reading.kind, reading.role, reading.step = "step", "agent", step
        reading.name = f"step {step}"
    elif reading.kind == "llm":
        reading.name = segment.partition("#")[0] or reading.name
    elif segment.startswith(("hook:", "confirm:")):
        reading.kind, reading.role = "hook", "hook"
        reading.name = segment.partition("#")[0].rpartition(":")[2]


def _values(span: ForeignSpan, reading: Reading, before: Any) -> None:
    """Take inputs and outputs, whose tags are ours already."""
    if before is not None:
        before()
    for field, keys in (
        ("inputs", ("haystack.component.input", "haystack.pipeline.input_data")),
        ("outputs", ("haystack.component.output", "haystack.pipeline.output_data")),
    ):
        for key in keys:
            text = span.attributes.get(key)
            if isinstance(text, str):
                setattr(reading, field, settled(Late(text, plain)))
                reading.not_recorded.pop(field, None)
                reading.used |= {key}
    if reading.kind == "tool":
        reading.arguments = reading.inputs
    if reading.role == "retrieval":
        note_retrieval(reading)
