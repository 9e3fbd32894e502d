"""An independent log of what components did, to hold a recording against.

The recorder puts its wrappers into instances; the witness stands in the classes below
them. It knows nothing of the product, and keeps plain copies of what it saw at once.
"""

import functools
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from haystack import Document, Pipeline
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, GeneratedAnswer, StreamingChunk


@dataclass(slots=True)
class Visit:
    """One call of a component's `run` or `run_async`."""

    name: str
    inputs: dict[str, Any]
    outputs: Any = None
    error: BaseException | None = None
    began_ns: int = 0
    ended_ns: int = 0
    thread: str = ""


@dataclass(slots=True)
class ChunkLog:
    """Keeps what a streaming callback is given, and when."""

    chunks: list[dict[str, Any]] = field(default_factory=list)
    times_ns: list[int] = field(default_factory=list)

    @property
    def callback(self) -> Callable[[StreamingChunk], None]:
        """Return a plain function: Haystack copies inputs, and would copy a method's object."""

        def take(chunk: StreamingChunk) -> None:
            self.times_ns.append(time.perf_counter_ns())
            self.chunks.append(plain(chunk))

        return take

    @property
    def async_callback(self) -> Callable[[StreamingChunk], Awaitable[None]]:
        """Return the same for an event loop."""
        take = self.callback

        async def take_async(chunk: StreamingChunk) -> None:
            take(chunk)

        return take_async

    @property
    def text(self) -> str:
        return "".join(chunk["content"] for chunk in self.chunks)


class Witness:
    """While it is entered, every call of these components is logged in `visits`."""

    def __init__(self, target: Any) -> None:
        self.names = dict(_components(target))
        self.visits: list[Visit] = []
        self._lock = threading.Lock()
        self._replaced: list[tuple[type, str, Any]] = []

    def of(self, name: str) -> list[Visit]:
        return [visit for visit in self.visits if visit.name == name]

    @property
    def counts(self) -> dict[str, int]:
        return {name: len(self.of(name)) for name in {visit.name for visit in self.visits}}

    def __enter__(self) -> Self:
        for kind in {type(component) for _name, component in self.names.values()}:
            for method in ("run", "run_async"):
                original = kind.__dict__.get(method)
                if original is not None:
                    self._replaced.append((kind, method, original))
                    watched = self._async(original) if method == "run_async" else None
                    setattr(kind, method, watched or self._sync(original))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for owner, method, original in self._replaced:
            setattr(owner, method, original)

    def _begin(self, instance: Any, given: dict[str, Any]) -> Visit:
        name, _component = self.names.get(id(instance), (type(instance).__name__, None))
        visit = Visit(name, {key: plain(value) for key, value in given.items()})
        visit.thread = threading.current_thread().name
        visit.began_ns = time.perf_counter_ns()
        with self._lock:
            self.visits.append(visit)
        return visit

    def _sync(self, original: Any) -> Any:
        @functools.wraps(original)
        def run(instance: Any, *args: Any, **given: Any) -> Any:
            visit = self._begin(instance, given)
            try:
                outputs = original(instance, *args, **given)
            except BaseException as error:
                visit.error = error
                raise
            else:
                visit.outputs = plain(outputs)
                return outputs
            finally:
                visit.ended_ns = time.perf_counter_ns()

        return run

    def _async(self, original: Any) -> Any:
        @functools.wraps(original)
        async def run_async(instance: Any, *args: Any, **given: Any) -> Any:
            visit = self._begin(instance, given)
            try:
                outputs = await original(instance, *args, **given)
            except BaseException as error:
                visit.error = error
                raise
            else:
                visit.outputs = plain(outputs)
                return outputs
            finally:
                visit.ended_ns = time.perf_counter_ns()

        return run_async


def _components(target: Any, name: str = "") -> Iterator[tuple[int, tuple[str, Any]]]:
    if isinstance(target, Pipeline):
        for child, component in target.walk():
            yield from _components(component, child)
        return
    if name:
        yield id(target), (name, target)
    if isinstance(target, Agent):
        yield id(target.chat_generator), ("chat_generator", target.chat_generator)
    inner = getattr(target, "pipeline", None)
    if isinstance(inner, Pipeline):
        yield from _components(inner)


def plain(value: Any) -> Any:
    """Say what a Haystack value holds in plain Python, for comparing and nothing else."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [plain(item) for item in value]
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case Document():
            held = {"id": value.id, "content": value.content, "score": value.score}
            return {"document": _set(held), "meta": plain(value.meta)}
        case ChatMessage():
            return {"role": value.role.value, "parts": _parts(value), "meta": plain(value.meta)}
        case GeneratedAnswer():
            documents = plain(value.documents)
            return {"answer": value.data, "query": value.query, "documents": documents}
        case StreamingChunk():
            calls = [(c.index, c.id, c.tool_name, c.arguments) for c in value.tool_calls or []]
            return {"content": value.content, "finish": value.finish_reason, "calls": calls}
    return f"<{type(value).__name__}>"


def _parts(message: ChatMessage) -> list[Any]:
    texts = [{"text": text} for text in message.texts]
    calls = [
        {"call": call.tool_name, "arguments": plain(call.arguments), "id": call.id}
        for call in message.tool_calls
    ]
    results = [
        {"result": plain(result.result), "of": result.origin.id, "error": result.error}
        for result in message.tool_call_results
    ]
    return [*texts, *calls, *results]


def _set(held: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in held.items() if value is not None}
