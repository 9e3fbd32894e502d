"""The answer of a run, and what became of it: the same, reworded, changed or flipped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from inspector.diff.model import AnswerKind, AnswerVerdict
from inspector.diff.said import is_left_out, json_words, message_text, quoted, value_words
from inspector.diff.text import text_diff
from inspector.runfile.kinds import RunStatus
from inspector.runfile.value import is_document, is_message, tag_of

if TYPE_CHECKING:
    from inspector.diff.extract import Extractor
    from inspector.runfile.model import PipelineRun

# Numbers keep their sign, point and unit: 12.5 is no other wording of 1.25.
_WORD = re.compile(r"[-−+]?\d+(?:[.,:]\d+)*%?|\w+")
_HISTORY = "messages"
_DEEPEST_SOCKET = 2


def answer_of(run: PipelineRun) -> str | None:
    """Return what a run answered, as text, or None where it came to no answer.

    Answers count before messages, those before plain texts, and those before documents; of
    several parts of a pipeline that answer, each has its say.
    """
    parts = _parts_of(run)
    return None if parts is None else "\n\n".join(parts)


def _parts_of(run: PipelineRun) -> list[str] | None:
    if run.status in (RunStatus.FAILED, RunStatus.CANCELED):
        return None
    outputs = _looked_through(run)
    if not isinstance(outputs, Mapping) or not outputs:
        return None if outputs is None or outputs == {} else [value_words(outputs, 1_000_000)]
    for pick in (_answers, _messages, _texts, _documents):
        found = list(pick(outputs, 0))
        if found:
            return found
    return [json_words(outputs_of(run))]


def _looked_through(run: PipelineRun) -> Any:
    return run.resolve(_without_history(_raw_outputs(run), 0))


def _raw_outputs(run: PipelineRun) -> Any:
    if "outputs" in run.header or not run.roots:
        return run.header.get("outputs")
    return run.roots[0].raw.get("outputs")


def _without_history(tree: Any, depth: int) -> Any:
    """Leave out the conversations whose last message stands beside them.

    They may be longer than all else in a run, and nobody looks for an answer in them.
    """
    if not isinstance(tree, dict) or tag_of(tree) is not None or depth > _DEEPEST_SOCKET:
        return tree
    return {
        name: _without_history(value, depth + 1)
        for name, value in tree.items()
        if name != _HISTORY or "last_message" not in tree
    }


def outputs_of(run: PipelineRun) -> Any:
    """Return what the caller of a run got, by its header, or else by its outermost span."""
    if "outputs" in run.header or not run.roots:
        return run.outputs
    return run.roots[0].outputs


def _sockets(outputs: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield what sockets carry; those of a pipeline stand below its components' names."""
    if tag_of(outputs) is not None:
        return
    for name in outputs:
        value = outputs[name]
        if depth < _DEEPEST_SOCKET and isinstance(value, Mapping) and tag_of(value) is None:
            yield from _sockets(value, depth + 1)
        elif name != _HISTORY or "last_message" not in outputs:
            yield name, value


def _answers(outputs: Any, depth: int) -> Iterator[str]:
    for _, value in _sockets(outputs, depth):
        for each in value if isinstance(value, list) else [value]:
            if tag_of(each) == "answer":
                data = each.get("data", each.get("answer"))
                yield "" if data is None else value_words(data, 1_000_000)


def _messages(outputs: Any, depth: int) -> Iterator[str]:
    for _, value in _sockets(outputs, depth):
        for each in value if isinstance(value, list) else [value]:
            if is_message(each):
                yield message_text(each)


def _texts(outputs: Any, depth: int) -> Iterator[str]:
    for name, value in _sockets(outputs, depth):
        if name == "exit_reason":
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str):
                yield each


def _documents(outputs: Any, depth: int) -> Iterator[str]:
    for _, value in _sockets(outputs, depth):
        for each in value if isinstance(value, list) else [value]:
            if is_document(each):
                yield value_words(each.get("content") or each.get("id"), 1_000_000)


def judge(
    left: PipelineRun, right: PipelineRun, extractor: Extractor | None = None
) -> AnswerVerdict:
    """Return what became of the answer.

    Raises:
        InspectorError: The extractor could not be applied.

    """
    one, other = answer_of(left), answer_of(right)
    if one is None or other is None:
        return AnswerVerdict(AnswerKind.UNKNOWN, _without(left, right, one, other), one, other)
    if one != other and (cut := _cut_side(left, right)):
        sentence = f"Not all of the {cut} run's answer was kept: it cannot be compared."
        sides = (None, other) if cut == "left" else (one, None)
        return AnswerVerdict(AnswerKind.UNKNOWN, sentence, *sides)
    text = text_diff(one, other)
    before = after = None
    if extractor is not None:
        before, after = extractor.of(left, one), extractor.of(right, other)
        if before != after:
            sentence = (
                f"The answer flipped from {_extract_words(before)} to {_extract_words(after)}."
            )
            return AnswerVerdict(AnswerKind.FLIPPED, sentence, one, other, before, after, text)
    kind, sentence = _kind_of(one, other)
    if kind is not AnswerKind.SAME and Counter(_parts_of(left)) == Counter(_parts_of(right)):
        # Branches that run at the same time are joined as they come in.
        kind = AnswerKind.SAME
        sentence = "The answer is the same, its parts in another order."
    if before is not None and kind is not AnswerKind.SAME:
        kind = AnswerKind.REWORDED
        sentence = f"The answer is still {_extract_words(before)}, in other words."
    elif extractor is not None and before is None:
        sentence += f" {extractor.name} finds nothing in either."
    return AnswerVerdict(kind, sentence, one, other, before, after, text)


def _cut_side(left: PipelineRun, right: PipelineRun) -> str | None:
    """Return which run's answer was too large to be kept, where that is one of them."""
    cut = [_is_cut(_looked_through(run)) for run in (left, right)]
    return None if cut[0] == cut[1] else "left" if cut[0] else "right"


def _is_cut(outputs: Any) -> bool:
    if not isinstance(outputs, Mapping) or tag_of(outputs) is not None:
        return is_left_out(outputs, 0)
    for _, value in _sockets(outputs, 0):
        for each in value if isinstance(value, list) else [value]:
            said = {key: each[key] for key in each if key != "documents"} if (
                tag_of(each) == "answer") else each  # fmt: skip
            if not is_document(each) and is_left_out(said):
                return True
    return False


def _kind_of(one: str, other: str) -> tuple[AnswerKind, str]:
    if one == other:
        return AnswerKind.SAME, "The answer is the same."
    if Counter(_words(one)) == Counter(_words(other)):
        return AnswerKind.REWORDED, "The answer is the same, written in another way."
    return AnswerKind.CHANGED, "The answer changed."


def _words(text: str) -> Iterator[str]:
    return (found.group().casefold() for found in _WORD.finditer(text))


def _extract_words(value: Any) -> str:
    return "nothing" if value is None else quoted(value_words(value, 60), 60)


def _without(left: PipelineRun, right: PipelineRun, one: str | None, other: str | None) -> str:
    if one is None and other is None:
        if left.status is right.status is RunStatus.FAILED:
            return "Neither run came to an answer: both failed."
        return "Neither run came to an answer."
    run, side, rest = (left, "left", "right") if one is None else (right, "right", "left")
    why = f": it {run.status}" if run.status is not RunStatus.COMPLETED else ""
    return f"Only the {rest} run came to an answer; the {side} one has none{why}."
