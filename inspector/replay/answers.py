"""A recorded answer, given again: its value or its exception, and its stream."""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
import typing
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from inspector.recording.operations import CONFIRM
from inspector.recording.replies import told_by
from inspector.replay.changes import change_again, changes_of
from inspector.replay.errors_again import error_maker
from inspector.replay.revive import CannotReviveError, Reviver
from inspector.replay.sane import fault_of
from inspector.runfile.interned import Deferred

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from inspector.recording.wrappers.shells import Method
    from inspector.replay.recorded import Entry

CALLBACK = "streaming_callback"
_DECISION = "haystack.hooks.human_in_the_loop.dataclasses.ToolExecutionDecision"
_MOST_CLASSES = 200
_REASONS = frozenset({"stop", "length", "tool_calls", "content_filter"})


class Answer:
    """How one recorded call is answered, any number of times."""

    __slots__ = ("_model", "changes", "chunks", "entry", "error", "make", "took_ns")

    def __init__(self, entry: Entry, reviver: Reviver) -> None:
        """Work it out.

        Raises:
            CannotReviveError: The file does not hold enough of it.

        """
        span = entry.span
        self.error: Callable[[], BaseException] | None = None
        self.make: Callable[[], Any] = lambda: None
        if span.error is not None:
            self.error = error_maker(span.error.raw, entry.operation)
        else:
            self.make = reviver.maker(span.outputs)
            if entry.operation == CONFIRM and isinstance(span.outputs, dict):
                # Haystack tells the decision as a dictionary.
                self.make = reviver.object({"type": _DECISION, "fields": span.outputs}, 0)
        self.changes = changes_of(entry)
        self.entry = entry
        self._model: tuple[str, dict[str, str]] | None = None
        began = entry.start_ns
        self.chunks = [
            (chunk.at_ns - began, reviver.maker(chunk.value)) for chunk in span.chunks or ()
        ]
        self.took_ns = entry.end_ns - began

    def told(self, field: str) -> Any:
        """Return a field of the recorded span as it stands in the file, to be looked up later.

        A new node each time: a node belongs to the run that it is written into.
        """
        return Deferred(_resolved, (self.entry, field)) if field in self.entry.raw else None

    def model(self, result: Any, qualified: str) -> dict[str, str] | None:
        """Return what the answer says of the model that gave it, looked at once."""
        known = self._model
        if known is None or known[0] != qualified:
            told = told_by(result, qualified)
            if told is None:
                return None
            known = self._model = (qualified, told[0])
        return known[1]

    def value(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what the call gave back, made anew, or raise what it raised.

        What it changed in the agent's state is changed in the one that it was given.
        """
        if self.changes is not None:
            change_again(self.changes, args, kwargs)
        if self.error is not None:
            raise self.error()
        return self.make()

    def stream(self, callback: Callable[[Any], Any], instance: Any, *, paced: bool) -> None:
        """Pass the recorded chunks to a callback."""
        began = time.monotonic()
        for at_s, chunk in self._stream(instance):
            if paced:
                time.sleep(max(0.0, at_s - (time.monotonic() - began)))
            callback(chunk)

    async def stream_async(
        self, callback: Callable[[Any], Any], instance: Any, *, paced: bool
    ) -> None:
        """Pass the recorded chunks to a callback of either kind, on the event loop."""
        began = time.monotonic()
        for at_s, chunk in self._stream(instance):
            if paced:
                await asyncio.sleep(max(0.0, at_s - (time.monotonic() - began)))
            told = callback(chunk)
            if inspect.isawaitable(told):
                await told

    def _stream(self, instance: Any) -> Iterator[tuple[float, Any]]:
        if self.chunks or self.error is not None:
            for at_ns, make in self.chunks:
                yield at_ns / 1e9, make()
            return
        for chunk in chunks_of_reply(self.make(), instance):
            yield 0.0, chunk


def callback_of(method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return whom a call was told to stream to, if anybody."""
    if CALLBACK in kwargs:
        return kwargs[CALLBACK]
    if args and CALLBACK in method.takes:
        return method.named(args, kwargs).get(CALLBACK)
    return None


def _resolved(place: tuple[Entry, str]) -> Any:
    entry, field = place
    return entry.owner.run.resolve(entry.raw.get(field))


def chunks_of_reply(outputs: Any, instance: Any) -> Iterator[Any]:
    """Yield a reply that was not streamed as a stream of few chunks."""
    from haystack.dataclasses import StreamingChunk
    from haystack.dataclasses.streaming_chunk import ComponentInfo, ToolCallDelta

    replies = outputs.get("replies") if isinstance(outputs, dict) else None
    if not isinstance(replies, list) or not replies:
        return
    info = ComponentInfo.from_component(instance)
    reply = replies[0]
    text = reply if isinstance(reply, str) else getattr(reply, "text", None)
    meta = {} if isinstance(reply, str) else dict(getattr(reply, "meta", None) or {})
    index = 0
    if text:
        yield StreamingChunk(content=text, component_info=info, index=0, start=True)
        index = 1
    for number, call in enumerate(getattr(reply, "tool_calls", None) or (), index):
        import json

        delta = ToolCallDelta(
            index=number, tool_name=call.tool_name, arguments=json.dumps(call.arguments), id=call.id
        )
        yield StreamingChunk(
            content="", component_info=info, index=number, start=True, tool_calls=[delta]
        )
    reason = meta.get("finish_reason")
    known: Any = reason if reason in _REASONS else "stop"
    yield StreamingChunk(content="", component_info=info, meta=meta, finish_reason=known)


def declared_classes(instance: Any) -> dict[str, type]:
    """Return the classes that a live component or tool declares for what it gives back."""
    found: dict[str, type] = {}
    for socket in _sockets(instance):
        _collect(getattr(socket, "type", None), found)
    for function in (getattr(instance, "function", None), type(instance).__dict__.get("run")):
        annotation = getattr(function, "__annotations__", {}).get("return")
        if isinstance(annotation, str):
            module = sys.modules.get(getattr(function, "__module__", ""))
            try:
                annotation = typing.get_type_hints(function, vars(module) if module else None).get(
                    "return"
                )
            except Exception:  # noqa: BLE001, S112 - an annotation that cannot be read says nothing
                continue
        _collect(annotation, found)
    return found


def taken_classes(instances: Iterable[Any]) -> dict[str, type]:
    """Return the classes that live components declare for what they are given."""
    found: dict[str, type] = {}
    for instance in instances:
        for socket in _sockets(instance, "__haystack_input__"):
            _collect(getattr(socket, "type", None), found)
    return found


def _sockets(instance: Any, which: str = "__haystack_output__") -> list[Any]:
    sockets = getattr(instance, which, None)
    inner = getattr(sockets, "_sockets_dict", None)
    return list(inner.values()) if isinstance(inner, dict) else []


def _collect(annotation: Any, found: dict[str, type]) -> None:
    if len(found) >= _MOST_CLASSES or annotation is None:
        return
    for inner in typing.get_args(annotation):
        _collect(inner, found)
    if not isinstance(annotation, type) or annotation.__module__ == "builtins":
        return
    name = f"{annotation.__module__}.{annotation.__qualname__}"
    if name in found:
        return
    found[name] = annotation
    try:
        hints = typing.get_type_hints(annotation)
    except Exception:  # noqa: BLE001 - a class whose annotations cannot be read is one all the same
        hints = (
            {each.name: each.type for each in fields(annotation)}
            if is_dataclass(annotation)
            else {}
        )
    for hint in hints.values():
        _collect(hint, found)


def answer_of(entry: Entry, instance: Any) -> Answer:
    """Work out how a recorded call is answered.

    Raises:
        CannotReviveError: The file does not hold enough of it.

    """
    try:
        return _checked(entry, Answer(entry, Reviver(embedding=entry.owner.embedding)))
    except CannotReviveError:
        known = declared_classes(instance)
        return _checked(entry, Answer(entry, Reviver(known, entry.owner.embedding)))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise CannotReviveError(f"The recorded answer is damaged ({error}).") from error


def _checked(entry: Entry, answer: Answer) -> Answer:
    """Make an answer for once, which shows whether it can be made at all."""
    if answer.error is None:
        role = str(entry.raw.get("role"))
        if (fault := fault_of(entry.kind, role, answer.make())) is not None:
            raise CannotReviveError(f"The recorded answer is damaged: {fault}.")
    return answer
