"""Sessions of Codex: a line for each event, wrapped in newer versions and bare in older ones.

Most is told twice, as an item of the conversation and as an event for the screen; the items count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.importers.conversations import Told, conversation_run
from inspector.importers.foreign import nanoseconds
from inspector.importers.messages import chat_message
from inspector.importers.reading import plain, usage_in
from inspector.importers.texts import pieces, tree_of
from inspector.importers.trees import converted, error
from inspector.importers.wire_parts import message_of
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_WRAPPED = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
_ITEMS = frozenset({"message", "reasoning", "function_call", "function_call_output",
                    "custom_tool_call", "custom_tool_call_output", "local_shell_call",
                    "web_search_call"})  # fmt: skip
_SINCE = "shown from when what it answers was written"


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if head.keys >= {"type", "payload"} and head.has(*_WRAPPED):
        return 85
    if head.has("record_type") and head.has_all("id", "timestamp"):
        return 75
    return 60 if head.keys >= {"id", "timestamp", "instructions"} else 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield one run: the session.

    Raises:
        RunFileError: Nothing in it can be read.

    """
    session = _Session()
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as trouble:
            context.losses.skip("line that cannot be read", f"{piece.where} {trouble}")
            continue
        for line in tree if isinstance(tree, list) else [tree]:
            if not isinstance(line, dict) or not session.take(line):
                context.losses.skip("line that is no entry", piece.where)
    if not session.began:
        raise RunFileError(
            f"Nothing can be read of {context.name}: a session of Codex without a message.",
            hint="Copy it again; sessions that were only opened hold none.",
        )
    context.losses.lose("when calls began", "a session says when each was answered")
    context.losses.lose("whole prompts", "each call is shown with what was new to it")
    yield conversation_run(
        session.ended(), context, "session", session.key, session=session.key,
        version=session.version,
    )  # fmt: skip


class _Session:
    """Takes one line after the other."""

    def __init__(self) -> None:
        self.key = ""
        self.version = ""
        self.began = False
        self._agent = Told("agent", "agent")
        self._told = [self._agent]
        self._model = "model"
        self._call: Told | None = None
        self._uncounted: list[Told] = []
        self._new: list[dict[str, Any]] = []
        self._waiting: dict[str, Told] = {}
        self._latest: int | None = None
        self._total: Any = None

    def take(self, line: dict[str, Any]) -> bool:
        """Take a line; say whether it is one of a session."""
        at = nanoseconds(line.get("timestamp"))
        kind, payload = line.get("type"), line.get("payload")
        if not isinstance(payload, dict):
            if kind in _ITEMS:
                self._item(line, at)
                return True
            self.key = self.key or str(line.get("id") or "")
            return "record_type" in line or "instructions" in line
        if kind == "session_meta":
            self.key = self.key or str(payload.get("id") or "")
            self.version = self.version or str(payload.get("cli_version") or "")
        elif kind == "turn_context":
            self._model = str(payload.get("model") or self._model)
        elif kind == "response_item":
            self._item(payload, at)
        elif kind == "event_msg":
            self._event(payload, at)
        elif kind == "compacted":
            said = str(payload.get("message") or "")
            self._new = [chat_message("system", [{"text": said}])]
        return kind in _WRAPPED

    def ended(self) -> list[Told]:
        """Return all spans of the session."""
        if self._waiting or (self._call is not None and self._call.status == "unfinished"):
            if self._agent.status == "ok":
                self._agent.status = "unfinished"
        elif self._agent.status == "ok":
            self._agent.end = self._latest
        if self._agent.status == "failed":
            self._agent.end = self._latest
        return self._told

    def _item(self, item: dict[str, Any], at: int | None) -> None:
        self.began = True
        kind = str(item.get("type") or "")
        if self._agent.start is None:
            self._agent.start = at
        if kind.endswith("_output"):
            self._returned(item, at)
        elif kind == "message" and item.get("role") != "assistant":
            self._call = None
            made = message_of(item)
            self._new.append(made)
            if made["role"] == "user":
                known = self._agent.fields.setdefault("inputs", {"messages": []})
                known["messages"].append(made)
        else:
            self._answered(item, kind, at)
        self._latest = at if at is not None else self._latest

    def _answered(self, item: dict[str, Any], kind: str, at: int | None) -> None:
        call = self._call
        if call is None:
            call = self._call = Told("llm", self._model, self._agent, self._latest)
            call.fields = {
                "inputs": {"messages": self._new},
                "outputs": {"replies": [chat_message("assistant", [])]},
                "llm": {"name": self._model, "provider": "openai"},
            }
            call.lacking = {"start_ns": _SINCE, "usage": "no event says how many tokens it took"}
            self._new = []
            self._told.append(call)
            self._uncounted.append(call)
        call.end = at if at is not None else call.end
        reply = call.fields["outputs"]["replies"][0]
        parts = message_of(item, "assistant")["content"]
        reply["content"] += parts
        self._agent.fields["outputs"] = {"last_message": reply}
        for part in parts:
            asked = part.get("tool_call")
            # Searches of the web ran at the provider, and nobody answers them here.
            if asked is None or kind == "web_search_call":
                continue
            tool = Told("tool", str(asked.get("name") or kind), self._agent, at)
            tool.status = "unfinished"
            tool.lacking = {"outputs": "no line holds its result"}
            tool.fields = {"inputs": asked.get("arguments"), "arguments": asked.get("arguments")}
            key = str(item.get("call_id") or item.get("id") or "")
            tool.fields["tool_call"] = {"id": key}
            self._waiting[key] = tool
            self._told.append(tool)

    def _returned(self, item: dict[str, Any], at: int | None) -> None:
        self._call = None
        self._new.append(message_of(item))
        tool = self._waiting.pop(str(item.get("call_id")), None)
        if tool is None:
            return
        output = plain(item.get("output"))
        tool.end, tool.status = at, "ok"
        tool.lacking.pop("outputs", None)
        failed = isinstance(output, dict) and output.get("success") is False
        if isinstance(output, dict) and "output" in output:
            tool.fields["tags"] = converted(output.get("metadata")) or None
            output = output["output"]
        elif isinstance(output, dict) and "content" in output:
            output = output["content"]
        if failed:
            tool.status = "failed"
            tool.fields["error"] = error("tool error", output)
        else:
            tool.fields["outputs"] = converted(output)

    def _event(self, event: dict[str, Any], at: int | None) -> None:
        kind = event.get("type")
        if kind == "token_count" and isinstance(info := event.get("info"), dict):
            total, last = info.get("total_token_usage"), info.get("last_token_usage")
            # The same figures come again whenever limits change.
            if isinstance(last, dict) and (total is None or total != self._total):
                self._total = total
                self._count(last)
        elif kind in ("error", "stream_error") and self.began:
            self._agent.fields["error"] = error("error", event.get("message"))
            self._agent.status = "failed" if kind == "error" else self._agent.status
            if kind != "error":
                self._agent.fields.pop("error")
            self._latest = at if at is not None else self._latest
        elif kind == "turn_aborted" and self.began:
            self._agent.status = "unfinished"
        elif kind in ("task_started", "turn_started"):
            self._agent.status = "ok"
            self._agent.fields.pop("error", None)

    def _count(self, last: dict[str, Any]) -> None:
        """Give the figures to the latest call that has none."""
        if not self._uncounted:
            return
        call = self._uncounted.pop()
        self._uncounted.clear()
        cached, thought = last.get("cached_input_tokens"), last.get("reasoning_output_tokens")
        raw: dict[str, Any] = {
            "input_tokens": last.get("input_tokens"),
            "output_tokens": last.get("output_tokens"),
            "total_tokens": last.get("total_tokens"),
        }
        if cached is not None:
            raw["input_tokens_details"] = {"cached_tokens": cached}
        if thought is not None:
            raw["output_tokens_details"] = {"reasoning_tokens": thought}
        usage = usage_in({key: value for key, value in raw.items() if value is not None}, "openai")
        if usage is not None:
            call.fields["usage"] = {**usage, "raw": converted(last)}
            call.lacking.pop("usage", None)
