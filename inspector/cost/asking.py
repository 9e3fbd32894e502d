"""Which price a call is to be looked up under: who answered, with what model, at what tier."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from inspector.cost.classes import context_of
from inspector.cost.prices import Asked

if TYPE_CHECKING:
    from inspector.runfile.usage import Usage

# How price lists call those whom Haystack's integrations ask, where the names differ.
_PROVIDERS = {
    "azure_openai": "azure",
    "azure_ai": "azure",
    "google_genai": "google",
    "google_ai": "google",
    "google_vertex": "google",
    "amazon_bedrock": "aws",
    "togetherai": "together",
    "together_ai": "together",
    "meta_llama": "meta",
    "voyage": "voyageai",
    "voyage_embedders": "voyageai",
    "xai": "x-ai",
}

# What answers on a machine of one's own.
_LOCAL = frozenset({
    "ollama", "llama_cpp", "vllm", "fastembed", "optimum", "instructor_embedders",
    "sentence_transformers", "transformers", "xinference", "gpt4all", "mlx",
})  # fmt: skip
_LOCAL_TYPES = ("hugging_face_local", ".sentence_transformers")
_MOCKS = (".mock.", ".mock_")

# Many providers are asked through the generators for OpenAI, at another address.
_HOSTS = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "api.groq.com": "groq",
    "api.deepseek.com": "deepseek",
    "openrouter.ai": "openrouter",
    "api.together.xyz": "together",
    "api.together.ai": "together",
    "api.x.ai": "x-ai",
    "api.fireworks.ai": "fireworks",
    "api.mistral.ai": "mistral",
    "api.perplexity.ai": "perplexity",
    "api.cerebras.ai": "cerebras",
    "api.moonshot.ai": "moonshotai",
    "api.cohere.com": "cohere",
    "generativelanguage.googleapis.com": "google",
}
_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
_HERE = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "::1", "host.docker.internal"})  # noqa: S104 - only compared
_URLS = ("api_base_url", "api_base", "base_url", "azure_endpoint")
_DEEPEST = 6


def asked_for(
    *, type_name: str, llm: Mapping[str, Any] | None, usage: Usage | None,
    configured: Mapping[str, Any], kwargs: Mapping[str, Any],
) -> Asked:  # fmt: skip
    """Return under what the price of a call is to be looked up.

    Args:
        type_name: The qualified class of what was called.
        llm: What the span says of the model, as in the file.
        usage: What was reported.
        configured: How the component was set up: its `init_parameters`.
        kwargs: The `generation_kwargs` of this very call.

    """
    told = llm or {}
    provider = _word(told.get("provider"))
    model = _word(told.get("name")) or _word(configured.get("model"))
    always = configured.get("generation_kwargs")
    asked = {**(always if isinstance(always, Mapping) else {}), **kwargs}
    context = context_of(told, {} if usage is None else usage.raw, asked)
    here = ""
    if provider in _LOCAL or any(part in type_name for part in _LOCAL_TYPES):
        here = "it runs on a machine of one's own: local, no price"
    elif any(part in type_name for part in _MOCKS):
        provider, here = provider or "mock", "a stand-in answered, which costs nothing"
    named = None if provider is None else _PROVIDERS.get(provider, provider)
    if not here and provider in {None, "openai"}:
        host = _host_of(configured)
        if host in _HERE:
            here = "it was asked on this machine: local, no price"
        elif host:
            named = _provider_at(host)
    return Asked(provider=named, llm=model, context=context, runs_here=bool(here), here=here)


def configured_in(
    definition: Mapping[str, Any] | None, names: Iterable[str], type_name: str
) -> Mapping[str, Any]:
    """Return the `init_parameters` of a component, by its own name or by its class inside one.

    `names` are the components that the call happened in, from the innermost out.
    """
    if not isinstance(definition, Mapping):
        return {}
    components = definition.get("components")
    places = [
        components[name]
        for name in names
        if isinstance(components, Mapping) and isinstance(components.get(name), Mapping)
    ]
    for place in [*places, *([] if places else [definition])]:
        found = _of_type(place, type_name)
        if found is not None:
            return found
    return {}


def _of_type(place: Mapping[str, Any], type_name: str) -> Mapping[str, Any] | None:
    """Look for the entry of a class, nearest first. It has the parameters it was made with."""
    waiting: deque[tuple[Any, int]] = deque([(place, 0)])
    while waiting:
        node, depth = waiting.popleft()
        if isinstance(node, Mapping):
            parameters = node.get("init_parameters")
            if node.get("type") == type_name and isinstance(parameters, Mapping):
                return parameters
            inside: Iterable[Any] = node.values()
        elif isinstance(node, list):
            inside = node
        else:
            continue
        if depth < _DEEPEST:
            waiting.extend((each, depth + 1) for each in inside)
    return None


def _host_of(configured: Mapping[str, Any]) -> str:
    for key in _URLS:
        url = configured.get(key)
        if isinstance(url, str) and url:
            try:
                return (urlsplit(url).hostname or "").lower()
            except ValueError:
                return ""
    return ""


def _provider_at(host: str) -> str:
    if host.endswith(_AZURE):
        return "azure"
    return _HOSTS.get(host, host)


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
