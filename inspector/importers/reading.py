"""What a foreign span means in our words, and the means by which dialects find it out."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from inspector.importers.late import LATE, Late
from inspector.importers.trees import converted, named
from inspector.runfile.digest import value_id
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.usage import FIGURES, normalise_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from inspector.importers.foreign import ForeignSpan

_BRACKETS = ("{", "[", '"')


class Reading:
    """A span in our words. Attributes that are `None` are not recorded."""

    # Defaults stand on the class: a trace of 20,000 spans makes as many of these, and sets few.
    role = ""
    type = ""
    inputs: Any = None
    outputs: Any = None
    arguments: Any = None
    senders: dict[str, Any] | None = None
    receivers: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    llm: dict[str, Any] | None = None
    tool_call: dict[str, Any] | None = None
    retrieval: dict[str, Any] | None = None
    step: int | None = None
    path: str | None = None
    """Where the span sits, where it says so itself."""
    error: dict[str, Any] | None = None
    channels: dict[str, str] | None = None
    mode = ""
    title = ""
    """What the run is called, where this span says so."""
    facts: Mapping[str, Any] = {}
    """Types of sockets, for the topology: `inputs` and `outputs`."""
    used: frozenset[str] = frozenset()
    """The attributes that were understood; the others become tags."""
    later: Callable[[], None] | None = None
    """Finds out the rest, which only somebody who looks at the span needs."""

    def __init__(self, kind: str, operation: str, name: str) -> None:
        self.kind = kind
        self.operation = operation
        self.name = name
        self.not_recorded: dict[str, str] = {}

    def finish(self) -> None:
        """Read the values, and whatever was put off."""
        later, self.later = self.later, None
        if later is not None:
            later()
        self.inputs, self.outputs = settled(self.inputs), settled(self.outputs)


def told(text: Any) -> Any:
    """Return what an attribute says; JSON in a text stays a text until `settled` or looked at."""
    if type(text) is not str:
        return converted(text)
    return Late(text, told_now) if text.startswith(_BRACKETS) else text


def settled(value: Any) -> Any:
    """Return a value that was told, read now unless it is long."""
    if type(value) is Late and len(value.text) <= LATE:
        return value.convert(value.text)
    return value


def told_now(text: str) -> Any:
    """Return what a JSON text says in our words; a text that is no JSON is itself."""
    tree = plain(text)
    return tree if tree is text else converted(tree)


def plain(text: Any) -> Any:
    """Return what a JSON text says, as it says it; any other value is itself."""
    if type(text) is not str or not text.startswith(_BRACKETS):
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        return read_leaf(text.encode("utf-8", "surrogatepass"))[0]
    except LeafError:
        return text


def mapping(value: Any) -> dict[str, Any]:
    """Return what a text or a value says, where that is an object; else an empty one.

    The same texts come again and again; look at the object, do not change it.
    """
    if type(value) is str:
        return _mapping_of(value) if len(value) < LATE else _mapping_of.__wrapped__(value)
    return value if isinstance(value, dict) else {}


@lru_cache(maxsize=4096)
def _mapping_of(text: str) -> dict[str, Any]:
    tree = plain(text)
    return tree if isinstance(tree, dict) else {}


def usage_in(raw: Mapping[str, Any] | None, provider: str | None = None) -> dict[str, Any] | None:
    """Return usage as a span holds it, of what a provider reported; None for nothing."""
    if not raw:
        return None
    usage = normalise_usage(raw, provider=provider)
    if usage is None or not usage.known:
        return None
    found = {name: figure for name in FIGURES if (figure := getattr(usage, name)) is not None}
    return {**found, "raw": converted(dict(raw))}


def replies_of(outputs: Any) -> list[dict[str, Any]]:
    """Return the chat messages among what a generator gave back."""
    if not isinstance(outputs, dict):
        return []
    replies = outputs.get("replies")
    if isinstance(replies, list):
        return [reply for reply in replies if isinstance(reply, dict)]
    return []


def note_replies(reading: Reading, outputs: Any) -> None:
    """Take model, finish reason and usage from the replies that a call gave back.

    `outputs` are converted: each reply is a message of ours, or a text with `meta` beside it.
    """
    metas = [meta for reply in replies_of(outputs) if isinstance(meta := reply.get("meta"), dict)]
    if isinstance(outputs, dict) and not metas and isinstance(outputs.get("meta"), list):
        metas = [meta for meta in outputs["meta"] if isinstance(meta, dict)]
    for meta in metas:
        note_meta(reading, meta)
    usages = [meta["usage"] for meta in metas if isinstance(meta.get("usage"), dict)]
    if usages and reading.usage is None:
        # Several replies of one call report the call's usage each.
        reading.usage = usage_in(usages[0], (reading.llm or {}).get("provider"))


def note_meta(reading: Reading, meta: Mapping[str, Any]) -> None:
    """Take model and finish reason from the meta of a reply."""
    llm = dict(reading.llm or {})
    for ours, theirs in (
        ("name", "model"),
        ("finish_reason", "finish_reason"),
        ("service_tier", "service_tier"),
    ):
        value = meta.get(theirs)
        if isinstance(value, str) and value:
            llm.setdefault(ours, value)
    reading.llm = llm or None


def has_usage(text: Any) -> bool:
    """Whether a text may hold usage, so that it has to be read now."""
    return isinstance(text, str) and '"usage"' in text


def tags_of(span: ForeignSpan, reading: Reading) -> dict[str, Any]:
    """Return the attributes that nobody understood."""
    return named(
        {
            key: told(value)
            for key, value in span.attributes.items()
            if key not in reading.used and value is not None
        }
    )


def note_retrieval(reading: Reading) -> None:
    """Say what a retriever was asked and which documents it gave, as recordings do."""
    inputs = reading.inputs if isinstance(reading.inputs, dict) else {}
    outputs = reading.outputs if isinstance(reading.outputs, dict) else {}
    found: dict[str, Any] = {
        key: inputs[key]
        for key in ("query", "filters", "top_k")
        if inputs.get(key) is not None and type(inputs[key]) is not Late
    }
    documents = outputs.get("documents")
    if isinstance(documents, list):
        found["documents"] = [
            _described(each, rank)
            for rank, each in enumerate(documents, 1)
            if isinstance(each, dict)
        ]
    reading.retrieval = found or None


def _described(document: dict[str, Any], rank: int) -> dict[str, Any]:
    entry: dict[str, Any] = {"rank": rank}
    if isinstance(document.get("id"), str):
        entry["id"] = document["id"]
    if isinstance(document.get("score"), (int, float)):
        entry["score"] = float(document["score"])
    if isinstance(content := document.get("content"), str):
        entry["digest"] = value_id(content.encode("utf-8", "surrogatepass"))
    return entry
