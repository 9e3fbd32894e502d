"""Which call of a reply a tool's span is. Haystack does not say."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any


class _Asked:
    """One call that the model asked for."""

    __slots__ = ("arguments", "id", "index", "name", "taken")

    def __init__(self, name: str, arguments: Any, call_id: str | None, index: int) -> None:
        self.name = name
        self.arguments = arguments
        self.id = call_id
        self.index = index
        self.taken = False


class ToolCalls:
    """The calls of one step's reply, handed out to the spans of the tools.

    A tool is run with the very dictionary that stands in the reply, so three equal
    calls at once can be told apart. Where a person changed or a hook rebuilt the
    calls, the first call of that name with equal arguments is meant.
    """

    def __init__(self) -> None:
        self.tools: Any = None  # those that the model could choose from
        self._asked: list[_Asked] = []
        self._extra = 0
        self._lock = threading.Lock()

    def add_reply(self, outputs: Any) -> None:
        """Remember what the model asks for in its output."""
        replies = outputs.get("replies") if isinstance(outputs, dict) else None
        for reply in replies or ():
            for call in getattr(reply, "tool_calls", None) or ():
                self._asked.append(
                    _Asked(call.tool_name, call.arguments, call.id, len(self._asked))
                )

    def replace(self, name: str, call_id: str | None, before: Any, after: Any) -> None:
        """Expect other arguments for a call: somebody changed them before it ran."""
        for asked in self._asked:
            same = asked.id == call_id if call_id else _equal(asked.arguments, before)
            if asked.name == name and same and asked.arguments is not after:
                asked.arguments = after
                return

    def take(self, name: str, arguments: Any) -> tuple[int, str | None]:
        """Return the index in the reply, and the id, of the call with these arguments."""
        with self._lock:
            asked = self._find(name, arguments)
            if asked is None:
                self._extra += 1
                return len(self._asked) + self._extra - 1, None
            asked.taken = True
            return asked.index, asked.id

    def _find(self, name: str, arguments: Any) -> _Asked | None:
        free = [asked for asked in self._asked if asked.name == name and not asked.taken]
        for asked in free:
            if asked.arguments is arguments:
                return asked
        for asked in free:
            if _equal(asked.arguments, arguments):
                return asked
        return free[0] if free else None


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - arrays and the like refuse to answer
        return False


def gets_state(tools: Any, name: str) -> bool:
    """Say whether a tool may reach the agent's state, and with it every message so far."""
    try:
        tool = next(tool for tool in tools if tool.name == name)
        function = getattr(tool, "function", None)
        if type(tool).__name__ != "Tool" or tool.inputs_from_state or function is None:
            return True
        return _takes_state(getattr(function, "__func__", function))
    except Exception:  # noqa: BLE001 - whatever is not known may be
        return True


@lru_cache(maxsize=1_000)
def _takes_state(function: Any) -> bool:
    return any("State" in str(hint) for hint in function.__annotations__.values())
