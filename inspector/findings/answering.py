"""What is wrong with the answers of models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.findings.finding import Finding, Severity
from inspector.findings.reading import is_tagged, named, parts_of, replies_of
from inspector.runfile.kinds import STATUS_CODE, SpanStatus

if TYPE_CHECKING:
    from inspector.findings.reading import Reading
    from inspector.runfile.model import Span

# As providers spell it, in lower case.
_CUT_OFF = frozenset({
    "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded",
    "error_limit", "max_length",
})  # fmt: skip
_FILTERED = frozenset({
    "content_filter", "content_filtered", "guardrail_intervened", "safety", "refusal",
    "recitation", "blocklist", "prohibited_content", "spii", "image_safety", "error_toxic",
})  # fmt: skip
_OK = STATUS_CODE[SpanStatus.OK]
_SPEAKS = re.compile(rb'(?<!"reasoning":\{)"text":"[^"\\\s]|"replies":\["[^"\\\s]')
_REASON = re.compile(rb'"(?:finish|stop)_reason":\s*([^,}]*)')
_ENDS_WELL = frozenset({
    b'"stop"', b'"tool_calls"', b'"end_turn"', b'"tool_use"', b'"stop_sequence"', b'"STOP"',
    b"null", b'"completed"', b'"eos_token"',
})  # fmt: skip
_SAYS_SOMETHING = ("tool_call", "tool_result", "image", "file")


@dataclass(frozen=True, slots=True)
class _Answer:
    """What may be wrong with one answer."""

    row: int
    cut_off: str = ""  # the provider's word for it
    filtered: str = ""
    empty: str = ""  # what there is instead of an answer


def empty_answer(reading: Reading) -> Iterator[Finding]:
    """Find models that answered, and said nothing."""
    for answer in _wrong(reading):
        if not answer.empty or answer.cut_off or answer.filtered:
            continue  # another rule says it, which knows why
        span = reading.run.spans[answer.row]
        yield Finding(
            "empty-answer",
            Severity.WARNING,
            f"{named(span)} gave an empty answer{reading.place_of(span)}: {answer.empty}, "
            "and no tool call.",
            (span.id,),
            "Look at the end of its prompt, and at what the provider says of the finish.",
        )


def cut_off(reading: Reading) -> Iterator[Finding]:
    """Find answers that end where the limit of their length was reached."""
    for answer in _wrong(reading):
        if not answer.cut_off:
            continue
        span = reading.run.spans[answer.row]
        used = span.usage
        tokens = None if used is None else used.output_tokens
        after = "" if tokens is None else f" after {tokens:,} tokens"
        yield Finding(
            "cut-off",
            Severity.WARNING,
            f"The answer of {named(span)}{reading.place_of(span)} is cut off{after}"
            f" (finish reason `{answer.cut_off}`).",
            (span.id,),
            "Allow it more tokens, or ask for less.",
        )


def content_filter(reading: Reading) -> Iterator[Finding]:
    """Find answers that a filter of the provider held back."""
    for answer in _wrong(reading):
        if not answer.filtered:
            continue
        span = reading.run.spans[answer.row]
        yield Finding(
            "content-filter",
            Severity.WARNING,
            f"A content filter stopped the answer of {named(span)}{reading.place_of(span)}"
            f" (finish reason `{answer.filtered}`).",
            (span.id,),
            "Look for what in its prompt may have set the filter off.",
        )


def _wrong(reading: Reading) -> Sequence[_Answer]:
    """Return the answers with which something may be wrong: read once, for all rules."""
    return reading.once("answers", lambda: list(_looked_at(reading)))


def _looked_at(reading: Reading) -> Iterator[_Answer]:
    calls = [row for row in reading.calls if not _is_well(reading, row)]
    for span in reading.spans(calls):
        replies = replies_of(span)
        reasons = _reasons(span, replies)
        answer = _Answer(
            span.row,
            cut_off=min(reasons & _CUT_OFF, default=""),
            filtered=min(reasons & _FILTERED, default=""),
            empty=_emptiness(replies) if span.status == SpanStatus.OK else "",
        )
        if answer.cut_off or answer.filtered or answer.empty:
            yield answer


def _is_well(reading: Reading, row: int) -> bool:
    """Say whether a glance at the JSON shows that nothing can be wrong with an answer."""
    text = reading.reply_json(row)
    if text is None or reading.table.status[row] != _OK:
        return False
    if b'"tool_call":{' not in text and not _SPEAKS.search(text):
        return False
    try:
        text += reading.run.record_text(row)
    except RunFileError:
        return False
    return all(word in _ENDS_WELL for word in _REASON.findall(text))


def _emptiness(replies: list[Any] | None) -> str:
    """Return what there is instead of an answer; nothing where there is one."""
    if replies is None or any(_says_something(reply) for reply in replies):
        return ""
    if not replies:
        return "no reply at all"
    thought = any("reasoning" in part for reply in replies for part in parts_of(reply))
    return "reasoning only" if thought else "no word"


def _reasons(span: Span, replies: list[Any] | None) -> set[str]:
    """Return why a model stopped, by what the span and each of its replies say."""
    told = [span.llm.get("finish_reason")] if isinstance(span.llm, Mapping) else []
    for reply in replies or ():
        meta = reply.get("meta") if isinstance(reply, Mapping) else None
        if isinstance(meta, Mapping):
            told += [meta.get("finish_reason"), meta.get("stop_reason")]
    return {word.lower() for word in told if isinstance(word, str)}


def _says_something(reply: Any) -> bool:
    if isinstance(reply, str):
        return bool(reply.strip())
    if not is_tagged(reply, "chat_message"):
        return reply is not None  # not a message that we know: it may well say something
    for part in parts_of(reply):
        text = part.get("text")
        # A text that is no string was left out, or stands for one: there was something.
        if text is not None and (not isinstance(text, str) or text.strip()):
            return True
        if any(key in part for key in _SAYS_SOMETHING) or is_tagged(part, "image", "file"):
            return True
    return False
