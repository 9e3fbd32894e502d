"""Messages as the APIs of model providers write them: OpenAI, Anthropic, Google, Bedrock."""

from __future__ import annotations

from typing import Any

from inspector.importers import messages
from inspector.importers.trees import converted
from inspector.runfile.value import TAG

_ROLES = {"model": "assistant", "function": "tool", "developer": "system", "ai": "assistant",
          "human": "user"}  # fmt: skip
_TEXTS = frozenset({"text", "input_text", "output_text", "refusal", "summary_text"})
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


def messages_of(items: Any) -> list[dict[str, Any]]:
    """Return a conversation in our words; results of tools get the names of their calls."""
    if isinstance(items, str):
        return [messages.chat_message("user", [{"text": items}])]
    called: dict[str, dict[str, Any]] = {}
    made = [message_of(item) for item in items] if isinstance(items, list) else []
    for message in made:
        for part in message["content"]:
            if isinstance(call := part.get("tool_call"), dict) and isinstance(call.get("id"), str):
                called[call["id"]] = call
            if isinstance(result := part.get("tool_result"), dict):
                known = called.get(str(result["call"].get("id")))
                result["call"] = known or result["call"]
    return made


def message_of(tree: Any, role: str = "user") -> dict[str, Any]:
    """Return one message, or one item of a conversation, in our words."""
    if not isinstance(tree, dict):
        return messages.chat_message(role, [_part(tree)])
    if (made := _item(tree)) is not None:
        return made
    said = str(tree.get("role") or role)
    content = tree.get("content", tree.get("parts"))
    name = tree.get("name")
    parts: list[dict[str, Any]] = []
    for key in _THOUGHTS:
        if isinstance(thought := tree.get(key), str) and thought:
            parts.append({"reasoning": {"text": thought}})
            break
    if said in ("tool", "function") and not _holds_results(content):
        parts.append(messages.result(tree.get("tool_call_id"), name, _said(content)))
        name = None
    elif isinstance(content, list):
        parts += [_part(each) for each in content]
    elif content not in (None, ""):
        parts.append(_part(content))
    if isinstance(refusal := tree.get("refusal"), str) and refusal:
        parts.append({"text": refusal})
    calls = tree.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            function = call.get("function")
            function = function if isinstance(function, dict) else call
            parts.append(messages.call(function.get("name"), _arguments(function), call.get("id")))
    if isinstance(old := tree.get("function_call"), dict):
        parts.append(messages.call(old.get("name"), _arguments(old)))
    return messages.chat_message(_ROLES.get(said, said), parts, name)


def _item(tree: dict[str, Any]) -> dict[str, Any] | None:
    """Return an item of OpenAI's responses that is no message; None for a message."""
    kind = tree.get("type")
    if kind in ("function_call", "custom_tool_call"):
        arguments = tree.get("arguments", tree.get("input", {}))
        call = messages.call(tree.get("name"), arguments, tree.get("call_id", tree.get("id")))
        return messages.chat_message("assistant", [call])
    if kind in ("function_call_output", "custom_tool_call_output"):
        result = messages.result(tree.get("call_id"), None, _said(tree.get("output")))
        return messages.chat_message("tool", [result])
    if kind == "reasoning":
        texts = [
            str(part.get("text") or "")
            for key in ("summary", "content")
            for part in (tree[key] if isinstance(tree.get(key), list) else [])
            if isinstance(part, dict)
        ]
        return messages.chat_message("assistant", [{"reasoning": {"text": "\n".join(texts)}}])
    if isinstance(kind, str) and kind.endswith("_call") and "role" not in tree:
        call = messages.call(kind, {k: v for k, v in tree.items() if k not in ("type", "id")})
        return messages.chat_message("assistant", [call])
    return None


def _arguments(call: dict[str, Any]) -> Any:
    found = call.get("arguments", call.get("args", call.get("input")))
    return {} if found in (None, "") else found


def _holds_results(content: Any) -> bool:
    """Whether the parts of a message say themselves what they are the results of."""
    marks = {"functionResponse", "function_response", "toolResult", "tool_use_id"}
    return isinstance(content, list) and any(
        isinstance(part, dict) and part.keys() & marks for part in content
    )


def _said(content: Any) -> Any:
    """Return what a result says: its text, where its parts are nothing but texts."""
    if isinstance(content, list) and content:
        texts = [
            part.get("text")
            for part in content
            if isinstance(part, dict) and part.get("type", "text") in _TEXTS
        ]
        if len(texts) == len(content) and all(isinstance(text, str) for text in texts):
            return "\n".join(map(str, texts))
    return "" if content is None else content


def _part(part: Any) -> dict[str, Any]:
    if isinstance(part, str):
        return {"text": part}
    if not isinstance(part, dict):
        return {"text": str(part)}
    kind = part.get("type")
    made = _typed(part, kind) if isinstance(kind, str) else _keyed(part)
    if made is not None:
        return made
    tree = converted(part)
    return tree if isinstance(tree, dict) else {"text": str(part)}


def _typed(part: dict[str, Any], kind: str) -> dict[str, Any] | None:
    if kind in _TEXTS:
        return messages.text(part.get("text", part.get("refusal", "")))
    if kind in ("tool_use", "server_tool_use"):
        return messages.call(part.get("name"), _arguments(part), part.get("id"))
    if kind == "tool_result" or (kind.endswith("_tool_result") and "tool_use_id" in part):
        said = _said(part.get("content"))
        return messages.result(
            part.get("tool_use_id"), None, said, failed=bool(part.get("is_error"))
        )
    if kind in ("thinking", "redacted_thinking"):
        return {"reasoning": {"text": str(part.get("thinking") or "")}}
    if kind in ("image_url", "input_image"):
        url = part.get("image_url")
        return _picture(url.get("url") if isinstance(url, dict) else url)
    if kind == "image" and isinstance(source := part.get("source"), dict):
        if isinstance(source.get("data"), str):
            return _image(source["data"], source.get("media_type"))
        return _picture(source.get("url"))
    return None


def _keyed(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return a part that is known by its key, as Google and Bedrock write them."""
    if isinstance(text := part.get("text"), str):
        return {"reasoning": {"text": text}} if part.get("thought") else {"text": text}
    for key, id_ in (("functionCall", "id"), ("function_call", "id"), ("toolUse", "toolUseId")):
        if isinstance(call := part.get(key), dict):
            return messages.call(call.get("name"), _arguments(call), call.get(id_))
    for key in ("functionResponse", "function_response"):
        if isinstance(answer := part.get(key), dict):
            return messages.result(answer.get("id"), answer.get("name"), answer.get("response"))
    if isinstance(answer := part.get("toolResult"), dict):
        failed = answer.get("status") == "error"
        said = _said(answer.get("content"))
        return messages.result(answer.get("toolUseId"), None, said, failed=failed)
    if isinstance(thought := part.get("reasoningContent"), dict):
        inner = thought.get("reasoningText")
        return {
            "reasoning": {"text": str(inner.get("text", "") if isinstance(inner, dict) else "")}
        }
    for key, type_ in (("inlineData", "mimeType"), ("inline_data", "mime_type")):
        data = part.get(key)
        if isinstance(data, dict) and isinstance(data.get("data"), str):
            return _image(data["data"], data.get(type_))
    return None


def _picture(url: Any) -> dict[str, Any] | None:
    if not isinstance(url, str):
        return None
    head, comma, data = url.partition(",")
    if head.startswith("data:") and comma and head.endswith(";base64"):
        return _image(data, head[5:].partition(";")[0])
    return {"text": f"[an image at {url}]"}


def _image(data: str, type_: Any) -> dict[str, Any]:
    made: dict[str, Any] = {TAG: "image", "data": {TAG: "bytes", "base64": data}}
    if isinstance(type_, str):
        made["mime_type"] = type_
    return made
