"""What is seen and edited of a call that a replay holds: its value, its messages, its agent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.errors import InspectorError
from inspector.presentation.edited_value import (
    ABSENT,
    answer_fault,
    as_json,
    first_fault,
    from_json,
    plain_tree,
)
from inspector.presentation.previews import preview
from inspector.presentation.transcript import EMPTY, Transcript, has_messages, transcript
from inspector.presentation.value_paths import Step, split
from inspector.presentation.value_text import json_text
from inspector.presentation.values import ValueNode, field_path
from inspector.presentation.visible import one_line
from inspector.presentation.words import elided, sentence
from inspector.runfile.value import tag_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.presentation.live_replay import HeldCall, LiveReplay
    from inspector.runfile.model import Span, SpanError

LONGEST_EDIT = 200_000  # characters: an editor takes a tenth of a second for as many
_LONGEST_NAME = 60
_LONGEST_VALUE = 120
_KIND_WORDS = {"llm": "LLM call", "tool": "tool call"}
_SOURCES = {
    "recorded": "answered from the recording",
    "live": "run live",
    "executed": "run again",
    "verified": "checked against the recording",
    "edited": "put in place by hand",
}


class EditError(InspectorError):
    """What was written is no value for a held call; says where that begins and ends."""

    def __init__(self, message: str, start: int, end: int, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.start = start
        self.end = max(end, start + 1)


class Edit(NamedTuple):
    """What a held call is to go on with. Of a `merge`, `value` holds only what is another."""

    value: Any
    merge: bool = False
    without: tuple[str, ...] = ()
    whole: Any = None  # the value as it is then, to be shown

    @property
    def is_nothing(self) -> bool:
        """Whether everything stays as it is."""
        return self.merge and not self.value and not self.without


def title_words(call: HeldCall) -> str:
    """Return which call is held, and at which side of it."""
    kind = _KIND_WORDS.get(call.kind, call.kind)
    name = elided(one_line(call.name) or one_line(call.path), _LONGEST_NAME)
    visit = f", visit {call.visit}" if call.visit > 1 else ""
    return f"{call.phase.capitalize() or 'At'} the {kind} {name}{visit}"


def place_words(call: HeldCall) -> str:
    """Return where a held call stands."""
    return elided(one_line(call.path), 2 * _LONGEST_NAME)


def about_words(call: HeldCall, why: str = "", *, is_other: bool = False) -> str:
    """Return what else is to be known of it.

    Args:
        call: The call: whose its result is, is known of it.
        why: What it is held by, in words.
        is_other: Whether the recording has another value there.

    """
    if call.phase == "after":
        raised = "it raised an exception" if call.raised else ""
        told = sentence([raised, _SOURCES.get(call.source, "")], ", ")
    else:
        told = {
            "recorded": "has a recorded answer", "live": "runs live", "executed": "runs again",
            "verified": "runs, and is compared",
        }.get(call.source, "")  # fmt: skip
    other = "not what was recorded" if is_other else ""
    return sentence([told, other, why])


def row_words(call: HeldCall) -> tuple[str, str]:
    """Return a held call in a few words, and its value in others."""
    name = elided(one_line(call.name) or one_line(call.path), _LONGEST_NAME)
    value = call.values
    if call.phase == "before" and isinstance(value, dict):
        told = ", ".join(f"{one_line(key)}: {preview(part, 40)}" for key, part in value.items())
        return f"{call.phase} {name}", elided(told, _LONGEST_VALUE)
    return f"{call.phase} {name}", preview(value, _LONGEST_VALUE)


def value_title(call: HeldCall) -> str:
    """Return what the value of a held call is called."""
    if call.phase == "before":
        return "Arguments" if call.kind == "tool" else "Inputs"
    return "Exception" if call.raised else "Result"


def value_nodes(call: HeldCall, value: Any) -> list[ValueNode]:
    """Return the value of a held call as the roots of a tree."""
    root = "inputs" if call.phase == "before" else "outputs"
    if isinstance(value, dict) and tag_of(value) is None and not call.raised:
        return [ValueNode(str(key), part, field_path(root, key)) for key, part in value.items()]
    return [ValueNode(value_title(call).lower(), value, root)]


def state_nodes(call: HeldCall) -> list[ValueNode]:
    """Return what the agent around a held call has in its state."""
    state = call.state if isinstance(call.state, dict) else {}
    return [ValueNode(str(key), part, field_path("state", key)) for key, part in state.items()]


def messages_of(call: HeldCall, value: Any) -> Transcript:
    """Return the conversation at a pause: what an LLM is told, or what its agent knows."""
    before, after = (value, None) if call.phase == "before" else (None, value)
    if has_messages(before, None):
        return transcript(before, None)
    state = call.state if isinstance(call.state, dict) else None
    said = {"messages": state.get("messages")} if state is not None else None
    if has_messages(said, after):
        return transcript(said, after)
    return EMPTY


def recorded_value(live: LiveReplay, call: HeldCall) -> Any:
    """Return what the recording has in the place of a held value, or `ABSENT`.

    Where the call raised when it was recorded, there is no result that could take its place.
    """
    span = _recorded(live, call)
    if span is None:
        return ABSENT
    if call.phase == "after":
        value = span.outputs if span.error is None else None
    else:
        value = span.arguments if call.kind == "tool" else span.inputs
    return ABSENT if value is None else value


def differs_from_recorded(live: LiveReplay, call: HeldCall) -> bool:
    """Say whether the recording has another value in this place, or another exception."""
    span = _recorded(live, call)
    if span is None:
        return False
    if call.phase == "after" and (call.raised or span.error is not None):
        return not call.raised or span.error is None or not _is_same_error(span.error, call.values)
    recorded = recorded_value(live, call)
    return recorded is not ABSENT and plain_tree(recorded) != plain_tree(call.values)


def _recorded(live: LiveReplay, call: HeldCall) -> Span | None:
    row = live.row_at(call.path)
    return None if row is None else live.recording.spans[row]


def _is_same_error(recorded: SpanError, raised: Any) -> bool:
    """Say whether an exception is the recorded one; where it was raised is another matter."""
    if not isinstance(raised, dict):
        return False
    return (recorded.type, recorded.message) == (raised.get("type"), raised.get("message"))


# -- editing -------------------------------------------------------------------------------


def reads_as_text(call: HeldCall, value: Any) -> bool:
    """Say whether a value is best edited as the text that it is."""
    return call.phase == "after" and (isinstance(value, str) or (call.raised and _is_tool(call)))


def text_to_edit(call: HeldCall, value: Any) -> str:
    """Return a value as the text to be edited.

    Raises:
        InspectorError: It is too large for that.

    """
    if reads_as_text(call, value):
        text: str | None = value if isinstance(value, str) else ""
    elif call.raised:
        text = "{\n}"
    else:
        # Of what is too large, no more is written than it takes to know that.
        is_whole = json_text(value, LONGEST_EDIT).complete
        text = as_json(plain_tree(value)) if is_whole else None
    if text is None or len(text) > LONGEST_EDIT:
        raise InspectorError(
            "This value is too large to be edited here.",
            hint="Let the call go on, and change a value that is made from it.",
        )
    return text


def read_edit(call: HeldCall, text: str, *, as_text: bool) -> Edit:
    """Return what a person has written for a held call.

    Raises:
        EditError: It is no value for it.

    """
    if as_text:
        return Edit(text, whole=text)
    try:
        value = from_json(text)
    except InspectorError as error:
        start, end = _place_of_fault(error, text)
        raise EditError(str(error), start, end, hint=error.hint) from error
    before = call.values
    parts = isinstance(value, dict) and tag_of(value) is None
    if call.phase == "before" and not parts:
        raise EditError(
            "The inputs of a call are passed by name.", 0, len(text),
            hint='Write them as {"name": value}.',
        )  # fmt: skip
    can_merge = parts and isinstance(before, dict) and tag_of(before) is None and not call.raised
    edit = _changed(call, value, text) if can_merge else Edit(value, whole=value)
    _look_at(call, edit, text)
    return edit


def _changed(call: HeldCall, value: dict[str, Any], text: str) -> Edit:
    were = plain_tree(call.values)
    changed = {key: part for key, part in value.items() if key not in were or were[key] != part}
    gone = tuple(key for key in were if key not in value)
    if gone and call.phase == "before":
        raise EditError(
            f"The input {one_line(gone[0])!r} is missing; inputs cannot be taken away.",
            0, len(text), hint="Write null for nothing.",
        )  # fmt: skip
    return Edit(changed, merge=True, without=gone, whole=value)


def _look_at(call: HeldCall, edit: Edit, text: str) -> None:
    """Find out whether a call can go on with a value.

    Raises:
        EditError: It cannot.

    """
    path, fault = first_fault(edit.value)
    if fault:
        raise EditError(fault, *place_of(text, split(path)))
    if call.phase != "after" or call.kind == "hook":
        return
    told, is_llm = edit.whole, "llm" in (call.kind, call.role)
    if edit.merge:
        # Only what was changed is looked at: the rest need not be made again.
        told = {key: edit.value.get(key) for key in edit.whole}
        is_llm = is_llm and "replies" in edit.value
    role = "tool" if _is_tool(call) else "llm" if is_llm else ""
    recorded = None if call.raised else plain_tree(call.values)
    if fault := answer_fault(recorded, told, role):
        raise EditError(fault, 0, len(text))


def _is_tool(call: HeldCall) -> bool:
    return call.kind == "tool"


def _place_of_fault(error: InspectorError, text: str) -> tuple[int, int]:
    cause = error.__cause__
    if isinstance(cause, json.JSONDecodeError):
        start = min(cause.pos, max(len(text) - 1, 0))
        end = start
        while end < len(text) and text[end] not in " \t\r\n,:]}":
            end += 1
        return start, max(end, start + 1)
    return 0, len(text)


def place_of(text: str, steps: Sequence[Step]) -> tuple[int, int]:
    """Return where in JSON a part of it stands, from and to; all of it where that is unknown."""
    decoder = json.JSONDecoder()
    at = _past_space(text, 0)
    try:
        for step in steps:
            at = _inside(decoder, text, at, step)
        return at, decoder.raw_decode(text, at)[1]
    except (ValueError, IndexError, RecursionError):
        return 0, len(text)


def _inside(decoder: json.JSONDecoder, text: str, at: int, step: Step) -> int:
    """Return where a part of the value begins that begins at a place of the text.

    Raises:
        ValueError: It has no such part.
        IndexError: The text ends.

    """
    is_list = text[at] == "["
    at, count = _past_space(text, at + 1), 0
    while text[at] not in "]}":
        key: Any = str(count)
        if not is_list:
            key, at = decoder.raw_decode(text, at)
            at = _past_space(text, _past_space(text, at) + 1)
        if key == step.label:
            return at
        _, at = decoder.raw_decode(text, at)
        at = _past_space(text, at)
        at = _past_space(text, at + 1) if text[at] == "," else at
        count += 1
    raise ValueError(step)


def _past_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at
