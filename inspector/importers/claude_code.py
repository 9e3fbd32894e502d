"""Sessions of Claude Code: a line for each message, or a part of one.

A reply is told in several lines that share its id and repeat its tokens; it is one call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.importers.conversations import Told, conversation_run
from inspector.importers.foreign import nanoseconds
from inspector.importers.reading import usage_in
from inspector.importers.texts import pieces, tree_of
from inspector.importers.trees import converted, error
from inspector.importers.wire_parts import message_of
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_MARKS = frozenset({"uuid", "parentUuid", "isSidechain", "sessionId"})
_SINCE = "shown from when what it answers was written"
_KINDS = ("user", "assistant")


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if len(head.keys & _MARKS) >= 2 and head.keys & {"type", "message"}:
        return 85
    if "loglines" in head.keys:
        return 80
    # The first lines may be summaries, which have no ids.
    if head.keys >= {"type", "summary"} or head.keys >= {"type", "sessionId"}:
        return 75 if head.has("leafUuid", "parentUuid") else 0
    return 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each session in the file.

    Raises:
        RunFileError: Nothing in it can be read.

    """
    sessions: dict[str, _Session] = {}
    summary = ""
    for line in _lines(context):
        if not isinstance(line, dict):
            context.losses.skip("line that is no entry")
        elif line.get("type") in _KINDS and isinstance(line.get("message"), dict):
            key = str(line.get("sessionId") or "")
            sessions.setdefault(key, _Session(key)).take(line)
        elif line.get("type") == "summary":
            summary = str(line.get("summary") or "")
        else:
            context.losses.skip("entry that is no message")
    if not sessions:
        raise RunFileError(
            f"Nothing can be read of {context.name}: a session of Claude Code without a message.",
            hint="Copy it again; sessions that were only opened hold none.",
        )
    context.losses.lose("when calls and tools began", "a session says when each was answered")
    context.losses.lose("whole prompts", "each call is shown with what was new to it")
    for key, session in sessions.items():
        told = session.ended()
        yield conversation_run(
            told, context, summary or "session", f"{key}{session.first}", session=key,
            version=session.version,
        )  # fmt: skip


def _lines(context: Context) -> Iterator[Any]:
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as trouble:
            context.losses.skip("line that cannot be read", f"{piece.where} {trouble}")
            continue
        if isinstance(tree, dict) and isinstance(tree.get("loglines"), list):
            yield from tree["loglines"]
        elif isinstance(tree, list):
            yield from tree
        else:
            yield tree


class _Session:
    """Takes one line after the other."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.first = ""
        self.version = ""
        self._told: list[Told] = []
        self._agents: dict[bool, Told] = {}
        self._calls: dict[str, Told] = {}
        self._waiting: dict[str, Told] = {}
        self._history: dict[bool, list[dict[str, Any]]] = {False: [], True: []}
        self._latest: dict[bool, int | None] = {}
        self._seen = set[str]()

    def take(self, line: dict[str, Any]) -> None:
        uuid = line.get("uuid")
        if isinstance(uuid, str):
            if uuid in self._seen:
                return  # told again where a session was taken up once more
            self._seen.add(uuid)
        self.first = self.first or str(uuid or line.get("timestamp") or "")
        self.version = self.version or str(line.get("version") or "")
        side = bool(line.get("isSidechain"))
        at = nanoseconds(line.get("timestamp"))
        agent = self._agent(at, side=side)
        if line["type"] == "assistant":
            self._answered(line, agent, at, side=side)
        else:
            self._asked(line["message"], agent, at, side=side)
        if at is not None:
            self._latest[side] = at
            agent.end = max(at, agent.end or at)

    def ended(self) -> list[Told]:
        """Return all spans of the session."""
        main = self._agents.get(False)
        ends = [each.end for each in self._told if each.end is not None]
        for agent in self._agents.values():
            if any(each.parent is agent and each.status == "unfinished" for each in self._told):
                agent.status, agent.end = "unfinished", None
        if main is not None and main.end is not None:
            main.end = max(ends, default=main.end)
        return self._told

    def _agent(self, at: int | None, *, side: bool) -> Told:
        known = self._agents.get(side)
        if known is None:
            above = self._agents.get(False) if side else None
            known = Told("agent", "sidechain" if side else "agent", above, at)
            self._agents[side] = known
            self._told.append(known)
        return known

    def _asked(self, message: dict[str, Any], agent: Told, at: int | None, *, side: bool) -> None:
        made = message_of(message, "user")
        self._history[side].append(made)
        content = message.get("content")
        results = [
            part
            for part in (content if isinstance(content, list) else [])
            if isinstance(part, dict) and part.get("type") == "tool_result"
        ]
        if not results:
            agent.fields.setdefault("inputs", {"messages": []})["messages"].append(made)
        for part in results:
            tool = self._waiting.pop(str(part.get("tool_use_id")), None)
            if tool is None:
                continue
            tool.end = at
            tool.lacking.pop("outputs", None)
            said = next(
                (each["tool_result"]["result"] for each in message_of(
                    {"role": "user", "content": [part]})["content"] if "tool_result" in each),
                None,
            )  # fmt: skip
            tool.status = "failed" if part.get("is_error") else "ok"
            if part.get("is_error"):
                tool.fields["error"] = error("tool error", said if isinstance(said, str) else "")
            else:
                tool.fields["outputs"] = said

    def _answered(self, line: dict[str, Any], agent: Told, at: int | None, *, side: bool) -> None:
        message = line["message"]
        key = str(message.get("id") or line.get("requestId") or line.get("uuid") or "")
        made = message_of(message, "assistant")
        call = self._calls.get(key)
        if call is None:
            model = str(message.get("model") or "model")
            call = Told("llm", model, agent, self._latest.get(side))
            call.fields = {
                "inputs": {"messages": list(self._history[side])},
                "outputs": {"replies": [made]},
                "llm": {"name": model, "provider": "anthropic"},
            }
            call.lacking = {"start_ns": _SINCE}
            self._calls[key] = call
            self._told.append(call)
            self._history[side].clear()
        else:
            call.fields["outputs"]["replies"][0]["content"] += made["content"]
        call.end = at if at is not None else call.end
        _note_answer(call, line, message)
        agent.fields["outputs"] = {"last_message": call.fields["outputs"]["replies"][0]}
        for part in made["content"]:
            if (asked := part.get("tool_call")) is None:
                continue
            tool = Told("tool", str(asked.get("name") or "tool"), agent, at, status="unfinished")
            tool.lacking = {
                "start_ns": "shown from when the model had asked for it",
                "outputs": "no line holds its result",
            }
            tool.fields = {"inputs": asked.get("arguments"), "arguments": asked.get("arguments")}
            if asked.get("id"):
                tool.fields["tool_call"] = {"id": asked["id"]}
                self._waiting[str(asked["id"])] = tool
            self._told.append(tool)


def _note_answer(call: Told, line: dict[str, Any], message: dict[str, Any]) -> None:
    """Note what the lines of a reply repeat; the last one has it all."""
    if isinstance(raw := message.get("usage"), dict):
        call.fields["usage"] = usage_in(raw, "anthropic") or call.fields.get("usage")
    if isinstance(why := message.get("stop_reason"), str):
        call.fields["llm"]["finish_reason"] = why
    if line.get("requestId"):
        call.fields["tags"] = {"request_id": str(line["requestId"])}
    if line.get("isApiErrorMessage") or line.get("error"):
        call.status = "failed"
        texts = [str(part["text"]) for part in call.fields["outputs"]["replies"][0]["content"]
                 if "text" in part]  # fmt: skip
        call.fields["error"] = error(
            "API error", " ".join(texts) or str(converted(line.get("error") or ""))
        )
