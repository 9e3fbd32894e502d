"""Which conventions a span follows: a table, asked from the top."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.importers import (
    dialect_genai,
    dialect_haystack,
    dialect_langfuse,
    dialect_mlflow,
    dialect_openinference,
    dialect_own,
)
from inspector.importers.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.importers.foreign import ForeignSpan


class Dialect(NamedTuple):
    """Conventions for the attributes of spans; `read` returns None for a span of others."""

    name: str
    read: Callable[[ForeignSpan], Reading | None]


# Who wraps Haystack's own attributes in others comes before it.
DIALECTS = (
    Dialect("Run Inspector", dialect_own.read),
    Dialect("Langfuse", dialect_langfuse.read),
    Dialect("MLflow", dialect_mlflow.read),
    Dialect("Haystack", dialect_haystack.read),
    Dialect("OpenInference", dialect_openinference.read),
    Dialect("OpenTelemetry GenAI", dialect_genai.read),
)


def reading_of(span: ForeignSpan) -> tuple[Reading, str]:
    """Return what a span means, and whose conventions said so; empty for nobody's."""
    for dialect in DIALECTS:
        reading = dialect.read(span)
        if reading is not None:
            if dialect.read is dialect_haystack.read and dialect_genai.OPERATION in span.attributes:
                dialect_genai.add_to(reading, span)
            return reading, dialect.name
    reading = Reading("other", span.name, span.name)
    reading.role = "other"
    return reading, ""
