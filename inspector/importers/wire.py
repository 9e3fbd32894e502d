"""What a request to a provider of models and its answer mean, told by their shape.

OpenAI's chat completions (which most others imitate), responses, completions and embeddings;
Anthropic, Google, Bedrock, Cohere, Ollama. Anything else stays a request with an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from inspector.importers.reading import usage_in
from inspector.importers.trees import converted, vector
from inspector.importers.wire_parts import message_of, messages_of

if TYPE_CHECKING:
    from typing_extensions import TypeIs

_HOSTS = (
    ("openai.azure.com", "azure"), ("openai.com", "openai"), ("anthropic.com", "anthropic"),
    ("googleapis.com", "google"), ("cohere.", "cohere"), ("mistral.ai", "mistral"),
    ("groq.com", "groq"), ("x.ai", "xai"), ("deepseek.com", "deepseek"),
    ("amazonaws.com", "bedrock"), ("huggingface.co", "huggingface"), ("together.", "together"),
    ("openrouter.ai", "openrouter"), ("fireworks.ai", "fireworks"),
)  # fmt: skip
_CONVERSATION = ("messages", "contents", "input", "prompt", "system", "instructions",
                 "systemInstruction", "system_instruction")  # fmt: skip
_USAGE = ("usage", "usageMetadata", "usage_metadata")
_OLLAMA = ("prompt_eval_count", "eval_count")
_FAILS_FROM = 400


class Wire:
    """One request and its answer in our words. What is None is not recorded."""

    def __init__(self) -> None:
        self.role = "other"
        self.model = ""
        self.inputs: Any = None
        self.outputs: Any = None
        self.llm: dict[str, Any] = {}
        self.usage: dict[str, Any] | None = None
        self.error: dict[str, str] | None = None


def read_wire(request: Any, answer: Any, *, url: str = "", status: int | None = None) -> Wire:
    """Return what a request and its answer mean.

    Args:
        request: The body of the request, as JSON says it or a text; None where unknown.
        answer: That of the answer; None where there is none.
        url: Where it went, as far as known.
        status: The HTTP status of the answer.

    """
    wire = Wire()
    host, path = _address(url)
    replies = _replies(answer)
    wire.role = _role(request, answer, path, replies)
    wire.model = _model(request, answer, path)
    wire.inputs = _inputs(request, wire.role)
    wire.error = _error(answer, status)
    if wire.role == "embedding" and wire.error is None:
        wire.outputs = _embeddings(answer)
    elif replies:
        wire.outputs = {"replies": replies}
    elif answer is not None:
        wire.outputs = converted(answer)
    provider = _provider(host, answer)
    if wire.role in ("llm", "embedding"):
        reported = answer.get("model", answer.get("modelVersion")) if _is(answer) else None
        finish = next((r["meta"].get("finish_reason") for r in replies if r.get("meta")), None)
        tier = answer.get("service_tier") if _is(answer) else None
        known = {"name": reported or wire.model, "provider": provider, "finish_reason": finish,
                 "service_tier": tier}  # fmt: skip
        wire.llm = {key: value for key, value in known.items() if isinstance(value, str) and value}
        wire.usage = usage_in(_usage(answer), provider)
        for reply in replies:
            if wire.usage is not None:
                reply.setdefault("meta", {})["usage"] = wire.usage["raw"]
            if isinstance(reported, str):
                reply.setdefault("meta", {})["model"] = reported
    return wire


def _is(tree: Any) -> TypeIs[dict[str, Any]]:
    return isinstance(tree, dict)


def _role(request: Any, answer: Any, path: str, replies: list[dict[str, Any]]) -> str:
    end = path.rstrip("/").rpartition("/")[2]
    if "embed" in end.lower() or _is_embeddings(answer):
        return "embedding"
    if end in ("rerank",):
        return "ranking"
    if replies:
        return "llm"
    if _is(request) and (
        isinstance(request.get("messages"), list)
        or isinstance(request.get("contents"), list)
        or ("model" in request and ("prompt" in request or end == "responses"))
    ):
        return "llm"
    return "other"


def _is_embeddings(answer: Any) -> bool:
    if not _is(answer):
        return False
    data = answer.get("data")
    first = data[0] if isinstance(data, list) and data else None
    return (_is(first) and "embedding" in first) or isinstance(answer.get("embeddings"), list)


def _model(request: Any, answer: Any, path: str) -> str:
    for tree in (request, answer):
        if _is(tree):
            for key in ("model", "modelId", "modelVersion"):
                if isinstance(tree.get(key), str) and tree[key]:
                    return str(tree[key])
    _, found, after = path.partition("/models/")
    if not found:
        # Bedrock and Azure have it in the path, too.
        _, found, after = path.partition("/model/")
    if not found:
        _, found, after = path.partition("/deployments/")
    return after.partition("/")[0].partition(":")[0] if found else ""


def _inputs(request: Any, role: str) -> Any:
    if not _is(request) or role != "llm":
        return None if request is None else converted(request)
    spoken: list[dict[str, Any]] = []
    for key in ("system", "instructions", "systemInstruction", "system_instruction"):
        if (said := request.get(key)) not in (None, "", []):
            whole = said if _is(said) and "parts" in said else {"content": said}
            spoken.append(message_of({**whole, "role": "system"}))
    for key in ("messages", "contents", "input", "prompt"):
        if (said := request.get(key)) is not None:
            spoken += messages_of(said if isinstance(said, (str, list)) else [said])
            break
    rest = {key: converted(value) for key, value in request.items() if key not in _CONVERSATION}
    return {"messages": spoken, **rest}


def _usage(answer: Any) -> dict[str, Any] | None:
    if not _is(answer):
        return None
    for key in _USAGE:
        if isinstance(answer.get(key), dict):
            return dict(answer[key])
    meta = answer.get("meta")
    if _is(meta) and isinstance(meta.get("billed_units"), dict):
        return {"billed_units": meta["billed_units"]}
    found = {key: answer[key] for key in _OLLAMA if key in answer}
    return found or None


def _address(url: str) -> tuple[str, str]:
    """Return host and path of an address; both empty for what is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.hostname or "", parts.path


def _provider(host: str, answer: Any) -> str | None:
    for part, name in _HOSTS:
        if part in host:
            return name
    if _is(answer) and answer.get("type") == "message" and "stop_reason" in answer:
        return "anthropic"
    return "google" if _is(answer) and "usageMetadata" in answer else None


# The replies


def _replies(answer: Any) -> list[dict[str, Any]]:
    if not _is(answer):
        return []
    if isinstance(answer.get("choices"), list):
        return [_choice(each) for each in answer["choices"] if isinstance(each, dict)]
    if isinstance(answer.get("candidates"), list):
        return [
            _finished(message_of(each.get("content") or {}, "assistant"), each.get("finishReason"))
            for each in answer["candidates"]
            if isinstance(each, dict)
        ]
    output = answer.get("output")
    if isinstance(output, list) and (answer.get("object") == "response" or "status" in answer):
        return _of_responses(output, answer)
    if _is(output) and isinstance(output.get("message"), dict):
        return [_finished(message_of(output["message"], "assistant"), answer.get("stopReason"))]
    if isinstance(answer.get("content"), list) and answer.get("role") == "assistant":
        return [_finished(message_of(answer, "assistant"), answer.get("stop_reason"))]
    message = answer.get("message")
    if _is(message) and ("role" in message or "content" in message):
        why = answer.get("finish_reason", answer.get("done_reason"))
        return [_finished(message_of(message, "assistant"), why)]
    if isinstance(answer.get("response"), str) and "done" in answer:
        return [_finished(message_of(answer["response"], "assistant"), answer.get("done_reason"))]
    return []


def _choice(choice: dict[str, Any]) -> dict[str, Any]:
    said = choice.get("message")
    made = message_of(said if _is(said) else choice.get("text", ""), "assistant")
    made = _finished(made, choice.get("finish_reason"))
    if isinstance(choice.get("index"), int):
        made.setdefault("meta", {})["index"] = choice["index"]
    if choice.get("logprobs"):
        made.setdefault("meta", {})["logprobs"] = converted(choice["logprobs"])
    return made


def _of_responses(output: list[Any], answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the items of an answer as one message: what it thought, said and called."""
    parts = [part for item in output for part in message_of(item, "assistant")["content"]]
    details = answer.get("incomplete_details")
    why = details.get("reason") if _is(details) else answer.get("status")
    made = {**message_of("", "assistant"), "content": parts}
    return [_finished(made, why)] if output else []


def _finished(message: dict[str, Any], why: Any) -> dict[str, Any]:
    return {**message, "meta": {"finish_reason": why}} if isinstance(why, str) else message


def _embeddings(answer: Any) -> Any:
    if not _is(answer):
        return converted(answer)
    found = answer.get("data", answer.get("embeddings"))
    if not isinstance(found, list):
        return converted(answer)
    vectors = [vector(each.get("embedding") if _is(each) else each) for each in found]
    return {"embeddings": vectors}


def _error(answer: Any, status: int | None) -> dict[str, str] | None:
    said = answer.get("error") if _is(answer) else None
    failed = status is not None and status >= _FAILS_FROM
    if not failed and (said in (None, "", {}, False) or (_is(answer) and _replies(answer))):
        return None
    kind, message = (f"HTTP {status}" if failed else ""), said
    if _is(said):
        kind = str(said.get("type") or said.get("code") or said.get("status") or kind)
        message = said.get("message", said)
    elif said is None and answer is not None:
        message = answer.get("message", answer) if _is(answer) else answer
    if failed and not kind.startswith("HTTP"):
        message = f"{message} (HTTP {status})"
    return {key: value for key, value in
            (("type", kind), ("message", "" if message is None else str(message)[:10_000]))
            if value}  # fmt: skip
