"""What a run file says, brought into the same plain words that the witness uses."""

from typing import Any

from inspector.runfile.value import tag_of, to_python


def plain_tree(tree: Any) -> Any:
    """Translate a resolved value tree of a run file into the words of `witness.plain`."""
    match tag_of(tree):
        case "document":
            held = {key: tree[key] for key in ("id", "content", "score") if key in tree}
            return {"document": held, "meta": plain_tree(tree.get("meta", {}))}
        case "chat_message":
            parts = [_part(part) for part in tree.get("content", [])]
            order = ("text", "call", "result")
            parts.sort(key=lambda part: next(n for n, key in enumerate(order) if key in part))
            return {"role": tree["role"], "parts": parts, "meta": plain_tree(tree.get("meta", {}))}
        case "answer":
            documents = plain_tree(tree.get("documents", []))
            return {"answer": tree["data"], "query": tree["query"], "documents": documents}
        case "streaming_chunk":
            calls = [
                (c.get("index"), c.get("id"), c.get("tool_name"), c.get("arguments"))
                for c in tree.get("tool_calls") or []
            ]
            finish = tree.get("finish_reason")
            return {"content": tree.get("content", ""), "finish": finish, "calls": calls}
        case None:
            if isinstance(tree, list):
                return [plain_tree(item) for item in tree]
            if isinstance(tree, dict):
                return {key: plain_tree(item) for key, item in tree.items()}
            return tree
    python = to_python(tree)
    if isinstance(python, (list, tuple)):
        return [plain_tree(item) for item in python]
    return python if not isinstance(python, dict) else f"<{tag_of(tree)}>"


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if "tool_call" in part:
        call = part["tool_call"]
        arguments = plain_tree(call.get("arguments", {}))
        return {"call": call["name"], "arguments": arguments, "id": call.get("id")}
    if "tool_result" in part:
        result = part["tool_result"]
        said = plain_tree(result["result"])
        return {"result": said, "of": result["call"]["id"], "error": result.get("error", False)}
    return {"text": part["text"]}


def without_none(value: Any) -> Any:
    """Drop what is None: a run file leaves such fields out."""
    if isinstance(value, dict):
        return {key: without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_none(item) for item in value]
    return value
