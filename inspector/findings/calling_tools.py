"""What is wrong with the tools that models asked for, and with what came back."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.errors import RunFileError
from inspector.findings.answers import admits_trouble
from inspector.findings.finding import Finding, Severity
from inspector.findings.passages import squeezed
from inspector.findings.reading import counted, error_words, listed, named, parts_of, replies_of
from inspector.runfile.kinds import KIND_CODE, STATUS_CODE, SpanKind, SpanStatus

if TYPE_CHECKING:
    from inspector.findings.reading import Reading
    from inspector.runfile.model import Span

_TOOLS = "haystack.agent.tools"
_TOOL = KIND_CODE[SpanKind.TOOL]
_FAILED = STATUS_CODE[SpanStatus.FAILED]
_OK = STATUS_CODE[SpanStatus.OK]
_DEEPEST_TOOLSET = 6
_MOST_SPANS = 6
_FARTHEST = 1_000
_CALLED = re.compile(rb'"tool_call":\{(?:"id":(?:"[^"\\]*"|null),)?"name":"([^"\\]*)"')
_SEARCHED = ("catalog", "search", "mcp")  # toolsets that find more tools while they run


class _Tools(msgspec.Struct, gc=False):
    tools: msgspec.Raw = msgspec.Raw()


class _Asked(msgspec.Struct, gc=False):
    inputs: msgspec.Raw = msgspec.Raw()


_ASKED = msgspec.json.Decoder(_Asked)
_OFFERED = msgspec.json.Decoder(_Tools)


def hallucinated_tool(reading: Reading) -> Iterator[Finding]:
    """Find calls of tools that the model was never offered."""
    offers = _Offers(reading)
    for row in reading.calls:
        offered = offers.of(row)
        if not offered:
            continue  # not recorded, or more of them may have turned up
        if _is_well(reading.reply_json(row), offered):
            continue
        (span,) = reading.spans([row])
        asked = [
            call["name"]
            for reply in replies_of(span) or ()
            for part in parts_of(reply)
            if isinstance(call := part.get("tool_call"), Mapping)
            and isinstance(call.get("name"), str)
        ]
        if unknown := [name for name in dict.fromkeys(asked) if name not in offered]:
            known = listed(sorted(offered)[:6])
            yield Finding(
                "hallucinated-tool",
                Severity.WARNING,
                f"{named(span)} asked for {listed(unknown)}{reading.place_of(span)}, "
                f"which it was not offered: there are {known}.",
                (span.id,),
                "The model made it up: name the tools in the prompt, or offer what it looks for.",
                ("outputs.replies",),
            )


def _is_well(text: bytes | None, offered: frozenset[str]) -> bool:
    """Say whether a glance at the JSON shows that a model asked for nothing that is not there."""
    if text is None:
        return False
    names = _CALLED.findall(text)
    whole = text.count(b'"tool_call"')
    return len(names) == whole and all(name.decode("utf-8", "replace") in offered for name in names)


class _Offers:
    """Which tools calls of models were offered; lists of them are read once."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._by_text: dict[bytes, frozenset[str]] = {}
        self._by_agent: dict[int | None, frozenset[str]] = {None: frozenset()}

    def of(self, row: int) -> frozenset[str]:
        """Return the names of the tools; none where they are not known for certain."""
        try:
            inputs = _ASKED.decode(self._reading.run.record_text(row)).inputs
            text = bytes(_OFFERED.decode(inputs).tools) if inputs else b""
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError, RunFileError):
            text = b""
        if text not in (b"", b"null"):
            if text not in self._by_text:
                tree = self._reading.run.resolve(msgspec.json.decode(text))
                self._by_text[text] = _names(tree)
            return self._by_text[text]
        agent = self._reading.agent_of(row)
        if agent not in self._by_agent:
            tags = self._reading.run.spans[agent].tags if agent is not None else {}
            self._by_agent[agent] = _names(self._reading.run.resolve(tags.get(_TOOLS)))
        return self._by_agent[agent]


def _names(tree: Any) -> frozenset[str]:
    found: set[str] = set()
    return frozenset(found) if _collect(tree, found, 0) else frozenset()


def _collect(tree: Any, found: set[str], depth: int) -> bool:
    """Gather names; says whether these are all that there can be."""
    if isinstance(tree, list) and depth <= _DEEPEST_TOOLSET:
        return all(_collect(each, found, depth + 1) for each in tree)
    if not isinstance(tree, Mapping):
        return False
    if tree.get("$") == "tool":
        found.add(str(tree.get("name")))
        return True
    kind = str(tree.get("type", "")).lower()
    fields = tree.get("fields")
    if any(word in kind for word in _SEARCHED) or not isinstance(fields, Mapping):
        return False
    return "catalog" not in fields and _collect(fields.get("tools"), found, depth + 1)


def tool_error_swallowed(reading: Reading) -> Iterator[Finding]:
    """Find tools that failed, where the answer says nothing of it."""
    answers: dict[int, str | None] = {}
    for row in reading.of_kind(SpanKind.TOOL):
        agent = reading.agent_of(row)
        if agent is None or not _went_wrong(reading, row) or _helped_later(reading, row, agent):
            continue
        if agent not in answers:
            answers[agent] = _last_word(reading.run.spans[agent])
        answer = answers[agent]
        if not answer or admits_trouble(answer):
            continue
        span = reading.run.spans[row]
        told = error_words(span)[0] or _told_error(span)
        yield Finding(
            "tool-error-swallowed",
            Severity.WARNING,
            f"{named(span)} did not work{reading.place_of(span)} ({told[:200]}), and the answer "
            "does not say so.",
            (span.id, reading.table.id(agent)),
            "The answer may rest on what the model made up in its place.",
            ("outputs",),
            possible=True,
        )


def _went_wrong(reading: Reading, row: int) -> bool:
    if reading.table.status[row] == _FAILED:
        return True
    # A short record can be looked at; the result of a tool that worked is seldom an error.
    try:
        text = reading.run.record_text(row)
    except RunFileError:
        return False
    return b'"error"' in text and bool(_told_error(reading.run.spans[row]))


def _told_error(span: Span) -> str:
    """Return what a tool gave back in place of a result."""
    outputs = span.outputs
    error = outputs.get("error") if isinstance(outputs, Mapping) else None
    return error if isinstance(error, str) and error.strip() else ""


def _helped_later(reading: Reading, row: int, agent: int) -> bool:
    table = reading.table
    namesakes = reading.namesakes(row)
    after = bisect_right(namesakes, row)
    return any(
        table.status[again] == _OK and reading.agent_of(again) == agent
        for again in namesakes[after : after + _FARTHEST]
    )


def _last_word(span: Span) -> str | None:
    """Return the text that an agent ended with; None where it did not come to one."""
    outputs = span.outputs
    if span.status != SpanStatus.OK or not isinstance(outputs, Mapping):
        return None
    messages = outputs.get("messages")
    last = outputs.get("last_message") or (messages[-1:] if isinstance(messages, list) else None)
    return squeezed(last if isinstance(last, list) else [last])


def same_call_repeated(reading: Reading) -> Iterator[Finding]:
    """Find tools that were asked the very same again and gave the very same answer."""
    skim, table = reading.skim, reading.table
    groups: dict[tuple[int, int, int, int], list[int]] = {}
    for row in reading.of_kind(SpanKind.TOOL):
        if table.status[row] != _OK or not skim.inputs[row] or not skim.outputs[row]:
            continue
        agent = reading.agent_of(row)
        if agent is not None:
            key = (agent, table.name_code[row], skim.inputs[row], skim.outputs[row])
            groups.setdefault(key, []).append(row)
    for rows in groups.values():
        if len(rows) > 1 and len(steps := _steps(reading, rows)) > 1:
            span = reading.run.spans[rows[0]]
            yield Finding(
                "same-call-repeated",
                Severity.WARNING if len(rows) > 2 else Severity.NOTE,
                f"{named(span)} was called {counted(len(rows), 'time')} with the same arguments"
                f" (in steps {', '.join(map(str, steps[:6]))}{' …' * (len(steps) > 6)}), and "
                "answered the same each time.",
                tuple(table.id(row) for row in rows[:_MOST_SPANS]),
                "The model does not see, or does not use, what it was told before.",
                ("inputs", "outputs"),
            )


def _steps(reading: Reading, rows: Sequence[int]) -> list[int]:
    code = KIND_CODE[SpanKind.STEP]
    found: list[int] = []
    for row in rows:
        parent = reading.table.parent_row[row]
        if parent >= 0 and reading.table.kind[parent] == code:
            step = reading.run.spans[parent].step
            if step is not None and step not in found:
                found.append(step)
    return found
