"""What a person wants to be different in a replay: changes, in words and as overrides."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.presentation.previews import preview
from inspector.presentation.template_parts import is_template, template_text, template_texts
from inspector.presentation.values import items_in
from inspector.presentation.visible import one_line
from inspector.presentation.words import plural
from inspector.runfile.value import is_document

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 90
_MOST_DOCUMENTS = 1_000


class ChangeKind(StrEnum):
    """What is changed."""

    PARAMETER = "parameter"  # what a component is made with
    INPUT = "input"  # what the run is given
    ANSWER = "answer"  # what a call gives back


class Change(NamedTuple):
    """One thing that is to be different in a replay.

    `before` and `after` are value trees; of a parameter, JSON as definitions hold it.
    """

    kind: ChangeKind
    at: str  # the component; of an answer, the path of the call
    name: str  # the parameter or the input; "" for an answer, which counts as a whole
    before: Any
    after: Any
    span_id: str | None = None  # where it shows in the recording

    @property
    def key(self) -> tuple[str, str, str]:
        """What no second change can stand for at the same time."""
        return str(self.kind), self.at, self.name


def overrides_of(changes: Iterable[Change]) -> dict[str, Any]:
    """Return changes as a replay takes them: `inputs`, `parameters` and `answers`.

    A parameter of a part, such as `chat_generator.model`, is handed over by that name: nothing
    that stands in the file beside it is made anew from the file.
    """
    inputs: dict[str, Any] = {}
    parameters: dict[str, dict[str, Any]] = {}
    answers: dict[str, Any] = {}
    for change in changes:
        match change.kind:
            case ChangeKind.ANSWER:
                answers[change.at] = change.after
            case ChangeKind.INPUT:
                place = inputs.setdefault(change.at, {}) if change.at else inputs
                place[change.name] = change.after
            case ChangeKind.PARAMETER:
                parameters.setdefault(change.at, {})[change.name] = change.after
    found = {"inputs": inputs, "parameters": parameters, "answers": answers}
    return {name: value for name, value in found.items() if value}


def place_words(change: Change) -> str:
    """Return what is changed, such as "Template of prompt_builder"."""
    at = one_line(change.at)
    match change.kind:
        case ChangeKind.ANSWER:
            return f"{_answer_word(change)} of {at}"
        case ChangeKind.INPUT:
            return f"Input {one_line(change.name)}" + (f" of {at}" if at else "")
    if change.name == "template":
        return f"Template of {at}"
    words = one_line(change.name).replace("_", " ") if is_prompt(change.name) else change.name
    return f"{words[:1].upper()}{words[1:]} of {at}"


def is_prompt(name: str) -> bool:
    """Say whether a parameter of this name is a prompt."""
    return name in ("template", "system_prompt", "user_prompt")


def _answer_word(change: Change) -> str:
    if "/tool:" in change.at or change.at.startswith("tool:"):
        return "Result"
    if documents_in(change.after) is not None:
        return "Documents"
    return "Answer"


def change_words(change: Change) -> str:
    """Return a change in one sentence, for the list of changes and for a replay's title."""
    return f"{place_words(change)}: {difference_words(change)}"


def difference_words(change: Change) -> str:
    """Return what is different, briefly."""
    if is_template(change.name, change.after):
        return _template_words(change.before, change.after)
    before, after = documents_in(change.before), documents_in(change.after)
    if before is not None and after is not None:
        return _documents_words(before, after)
    one, other = _said(change.before), _said(change.after)
    if isinstance(one, str) and isinstance(other, str):
        return _text_words(one, other)
    return f"{preview(change.before, _LONGEST)} → {preview(change.after, _LONGEST)}"


def _template_words(before: Any, after: Any) -> str:
    one, other = template_texts(before), template_texts(after)
    if len(one) == len(other):
        differing = [at for at, text in enumerate(one) if other[at].text != text.text]
        if len(differing) == 1:
            return _text_words(one[differing[0]].text, other[differing[0]].text)
        if differing:
            return f"{len(differing)} of {plural(len(one), 'message')} changed"
    if len(one) != len(other):
        return f"{plural(len(other), 'message')} instead of {len(one)}"
    return _text_words(template_text(before), template_text(after))


def _said(value: Any) -> Any:
    """Return the words of a value that is a text, or holds one and little else."""
    if isinstance(value, dict) and "$" not in value and len(value) == 1:
        return _said(next(iter(value.values())))
    items = items_in(value)
    if items is not None and len(items) == 1:
        return _said(items[0])
    if isinstance(value, dict) and value.get("$") == "chat_message":
        content = value.get("content")
        texts = [
            part["text"] for part in content or () if isinstance(part, dict) and "text" in part
        ]
        return "\n".join(text for text in texts if isinstance(text, str)) if texts else value
    return value


def _text_words(before: str, after: str) -> str:
    """Return the stretch in which two texts differ, with a little of what stands around it."""
    if before == after:
        return "the same"
    if not before or not after:
        return f"{preview(before, _LONGEST)} → {preview(after, _LONGEST)}"
    first = next(
        (at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other),
        min(len(before), len(after)),
    )
    last = 0
    least = min(len(before), len(after)) - first
    while last < least and before[-1 - last] == after[-1 - last]:
        last += 1
    # Whole words: half of one says nothing.
    if any(not text[first : first + 1].isspace() and text[first:] for text in (before, after)):
        while first > 0 and not before[first - 1].isspace():
            first -= 1
    ends = (text[: len(text) - last] for text in (before, after))
    if any(not end[-1:].isspace() and end for end in ends):
        while last > 0 and not before[len(before) - last].isspace():
            last -= 1
    one, other = (text[first : len(text) - last] for text in (before, after))
    if not one.strip():
        return f"added {preview(other.strip(), _LONGEST)}"
    if not other.strip():
        return f"removed {preview(one.strip(), _LONGEST)}"
    return f"{preview(one, _LONGEST)} → {preview(other, _LONGEST)}"


def documents_in(value: Any) -> list[Any] | None:
    """Return the documents of an answer that is one list of documents; None for any other."""
    if not isinstance(value, dict) or "$" in value:
        return None
    lists = [items_in(part) for part in value.values()]
    found = [items for items in lists if items and all(map(is_document, items[:_MOST_DOCUMENTS]))]
    if len(found) == 1:
        return list(found[0])
    # What had documents and has none any more still is a list of them.
    return [] if "documents" in value and not items_in(value["documents"]) else None


def _documents_words(before: list[Any], after: list[Any]) -> str:
    ids, now = [_id(each) for each in before], [_id(each) for each in after]
    said = []
    gone, come = (
        [each for each in ids if each not in now],
        [each for each in now if each not in ids],
    )
    if gone:
        said.append(f"{_names(gone, before)} removed")
    if come:
        said.append(f"{_names(come, after)} added")
    kept = [each for each in ids if each in now]
    if kept != [each for each in now if each in ids]:
        said.append("in another order")
    then = {_id(each): each for each in before}
    edited = [_id(each) for each in after if _id(each) in then and then[_id(each)] != each]
    if edited:
        fields = _fields_of(then, after, edited)
        said.append(f"{' and '.join(fields)} of {_names(edited, after)} changed")
    return ", ".join(said) or "the same"


def _fields_of(then: dict[str, Any], after: list[Any], edited: list[str]) -> list[str]:
    found: dict[str, None] = {}
    for each in after:
        if (before := then.get(_id(each))) is not None and _id(each) in edited:
            names = {*before, *each}
            found.update(dict.fromkeys(sorted(n for n in names if before.get(n) != each.get(n))))
    return list(found)[:3]


def _id(document: Any) -> str:
    return str(document.get("id")) if isinstance(document, dict) else ""


def _names(ids: list[str], documents: list[Any]) -> str:
    if len(ids) > 1:
        return plural(len(ids), "document")
    place = next((at for at, each in enumerate(documents, 1) if _id(each) == ids[0]), 0)
    name = one_line(ids[0])
    return f"document {place} ({name[:12]}…)" if len(name) > 16 else f"document {place} ({name})"
