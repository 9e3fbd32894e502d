"""Value trees as a run file holds them."""

from typing import Any


def message(text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"$": "chat_message", "role": role, "content": [{"text": text}], **more}


def call(tool: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_call": {"id": call_id, "name": tool, "arguments": arguments}}


def result(tool: str, call_id: str, text: str, **arguments: Any) -> dict[str, Any]:
    told = {"id": call_id, "name": tool, "arguments": arguments}
    return {"tool_result": {"call": told, "result": text, "error": False}}


def turn(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"$": "chat_message", "role": role, "content": list(parts)}


def document(name: str, content: str, score: float | None = None, **meta: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"$": "document", "id": name, "content": content, "meta": meta}
    return found if score is None else {**found, "score": score}
