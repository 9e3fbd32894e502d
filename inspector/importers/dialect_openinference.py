"""OpenInference: Arize's conventions, as Phoenix and its instrumentations write them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.importers import messages
from inspector.importers.late import Late
from inspector.importers.reading import Reading, note_retrieval, plain, settled, told, usage_in
from inspector.importers.reprs import revived
from inspector.importers.trees import document
from inspector.runfile.roles import role_of

if TYPE_CHECKING:
    from inspector.importers.foreign import ForeignSpan

KIND = "openinference.span.kind"

# Kind and role in our words; of Haystack's components only the role.
_KINDS = {
    "LLM": ("llm", "llm"),
    "TOOL": ("tool", "tool"),
    "AGENT": ("agent", "agent"),
    "RETRIEVER": ("other", "retrieval"),
    "RERANKER": ("other", "ranking"),
    "EMBEDDING": ("other", "embedding"),
    "PROMPT": ("other", "prompt"),
    "GUARDRAIL": ("other", "validation"),
}
_TOKENS = {
    "prompt": "input_tokens",
    "completion": "output_tokens",
    "total": "total_tokens",
}
_DETAILS = {
    "prompt_details.cache_read": ("prompt_tokens_details", "cached_tokens"),
    "prompt_details.cache_write": ("prompt_tokens_details", "cache_write_tokens"),
    "prompt_details.audio": ("prompt_tokens_details", "audio_tokens"),
    "completion_details.reasoning": ("completion_tokens_details", "reasoning_tokens"),
    "completion_details.audio": ("completion_tokens_details", "audio_tokens"),
}


def read(span: ForeignSpan) -> Reading | None:
    """Return what a span of this dialect means; None where it is none."""
    said = span.attributes.get(KIND)
    if said is None and "openinference" not in span.scope:
        return None
    kind, role = _KINDS.get(str(said).upper(), ("other", "other"))
    name, _, method = span.name.partition(".")
    reading = Reading(kind, span.name, span.name)
    if "haystack" in span.scope or (method in ("run", "run_async") and name):
        _of_haystack(reading, name, role)
    else:
        reading.role = role
    reading.later = partial(_values, span, reading)
    _note_llm(span, reading)
    if reading.kind == "tool" and (tool := span.attributes.get("tool.name")):
        reading.name = str(tool)
        reading.used |= {"tool.name"}
    reading.used |= {KIND}
    return reading


def _of_haystack(reading: Reading, name: str, role: str) -> None:
    """The name of the span is that of a class and its method: components have no other here."""
    reading.type = name
    reading.name = name
    if name in ("Pipeline", "AsyncPipeline"):
        reading.kind, reading.role, reading.name = "pipeline", "pipeline", "pipeline"
        reading.mode = "async" if name == "AsyncPipeline" or "async" in reading.operation else ""
    elif name == "Agent":
        reading.kind, reading.role = "component", "agent"
    else:
        reading.kind = "component"
        reading.role = role if role != "other" else _guessed(name)


def _guessed(name: str) -> str:
    for ending, role in (
        ("PromptBuilder", "prompt"), ("Retriever", "retrieval"), ("Ranker", "ranking"),
        ("Router", "routing"), ("Joiner", "joining"), ("Converter", "conversion"),
        ("Embedder", "embedding"), ("Generator", "llm"), ("Writer", "write"),
        ("Validator", "validation"),
    ):  # fmt: skip
        if name.endswith(ending):
            return role
    return role_of(name)


def _values(span: ForeignSpan, reading: Reading) -> None:
    attributes = span.attributes
    inputs = settled(told(attributes.get("input.value")))
    outputs = settled(told(attributes.get("output.value")))
    reading.used |= frozenset(
        ("input.value", "output.value", "input.mime_type", "output.mime_type")
    )
    inputs, outputs = _alive(inputs), _alive(outputs)
    if reading.kind == "pipeline" and isinstance(inputs, dict) and inputs.keys() == {"data"}:
        inputs = inputs["data"]
    if isinstance(inputs, dict) and isinstance(inputs.get("kwargs"), dict) and reading.type:
        # Free inputs of a component are told apart from its declared ones.
        inputs = {**{k: v for k, v in inputs.items() if k != "kwargs"}, **inputs["kwargs"]}
    asked = _messages(attributes, "llm.input_messages", reading)
    answered = _messages(attributes, "llm.output_messages", reading)
    if asked and not _has_messages(inputs, "messages"):
        inputs = {
            **(inputs if isinstance(inputs, dict) and reading.type else {}),
            "messages": asked,
        }
    if answered and not _has_messages(outputs, "replies"):
        outputs = {"replies": answered}
    documents = _documents(attributes, "retrieval.documents", reading)
    ranked = _documents(attributes, "reranker.output_documents", reading)
    if documents or ranked:
        outputs = {
            **(outputs if isinstance(outputs, dict) else {}),
            "documents": ranked or documents,
        }
    query = attributes.get("reranker.query")
    if query is not None and not isinstance(inputs, dict):
        inputs = {"query": query}
    reading.inputs, reading.outputs = inputs, outputs
    if outputs is None and not span.failed:
        reading.not_recorded["outputs"] = "the span has no output"
    if inputs is None:
        reading.not_recorded["inputs"] = "the span has no input"
    if reading.role == "retrieval":
        note_retrieval(reading)


def _alive(tree: Any) -> Any:
    return tree if type(tree) is Late else revived(tree)


def _has_messages(tree: Any, key: str) -> bool:
    if type(tree) is Late:
        return True
    found = tree.get(key) if isinstance(tree, dict) else None
    return isinstance(found, list) and bool(found) and all(isinstance(m, dict) for m in found)


def _messages(attributes: dict[str, Any], prefix: str, reading: Reading) -> list[dict[str, Any]]:
    found = messages.nested(attributes, prefix)
    if not found:
        return []
    reading.used |= frozenset(key for key in attributes if key.startswith(f"{prefix}."))
    return [_message(each.get("message", each)) for each in found]


def _message(tree: Any) -> dict[str, Any]:
    if not isinstance(tree, dict):
        return messages.chat_message("assistant", [messages.text(tree)])
    role = tree.get("role")
    parts: list[dict[str, Any]] = []
    content = tree.get("content")
    if role == "tool" and content is not None:
        parts.append(messages.result(tree.get("tool_call_id"), tree.get("name"), content))
    elif content is not None:
        parts.append(messages.text(content))
    for each in messages.numbered(tree.get("contents")):
        inner = each.get("message_content", {}) if isinstance(each, dict) else {}
        if isinstance(inner, dict) and inner.get("text") is not None:
            parts.append(messages.text(inner["text"]))
        elif isinstance(inner, dict) and inner.get("image") is not None:
            parts.append({"text": "[an image]"})
    for each in messages.numbered(tree.get("tool_calls")):
        asked = each.get("tool_call", {}) if isinstance(each, dict) else {}
        function = asked.get("function") if isinstance(asked, dict) else None
        if isinstance(function, dict):
            parts.append(
                messages.call(function.get("name"), function.get("arguments", {}), asked.get("id"))
            )
    return messages.chat_message(role, parts, tree.get("name") if role != "tool" else None)


def _documents(attributes: dict[str, Any], prefix: str, reading: Reading) -> list[dict[str, Any]]:
    found = messages.nested(attributes, prefix)
    reading.used |= frozenset(key for key in attributes if key.startswith(f"{prefix}."))
    made = []
    for each in found:
        fields = each.get("document", each)
        if not isinstance(fields, dict):
            continue
        meta = plain(fields.get("metadata"))
        known = {key: fields.get(key) for key in ("id", "content", "score")}
        made.append(document({**known, "meta": meta if isinstance(meta, dict) else None}))
    return made


def _note_llm(span: ForeignSpan, reading: Reading) -> None:
    attributes = span.attributes
    raw: dict[str, Any] = {}
    for key, ours in _TOKENS.items():
        if (count := attributes.get(f"llm.token_count.{key}")) is not None:
            raw[ours] = count
    for key, (group, ours) in _DETAILS.items():
        if (count := attributes.get(f"llm.token_count.{key}")) is not None:
            raw.setdefault(group, {})[ours] = count
    reading.used |= frozenset(key for key in attributes if key.startswith("llm.token_count."))
    provider = attributes.get("llm.provider") or attributes.get("llm.system")
    name = attributes.get("llm.model_name") or attributes.get("embedding.model_name")
    reading.usage = usage_in(raw, str(provider) if provider else None)
    llm = {"name": name, "provider": provider}
    reading.llm = {key: str(value) for key, value in llm.items() if value} or None
    reading.used |= frozenset(
        ("llm.provider", "llm.system", "llm.model_name", "embedding.model_name")
    )
