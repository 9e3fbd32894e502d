"""Messages of Pydantic-AI, as `all_messages_json` writes them: requests and responses in turn.

Each response is a call of a model; what came back from tools stands in the request after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.importers import messages
from inspector.importers.conversations import Told, conversation_run
from inspector.importers.foreign import nanoseconds
from inspector.importers.reading import usage_in
from inspector.importers.texts import pieces, tree_of, whole_items
from inspector.importers.trees import converted, error
from inspector.runfile.leaf import LeafError
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_CALLS = ("tool-call", "builtin-tool-call", "native-tool-call")
_RETURNS = ("tool-return", "builtin-tool-return", "native-tool-return")
_MOST_BEFORE = 200
"""Messages that a call is shown with: each of thousands of calls repeats all before it."""
_FINE = ("success", None, "")
_SINCE = "shown from when the model had asked for it"


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    return 85 if head.keys >= {"parts", "kind"} and head.has("part_kind", "request") else 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield one run: an agent for each turn, with its calls of models and tools.

    Raises:
        RunFileError: Nothing in it can be read.

    """
    reader = _Reader()
    for message in _messages(context):
        if isinstance(message, dict) and isinstance(message.get("parts"), list):
            reader.take(message)
        else:
            context.losses.skip("entry that is no message")
    if not reader.told:
        raise RunFileError(
            f"Nothing can be read of {context.name}: messages of Pydantic-AI, cut off or damaged.",
            hint="Copy or write them again.",
        )
    context.losses.lose("when tools began", "the messages say when their results came")
    told = reader.ended()
    yield conversation_run(told, context, "agent", reader.seed, conversation=reader.conversation)


def _messages(context: Context) -> Iterator[Any]:
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as trouble:
            context.losses.problem(f"It is cut off or damaged ({trouble}).", piece.where)
            context.losses.skip("message that is cut off or damaged")
            yield from whole_items(piece.text)
            continue
        yield from tree if isinstance(tree, list) else [tree]


class _Reader:
    """Takes one message after the other."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        self.seed = ""
        self.conversation: str | None = None
        self._agent: Told | None = None
        self._run_id: Any = None
        self._history: list[dict[str, Any]] = []
        self._asked_at: int | None = None
        self._waiting: dict[str, Told] = {}
        self._instructions = ""

    def take(self, message: dict[str, Any]) -> None:
        if isinstance(said := message.get("conversation_id"), str):
            self.conversation = said
        self.seed += str(message.get("timestamp") or "")
        if message.get("kind") == "response" or "model_name" in message:
            self._response(message)
        else:
            self._request(message)

    def ended(self) -> list[Told]:
        """Return all spans; what nobody answered is unfinished."""
        for agent in self.told:
            inside = [each for each in self.told if each.parent is agent]
            if agent.kind != "agent":
                continue
            ends = [each.end for each in inside if each.end is not None]
            agent.end = max(ends, default=None)
            last = inside[-1] if inside else None
            if last is None or last.status == "unfinished" or _leads_on(last):
                agent.status = "unfinished"
            if agent.status == "unfinished":
                agent.end = None
        return self.told

    def _turn(self, message: dict[str, Any], *, asked: bool) -> Told:
        run = message.get("run_id")
        begins = run != self._run_id if run else asked and not self._waiting
        if self._agent is None or begins:
            self._agent = Told("agent", "agent", fields={}, lacking={})
            self.told.append(self._agent)
            self._waiting = {}
        self._run_id = run
        return self._agent

    def _request(self, message: dict[str, Any]) -> None:
        parts = [part for part in message["parts"] if isinstance(part, dict)]
        prompted = [part for part in parts if part.get("part_kind") == "user-prompt"]
        agent = self._turn(message, asked=bool(prompted))
        times = [nanoseconds(part.get("timestamp")) for part in parts]
        known = [at for at in (nanoseconds(message.get("timestamp")), *times) if at is not None]
        self._asked_at = max(known, default=None)
        if agent.start is None:
            agent.start = min(known, default=None)
        if prompted and "inputs" not in agent.fields:
            agent.fields["inputs"] = {"messages": [_spoken(part) for part in prompted]}
        said = message.get("instructions")
        self._instructions = said if isinstance(said, str) else ""
        for part in parts:
            self._history.append(_spoken(part))
            if part.get("part_kind") in (*_RETURNS, "retry-prompt"):
                self._returned(part, nanoseconds(part.get("timestamp")) or self._asked_at)

    def _returned(self, part: dict[str, Any], at: int | None) -> None:
        tool = self._waiting.pop(str(part.get("tool_call_id")), None)
        if tool is None:
            return
        tool.end, tool.status = at, "ok"
        tool.lacking.pop("outputs", None)
        content = part.get("content")
        if part.get("part_kind") == "retry-prompt" or part.get("outcome") not in _FINE:
            tool.status = "failed"
            kind = "retry" if part.get("part_kind") == "retry-prompt" else part.get("outcome")
            text = content if isinstance(content, str) else str(converted(content))
            tool.fields["error"] = error(kind, text)
        else:
            tool.fields["outputs"] = converted(content)

    def _response(self, message: dict[str, Any]) -> None:
        agent = self._turn(message, asked=False)
        at = nanoseconds(message.get("timestamp"))
        parts = [part for part in message["parts"] if isinstance(part, dict)]
        reply = messages.chat_message("assistant", [_answered(part) for part in parts])
        model = str(message.get("model_name") or "model")
        usage, finish = _usage(message), message.get("finish_reason")
        meta = {"model": message.get("model_name"), "finish_reason": finish}
        reply["meta"] = {key: value for key, value in meta.items() if isinstance(value, str)}
        asked = self._history[-_MOST_BEFORE:]
        if len(self._history) > _MOST_BEFORE:
            left = len(self._history) - _MOST_BEFORE
            asked.insert(0, messages.chat_message("system", [{"text": f"[{left:,} before these]"}]))
        if self._instructions:
            asked.insert(0, messages.chat_message("system", [{"text": self._instructions}]))
        provider = message.get("provider_name")
        llm = {"name": model, "provider": provider, "finish_reason": finish}
        call = Told("llm", model, agent, self._asked_at, at)
        if at is not None and self._asked_at is not None and at < self._asked_at:
            call.end = None
            call.lacking["end_ns"] = (
                "the provider's clock says that it answered before it was asked"
            )
        if message.get("state") in ("interrupted", "suspended"):
            call.status = "unfinished"
        call.fields = {
            "inputs": {"messages": asked},
            "outputs": {"replies": [reply]},
            "llm": {key: value for key, value in llm.items() if isinstance(value, str)},
            "usage": usage,
            "tags": _tags(message),
        }
        if usage is None:
            call.lacking["usage"] = "the response does not say how many tokens it took"
        self.told.append(call)
        self._history.append(reply)
        agent.fields["outputs"] = {"last_message": reply}
        self._called(parts, agent, at)

    def _called(self, parts: list[dict[str, Any]], agent: Told, at: int | None) -> None:
        for part in parts:
            if part.get("part_kind") in _CALLS:
                made = messages.call(
                    part.get("tool_name"), part.get("args") or {}, part.get("tool_call_id")
                )
                inner = made["tool_call"]
                tool = Told("tool", str(part.get("tool_name") or "tool"), agent, at)
                tool.status = "unfinished"
                tool.lacking = {"start_ns": _SINCE, "outputs": "no message holds its result"}
                arguments = inner.get("arguments")
                tool.fields = {"inputs": arguments, "arguments": arguments}
                if part.get("tool_call_id"):
                    tool.fields["tool_call"] = {"id": str(part["tool_call_id"])}
                self.told.append(tool)
                self._waiting[str(part.get("tool_call_id"))] = tool
            elif part.get("part_kind") in _RETURNS:
                self._returned(part, nanoseconds(part.get("timestamp")) or at)


def _leads_on(last: Told) -> bool:
    """Whether a model would have been asked again: its last word was a call of a tool."""
    return last.kind == "tool" and not last.name.startswith("final_result")


def _tags(message: dict[str, Any]) -> dict[str, Any] | None:
    keys = ("provider_response_id", "provider_url", "provider_details", "run_id", "metadata")
    found = {key: converted(message[key]) for key in keys if message.get(key)}
    return found or None


def _usage(message: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a response reports. Nothing but zeros is what it says when it knows nothing."""
    raw = message.get("usage")
    if not isinstance(raw, dict):
        return None
    given = raw.get("input_tokens", raw.get("request_tokens"))
    taken = raw.get("output_tokens", raw.get("response_tokens"))
    if not given and not taken:
        return None
    details = raw.get("details")
    details = details if isinstance(details, dict) else {}
    cached = raw.get("cache_read_tokens") or details.get("cached_tokens")
    thought = raw.get("output_reasoning_tokens") or details.get("reasoning_tokens")
    found: dict[str, Any] = {"prompt_tokens": given, "completion_tokens": taken}
    prompt = {"cached_tokens": cached, "cache_write_tokens": raw.get("cache_write_tokens"),
              "audio_tokens": raw.get("input_audio_tokens")}  # fmt: skip
    answer = {"reasoning_tokens": thought, "audio_tokens": raw.get("output_audio_tokens")}
    for key, inner in (("prompt_tokens_details", prompt), ("completion_tokens_details", answer)):
        if known := {name: value for name, value in inner.items() if value}:
            found[key] = known
    usage = usage_in({key: value for key, value in found.items() if value is not None})
    return None if usage is None else {**usage, "raw": converted(raw)}


def _spoken(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a request as a message of ours."""
    kind, content = part.get("part_kind"), part.get("content")
    if kind in _RETURNS or (kind == "retry-prompt" and part.get("tool_name")):
        failed = kind == "retry-prompt" or part.get("outcome") not in _FINE
        result = messages.result(
            part.get("tool_call_id"), part.get("tool_name"), content, failed=failed
        )
        return messages.chat_message("tool", [result])
    role = "system" if kind == "system-prompt" else "user"
    items = content if isinstance(content, list) and kind == "user-prompt" else [content]
    return messages.chat_message(role, [_content(item) for item in items])


def _content(item: Any) -> dict[str, Any]:
    if isinstance(item, dict):
        if isinstance(item.get("url"), str):
            return {"text": f"[{item.get('kind', 'a file')} at {item['url']}]"}
        if item.get("kind") == "binary" and isinstance(item.get("data"), str):
            kind = str(item.get("media_type", ""))
            tag = "image" if kind.startswith("image/") else "file"
            return {TAG: tag, "data": {TAG: "bytes", "base64": item["data"]}, "mime_type": kind}
        if isinstance(item.get("content"), str):
            return {"text": item["content"]}
    return messages.text(item if isinstance(item, str) else converted(item))


def _answered(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a response as a part of a message of ours."""
    kind = part.get("part_kind")
    if kind in _CALLS:
        return messages.call(
            part.get("tool_name"), part.get("args") or {}, part.get("tool_call_id")
        )
    if kind in _RETURNS:
        return messages.result(part.get("tool_call_id"), part.get("tool_name"), part.get("content"))
    if kind == "thinking":
        return {"reasoning": {"text": str(part.get("content") or "")}}
    return _content(part.get("content"))
