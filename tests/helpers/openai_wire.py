"""The shapes OpenAI's API answers in, as plain dictionaries.

Written from the public API reference and from what the real client accepts; nothing
here is invented for convenience, so that a recording of a generator against the local
server looks like one against the provider.
"""

import base64
import hashlib
import json
import re
import struct
from collections.abc import Iterator
from typing import Any

CREATED = 1_790_000_000  # fixed, so that the same request always gets the same bytes

SNAPSHOTS = {
    "gpt-4o": "gpt-4o-2024-08-06",
    "gpt-4o-mini": "gpt-4o-mini-2024-07-18",
    "gpt-5-mini": "gpt-5-mini-2025-08-07",
}


def snapshot_of(model: str) -> str:
    """Return the dated name under which the provider answers for `model`."""
    return SNAPSHOTS.get(model, model)


def count_tokens(text: str) -> int:
    """Count words and marks: not a real tokenizer, but stable and in proportion."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def pieces_of(text: str) -> list[str]:
    """Cut `text` where a tokenizer roughly would; the pieces join to it exactly."""
    return re.findall(r"\s*\w+|\s*[^\w\s]|\s+$", text) if text else []


def error_body(message: str, kind: str, code: str | None, param: str | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


# -- chat completions ------------------------------------------------------------------------


def chat_usage(
    prompt: int, completion: int, *, cached: int = 0, reasoning: int = 0
) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def chat_completion(
    key: str,
    model: str,
    texts: list[str],
    calls: list[dict[str, Any]],
    finish_reason: str,
    usage: dict[str, Any] | None,
) -> dict[str, Any]:
    def message(text: str) -> dict[str, Any]:
        said: dict[str, Any] = {
            "role": "assistant",
            "content": text or (None if calls else ""),
            "refusal": None,
            "annotations": [],
        }
        return {**said, "tool_calls": calls} if calls else said

    body: dict[str, Any] = {
        "id": f"chatcmpl-{key}",
        "object": "chat.completion",
        "created": CREATED,
        "model": model,
        "choices": [
            {
                "index": index,
                "message": message(text),
                "logprobs": None,
                "finish_reason": finish_reason,
            }
            for index, text in enumerate(texts)
        ],
        "service_tier": "default",
        "system_fingerprint": "fp_local",
    }
    return {**body, "usage": usage} if usage is not None else body


def chat_chunks(
    key: str,
    model: str,
    pieces: list[str],
    calls: list[dict[str, Any]],
    finish_reason: str,
    usage: dict[str, Any] | None,
) -> Iterator[dict[str, Any]]:
    """Yield the chunks of one streamed reply; `usage` only when the request asked for it."""

    def chunk(choices: list[dict[str, Any]], figures: dict[str, Any] | None) -> dict[str, Any]:
        body: dict[str, Any] = {
            "id": f"chatcmpl-{key}",
            "object": "chat.completion.chunk",
            "created": CREATED,
            "model": model,
            "service_tier": "default",
            "system_fingerprint": "fp_local",
            "choices": choices,
        }
        # With include_usage every chunk has the key, and only the last one a value.
        return {**body, "usage": figures} if usage is not None else body

    def delta(said: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": said, "logprobs": None, "finish_reason": finish}
        return chunk([choice], None)

    opening = None if calls and not pieces else ""
    yield delta({"role": "assistant", "content": opening, "refusal": None})
    for piece in pieces:
        yield delta({"content": piece})
    for index, call in enumerate(calls):
        function = call["function"]
        opened = {"name": function["name"], "arguments": ""}
        head = {"index": index, "id": call["id"], "type": "function", "function": opened}
        yield delta({"tool_calls": [head]})
        for part in pieces_of(function["arguments"]):
            yield delta({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield delta({}, finish_reason)
    if usage is not None:
        yield chunk([], usage)


# -- the Responses API -----------------------------------------------------------------------


def responses_usage(
    prompt: int, completion: int, *, cached: int = 0, reasoning: int = 0
) -> dict[str, Any]:
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": prompt + completion,
    }


def response_items(
    key: str, text: str, reasoning: str, calls: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reasoning:
        summary = [{"type": "summary_text", "text": reasoning}]
        items.append({"type": "reasoning", "id": f"rs_{key}", "summary": summary})
    if text or not calls:
        part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        message = {"id": f"msg_{key}", "type": "message", "status": "completed"}
        items.append({**message, "role": "assistant", "content": [part]})
    items += [
        {
            "type": "function_call",
            "id": f"fc_{key}_{index}",
            "call_id": call["id"],
            "name": call["function"]["name"],
            "arguments": call["function"]["arguments"],
            "status": "completed",
        }
        for index, call in enumerate(calls)
    ]
    return items


def response(
    key: str,
    model: str,
    items: list[dict[str, Any]],
    usage: dict[str, Any] | None,
    *,
    status: str = "completed",
) -> dict[str, Any]:
    cut = {"reason": "max_output_tokens"} if status == "incomplete" else None
    return {
        "id": f"resp_{key}",
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": None,
        "incomplete_details": cut,
        "instructions": None,
        "max_output_tokens": None,
        "metadata": {},
        "model": model,
        "output": items,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": usage,
    }


def response_events(
    key: str, model: str, items: list[dict[str, Any]], usage: dict[str, Any] | None, status: str
) -> Iterator[dict[str, Any]]:
    """Yield the events of one streamed response, numbered as the provider numbers them."""
    finished = response(key, model, items, usage, status=status)
    begun = {**finished, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(items):
        events += _item_events(index, item)
    events.append({"type": f"response.{status}", "response": finished})
    for number, event in enumerate(events):
        yield {**event, "sequence_number": number}


def _item_events(index: int, item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    place = {"item_id": item["id"], "output_index": index}
    match item["type"]:
        case "message":
            part = item["content"][0]
            here = {**place, "content_index": 0}
            empty = {**part, "text": ""}
            opened = {**item, "status": "in_progress", "content": []}
            yield _item("added", index, opened)
            yield {"type": "response.content_part.added", **here, "part": empty}
            for piece in pieces_of(part["text"]):
                said = {"delta": piece, "logprobs": []}
                yield {"type": "response.output_text.delta", **here, **said}
            whole = {"text": part["text"], "logprobs": []}
            yield {"type": "response.output_text.done", **here, **whole}
            yield {"type": "response.content_part.done", **here, "part": part}
        case "reasoning":
            here = {**place, "summary_index": 0}
            yield _item("added", index, {**item, "summary": []})
            for piece in pieces_of(item["summary"][0]["text"]):
                yield {"type": "response.reasoning_summary_text.delta", **here, "delta": piece}
        case "function_call":
            yield _item("added", index, {**item, "arguments": "", "status": "in_progress"})
            for piece in pieces_of(item["arguments"]):
                yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
            ended = {"arguments": item["arguments"], "name": item["name"]}
            yield {"type": "response.function_call_arguments.done", **place, **ended}
    yield _item("done", index, item)


def _item(what: str, index: int, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": f"response.output_item.{what}", "output_index": index, "item": item}


# -- embeddings ------------------------------------------------------------------------------


def embedding_of(text: str, dimensions: int) -> list[float]:
    """Return a vector in which texts that share words point the same way."""
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()):
        place = hashlib.sha256(word.encode()).digest()
        vector[int.from_bytes(place[:4]) % dimensions] += 1.0
    length = sum(value * value for value in vector) ** 0.5 or 1.0
    return [value / length for value in vector]


def embeddings(model: str, texts: list[str], dimensions: int, encoding: str) -> dict[str, Any]:
    def encoded(text: str) -> Any:
        vector = embedding_of(text, dimensions)
        if encoding != "base64":
            return vector
        return base64.b64encode(struct.pack(f"<{dimensions}f", *vector)).decode()

    spent = sum(count_tokens(text) for text in texts)
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": encoded(text)}
            for index, text in enumerate(texts)
        ],
        "model": model,
        "usage": {"prompt_tokens": spent, "total_tokens": spent},
    }


def compact(tree: Any) -> str:
    return json.dumps(tree, separators=(",", ":"), ensure_ascii=False)
