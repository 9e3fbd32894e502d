"""MLflow's attributes: JSON texts of JSON. Haystack's own may stand beside them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from inspector.importers import dialect_haystack
from inspector.importers.reading import (
    Reading,
    mapping,
    note_retrieval,
    plain,
    settled,
    told,
    usage_in,
)

if TYPE_CHECKING:
    from inspector.importers.foreign import ForeignSpan

TYPE = "mlflow.spanType"
_KINDS = {
    "LLM": ("llm", "llm"),
    "CHAT_MODEL": ("llm", "llm"),
    "TOOL": ("tool", "tool"),
    "AGENT": ("agent", "agent"),
    "RETRIEVER": ("other", "retrieval"),
    "RERANKER": ("other", "ranking"),
    "EMBEDDING": ("other", "embedding"),
    "PARSER": ("other", "conversion"),
}
_USED = ("mlflow.spanInputs", "mlflow.spanOutputs", TYPE, "mlflow.traceRequestId",
         "mlflow.chat.tokenUsage", "mlflow.llm.model")  # fmt: skip


def read(span: ForeignSpan) -> Reading | None:
    """Return what a span of this dialect means; None where it is none."""
    attributes = span.attributes
    if TYPE not in attributes and "mlflow.traceRequestId" not in attributes:
        return None
    reading = dialect_haystack.read(span)
    said = plain(attributes.get(TYPE))
    if reading is None:
        kind, role = _KINDS.get(str(said).upper(), ("other", "other"))
        reading = Reading(kind, span.name, span.name)
        reading.role = role
    if reading.inputs is None and attributes.get("mlflow.spanInputs") is not None:
        reading.inputs = told(attributes["mlflow.spanInputs"])
        reading.not_recorded.pop("inputs", None)
    if reading.outputs is None and attributes.get("mlflow.spanOutputs") is not None:
        reading.outputs = told(attributes["mlflow.spanOutputs"])
        reading.not_recorded.pop("outputs", None)
    if reading.role in ("llm", "embedding"):
        usage = usage_in(mapping(attributes.get("mlflow.chat.tokenUsage")))
        reading.usage = reading.usage or usage
        model = plain(attributes.get("mlflow.llm.model"))
        if isinstance(model, str) and model and "name" not in (reading.llm or {}):
            reading.llm = {**(reading.llm or {}), "name": model}
    if reading.role == "retrieval" and reading.later is None:
        reading.later = partial(_finish, reading)
    reading.used |= frozenset(_USED)
    return reading


def _finish(reading: Reading) -> None:
    reading.inputs, reading.outputs = settled(reading.inputs), settled(reading.outputs)
    note_retrieval(reading)
