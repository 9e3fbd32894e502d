"""One durable execution as spans: attempts, what was seen to come, what was traced and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.importers.conversations import Told
from inspector.importers.dialects import reading_of
from inspector.importers.foreign import nanoseconds
from inspector.importers.hayhooks_traces import spans_of
from inspector.importers.trees import converted, error
from inspector.runfile.durable import ATTEMPT, CHECKPOINT, EXTENSION, PROGRESS, WAIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from inspector.importers.building import RunBuilder

EXECUTION_TAG = "hayhooks.durable.execution_id"
ATTEMPT_TAG = _TRACED_ATTEMPT = "hayhooks.durable.attempt"
_STATUS = {"completed": "ok", "failed": "failed", "canceled": "canceled"}
_KINDS = frozenset({"pipeline", "component", "agent", "step", "llm", "tool", "hook", "other"})
_ENDED = {"completed": "completed", "failed": "failed", "canceled": "canceled"}
_SPAN, _SPANS = "recorder.span", "recorder.spans"
_NOBODY = "nobody watched it"
_MOST_EVENTS = 100_000
_LONGEST = 200


class Execution:
    """What is known of one.

    Args:
        said: What the server says of it: an `ExecutionResult`, and what its list says beside.
        beside: What else is known: `events`, `traces`, `stored`, `server`.
        builder: Takes the values that are long.
        told_at_ns: When it was asked for, in nanoseconds since 1970; None where nobody says.

    """

    def __init__(
        self,
        said: Mapping[str, Any],
        beside: Mapping[str, Any],
        builder: RunBuilder,
        told_at_ns: int | None,
    ) -> None:
        self._said = said
        self._builder = builder
        self._told_at = told_at_ns
        self.id = _word(said.get("execution_id"))
        self.deployment = _word(said.get("deployment"))
        self.revision = _word(said.get("revision"))
        self.status = _word(said.get("status"))
        self.name = self.deployment or "execution"
        self.server = _word(beside.get("server"))
        kind = _word(said.get("kind"))
        self.kind = kind if kind in ("pipeline", "agent") else "pipeline"
        attempt = said.get("attempt")
        self.attempt = attempt if type(attempt) is int and 0 <= attempt < 10_000 else 0
        self.created = nanoseconds(said.get("created_at"))
        self.updated = nanoseconds(said.get("updated_at"))
        self._events = _mappings(beside.get("events"))[:_MOST_EVENTS]
        stored = beside.get("stored")
        self._stored: Mapping[str, Any] = stored if isinstance(stored, dict) else {}
        self._traces = _mappings(beside.get("traces"))
        self._seen: dict[int, list[dict[str, Any]]] = {}
        self._watched: set[int] = set()  # those that are not from a store alone
        for each in self._events:
            number = each.get("attempt")
            if type(number) is int and 0 < number < 10_000:
                self._seen.setdefault(number, []).append(each)
                if each.get("kept") is not True:
                    self._watched.add(number)

    @property
    def is_over(self) -> bool:
        """Whether nothing will happen to it any more."""
        return self.status in _ENDED

    @property
    def snapshot(self) -> Any:
        """The `PipelineSnapshot` of the last checkpoint, if a pipeline made one."""
        envelope = self._stored.get("checkpoint")
        kept = envelope.get("adapter_checkpoint") if isinstance(envelope, dict) else None
        return kept if isinstance(kept, dict) and "pipeline_state" in kept else None

    def contents(self) -> dict[str, Any]:
        """Return what went in and what came out, as far as anybody says."""
        found: dict[str, Any] = {}
        if "input" in self._stored:
            found["inputs"] = _mapping(converted(self._stored["input"]))
        if (result := self._said.get("result")) is not None:
            found["outputs"] = _mapping(converted(result))
        if (wrong := self._error()) is not None:
            found["error"] = wrong
        return found

    def facts(self) -> dict[str, Any]:
        """Return what stands under `extensions.hayhooks`."""
        attempts = [
            {"attempt": each, "ended": self._ended(each), "witnessed": each in self._watched}
            for each in range(1, self.attempt + 1)
        ]
        facts: dict[str, Any] = {
            "schema": 1, "execution": self.id, "skeleton": True, "status": self.status,
            "attempts": attempts,
        }  # fmt: skip
        if self.deployment:
            facts["deployment"] = self.deployment
        if self.revision:
            facts["revision"] = self.revision
        waiting = self._said.get("waiting")
        if isinstance(waiting, dict):
            facts["waiting"] = waiting
            if self._told_at and self.updated and self._told_at > self.updated:
                facts["waited_ns"] = self._told_at - self.updated
        if any(each.get("status") == "waiting" for each in self._events):
            facts["waited"] = True
        if isinstance(self._stored.get("checkpoint"), dict):
            facts["checkpoint"] = True
        return facts

    def unknown(self) -> Iterator[tuple[str, str]]:
        """Yield what is missing that others of its kind may have, and why."""
        if "input" not in self._stored:
            yield "the input", "a server tells nobody; it stands in its store (--store)"
        for number in range(1, min(self.attempt, 20) + 1):
            if number not in self._seen:
                yield f"attempt {number}", _NOBODY
        if any(each.get("kind") == "gap" for each in self._events):
            yield "a part of the stream", "the server had forgotten it before it was asked for"

    def spans(self) -> list[Told]:
        """Return the spans, parents before what they contain."""
        root = Told(self.kind, self.name)
        root.start = self.created
        root.end = self.updated if self.is_over else None
        root.status = _STATUS.get(self.status, "unfinished")
        root.fields |= self.contents()
        if "inputs" not in root.fields:
            root.lacking["inputs"] = "only the store has it"
        found = [root]
        attempts = {each.name: each for each in self._attempts(root)}
        traced = list(self._traced(root, attempts))
        found += [*attempts.values(), *(traced or self._told_live(root))]
        found += self._progress(root)
        found += self._waits(root)
        found += self._checkpoint(root)
        return found

    def _ended(self, number: int) -> str:
        if number < self.attempt:
            return "unknown"
        return _ENDED.get(self.status, self.status or "unknown")

    def _attempts(self, root: Told) -> Iterator[Told]:
        """Yield the attempts that somebody watched, with what each streamed."""
        zero = self.created or 0
        for number, events in sorted(self._seen.items()):
            times = [at for each in events if type(at := each.get("at_ns")) is int and at > 0]
            told = Told("other", f"attempt {number}", root)
            told.start = min(times, default=None)
            told.end = max(times, default=None)
            is_last = number == max(self.attempt, *self._seen)
            told.status = _STATUS.get(self.status, "unfinished") if is_last else "unfinished"
            told.lacking["start_ns"] = "when it was first seen"
            told.lacking["end_ns"] = "when it was last seen"
            chunks = [
                [max(0, _count(each.get("at_ns")) - zero), converted(each.get("payload"))]
                for each in events
                if each.get("kind") == "chunk" and not _is_ours(each.get("payload"))
            ]
            told.fields |= {
                "operation": ATTEMPT,
                "extensions": {EXTENSION: {"attempt": number, "ended": self._ended(number)}},
            }  # fmt: skip
            if chunks:
                told.fields["chunks"] = self._builder.kept(chunks)
                text = "".join(_text(chunk) for _, chunk in chunks)
                if text:
                    told.fields["outputs"] = {"streamed": text}
            yield told

    def _told_live(self, root: Told) -> list[Told]:
        """Return the spans that our recorder told of over the stream."""
        found: dict[tuple[Any, Any], Told] = {}
        for each in self._events:
            payload = each.get("payload")
            if not isinstance(payload, dict) or payload.get("type") != _SPAN:
                continue
            key = (each.get("attempt"), _word(payload.get("id")))
            at = each.get("at_ns")
            at_ns = at if type(at) is int and at > 0 else None
            if payload.get("event") == "start" and payload.get("parent") is not None:
                kind = _word(payload.get("kind"))
                parent = found.get((each.get("attempt"), _word(payload.get("parent"))))
                told = Told(
                    kind if kind in _KINDS else "other", _word(payload.get("name")) or "span",
                    parent or root, at_ns,
                )  # fmt: skip
                told.status = "unfinished"
                told.fields["extensions"] = {EXTENSION: {"attempt": each.get("attempt")}}
                found.setdefault(key, told)
            elif payload.get("event") == "end" and (told_of := found.get(key)) is not None:
                told_of.end = at_ns
                status = _word(payload.get("status"))
                told_of.status = status if status in ("ok", "failed", "canceled") else "unfinished"
        return list(found.values())

    def _traced(self, root: Told, attempts: dict[str, Told]) -> Iterator[Told]:
        """Yield the spans of traces that name this execution; of attempts they know the times."""
        for trace in self._traces:
            spans = list(spans_of(trace))
            if not any(str(each.attributes.get(EXECUTION_TAG)) == self.id for each in spans):
                continue
            attempt = _digits(spans[0].attributes.get(ATTEMPT_TAG))
            own = {EXTENSION: {"attempt": attempt}} if attempt else None
            made: dict[str, Told] = {}
            for span in spans:
                reading, _ = reading_of(span)
                kind = reading.kind if reading.kind in _KINDS else "other"
                above = made.get(span.parent or "", root)
                told = Told(kind, reading.name, above, span.start, span.end)
                told.status = "failed" if span.failed else "unfinished" if span.unfinished else "ok"
                told.fields["type"] = reading.type or None
                told.fields["operation"] = reading.operation or None
                told.fields["extensions"] = own
                made[span.id] = told
                if span.name == _TRACED_ATTEMPT and attempt:
                    told.name = f"attempt {attempt}"
                    seen = attempts.pop(told.name, None)
                    told.fields |= {"operation": ATTEMPT} | (seen.fields if seen else {})
                yield told

    def _progress(self, root: Told) -> Iterator[Told]:
        for each in _mappings(self._said.get("progress")):
            told = Told("other", _word(each.get("kind")) or "progress", root)
            told.start = told.end = nanoseconds(each.get("timestamp"))
            told.fields["operation"] = PROGRESS
            told.fields["outputs"] = {"message": _word(each.get("message"), 10_000)}
            if metadata := each.get("metadata"):
                told.fields["outputs"]["metadata"] = converted(metadata)
            yield told

    def _waits(self, root: Told) -> Iterator[Told]:
        waiting = self._said.get("waiting")
        if not isinstance(waiting, dict):
            return
        told = Told("other", f"waiting: {_word(waiting.get('kind')) or 'input'}", root)
        told.start = self.updated
        told.status = "unfinished"
        told.fields["operation"] = WAIT
        told.fields["inputs"] = _mapping(converted(dict(waiting)))
        yield told

    def _checkpoint(self, root: Told) -> Iterator[Told]:
        envelope = self._stored.get("checkpoint")
        if not isinstance(envelope, dict):
            return
        told = Told("other", "checkpoint", root)
        told.start = told.end = self.updated
        told.lacking["start_ns"] = "the store keeps the last checkpoint, not when it was made"
        told.fields["operation"] = CHECKPOINT
        told.fields["outputs"] = _mapping(converted(dict(envelope)))
        yield told

    def _error(self) -> dict[str, Any] | None:
        said = self._said.get("error")
        if not isinstance(said, dict):
            return None
        code = _word(said.get("code"))
        words = _word(said.get("message"))
        return error(_word(said.get("type")) or "error", f"{words} ({code})" if code else words)


def _mapping(tree: Any) -> dict[str, Any]:
    return tree if isinstance(tree, dict) else {"value": tree}


def _mappings(tree: Any) -> list[dict[str, Any]]:
    return [each for each in tree if isinstance(each, dict)] if isinstance(tree, list) else []


def _word(value: Any, longest: int = _LONGEST) -> str:
    return value[:longest] if isinstance(value, str) else ""


def _digits(value: Any) -> int:
    word = str(value)
    return int(word) if word.isascii() and word.isdigit() and len(word) < 6 else 0


def _is_ours(payload: Any) -> bool:
    return isinstance(payload, dict) and payload.get("type") in (_SPAN, _SPANS)


def _count(value: Any) -> int:
    return value if type(value) is int and value >= 0 else 0


def _text(chunk: Any) -> str:
    if isinstance(chunk, str):
        return chunk
    content = chunk.get("content") if isinstance(chunk, dict) else None
    return content if isinstance(content, str) else ""
