"""Trajectories of SWE-agent, of all its versions, and of mini-SWE-agent."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.importers.conversations import Told, conversation_run
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

_STEP = frozenset({"action", "observation", "response", "thought"})
_SPOKEN = frozenset({"message_type", "agent", "thought", "action"})
_INFO = frozenset({"model_stats", "exit_status", "submission", "mini_version", "config"})
_FAILED = re.compile(r"error|exception|timeout|fail", re.IGNORECASE)
_COMMAND = re.compile(r"```(?:\w+)?\s*\n(.*?)\n?```", re.DOTALL)
_FIRST_WORD = re.compile(r"[\w.-]{1,60}")
_SINCE = "shown from when what it answers was written"
_UNTIMED = "the trajectory holds no times"
_NO_USAGE = "the trajectory says only the sum of all calls"
_ABOUT = ("exit_status", "submission", "model_stats", "mini_version", "swe_agent_version",
          "swe_agent_hash", "edited_files30", "review", "summarizer")  # fmt: skip


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    keys = head.keys
    if "trajectory" in keys and len(head.inner_keys("trajectory") & _STEP) >= 2:
        return 90
    if "trajectory_format" in keys and b"swe-agent" in head.data:
        return 90
    if "info" in keys and len(head.inner_keys("info") & _INFO) >= 2:
        return 80
    if "history" in keys and "role" in head.inner_keys("history"):
        return 80 if keys & {"info", "trajectory"} or head.inner_keys("history") & _SPOKEN else 0
    return 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each trajectory in the file.

    Raises:
        RunFileError: Nothing in it can be read.

    """
    found = 0
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as trouble:
            context.losses.skip("document that cannot be read", f"{piece.where} {trouble}")
            continue
        for each in tree if isinstance(tree, list) else [tree]:
            own = context.apart()
            walk = _Walk(each, own) if isinstance(each, dict) else None
            if walk is None or not walk.take():
                context.losses.skip("entry that is no trajectory", piece.where)
                continue
            found += 1
            yield own.told_apart(walk.run())
    if not found:
        raise RunFileError(
            f"Nothing can be read of {context.name}: a trajectory without a step.",
            hint="Copy it again; one that was only begun holds none.",
        )


class _Walk:
    """Goes through one trajectory."""

    def __init__(self, tree: dict[str, Any], context: Context) -> None:
        info = tree.get("info")
        self._tree = tree
        self._context = context
        self._info: dict[str, Any] = info if isinstance(info, dict) else {}
        self._model = _model_of(tree, self._info)
        self._agent = Told("agent", _agent_of(tree))
        self._told = [self._agent]
        self._new: list[dict[str, Any]] = []
        self._waiting: list[Told] = []
        self._latest: int | None = None
        self._timed = False
        self._counted = False

    def take(self) -> bool:
        """Take all of it; say whether there was anything."""
        steps = self._tree.get("trajectory")
        spoken = self._tree.get("messages", self._tree.get("history"))
        if isinstance(steps, list) and any(isinstance(each, dict) for each in steps):
            begun = spoken[:2] if isinstance(spoken, list) else []
            first = [each for each in begun if isinstance(each, dict) and _opens(each)]
            asked = [message_of(each) for each in first]
            self._new += asked
            self._ask(asked)
            for step in steps:
                self._step(step)
        elif isinstance(spoken, list):
            for each in spoken:
                self._message(each)
        return len(self._told) > 1 or bool(self._new)

    def run(self) -> ImportedRun:
        """Return its run."""
        losses = self._context.losses
        if not self._timed:
            losses.lose("times", _UNTIMED)
        stats = self._info.get("model_stats")
        if isinstance(stats, dict) and not self._counted:
            said = ", ".join(f"{key} {value}" for key, value in list(stats.items())[:8]
                             if isinstance(value, (int, float)))  # fmt: skip
            losses.lose("tokens of each call", f"the trajectory says only their sum: {said}")
        self._end()
        name = self._agent.name
        environment = self._tree.get("environment")
        if not isinstance(environment, str) or environment == "main":
            environment = name
        title = str(self._tree.get("instance_id") or environment)
        version = self._info.get("mini_version") or self._info.get("swe_agent_version")
        return conversation_run(
            self._told, self._context, title[:200], f"{title}{self._context.source.size}",
            version=str(version or self._tree.get("trajectory_format") or ""),
        )  # fmt: skip

    def _end(self) -> None:
        agent, info = self._agent, self._info
        about = {key: converted(info[key]) for key in _ABOUT if info.get(key) not in (None, "")}
        agent.fields["tags"] = about or None
        if info.get("submission") not in (None, ""):
            agent.fields.setdefault("outputs", {})["submission"] = converted(info["submission"])
        agent.end = max((each.end for each in self._told if each.end is not None), default=None)
        status = info.get("exit_status")
        if isinstance(status, str) and _FAILED.search(status):
            agent.status = "failed"
            said = info.get("traceback") or info.get("exception_str") or ""
            agent.fields["error"] = error(status, said or f"it ended with {status}")
        elif status is None and "info" in self._tree and "exit_status" in info:
            agent.status = "unfinished"

    def _ask(self, asked: list[dict[str, Any]]) -> None:
        users = [each for each in asked if each["role"] == "user"]
        if users:
            known = self._agent.fields.setdefault("inputs", {"messages": []})
            known["messages"] += users

    # Steps of SWE-agent

    def _step(self, step: Any) -> None:
        if not isinstance(step, dict):
            self._context.losses.skip("step that is no object")
            return
        said = step.get("response") or step.get("thought") or ""
        calls = step.get("tool_calls")
        made = message_of({"role": "assistant", "content": said,
                           "reasoning_content": _thinking(step),
                           "tool_calls": calls if isinstance(calls, list) else None})  # fmt: skip
        query = step.get("query", step.get("messages"))
        if isinstance(query, list) and query:
            self._new[:] = [message_of(each) for each in query]
        call = self._call(made)
        stats = {key: converted(step[key]) for key in ("extra_info",) if step.get(key)}
        call.fields["tags"] = stats or None
        action = step.get("action")
        if action in (None, ""):
            return
        tool = self._tool(_tool_name(made, str(action)), {"command": converted(action)})
        tool.status = "ok"
        tool.fields["outputs"] = converted(step.get("observation"))
        state = plain(step.get("state"))
        tags = {"execution_time": converted(step.get("execution_time")), "state": converted(state)}
        tool.fields["tags"] = {k: v for k, v in tags.items() if v not in (None, "", {})} or None
        self._waiting.clear()
        self._new.append(chat_message("user", [{"text": str(step.get("observation") or "")}]))

    # Messages, of mini-SWE-agent and of demonstrations

    def _message(self, tree: Any) -> None:
        if not isinstance(tree, dict):
            self._context.losses.skip("message that is no object")
            return
        extra = tree.get("extra")
        extra = extra if isinstance(extra, dict) else {}
        at = _moment(extra.get("timestamp", tree.get("timestamp")))
        role = tree.get("role")
        if role == "assistant" or tree.get("object") == "response" or "actions" in extra:
            self._answered(tree, extra, at)
        elif role == "exit":
            self._agent.fields.setdefault("outputs", {})["last_message"] = message_of(
                {"role": "assistant", "content": tree.get("content")}
            )
            self._returned(tree, extra, at)
        else:
            made = message_of(tree)
            self._new.append(made)
            if not self._returned(tree, extra, at) and role == "user":
                self._ask([made])
        self._latest = at if at is not None else self._latest

    def _answered(self, tree: dict[str, Any], extra: dict[str, Any], at: int | None) -> None:
        response = extra.get("response")
        response = response if isinstance(response, dict) else tree
        if isinstance(items := tree.get("output"), list):
            parts = [message_of(each, "assistant")["content"] for each in items]
            made = chat_message("assistant", list(chain.from_iterable(parts)))
        else:
            made = message_of(tree, "assistant")
        if isinstance(model := response.get("model"), str) and model:
            self._model = model
        call = self._call(made, at)
        usage = response.get("usage")
        if isinstance(usage, dict) and (counted := usage_in(usage)) is not None:
            call.fields["usage"] = counted
            call.lacking.pop("usage", None)
            self._counted = True
        if extra.get("cost") is not None:
            call.fields["tags"] = {"cost": converted(extra["cost"])}
        self._agent.fields["outputs"] = {"last_message": made}
        for name, given, key in _asked(tree, extra, made):
            tool = self._tool(name, given, at)
            if key:
                tool.fields["tool_call"] = {"id": key}

    def _returned(self, tree: dict[str, Any], extra: dict[str, Any], at: int | None) -> bool:
        """Give what was said to the tool that was asked for it; say whether there was one."""
        ids = tree.get("tool_call_ids")
        named = [str(tree.get("tool_call_id")), *map(str, ids if isinstance(ids, list) else [])]
        found = next((each for each in self._waiting
                      if each.fields.get("tool_call", {}).get("id") in named), None)  # fmt: skip
        found = found or (self._waiting[0] if self._waiting else None)
        if found is None:
            return False
        self._waiting.remove(found)
        found.end, found.status = at, "ok"
        found.lacking.pop("outputs", None)
        found.fields["outputs"] = converted(extra.get("raw_output", tree.get("content")))
        if extra.get("returncode") is not None:
            found.fields["tags"] = {"returncode": converted(extra["returncode"])}
        if extra.get("exception_info"):
            found.status = "failed"
            found.fields["error"] = error("tool error", extra["exception_info"])
        return True

    # Both

    def _call(self, made: dict[str, Any], at: int | None = None) -> Told:
        provider, slash, name = self._model.partition("/")
        call = Told("llm", (name if slash else self._model)[:200], self._agent)
        if at is not None:
            self._timed = True
            call.start = min(at, self._latest) if self._latest is not None else None
            call.end = at
            if self._agent.start is None:
                self._agent.start = at
            call.lacking["start_ns"] = _SINCE
        call.fields = {
            "inputs": {"messages": list(self._new)},
            "outputs": {"replies": [made]},
            "llm": {"name": call.name, **({"provider": provider} if slash else {})},
        }
        call.lacking["usage"] = _NO_USAGE
        self._new.clear()
        self._told.append(call)
        self._agent.fields["outputs"] = {"last_message": made}
        self._waiting.clear()
        return call

    def _tool(self, name: str, given: Any, at: int | None = None) -> Told:
        tool = Told("tool", name[:200], self._agent, at, status="unfinished")
        tool.fields = {"inputs": given, "arguments": given}
        tool.lacking["outputs"] = "no step holds its result"
        self._waiting.append(tool)
        self._told.append(tool)
        return tool


def _opens(tree: dict[str, Any]) -> bool:
    return tree.get("role") in ("system", "user")


def _asked(
    tree: dict[str, Any], extra: dict[str, Any], made: dict[str, Any]
) -> Iterator[tuple[str, Any, str]]:
    """Yield the name, the arguments and the id of each tool that a reply asks for."""
    calls = [part["tool_call"] for part in made["content"] if "tool_call" in part]
    if calls:
        for call in calls:
            yield str(call.get("name") or "tool"), call.get("arguments"), str(call.get("id") or "")
        return
    actions = extra.get("actions", tree.get("action"))
    if isinstance(actions, str) and actions:
        actions = [actions]
    if not isinstance(actions, list) and isinstance(said := tree.get("content"), str):
        actions = _COMMAND.findall(said)[:1]
    for action in actions if isinstance(actions, list) else []:
        if isinstance(action, dict):
            command = action.get("command", action)
            yield "bash", {"command": converted(command)}, str(action.get("tool_call_id") or "")
        else:
            yield "bash", {"command": converted(action)}, ""


def _tool_name(made: dict[str, Any], action: str) -> str:
    """Return what runs a command: the tool that was called, else its first word."""
    for part in made["content"]:
        if isinstance(name := part.get("tool_call", {}).get("name"), str):
            return name
    word = _FIRST_WORD.match(action.strip())
    return word[0] if word else "bash"


def _thinking(step: dict[str, Any]) -> str | None:
    blocks = step.get("thinking_blocks")
    said = [str(each.get("thinking") or "") for each in (blocks if isinstance(blocks, list) else [])
            if isinstance(each, dict)]  # fmt: skip
    return "\n".join(said) or None


def _model_of(tree: dict[str, Any], info: dict[str, Any]) -> str:
    for root, path in (
        (plain(tree.get("replay_config")), ("agent", "model", "name")),
        (info, ("config", "model", "model_name")),
        (info, ("config", "model", "name")),
    ):
        found: Any = root
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, str) and found:
            return found
    return "model"


def _agent_of(tree: dict[str, Any]) -> str:
    return "mini-swe-agent" if "messages" in tree else "swe-agent"


def _moment(seconds: Any) -> int | None:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        return None
    return int(seconds * 10**9) if 0 < seconds < 10**11 else None
