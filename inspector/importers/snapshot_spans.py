"""The spans that a snapshot stands for: a visit each, none of them timed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.importers.reading import Reading, note_replies, usage_in
from inspector.importers.trees import converted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.snapshot_state import State

_UNTIMED = "a snapshot holds no times"
_CONSUMED = "a snapshot keeps no inputs of components that have run, but those of the caller"
_NOT_KEPT = (
    "a snapshot keeps the outputs of finished components only if `include_outputs_from` names them"
)
_INFERRED = "what other components still had from it"
_AGENTS = ("chat_generator", "tool_invoker")
_CONVERSATIONS = (
    ("chat_generator", ("messages",)),
    ("tool_invoker", ("state", "data", "messages")),
    ("tool_invoker", ("messages",)),
)


@dataclass(frozen=True, slots=True)
class Stopped:
    """Where the pipeline stopped: a component, its visit, and where inside of an agent."""

    component: str
    visit: int | None
    inner: str = ""
    inner_visit: int | None = None
    tool: str = ""

    @classmethod
    def of(cls, state: State) -> Stopped:
        """Read the break point, which has had many shapes."""
        point = state.break_point
        inner = point.get("break_point")
        if isinstance(inner, dict) or "agent_name" in point:
            inner = inner if isinstance(inner, dict) else {}
            component = str(point.get("agent_name") or "")
            return cls(
                component,
                state.visits.get(component),
                str(inner.get("component_name") or ""),
                _count(inner.get("visit_count")),
                str(inner.get("tool_name") or point.get("tool_name") or ""),
            )
        name = point.get("component_name", point.get("component"))
        visit = _count(point.get("visit_count", point.get("visits")))
        return cls(str(name or ""), visit, tool=str(point.get("tool_name") or ""))


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def spans_of(state: State, stopped: Stopped) -> Iterator[dict[str, Any]]:
    """Yield the records of the pipeline, each visit that ended, and the one that did not."""
    maker = _Maker(state)
    yield maker.root()
    for name in state.components:
        count = state.visits.get(name, 0)
        for visit in range(1, count + 1):
            yield maker.finished(name, visit, last=visit == count)
    if stopped.component:
        record = maker.unfinished(stopped)
        yield record
        if state.agent:
            yield from maker.agent(record, stopped)


class _Maker:
    def __init__(self, state: State) -> None:
        self._state = state
        self._count = 0

    def _record(
        self, parent: str | None, kind: str, name: str, path: str, status: str
    ) -> dict[str, Any]:
        self._count += 1
        return {
            "id": f"s{self._count}",
            "parent": parent,
            "kind": kind,
            "operation": f"haystack.{kind}.run",
            "name": name,
            "role": "other",
            "path": path,
            "visit": 1,
            "start_ns": 0,
            "status": status,
            "not_recorded": {"start_ns": _UNTIMED, "end_ns": _UNTIMED},
        }

    def root(self) -> dict[str, Any]:
        """Return the span of the pipeline, which was left before its end."""
        record = self._record(None, "pipeline", "pipeline", "", "unfinished")
        record["role"] = "pipeline"
        if self._state.original is not None:
            record["inputs"] = self._state.original
        if self._state.outputs:
            record["outputs"] = self._state.outputs
        else:
            record["not_recorded"]["outputs"] = "the pipeline had not ended"
        return record

    def finished(self, name: str, visit: int, *, last: bool) -> dict[str, Any]:
        """Return a visit that ended: with its outputs, where anything of them is left."""
        state = self._state
        record = self._record("s1", "component", name, f"{name}#{visit}", "ok")
        record["visit"] = visit
        # What is left over belongs to the last visit.
        inputs = state.inputs.get(name) if last else None
        original = state.original.get(name) if isinstance(state.original, dict) else None
        if inputs and name not in ("", None):
            self._inputs(record, name, inputs)
        elif visit == 1 and isinstance(original, dict) and original:
            record["inputs"] = original
            record["senders"] = {socket: [None] for socket in original}
        else:
            record["not_recorded"]["inputs"] = _CONSUMED
        outputs = state.outputs.get(name)
        if last and isinstance(outputs, dict):
            record["outputs"] = outputs
        elif last and (sent := state.sent_by(name)):
            record["outputs"] = sent
            record["channels"] = {"outputs": _INFERRED}
        else:
            record["not_recorded"]["outputs"] = _NOT_KEPT
        _note(record)
        return record

    def _inputs(self, record: dict[str, Any], name: str, inputs: dict[str, Any]) -> None:
        record["inputs"] = inputs
        if senders := self._state.senders.get(name):
            record["senders"] = senders

    def unfinished(self, stopped: Stopped) -> dict[str, Any]:
        """Return the visit at which the pipeline stopped."""
        state, name = self._state, stopped.component
        visit = state.visits.get(name, stopped.visit or 0) + 1
        record = self._record("s1", "component", name, f"{name}#{visit}", "unfinished")
        record["visit"] = visit
        inputs = state.inputs.get(name)
        if inputs:
            self._inputs(record, name, inputs)
        else:
            record["not_recorded"]["inputs"] = "the snapshot holds none for it"
        record["not_recorded"]["outputs"] = "the pipeline stopped here"
        if state.agent or stopped.inner:
            record["role"] = "agent"
        if stopped.tool:
            record["tags"] = {"haystack.tool.name": stopped.tool}
        return record

    def agent(self, above: dict[str, Any], stopped: Stopped) -> Iterator[dict[str, Any]]:
        """Yield what an agent had done: its calls in turn, as its conversation tells them."""
        snapshot = self._state.agent
        visits = snapshot.get("component_visits")
        visits = (
            {k: v for k, v in visits.items() if _count(v) is not None}
            if isinstance(visits, dict)
            else {}
        )
        inputs = snapshot.get("component_inputs")
        inputs = inputs if isinstance(inputs, dict) else {}
        messages = _messages(inputs)
        agent = self._record(
            above["id"], "agent", "agent", f"{above['path']}/agent#1", "unfinished"
        )
        agent["role"] = "agent"
        agent["not_recorded"]["outputs"] = "the agent had not ended"
        yield agent
        turns = _turns(messages, visits)
        for name, visit, outputs in turns:
            yield self._inner(agent, above["path"], name, visit, outputs, "ok")
        if stopped.inner:
            visit = visits.get(stopped.inner, stopped.inner_visit or 0) + 1
            record = self._inner(agent, above["path"], stopped.inner, visit, None, "unfinished")
            record["not_recorded"]["outputs"] = "the agent stopped here"
            taken = converted(inputs.get(stopped.inner))
            if isinstance(taken, dict) and taken:
                record["inputs"] = taken
            else:
                record["not_recorded"]["inputs"] = "Haystack could not write them"
            if stopped.tool:
                record["tags"] = {"haystack.tool.name": stopped.tool}
            yield record

    def _inner(
        self, agent: dict[str, Any], path: str, name: str, visit: int, outputs: Any, status: str
    ) -> dict[str, Any]:
        record = self._record(agent["id"], "component", name, f"{path}/{name}#{visit}", status)
        record["visit"] = visit
        if name == _AGENTS[1]:
            record["role"] = "tool"
        elif name == _AGENTS[0]:
            record["role"] = "llm"
        if outputs is not None:
            record["outputs"] = outputs
            record["channels"] = {"outputs": "the agent's conversation"}
            _note(record)
        elif status == "ok":
            record["not_recorded"]["outputs"] = "the conversation does not tell them"
        return record


def _messages(inputs: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the conversation so far, put together from the parts of the snapshot that hold it."""
    longest: list[Any] = []
    for name, keys in _CONVERSATIONS:
        tree = converted(inputs.get(name))
        for key in keys:
            tree = tree.get(key) if isinstance(tree, dict) else None
        if isinstance(tree, list) and len(tree) > len(longest):
            longest = tree
    latest = converted(inputs.get(_AGENTS[1]))
    asked = latest.get("messages") if isinstance(latest, dict) else None
    # A reply that asks for tools goes to the invoker before it is part of the conversation.
    more = [each for each in asked if each not in longest] if isinstance(asked, list) else []
    return [each for each in (*longest, *more) if isinstance(each, dict) and "role" in each]


def _turns(
    messages: list[dict[str, Any]], visits: dict[str, int]
) -> Iterator[tuple[str, int, Any]]:
    """Yield the calls that ended: component, visit and outputs, where the conversation has them.

    Only as many as ran: what stood in the conversation before came from the caller.
    """
    generator, invoker = _AGENTS
    ran = {name: visits.get(name, 0) for name in _AGENTS}
    said: dict[str, list[Any]] = {generator: [], invoker: []}
    order: list[tuple[str, int]] = []
    for message in messages:
        if message.get("role") == "assistant":
            said[generator].append({"replies": [message]})
            order.append((generator, len(said[generator])))
        elif message.get("role") == "tool":
            if order and order[-1][0] == invoker:
                said[invoker][-1]["tool_messages"].append(message)
            else:
                said[invoker].append({"tool_messages": [message]})
                order.append((invoker, len(said[invoker])))
    done = dict.fromkeys(_AGENTS, 0)
    for name, number in order:
        early = len(said[name]) - ran[name]
        if number > early:
            done[name] += 1
            yield name, done[name], said[name][number - 1]
    for name in (*_AGENTS, *(name for name in visits if name not in _AGENTS)):
        for visit in range(done.get(name, 0) + 1, visits.get(name, 0) + 1):
            yield name, visit, None


def _note(record: dict[str, Any]) -> None:
    """Take usage and model from what a component gave back."""
    outputs = record.get("outputs")
    if not isinstance(outputs, dict):
        return
    reading = Reading("component", "", record["name"])
    note_replies(reading, outputs)
    used = outputs.get("token_usage")
    if isinstance(used, dict) and "last_message" in outputs:
        # Of what an agent did nothing else is left: its own sum stands for its calls.
        record["role"] = "agent"
        last = outputs["last_message"]
        meta = last.get("meta") if isinstance(last, dict) else None
        note_replies(
            reading,
            {"replies": [{"meta": {k: v for k, v in (meta or {}).items() if k != "usage"}}]},
        )
        reading.usage = usage_in(used)
    if reading.usage is not None or reading.llm is not None:
        if record["role"] == "other":
            record["role"] = "llm"
        if reading.llm:
            record["llm"] = reading.llm
        if reading.usage:
            record["usage"] = reading.usage
