"""Trajectories in ATIF, Harbor's format for what agents did, and those of their subagents."""

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

_STEP = frozenset({"step_id", "source", "message"})
_MARK = b'"ATIF-v'
_WHEN = "a step says one time, and not whether it is when it began or when it ended"
_NO_USAGE = "the step does not say how many tokens it took"
_NO_RESULT = "no step holds its result"
_BULKY = ("prompt_token_ids", "completion_token_ids", "logprobs")
_LONGEST_NAME = 200


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if _MARK in head.data and "schema_version" in head.keys:
        return 95
    if "steps" in head.keys and (len(head.inner_keys("steps") & _STEP) == 3 or _MARK in head.data):
        return 85
    return 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each trajectory that is no other's subagent.

    Raises:
        RunFileError: Nothing in it can be read.

    """
    found = list(_trajectories(context))
    if not found:
        raise RunFileError(
            f"Nothing can be read of {context.name}: a trajectory without a step.",
            hint="Copy it again.",
        )
    known: dict[str, dict[str, Any]] = {}
    for each in found:
        # Newer versions refer by the trajectory, older ones by the session.
        for key in ("session_id", "trajectory_id"):
            if isinstance(name := each.get(key), str):
                known[name] = each
    inner = {id(each) for each in found if each.get("embedded")}
    for each in found:
        inner |= {id(known[name]) for name in _referred(each) if name in known} - {id(each)}
    roots = [each for each in found if id(each) not in inner] or found[:1]
    for tree in roots:
        own = context.apart()
        own.losses.lose("durations", _WHEN)
        own.losses.lose("whole prompts", "each call is shown with what was new to it")
        yield own.told_apart(_Trajectory(tree, known, own).run())


def _trajectories(context: Context) -> Iterator[dict[str, Any]]:
    """Yield all trajectories of a file, and those that stand inside of others."""
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            waiting = [tree_of(piece.text, context.losses, piece.where)]
        except LeafError as trouble:
            context.losses.skip("document that cannot be read", f"{piece.where} {trouble}")
            continue
        while waiting:
            tree = waiting.pop(0)
            if isinstance(tree, list):
                waiting = [*tree, *waiting]
            elif not isinstance(tree, dict) or not isinstance(tree.get("steps"), list):
                context.losses.skip("entry that is no trajectory")
            else:
                yield tree
                embedded = tree.get("subagent_trajectories")
                for each in embedded if isinstance(embedded, list) else []:
                    if isinstance(each, dict):
                        each["embedded"] = True
                    waiting.append(each)


def _referred(tree: dict[str, Any]) -> Iterator[str]:
    """Yield what a trajectory calls its subagents."""
    for step in tree["steps"]:
        for result in _results(step) if isinstance(step, dict) else []:
            for ref in _refs(result):
                yield from _names(ref)


def _names(ref: dict[str, Any]) -> Iterator[str]:
    for key in ("trajectory_id", "session_id"):
        if isinstance(name := ref.get(key), str):
            yield name


def _results(step: dict[str, Any]) -> list[dict[str, Any]]:
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, dict) else None
    return [each for each in (results if isinstance(results, list) else [])
            if isinstance(each, dict)]  # fmt: skip


def _refs(result: dict[str, Any]) -> list[dict[str, Any]]:
    refs = result.get("subagent_trajectory_ref")
    refs = refs if isinstance(refs, list) else [refs]
    return [each for each in refs if isinstance(each, dict)]


class _Trajectory:
    """Tells of one trajectory, and of its subagents where the file holds them."""

    def __init__(
        self, tree: dict[str, Any], known: dict[str, dict[str, Any]], context: Context
    ) -> None:
        self._tree = tree
        self._known = known
        self._context = context
        self._told: list[Told] = []
        self._seen = set[int]()
        self._copied = 0

    def run(self) -> ImportedRun:
        """Return its run."""
        waiting: list[tuple[dict[str, Any], Told | None]] = [(self._tree, None)]
        while waiting:
            tree, above = waiting.pop()
            if id(tree) not in self._seen:
                self._seen.add(id(tree))
                waiting += self._agent(tree, above)
        tree, losses = self._tree, self._context.losses
        if self._copied:
            losses.lose(
                f"{self._copied:,} steps", "copied from an earlier trajectory, where they count"
            )
        following = tree.get("continued_trajectory_ref")
        if isinstance(following, str) and following:
            losses.lose("what came next", f"it goes on in {following[:_LONGEST_NAME]}")
        name = self._told[0].name
        key = str(tree.get("trajectory_id") or tree.get("session_id") or "")
        about = tree["agent"] if isinstance(tree.get("agent"), dict) else {}
        return conversation_run(
            self._told, self._context, name, f"{key}{name}", session=key,
            version=str(tree.get("schema_version") or ""),
            tool=f"{name} {about.get('version') or ''}".strip(),
        )  # fmt: skip

    def _agent(
        self, tree: dict[str, Any], above: Told | None
    ) -> list[tuple[dict[str, Any], Told | None]]:
        """Tell of an agent; return its subagents."""
        about = tree["agent"] if isinstance(tree.get("agent"), dict) else {}
        agent = Told("agent", str(about.get("name") or "agent")[:_LONGEST_NAME], above)
        agent.fields["tags"] = {
            key: converted(tree[key])
            for key in ("session_id", "trajectory_id", "notes", "final_metrics", "extra")
            if tree.get(key) not in (None, "", {}, [])
        } or None
        self._told.append(agent)
        if above is not None and above.start is not None:
            agent.start = above.start
        inner: list[tuple[dict[str, Any], Told | None]] = []
        new: list[dict[str, Any]] = []
        steps = [each for each in tree["steps"] if isinstance(each, dict)]
        if lost := len(tree["steps"]) - len(steps):
            self._context.losses.skip("step that is no object", count=lost)
        for number, step in enumerate(steps, 1):
            inner += self._step(step, agent, about, new, last=number == len(steps))
        return inner

    def _step(
        self,
        step: dict[str, Any],
        agent: Told,
        about: dict[str, Any],
        new: list[dict[str, Any]],
        *,
        last: bool,
    ) -> list[tuple[dict[str, Any], Told | None]]:
        at = nanoseconds(step.get("timestamp"))
        if at is not None:
            agent.start = at if agent.start is None else min(agent.start, at)
            agent.end = at if agent.end is None else max(agent.end, at)
        source = str(step.get("source") or "agent")
        role = {"agent": "assistant"}.get(source, source)
        made = message_of(
            {"role": role, "content": step.get("message"),
             "reasoning_content": step.get("reasoning_content"),
             "tool_calls": [_call(each) for each in _calls(step)]},
        )  # fmt: skip
        copied = step.get("is_copied_context") is True
        if source != "agent" or copied or step.get("llm_call_count") == 0:
            self._copied += copied
            if made["content"]:
                new.append(made)
            if source == "user" and not copied:
                asked = agent.fields.setdefault("inputs", {"messages": []})
                asked["messages"].append(made)
            if copied:
                return []
        else:
            self._told.append(self._model(step, made, agent, about, at, new))
            new.clear()
            agent.fields["outputs"] = {"last_message": made}
        return self._observed(step, agent, at, new, last=last)

    def _model(
        self,
        step: dict[str, Any],
        made: dict[str, Any],
        agent: Told,
        about: dict[str, Any],
        at: int | None,
        new: list[dict[str, Any]],
    ) -> Told:
        model = str(step.get("model_name") or about.get("model_name") or "model")
        provider, slash, name = model.partition("/")
        call = Told("llm", (name if slash else model)[:_LONGEST_NAME], agent, at)
        asked: dict[str, Any] = {"messages": list(new)}
        if isinstance(tools := about.get("tool_definitions"), list) and tools:
            asked["tools"] = converted(tools)
        call.fields = {
            "inputs": asked,
            "outputs": {"replies": [made]},
            "llm": {"name": call.name, **({"provider": provider} if slash else {})},
        }
        call.lacking["end_ns"] = _WHEN
        metrics = step.get("metrics")
        metrics = metrics if isinstance(metrics, dict) else {}
        if (counted := _usage(metrics)) is not None:
            call.fields["usage"] = counted
        else:
            call.lacking["usage"] = _NO_USAGE
        if any(metrics.get(key) for key in _BULKY):
            self._context.losses.lose("numbers of tokens and their likelihoods", "left out")
        tags = {key: step[key] for key in ("step_id", "reasoning_effort", "llm_call_count", "extra")
                if step.get(key) not in (None, "", {})}  # fmt: skip
        if metrics.get("cost_usd") is not None:
            tags["cost_usd"] = metrics["cost_usd"]
        call.fields["tags"] = converted(tags) or None
        return call

    def _observed(
        self, step: dict[str, Any], agent: Told, at: int | None, new: list[Any], *, last: bool
    ) -> list[tuple[dict[str, Any], Told | None]]:
        """Tell of the tools of a step and what they gave back; return the subagents in it."""
        results = _results(step)
        inner: list[tuple[dict[str, Any], Told | None]] = []
        calls = _calls(step)
        for call in calls:
            key = call.get("tool_call_id")
            found = next((each for each in results if each.get("source_call_id") == key), None)
            if found is None and len(calls) == len(results) == 1:
                # Agents without calls of their own format do not say what a result belongs to.
                found = results[0] if results[0].get("source_call_id") is None else None
            if found is not None:
                results.remove(found)
            tool = self._tool(call, found, agent, at, last=last)
            inner += self._subagents(found, tool)
            if found is not None:
                new.append(_said(call, found))
        for result in results:
            kind = Told("other", "observation", agent, at)
            kind.fields = {"operation": "observation", "outputs": converted(result.get("content"))}
            kind.lacking["end_ns"] = _WHEN
            self._told.append(kind)
            inner += self._subagents(result, kind)
            if result.get("content") not in (None, ""):
                new.append(message_of({"role": "user", "content": result["content"]}))
        return inner

    def _tool(
        self,
        call: dict[str, Any],
        result: dict[str, Any] | None,
        agent: Told,
        at: int | None,
        *,
        last: bool,
    ) -> Told:
        tool = Told("tool", str(call.get("function_name") or "tool")[:_LONGEST_NAME], agent, at)
        tool.lacking["end_ns"] = _WHEN
        given = converted(call.get("arguments"))
        tool.fields = {"inputs": given, "arguments": given}
        if call.get("tool_call_id") is not None:
            tool.fields["tool_call"] = {"id": str(call["tool_call_id"])}
        if result is None:
            tool.status = "unfinished" if last else "ok"
            tool.lacking["outputs"] = _NO_RESULT
        elif _failed(result):
            tool.status = "failed"
            said = result.get("content")
            tool.fields["error"] = error("tool error", said if isinstance(said, str) else "")
        else:
            tool.fields["outputs"] = converted(result.get("content"))
        if result is not None and isinstance(result.get("extra"), dict) and result["extra"]:
            tool.fields["tags"] = converted(result["extra"])
        self._told.append(tool)
        return tool

    def _subagents(
        self, result: dict[str, Any] | None, above: Told
    ) -> list[tuple[dict[str, Any], Told | None]]:
        found: list[tuple[dict[str, Any], Told | None]] = []
        for ref in _refs(result) if result is not None else []:
            tree = next((self._known[name] for name in _names(ref) if name in self._known), None)
            if tree is not None:
                found.append((tree, above))
                continue
            where = str(ref.get("trajectory_path") or next(_names(ref), "elsewhere"))
            self._context.losses.lose("what a subagent did", f"it stands in {where[:200]}")
        return found


def _calls(step: dict[str, Any]) -> list[dict[str, Any]]:
    calls = step.get("tool_calls")
    return [each for each in (calls if isinstance(calls, list) else []) if isinstance(each, dict)]


def _call(call: dict[str, Any]) -> dict[str, Any]:
    return {"id": call.get("tool_call_id"), "name": call.get("function_name"),
            "arguments": call.get("arguments")}  # fmt: skip


def _said(call: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    return message_of(
        {"role": "tool", "tool_call_id": call.get("tool_call_id"),
         "name": call.get("function_name"), "content": result.get("content")}
    )  # fmt: skip


def _failed(result: dict[str, Any]) -> bool:
    extra = result.get("extra")
    about = {**(extra if isinstance(extra, dict) else {}), **result}
    return about.get("is_error") is True or about.get("success") is False


def _usage(metrics: dict[str, Any]) -> dict[str, Any] | None:
    raw = {key: metrics.get(key) for key in ("prompt_tokens", "completion_tokens")}
    if all(type(value) is not int for value in raw.values()):
        return None
    if type(metrics.get("cached_tokens")) is int:
        raw["prompt_tokens_details"] = {"cached_tokens": metrics["cached_tokens"]}
    extra = metrics.get("extra")
    if isinstance(extra, dict) and type(extra.get("reasoning_tokens")) is int:
        raw["completion_tokens_details"] = {"reasoning_tokens": extra["reasoning_tokens"]}
    found = usage_in({key: value for key, value in raw.items() if value is not None}, "openai")
    kept = {key: value for key, value in metrics.items() if key not in _BULKY}
    return None if found is None else {**found, "raw": converted(kept)}
