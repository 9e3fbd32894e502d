"""What a component does, by where its class lives and, failing that, by its sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

# Exact classes first: they do something else than their neighbours.
_BY_CLASS = {
    "haystack.components.agents.agent.Agent": "agent",
    "haystack.components.generators.chat.llm.LLM": "llm",
    "haystack.core.super_component.super_component.SuperComponent": "pipeline",
    "haystack.components.preprocessors.document_preprocessor.DocumentPreprocessor": "pipeline",
    "haystack.components.converters.multi_file_converter.MultiFileConverter": "pipeline",
    "haystack.components.converters.output_adapter.OutputAdapter": "conversion",
    "haystack.components.builders.answer_builder.AnswerBuilder": "conversion",
}

# A part of the module's dotted name; the first that is found counts.
_BY_MODULE = (
    ("generators", "llm"),
    ("embedders", "embedding"),
    ("retrievers", "retrieval"),
    ("rankers", "ranking"),
    ("routers", "routing"),
    ("joiners", "joining"),
    ("builders", "prompt"),
    ("validators", "validation"),
    ("converters", "conversion"),
    ("preprocessors", "conversion"),
    ("extractors", "conversion"),
    ("readers", "conversion"),
    ("audio", "conversion"),
    ("translators", "conversion"),
    ("websearch", "retrieval"),
    ("fetchers", "fetch"),
    ("downloaders", "fetch"),
    ("caching", "fetch"),
    ("writers", "write"),
    ("classifiers", "routing"),
    ("samplers", "ranking"),
    ("agents", "agent"),
)

_LLM_INPUTS = {"messages", "prompt"}
_EMBEDDER_OUTPUTS = {"embedding", "sparse_embedding"}

_MOST_KNOWN = 5000
_known: dict[str, str | None] = {}
_by_sockets: dict[tuple[str, ...], str] = {}


def role_of(qualified: str, inputs: Collection[str] = (), outputs: Collection[str] = ()) -> str:
    """Return the role of the component of class `qualified` with these sockets."""
    try:
        role = _known[qualified]
    except KeyError:
        role = _known[qualified] = _role_by_place(qualified)
        if len(_known) > 5000:
            _known.clear()
    if role is not None:
        return role
    key = (*inputs, "", *outputs)
    role = _by_sockets.get(key)
    if role is None:
        if len(_by_sockets) > _MOST_KNOWN:
            _by_sockets.clear()
        role = _by_sockets[key] = _role_by_sockets(inputs, outputs)
    return role


def _role_by_place(qualified: str) -> str | None:
    if (role := _BY_CLASS.get(qualified)) is not None:
        return role
    parts = qualified.split(".")
    # Only Haystack's own packages keep this order; a user's `routers` may hold web routes.
    if not parts[0].startswith("haystack") or "components" not in parts:
        return None
    module = set(parts[:-1])
    return next((role for part, role in _BY_MODULE if part in module), None)


def _role_by_sockets(inputs: Collection[str], outputs: Collection[str]) -> str:
    if "replies" in outputs and not _LLM_INPUTS.isdisjoint(inputs):
        return "llm"
    if not _EMBEDDER_OUTPUTS.isdisjoint(outputs):
        return "embedding"
    if "documents" in outputs and ("query" in inputs or "query_embedding" in inputs):
        return "ranking" if "documents" in inputs else "retrieval"
    if "documents_written" in outputs:
        return "write"
    if "prompt" in outputs:
        return "prompt"
    if "last_message" in outputs and "messages" in inputs:
        return "agent"
    return "other"


def is_haystacks(qualified: str) -> bool:
    """Say whether a class is Haystack's own, or that of one of its integrations."""
    return qualified.startswith(("haystack.", "haystack_integrations."))


# The part of a module's name that says who answers.
_VENDORS = {"hugging_face_api": "huggingface", "hugging_face_local": "huggingface",
            "openai_responses": "openai", "azure_responses": "azure"}  # fmt: skip
_NO_VENDOR = {"chat", "fallback", "llm", "mock", "utils", "generators", "embedders", "types"}


def provider_of(qualified: str) -> str | None:
    """Return who answers the calls of a generator or embedder, as far as its class tells."""
    parts = qualified.split(".")
    for family in ("generators", "embedders"):
        if family not in parts or not parts[0].startswith("haystack"):
            continue
        for part in parts[parts.index(family) + 1 : -1]:
            if part in _NO_VENDOR:
                continue
            vendor = _VENDORS.get(part, part)
            for suffix in ("_text_embedder", "_document_embedder", "_chat_generator", "_generator"):
                vendor = vendor.removesuffix(suffix)
            return vendor
    return None
