"""One sample of a log of Inspect: its events as spans, in the tree that its spans or steps make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.importers.conversations import Told
from inspector.importers.foreign import nanoseconds
from inspector.importers.inspect_values import Kept, failure, message, usage
from inspector.importers.trees import converted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.building import RunBuilder
    from inspector.importers.losses import Losses

_ABOUT = frozenset({"event", "uuid", "span_id", "id", "timestamp", "working_start", "completed",
                    "working_time", "pending", "events", "parent_id"})  # fmt: skip
_INNER_KINDS = {"agent": "agent"}
_AROUND = frozenset({"tool", "subtask"})
_CACHED = "answered from the cache of Inspect, which takes no tokens"
_NO_USAGE = "the log does not say how many tokens it took"
_SHOWN = ("epoch", "target", "choices", "scores", "limit", "metadata", "store", "uuid",
          "working_time", "error_retries")  # fmt: skip
_LONGEST_NAME = 200
_NO_MORE = object()


class Sample:
    """A sample in one epoch.

    Args:
        tree: What the log says of it.
        losses: Where to say what cannot be read.

    """

    def __init__(self, tree: dict[str, Any], losses: Losses) -> None:
        self._tree = tree
        self._losses = losses
        epoch = tree.get("epoch")
        self.label = str(tree.get("id", "?"))[:_LONGEST_NAME]
        if epoch is not None:
            self.label += f", epoch {str(epoch)[:12]}"
        self._kept = Kept(*_kept_in(tree), losses)
        self._told: list[Told] = []
        self._spans: dict[str, Told] = {}
        self._around: dict[tuple[int, str, str], list[Told]] = {}
        self._calls: dict[tuple[int, str, str], list[Told]] = {}

    def told(self, task: str, model: str, builder: RunBuilder) -> list[Told]:
        """Return the spans of the sample; the first contains all others."""
        root = self._root(task)
        events = self._tree.get("events", self._tree.get("chunked_events"))
        if not isinstance(events, list) and isinstance(old := self._tree.get("transcript"), dict):
            events = old.get("events")
        self._all(events if isinstance(events, list) else [], root, builder)
        if len(self._told) == 1:
            self._of_messages(root, model)
        self._end(root)
        return self._told

    def _root(self, task: str) -> Told:
        tree = self._tree
        root = Told("agent", task, None, nanoseconds(tree.get("started_at")))
        root.end = nanoseconds(tree.get("completed_at"))
        given = self._kept.filled(tree.get("input"))
        asked = [message(each) for each in given] if isinstance(given, list) else None
        root.fields["inputs"] = {"messages": asked} if asked else {"input": converted(given)}
        said = self._kept.filled(tree.get("messages") or tree.get("chunked_messages"))
        answers = [each for each in (said if isinstance(said, list) else [])
                   if isinstance(each, dict) and each.get("role") == "assistant"]  # fmt: skip
        output = self._kept.filled(tree.get("output"))
        answers += [each["message"] for each in _choices(output)[:1] if "message" in each]
        scores = converted(self._kept.filled(tree.get("scores") or tree.get("score")))
        outputs = {
            "last_message": message(answers[-1]) if answers else None,
            "scores": scores,
        }
        root.fields["outputs"] = {
            k: v for k, v in outputs.items() if v not in (None, {}, [])
        } or None
        tags = {key: converted(self._kept.filled(tree[key])) for key in _SHOWN
                if tree.get(key) not in (None, {}, [], "")}  # fmt: skip
        root.fields["tags"] = tags or None
        if tree.get("error"):
            root.status, root.fields["error"] = "failed", failure(self._kept.filled(tree["error"]))
        self._told.append(root)
        return root

    def _end(self, root: Told) -> None:
        starts = [each.start for each in self._told if each.start is not None]
        ends = [each.end for each in self._told if each.end is not None]
        root.start = min(starts, default=None)
        last = max([*starts, *ends], default=None)
        if root.end is None or (last is not None and last > root.end):
            root.end = last
        for each in self._told[1:]:
            if each.status == "unfinished" and root.status == "failed" and each.end is None:
                each.lacking.setdefault("end_ns", "the sample failed before it ended")

    # The events

    def _all(self, events: list[Any], root: Told, builder: RunBuilder) -> None:
        """Take all events; in older versions those of a call stand inside of it."""
        open_: list[tuple[Iterator[Any], Told, list[Told]]] = [(iter(events), root, [])]
        while open_:
            rest, above, steps = open_[-1]
            event = next(rest, _NO_MORE)
            if event is _NO_MORE:
                open_.pop()
            elif not isinstance(event, dict):
                self._losses.skip("event that is no object", self.label)
            else:
                span = self._take(event, above, steps, builder)
                inner = event.get("events")
                if span is not None and isinstance(inner, list) and inner:
                    open_.append((iter(inner), span, []))

    def _take(
        self, event: dict[str, Any], above: Told, steps: list[Told], builder: RunBuilder
    ) -> Told | None:
        """Take an event; return the span of one that may contain others."""
        kind = str(event.get("event"))
        known = self._spans.get(str(event.get("span_id")))
        parent = known or (steps[-1] if steps else above)
        at = nanoseconds(event.get("timestamp"))
        if kind == "span_begin":
            self._begin(event, above, at)
        elif kind == "span_end":
            self._ended(self._spans.get(str(event.get("id"))), at)
        elif kind == "step":
            self._step(event, parent, steps, at)
        elif kind == "model":
            self._add(event, parent, at, builder)
        elif kind in _AROUND:
            return self._call(event, kind, parent, at)
        else:
            self._other(event, kind, parent, at)
        return None

    def _begin(self, event: dict[str, Any], above: Told, at: int | None) -> None:
        name, kind = _name(event.get("name"), "span"), _name(event.get("type"), "span")
        parent = self._spans.get(str(event.get("parent_id"))) or above
        waiting = self._calls.get((id(parent), kind, name))
        if waiting:
            span = waiting.pop(0)
            span.start = min(filter(None, (span.start, at)), default=None)
        else:
            span = Told(_INNER_KINDS.get(kind, "other"), name, parent, at, status="unfinished")
            span.fields["operation"] = kind
            self._told.append(span)
            if kind in _AROUND:
                # A tool that hands over to another agent stands one level deeper than its call.
                handed = parent.fields.get("operation") == "handoff" and parent.parent
                self._around.setdefault((id(handed or parent), kind, name), []).append(span)
        if isinstance(key := event.get("id"), str):
            self._spans.setdefault(key, span)

    def _ended(self, span: Told | None, at: int | None) -> None:
        if span is None:
            return
        span.end = max(filter(None, (span.end, at)), default=None)
        if span.status == "unfinished":
            span.status = "ok"

    def _step(self, event: dict[str, Any], parent: Told, steps: list[Told], at: int | None) -> None:
        name = _name(event.get("name"), "step")
        if event.get("action") == "end":
            names = [each.name for each in steps]
            if name in names:
                place = len(names) - 1 - names[::-1].index(name)
                self._ended(steps[place], at)
                del steps[place:]
            return
        kind = _name(event.get("type"), "step")
        span = Told(_INNER_KINDS.get(kind, "other"), name, parent, at, status="unfinished")
        span.fields["operation"] = kind
        self._told.append(span)
        steps.append(span)

    def _add(
        self, event: dict[str, Any], parent: Told, at: int | None, builder: RunBuilder
    ) -> None:
        llm = _llm(event.get("model"))
        span = Told("llm", llm["name"], parent, at)
        output = event.get("output")
        output = self._kept.filled(output) if isinstance(output, dict) else {}
        span.end = _ended_at(event, at, output.get("time"))
        choices = _choices(output)
        replies = [message(each["message"]) for each in choices if "message" in each]
        if choices and isinstance(why := choices[0].get("stop_reason"), str):
            llm["finish_reason"] = why
        asked = {"messages": self._kept.conversation(event, builder)}
        for key in ("tools", "tool_choice", "config"):
            if event.get(key) not in (None, [], {}, ""):
                asked[key] = converted(self._kept.filled(event[key]))
        span.fields = {
            "inputs": {key: value for key, value in asked.items() if value is not None} or None,
            "outputs": {"replies": replies} if replies else None,
            "llm": llm,
        }
        span.fields["tags"] = {
            key: converted(event[key]) for key in ("role", "retries", "cache", "working_time")
            if event.get(key) is not None
        } or None  # fmt: skip
        if event.get("cache") == "read":
            span.lacking["usage"] = _CACHED
        elif (counted := usage(output.get("usage"))) is not None:
            span.fields["usage"] = counted
        else:
            span.lacking["usage"] = _NO_USAGE
        said = event.get("error") or output.get("error")
        if said:
            span.status = "failed"
            about = {"message": said, "traceback": event.get("traceback")}
            span.fields["error"] = failure(self._kept.filled(about))
        elif event.get("pending"):
            span.status, span.end = "unfinished", None
        self._told.append(span)

    def _call(self, event: dict[str, Any], kind: str, parent: Told, at: int | None) -> Told:
        name = _name(event.get("function" if kind == "tool" else "name"), kind)
        span = self._claimed(kind, name, parent)
        if span is None:
            span = Told(kind, name, parent, at)
            self._told.append(span)
            self._calls.setdefault((id(parent), kind, name), []).append(span)
        span.kind = "tool" if kind == "tool" else "other"
        span.start = min(filter(None, (span.start, at)), default=None)
        ended = _ended_at(event, at, event.get("working_time"))
        span.end = max(filter(None, (span.end, ended)), default=None)
        if span.parent is not None and span.parent.fields.get("operation") == "handoff":
            span.parent.start, span.parent.end = span.start, span.end
        span.status = "unfinished" if event.get("pending") else "ok"
        given = event.get("arguments" if kind == "tool" else "input")
        given = converted(self._kept.filled(given)) if given is not None else None
        gave = converted(self._kept.filled(event.get("result")))
        span.fields = {"operation": kind, "inputs": given, "outputs": gave if gave != "" else None}
        if kind == "tool":
            span.fields["arguments"] = given
            if isinstance(event.get("id"), str):
                span.fields["tool_call"] = {"id": event["id"]}
        if event.get("error") or event.get("failed") is True:
            span.status = "failed"
            said = event.get("error") or {"message": "the call failed"}
            span.fields["error"] = failure(self._kept.filled(said))
        return span

    def _claimed(self, kind: str, name: str, parent: Told) -> Told | None:
        """Return the span that was begun around a call, where there is one."""
        key = (id(parent.parent), kind, name)
        own = self._around.get(key, [])
        if parent in own:
            own.remove(parent)
            return parent
        begun = self._around.get((id(parent), kind, name))
        return begun.pop(0) if begun else None

    def _other(self, event: dict[str, Any], kind: str, parent: Told, at: int | None) -> None:
        span = Told(
            "other", _name(event.get("action") and f"{kind} {event['action']}", kind), parent, at
        )
        span.end = _ended_at(event, at, None) or at
        about = {key: value for key, value in event.items() if key not in _ABOUT}
        about = converted(self._kept.filled(about))
        span.fields = {"operation": kind, "outputs": about}
        if kind == "sample_init":
            span.fields = {"operation": kind, "inputs": about}
        elif kind == "error":
            span.status, span.fields = "failed", {"operation": kind}
            span.fields["error"] = failure(self._kept.filled(event.get("error")))
        self._told.append(span)

    # A sample without events

    def _of_messages(self, root: Told, model: str) -> None:
        """Tell of a sample whose log holds no events by its messages, which have no times."""
        found = self._kept.filled(self._tree.get("messages") or self._tree.get("chunked_messages"))
        self._losses.lose("times", "the log holds no events of the sample, only its messages")
        waiting: dict[str, Told] = {}
        new: list[dict[str, Any]] = []
        for each in found if isinstance(found, list) else []:
            if not isinstance(each, dict):
                continue
            made = message(each)
            if each.get("role") == "assistant":
                llm = _llm(each.get("model") or model)
                call = Told("llm", llm["name"], root)
                call.fields = {"inputs": {"messages": new}, "outputs": {"replies": [made]},
                               "llm": llm}  # fmt: skip
                call.lacking["usage"] = _NO_USAGE
                self._told.append(call)
                new = []
                for part in made["content"]:
                    if (asked := part.get("tool_call")) is not None:
                        tool = Told("tool", _name(asked.get("name"), "tool"), root)
                        tool.status = "unfinished"
                        tool.fields = {"inputs": asked.get("arguments"),
                                       "arguments": asked.get("arguments"),
                                       "tool_call": {"id": str(asked.get("id") or "")}}  # fmt: skip
                        waiting[str(asked.get("id"))] = tool
                        self._told.append(tool)
                continue
            new.append(made)
            answered = waiting.pop(str(each.get("tool_call_id")), None)
            if answered is not None:
                answered.status = "ok"
                said = made["content"][0].get("tool_result", {})
                if each.get("error"):
                    answered.status = "failed"
                    answered.fields["error"] = failure(each["error"])
                else:
                    answered.fields["outputs"] = said.get("result")
        # What the sample says of its output is the last call's.
        output = self._tree.get("output")
        calls = [told for told in self._told if told.kind == "llm"]
        counted = usage(output.get("usage")) if isinstance(output, dict) else None
        if calls and counted is not None:
            calls[-1].fields["usage"] = counted
            calls[-1].lacking.pop("usage")


def _kept_in(tree: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """Return the texts and the messages that a sample keeps once."""
    texts: dict[str, Any] = {}
    old = tree.get("transcript")
    for kept in (tree.get("attachments"), old.get("content") if isinstance(old, dict) else None):
        if isinstance(kept, dict):
            texts |= kept
    chunks = tree.get("chunked_attachments")
    texts |= {str(n): each for n, each in enumerate(chunks if isinstance(chunks, list) else [])}
    pooled = tree.get("events_data")
    pool = pooled.get("messages") if isinstance(pooled, dict) else tree.get("chunked_messages")
    return texts, pool if isinstance(pool, list) else []


def _llm(model: Any) -> dict[str, Any]:
    """Return the name of a model and who provides it, of what Inspect calls it."""
    provider, slash, name = str(model or "model")[:_LONGEST_NAME].partition("/")
    return {"name": name, "provider": provider} if slash and name else {"name": provider or "model"}


def _choices(output: Any) -> list[dict[str, Any]]:
    found = output.get("choices") if isinstance(output, dict) else None
    return [each for each in (found if isinstance(found, list) else []) if isinstance(each, dict)]


def _name(value: Any, otherwise: str) -> str:
    return str(value or otherwise)[:_LONGEST_NAME]


def _ended_at(event: dict[str, Any], at: int | None, seconds: Any) -> int | None:
    ended = nanoseconds(event.get("completed"))
    if ended is None and at is not None and isinstance(seconds, (int, float)):
        if isinstance(seconds, bool) or not 0 <= seconds < 10**9:
            return None
        return at + int(seconds * 10**9)
    return ended
