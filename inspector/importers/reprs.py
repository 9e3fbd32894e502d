"""Haystack's messages as Python shows them, which some tools write in place of JSON.

Python's own parser takes the text apart; nothing in it is run or looked up.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from inspector.importers.trees import message

_LONGEST = 200_000
_ROLE = re.compile(r"<ChatRole\.\w+: ('\w+')>")
_PART_NAMES = {
    "ToolCall": "tool_call",
    "ToolCallResult": "tool_call_result",
    "ReasoningContent": "reasoning",
    "ImageContent": "image",
    "FileContent": "file",
}


def revived(tree: Any, level: int = 0) -> Any:
    """Return a tree in which texts that show a chat message are that message."""
    if isinstance(tree, str):
        return _message(tree) if tree.startswith("ChatMessage(") else tree
    if level > 8:
        return tree
    if isinstance(tree, list):
        return [revived(item, level + 1) for item in tree]
    if isinstance(tree, dict):
        return {key: revived(item, level + 1) for key, item in tree.items()}
    return tree


def _message(text: str) -> Any:
    if len(text) > _LONGEST:
        return text
    try:
        node = ast.parse(_ROLE.sub(r"\1", text), mode="eval").body
        shown = _value(node)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text
    if not isinstance(shown, dict) or "_role" not in shown:
        return text
    return message(shown)


def _value(node: ast.expr) -> Any:
    """Return what an expression shows.

    Raises:
        ValueError: It shows something that is not a literal.

    """
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.args:
            raise ValueError(ast.dump(node.func))
        name = node.func.id
        fields = {each.arg: _value(each.value) for each in node.keywords if each.arg}
        if name in ("TextContent", "ChatMessage"):
            return fields
        if name not in _PART_NAMES:
            raise ValueError(name)
        if name == "ToolCallResult" and isinstance(fields.get("origin"), dict):
            fields["origin"] = fields["origin"].get("tool_call", fields["origin"])
        return {_PART_NAMES[name]: fields}
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return {
            str(_value(key)): _value(item)
            for key, item in zip(node.keys, node.values, strict=True)
            if key is not None
        }
    return ast.literal_eval(node)
