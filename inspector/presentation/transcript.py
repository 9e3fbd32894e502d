"""A conversation as turns: who said what, which tools were called, what is new."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from typing import Any

from inspector.presentation.previews import media_words, preview, text_preview
from inspector.presentation.value_text import json_text
from inspector.presentation.values import (
    entries_in,
    field_path,
    fingerprint,
    items_in,
)
from inspector.runfile.value import tag_of

_RESULT_LIMIT = 200_000
_PROMPT_SOCKETS = ("prompt", "system_prompt")
_DEEPEST = 3
_MOST_NAMES = 500  # that are looked under for messages: no component has so many sockets


@dataclass(frozen=True, slots=True)
class TextPart:
    """Words that were said."""

    text: str
    reasoning: bool = False


@dataclass(frozen=True, slots=True)
class FactPart:
    """Something that is named instead of shown: an image, a file, what nobody knows."""

    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class ResultPart:
    """What a tool gave back, as it was said to the LLM."""

    call_id: str | None
    tool: str
    text: str
    failed: bool


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """How a tool call ended, from the message that answered it or from the tool's own span."""

    text: str | None
    failed: bool
    span_id: str | None = None
    turn: int | None = None  # of the transcript it belongs to
    duration_ns: int | None = None
    end_ns: int | None = None


@dataclass(frozen=True, slots=True)
class CallPart:
    """A tool call an LLM asked for."""

    call_id: str | None
    tool: str
    arguments: tuple[tuple[str, str], ...]
    arguments_text: str | None = None  # when they are not named values
    outcome: ToolOutcome | None = None


Part = TextPart | FactPart | ResultPart | CallPart


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: str
    parts: tuple[Part, ...]
    path: str
    name: str = ""
    is_reply: bool = False
    is_new: bool = False
    facts: tuple[str, ...] = ()
    at_ns: int | None = None  # since the start of the run, where it is known
    said: int = field(default=0, compare=False)  # equal for turns that say the same

    @property
    def failed(self) -> bool:
        return any(isinstance(part, ResultPart) and part.failed for part in self.parts)


@dataclass(frozen=True, slots=True)
class Transcript:
    """The turns of one LLM call, agent or component, prompt first, replies last."""

    turns: tuple[Turn, ...]
    compared_with: str = ""  # the path of the earlier call that "new" refers to
    dropped: int = 0  # turns the earlier call was sent that this one no longer is

    def __bool__(self) -> bool:
        return bool(self.turns)

    @property
    def first_new(self) -> int | None:
        return next((at for at, turn in enumerate(self.turns) if turn.is_new), None)


EMPTY = Transcript(())


def transcript(
    inputs: Any,
    outputs: Any,
    *,
    plain_texts: bool = False,
    outcomes: Mapping[str, ToolOutcome] | None = None,
    replied_ns: int | None = None,
) -> Transcript:
    """Return the conversation in what went into a span and what came out of it.

    Args:
        inputs: The span's inputs, `None` when they were not recorded.
        outputs: Its outputs.
        plain_texts: Whether prompts and replies that are bare text are turns too, as
            they are for an LLM.
        outcomes: How tools ended that this span's replies called, by call id.
        replied_ns: When the replies were there.

    """
    before = list(_turns(inputs, "inputs", plain_texts=plain_texts))
    after: list[Turn] = []
    known = Counter(turn.said for turn in before)
    for socket in _by_socket(_turns(outputs, "outputs", plain_texts=plain_texts)):
        # An agent gives back the whole conversation, and its end once more: neither
        # its prompt nor what another socket said already is a reply.
        marked = [(turn, _taken(known, turn)) for turn in socket]
        fresh = [replace(turn, is_reply=True, at_ns=replied_ns) for turn, old in marked if not old]
        if before and not after and known.total() == 0:
            # All of the prompt is in it: this order is the true one.
            replies = iter(fresh)
            before = []
            after = [turn if old else next(replies) for turn, old in marked]
        else:
            after += fresh
        known.update(turn.said for turn in (after if not before else fresh))
    return Transcript(_linked([*before, *after], outcomes or {}))


def _by_socket(turns: Iterable[Turn]) -> Iterator[list[Turn]]:
    for _, socket in groupby(turns, key=lambda turn: _list_of(turn.path)):
        yield list(socket)


def _list_of(path: str) -> str:
    """Return the path of the list that a message stands in."""
    return path[: path.rindex("[")] if path.endswith("]") else path


def _taken(known: Counter[int], turn: Turn) -> bool:
    """Say whether a turn is among the known ones, and cross it out there."""
    if known[turn.said] > 0:
        known[turn.said] -= 1
        return True
    return False


def marked_new(now: Transcript, earlier: Transcript, compared_with: str) -> Transcript:
    """Return `now` with the turns marked that `earlier` did not have.

    `earlier` counts with its replies: what the LLM itself just said is not news.
    """
    seen = Counter(turn.said for turn in earlier.turns)
    turns = tuple(replace(turn, is_new=not _taken(seen, turn)) for turn in now.turns)
    present = Counter(turn.said for turn in now.turns)
    sent = Counter(turn.said for turn in earlier.turns if not turn.is_reply)
    return Transcript(turns, compared_with, (sent - present).total())


def has_messages(inputs: Any, outputs: Any) -> bool:
    """Say whether there is any chat message in what went in or came out."""
    return any(True for _ in islice(_messages(inputs, "inputs", 0), 1)) or any(
        True for _ in islice(_messages(outputs, "outputs", 0), 1)
    )


def _turns(values: Any, root: str, *, plain_texts: bool) -> Iterator[Turn]:
    if plain_texts:
        yield from _plain_turns(values, root)
    for message, path in _messages(values, root, 0):
        yield _turn(message, path)


def _plain_turns(values: Any, root: str) -> Iterator[Turn]:
    """Yield what a generator without chat messages was sent and said."""
    for name, value in entries_in(values):
        path = field_path(root, name)
        if root == "inputs" and name in _PROMPT_SOCKETS and isinstance(value, str):
            yield _plain_turn("system" if name == "system_prompt" else "user", value, path)
        if root == "outputs" and name == "replies":
            for at, reply in enumerate(items_in(value) or ()):
                if isinstance(reply, str):
                    yield _plain_turn("assistant", reply, f"{path}[{at}]")


def _plain_turn(role: str, text: str, path: str) -> Turn:
    return Turn(role, (TextPart(text),), path, said=hash((role, text)))


def _messages(value: Any, path: str, depth: int) -> Iterator[tuple[Mapping[str, Any], str]]:
    if tag_of(value) == "chat_message":
        yield value, path
        return
    if depth > _DEEPEST:
        return
    items = items_in(value)
    if items is not None:
        # Lists hold messages or they do not: the first item tells.
        if len(items) and (tag_of(items[0]) == "chat_message" or items_in(items[0]) is not None):
            for at in range(len(items)):
                yield from _messages(items[at], f"{path}[{at}]", depth + 1)
    elif isinstance(value, Mapping) and (depth == 0 or tag_of(value) in (None, "state")):
        for name, part in islice(entries_in(value), _MOST_NAMES):
            yield from _messages(part, field_path(path, name), depth + 1)


def _turn(message: Mapping[str, Any], path: str) -> Turn:
    content = message.get("content")
    parts = tuple(_parts(content))
    role = str(message.get("role") or "unknown")
    name = message.get("name")
    meta = message.get("meta")
    return Turn(
        role=role,
        parts=parts,
        path=path,
        name=name if isinstance(name, str) else "",
        facts=tuple(_meta_facts(meta)) if isinstance(meta, Mapping) else (),
        said=hash((role, name if isinstance(name, str) else "", fingerprint(content))),
    )


def _meta_facts(meta: Mapping[str, Any]) -> Iterator[str]:
    for key in ("model", "finish_reason"):
        value = meta.get(key)
        if isinstance(value, str) and value:
            yield text_preview(value, 80)


def _parts(content: Any) -> Iterator[Part]:
    if isinstance(content, str):
        yield TextPart(content)
    elif (items := items_in(content)) is not None:
        for part in items:
            yield _part(part)
    elif content is not None:
        yield FactPart("content", preview(content))


def _part(part: Any) -> Part:
    match part:
        case str():
            return TextPart(part)
        case {"text": str(text)}:
            return TextPart(text)
        case {"reasoning": {"text": str(text)}}:
            return TextPart(text, reasoning=True)
        case {"tool_call": Mapping() as call}:
            return _call(call)
        case {"tool_result": Mapping() as result}:
            return _result(result)
        case {"$": "image" | "file" as kind}:
            return FactPart(kind, media_words(part))
    return FactPart("content", preview(part))


def _call(call: Mapping[str, Any]) -> CallPart:
    arguments = call.get("arguments")
    named = isinstance(arguments, Mapping)
    call_id = call.get("id")
    return CallPart(
        call_id=call_id if isinstance(call_id, str) else None,
        tool=str(call.get("name") or "unnamed tool"),
        arguments=tuple((key, argument_text(value)) for key, value in entries_in(arguments)),
        arguments_text=None if named or arguments is None else argument_text(arguments),
    )


def argument_text(value: Any) -> str:
    """Return an argument of a tool: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json_text(value, _RESULT_LIMIT).text


def _result(result: Mapping[str, Any]) -> ResultPart:
    call = result.get("call")
    origin = call if isinstance(call, Mapping) else {}
    call_id = origin.get("id")
    said = result.get("result")
    texts = items_in(said)
    if texts is not None and all(isinstance(part, Mapping) and "text" in part for part in texts):
        said = "\n\n".join(str(part["text"]) for part in texts)
    return ResultPart(
        call_id=call_id if isinstance(call_id, str) else None,
        tool=str(origin.get("name") or "tool"),
        text=argument_text(said),
        failed=bool(result.get("error")),
    )


def _linked(turns: Sequence[Turn], outcomes: Mapping[str, ToolOutcome]) -> tuple[Turn, ...]:
    """Return the turns with each tool call tied to what answered it."""
    answers = dict(outcomes)
    for at, turn in enumerate(turns):
        for part in turn.parts:
            if isinstance(part, ResultPart) and part.call_id is not None:
                known = outcomes.get(part.call_id, ToolOutcome(None, failed=False))
                failed = part.failed or known.failed
                answers[part.call_id] = replace(known, text=part.text, failed=failed, turn=at)
    return tuple(_tied(turn, answers) for turn in turns)


def _tied(turn: Turn, answers: Mapping[str, ToolOutcome]) -> Turn:
    parts: list[Part] = []
    at_ns = turn.at_ns
    for part in turn.parts:
        answer = (
            answers.get(part.call_id or "") if isinstance(part, CallPart | ResultPart) else None
        )
        if isinstance(part, CallPart) and answer is not None:
            parts.append(replace(part, outcome=answer))
            continue
        if isinstance(part, ResultPart) and answer is not None:
            at_ns = answer.end_ns
        parts.append(part)
    return replace(turn, parts=tuple(parts), at_ns=at_ns)


def turn_text(turn: Turn) -> str:
    """Return a turn as plain text, for copying and for readers of the screen."""
    return "\n\n".join(_part_text(part) for part in turn.parts)


def _part_text(part: Part) -> str:
    match part:
        case TextPart(text, reasoning):
            return f"(reasoning)\n{text}" if reasoning else text
        case FactPart(kind, words):
            return f"[{kind} · {words}]"
        case ResultPart(tool=tool, text=text, failed=failed):
            return f"← {'✕ ' if failed else ''}{tool}: {text}"
        case CallPart(tool=tool, arguments=arguments, arguments_text=bare):
            inner = bare if bare is not None else "\n".join(f"  {k}: {v}" for k, v in arguments)
            return f"→ {tool}\n{inner}".rstrip()


def transcript_text(whole: Transcript) -> str:
    """Return a whole conversation as plain text."""
    return "\n\n".join(
        f"{turn.role}{f' ({turn.name})' if turn.name else ''}:\n{turn_text(turn)}"
        for turn in whole.turns
    )
