"""Stubs: things with recorded sockets that do nothing, and are answered from the recording."""

from __future__ import annotations

import re
from functools import reduce
from importlib import import_module
from keyword import iskeyword
from operator import or_
from typing import TYPE_CHECKING, Any, NoReturn

from haystack import component
from haystack.core.component.types import Variadic
from haystack.dataclasses import ByteStream, ChatMessage, Document, GeneratedAnswer
from haystack.tools.tool import Tool

from inspector.replay.mode import ReplayError
from inspector.replay.revive import CannotReviveError, Reviver
from inspector.replay.stub_plan import Part, connections_of, mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from inspector.runfile.model import PipelineRun, Span

REQUIRED = object()
# What stands for what a SuperComponent was not given. The package hides its module's name.
_NOT_GIVEN = getattr(
    import_module("haystack.core.super_component.super_component"), "_delegate_default", None
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}(\.[A-Za-z_][A-Za-z0-9_]{0,200}){0,30}")
_LONGEST = 2_000


class NotAnsweredError(ReplayError):
    """A stub was run: nothing stands behind it."""


def _refuse(instance: Any, *_given: Any) -> NoReturn:
    raise NotAnsweredError(f"{type(instance).__name__} is a stub, which does nothing by itself.")


@component
class Stub:
    """A component with the recorded sockets."""

    __haystack_side_effecting__ = True

    def __init__(self, inputs: Mapping[str, tuple[Any, Any]], outputs: Mapping[str, Any]) -> None:
        for name, (type_, default) in inputs.items():
            if default is REQUIRED:
                component.set_input_type(self, name, type_)
            else:
                component.set_input_type(self, name, type_, default)
        component.set_output_types(self, **outputs)

    def run(self, **kwargs: Any) -> dict[str, Any]:  # noqa: ARG002 - what Haystack calls it with
        """Refuse: a stub is answered, and never runs."""
        _refuse(self)

    async def run_async(self, **kwargs: Any) -> dict[str, Any]:  # noqa: ARG002
        """Refuse: a stub is answered, and never runs."""
        _refuse(self)


@component
class StubGenerator:
    """A chat generator that knows nothing."""

    __haystack_side_effecting__ = True

    @component.output_types(replies=list[ChatMessage])
    def run(
        self, messages: list[ChatMessage], streaming_callback: Any = None,
        generation_kwargs: dict[str, Any] | None = None, *, tools: Any = None,
        tools_strict: bool | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Refuse: a stub is answered, and never runs."""
        _refuse(self, messages, streaming_callback, generation_kwargs, tools, tools_strict)

    @component.output_types(replies=list[ChatMessage])
    async def run_async(
        self, messages: list[ChatMessage], streaming_callback: Any = None,
        generation_kwargs: dict[str, Any] | None = None, *, tools: Any = None,
        tools_strict: bool | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Refuse: a stub is answered, and never runs."""
        _refuse(self, messages, streaming_callback, generation_kwargs, tools, tools_strict)


class StubTool(Tool):
    """A tool that does nothing."""

    __haystack_side_effecting__ = True


def no_function(**_arguments: Any) -> NoReturn:
    """Refuse: a stub is answered, and never runs."""
    raise NotAnsweredError("This tool is a stub, which does nothing by itself.")


def named(cls: type, type_name: str) -> Any:
    """Return a class of ours that calls itself what the recorded one was called.

    Spans and reports then say what they said. It is a name and nothing more.
    """
    if len(type_name) > _LONGEST or not _NAME.fullmatch(type_name):
        raise ReplayError(f"{type_name[:80]!r} is no name of a class.")
    module, _, name = type_name.rpartition(".")
    if iskeyword(name):
        raise ReplayError(f"{name!r} is no name of a class.")
    body = {"__module__": module or "recorded", "__qualname__": name, "__doc__": cls.__doc__}
    return type(cls)(name, (cls,), body)


# -- sockets -------------------------------------------------------------------------------

_TYPES: dict[str, Any] = {
    "str": str, "int": int, "float": float, "bool": bool, "bytes": bytes, "None": None,
    "dict": dict, "list": list, "typing.Any": Any, "Any": Any,
    "ChatMessage": ChatMessage, "Document": Document,
    "haystack.dataclasses.chat_message.ChatMessage": ChatMessage,
    "haystack.dataclasses.document.Document": Document,
    "haystack.dataclasses.byte_stream.ByteStream": ByteStream,
    "haystack.dataclasses.answer.GeneratedAnswer": GeneratedAnswer,
}  # fmt: skip


def type_of(words: Any) -> Any:
    """Return the type that the words for a socket stand for; anything where it is unknown.

    Haystack converts between some types when it connects sockets, so they matter.
    """
    if not isinstance(words, str) or len(words) > _LONGEST:
        return Any
    parts = list(_split(words, "|"))
    if len(parts) > 1:
        inner = [type_of(part) for part in parts]
        return Any if any(each is Any for each in inner) else reduce(or_, inner)
    words = words.strip()
    if words.startswith("list[") and words.endswith("]"):
        return list[type_of(words[5:-1])]  # type: ignore[misc]  # made while running
    if words.startswith("dict[") and words.endswith("]"):
        return dict[str, Any]
    return _TYPES.get(words, Any)


def _split(words: str, at: str) -> Iterator[str]:
    depth = start = 0
    for number, each in enumerate(words):
        depth += (each == "[") - (each == "]")
        if each == at and depth == 0:
            yield words[start:number]
            start = number + 1
    yield words[start:]


def inputs_of(part: Part, run: PipelineRun) -> dict[str, tuple[Any, Any]]:
    """Return the input sockets of a component: their types, and their defaults.

    What every recorded visit was sent is required; what was not has the default that was
    recorded in its place.
    """
    visits = _visits(run, part.name)
    connected = _connected(run, part.name)
    found: dict[str, tuple[Any, Any]] = {}
    for name, words in mapping(part.recorded, "inputs").items():
        type_ = type_of(words)
        sent = [_senders(run, span, name, connected.get(name, ())) for span in visits]
        if max(sent, default=0) > 1 and not str(words).startswith("list["):
            type_ = Variadic[type_]  # type: ignore[valid-type]  # made while running
        unsent = [span for span, count in zip(visits, sent, strict=True) if not count]
        if visits and not unsent:
            found[name] = (type_, REQUIRED)
        else:
            found[name] = (type_, _default(unsent, name))
    return found


def _visits(run: PipelineRun, name: str) -> list[Span]:
    return [
        span
        for span in run.spans
        if span.kind == "component" and span.name == name and "/" not in span.path
    ]


def _connected(run: PipelineRun, name: str) -> dict[str, list[tuple[str, str]]]:
    """Return which outputs of which components each socket is connected to."""
    found: dict[str, list[tuple[str, str]]] = {}
    for sender, receiver in connections_of(run.topology):
        owner, _, socket = receiver.partition(".")
        if owner == name:
            component_name, _, output = sender.partition(".")
            found.setdefault(socket, []).append((component_name, output))
    return found


def _senders(
    run: PipelineRun, span: Span, name: str, connected: Sequence[tuple[str, str]]
) -> int:  # fmt: skip
    """Return how many have sent something to a socket by this visit.

    The recorded senders are those that are connected; one on a branch that was not taken
    has sent nothing.
    """
    senders = (span.senders or {}).get(name) or ()
    count = 0
    for sender in senders:
        if sender is None:  # the caller
            count += 1
            continue
        outputs = {output for owner, output in connected if owner == sender}
        count += any(
            outputs & set(each.outputs)
            for each in _visits(run, str(sender))
            if isinstance(each.outputs, dict) and each.start_ns <= span.start_ns
        )
    return count


def _default(unsent: list[Span], name: str) -> Any:
    tree = unsent[0].inputs.get(name) if unsent and isinstance(unsent[0].inputs, dict) else None
    if isinstance(tree, dict) and tree.get("$") == "type":
        return _NOT_GIVEN
    try:
        return Reviver().value(tree)
    except CannotReviveError:
        return None
