"""What a retriever was asked and what it found, in the words every retriever shares."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from inspector.runfile.interned import Deferred

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.recording.session import LiveSpan

_DIGEST_DIGITS = 32
_QUERIES = ("query", "queries", "text", "query_embedding")


def asked_of(live: LiveSpan, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the retriever was asked; what its call left open, its instance may know."""
    query = next((inputs[name] for name in _QUERIES if inputs.get(name) is not None), None)
    instance = live.recording.instance_of(live)
    asked = {"query": query}
    for limit in ("filters", "top_k"):
        given = inputs.get(limit)
        asked[limit] = getattr(instance, limit, None) if given is None else given
    memo = live.recording.capture.memo
    found = {name: memo(value) for name, value in asked.items() if value not in (None, {}, [])}
    store = getattr(instance, "document_store", None)
    if store is not None:
        found["store"] = f"{type(store).__module__}.{type(store).__qualname__}"
    return found


def note_retrieval(live: LiveSpan, outputs: Mapping[str, Any]) -> None:
    """Put `retrieval` on the span: what was asked, and each document with its rank."""
    documents = outputs.get("documents")
    if isinstance(documents, list):
        found = live.fields.setdefault("retrieval", {})
        found["documents"] = Deferred(_described, [_plain(document) for document in documents])


def _plain(document: Any) -> tuple[Any, Any, Any, Any]:
    blob = getattr(document, "blob", None)
    return (
        getattr(document, "id", None),
        getattr(document, "score", None),
        getattr(document, "content", None),
        None if blob is None else getattr(blob, "data", None),
    )


def _described(found: list[tuple[Any, Any, Any, Any]]) -> list[dict[str, Any]]:
    """Hash on the writer's thread: a digest shows that a document of the same id was amended."""
    described = []
    for rank, (document_id, score, content, blob) in enumerate(found, 1):
        entry: dict[str, Any] = {"rank": rank}
        if isinstance(document_id, str):
            entry["id"] = document_id
        if isinstance(score, (int, float)) and score - score == 0:  # neither nan nor infinite
            entry["score"] = float(score)
        material = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else blob
        if isinstance(material, bytes):
            entry["digest"] = sha256(material).hexdigest()[:_DIGEST_DIGITS]
        described.append(entry)
    return described
