"""A drift report as a person pastes it into an issue, and as a program reads it."""

from __future__ import annotations

import json
from collections import Counter
from difflib import SequenceMatcher
from traceback import format_exception
from typing import TYPE_CHECKING, Any

from inspector.presentation.visible import one_line, visible_text
from inspector.presentation.words import THIN, plural
from inspector.runfile.drift import DriftKind, Grade, bounded, first_difference_in_text
from inspector.runfile.value import tag_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from inspector.runfile.drift import Drift, DriftReport

_WIDTH = 200
_AROUND = 60  # characters of a long line that are shown before the place where it differs
_MOST_LINES = 12
_MOST_DRIFTS = 50
_MOST_DETAILS = 12
_MOST_COMPARED = 2_000
_MOST_STACK = 24
_INDENT = "   "

_TITLES: dict[str, str] = {
    DriftKind.INPUT: "input drift",
    DriftKind.OUTPUT: "output drift",
    DriftKind.RETRIEVAL: "retrieval drift",
    DriftKind.TOPOLOGY: "topology drift",
    DriftKind.MISSING: "missing recording",
    DriftKind.UNUSED: "unused recording",
    DriftKind.ORDER: "order drift",
    DriftKind.BLOCKED: "blocked network attempt",
}


def drift_report(
    report: DriftReport, *, name: str = "", error: BaseException | None = None, ending: str = ""
) -> str:
    """Return a report as text, ending with a line feed.

    Args:
        report: What the replay found.
        name: What was replayed, such as the name of its file.
        error: What the replay raised; where code of the pipeline failed, its traceback is told.
        ending: What to say instead of "the same" where nothing drifted, and yet it is not.

    """
    of = f" of {one_line(name)}" if name else ""
    found = ending if ending and report.same else headline(report)
    lines = [f"Replay{of}: {found}.", *_counts(report)]
    drifts = sorted(
        (drift for drift in report.drifts if drift.kind != DriftKind.NOT_VERIFIED), key=_weight
    )
    for number, drift in enumerate(drifts[:_MOST_DRIFTS], 1):
        lines += ["", *_drift(number, drift)]
    if len(drifts) > _MOST_DRIFTS:
        lines += ["", f"… and {_count(len(drifts) - _MOST_DRIFTS, 'finding')} more."]
    lines += _not_verified(report)
    lines += _failure(error)
    return "\n".join(lines) + "\n"


def headline(report: DriftReport) -> str:
    """Say in a few words what came of a replay."""
    if report.same:
        notes = sum(drift.kind != DriftKind.NOT_VERIFIED for drift in report.drifts)
        return "the same as recorded" + (f", with {_count(notes, 'note')}" if notes else "")
    kinds = Counter(title_of(drift.kind) for drift in report.drifts if drift.counts)
    return ", ".join(f"{count} × {kind}" if count > 1 else kind for kind, count in kinds.items())


def title_of(kind: str) -> str:
    """Return what a kind of drift is called."""
    return _TITLES.get(kind, kind)


def drift_report_json(report: DriftReport, **more: Any) -> str:
    """Return a report as JSON; `more` stands in front of it."""
    found = {**more, **report.to_dict()}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _counts(report: DriftReport) -> list[str]:
    counts = [f"{_count(report.answered, 'call')} answered from the recording"]
    if report.executed:
        counts.append(f"{report.executed} run here")
    if report.verified:
        counts.append(f"{report.verified} run here and compared with what was found then")
    counts.append(_count(report.live_calls, "live call") if report.live_calls else "none live")
    return [", ".join(counts) + "."]


def _failure(error: BaseException | None) -> list[str]:
    cause = None if error is None else error.__cause__
    if cause is None or type(cause) is type(error):
        return []
    told = visible_text("".join(format_exception(cause))).splitlines()
    left = [f"{_INDENT}…"] if len(told) > _MOST_STACK else []
    last = [f"{_INDENT}{_clipped(line)}" for line in told[-_MOST_STACK:]]
    return ["", "What the pipeline raised:", *left, *last]


def _not_verified(report: DriftReport) -> list[str]:
    if not report.not_verified:
        return []
    why = {drift.path: drift.message for drift in report.of_kind(DriftKind.NOT_VERIFIED)}
    paths = list(dict.fromkeys(report.not_verified))
    lines = ["", f"Retrieval not verified: {_count(len(paths), 'call')}."]
    for path in paths[:_MOST_DETAILS]:
        told = why.get(path) or "the recorded documents were served"
        lines.append(f"{_INDENT}{_clipped(one_line(f'{path}: {told}'))}")
    if len(paths) > _MOST_DETAILS:
        lines.append(f"{_INDENT}… and {_count(len(paths) - _MOST_DETAILS, 'call')} more")
    return lines


def _weight(drift: Drift) -> int:
    known = list(Grade)
    return known.index(Grade(drift.grade)) if drift.grade in known else len(known)


def _drift(number: int, drift: Drift) -> Iterator[str]:
    where = f" at {one_line(drift.path)}" if drift.path else ""
    visit = f", visit {drift.visit}" if drift.visit > 1 else ""
    yield f"{number}. {title_of(drift.kind)}{where}{visit} ({one_line(drift.grade)})"
    if drift.message:
        yield from _indented(drift.message)
    if drift.leaf is not None:
        yield f"{_INDENT}{one_line(drift.leaf)}"
    if drift.leaf is not None or drift.recorded is not None or drift.live is not None:
        yield from (f"{_INDENT}{line}" for line in _both(drift.recorded, drift.live))
    if drift.candidate and drift.candidate != drift.path:
        yield f"{_INDENT}nearest recorded call: {one_line(drift.candidate)}"
    if drift.details:
        yield from (f"{_INDENT}{line}" for line in _details(drift.details, drift.leaf))


def _indented(text: str) -> Iterator[str]:
    for line in visible_text(text).splitlines():
        yield _INDENT + _clipped(line)


def _both(recorded: Any, live: Any) -> list[str]:
    """Return two values, one under the other, as far as they differ."""
    one, other = _words(recorded), _words(live)
    before, after = one.splitlines() or [""], other.splitlines() or [""]
    if len(before) == len(after) == 1:
        start = _start(before[0], after[0])
        return [
            f"- recorded: {_window(before[0], start)}",
            f"+ now:      {_window(after[0], start)}",
        ]
    return ["- recorded, + now:", *_changed_lines(before, after)]


def _changed_lines(before: list[str], after: list[str]) -> list[str]:
    lines: list[str] = []
    matcher = SequenceMatcher(
        None, before[:_MOST_COMPARED], after[:_MOST_COMPARED], autojunk=False
    )  # fmt: skip
    for tag, start, end, low, high in matcher.get_opcodes():
        if tag == "equal":
            continue
        old, new = before[start:end], after[low:high]
        for number in range(max(len(old), len(new))):
            mine = old[number] if number < len(old) else None
            theirs = new[number] if number < len(new) else None
            at = _start(mine or "", theirs or "") if mine and theirs else 0
            lines += [f"- {_window(mine, at)}"] if mine is not None else []
            lines += [f"+ {_window(theirs, at)}"] if theirs is not None else []
    if len(lines) > _MOST_LINES:
        left = len(lines) - _MOST_LINES
        lines = [*lines[:_MOST_LINES], f"… {_count(left, 'line')} more"]
    return lines


def _start(one: str, other: str) -> int:
    if max(len(one), len(other)) <= _WIDTH:
        return 0
    return max(0, first_difference_in_text(one, other) - _AROUND)


def _window(line: str, start: int) -> str:
    return ("…" if start else "") + _clipped(line[start:])


def _clipped(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…"


def _words(value: Any) -> str:
    """Return a value as text that a terminal may show."""
    if value is None:
        return "(nothing)"
    if isinstance(value, str):
        return visible_text(value) or '""'
    tag = tag_of(value)
    if tag == "chat_message":
        told = text_of(value)
        if told:
            return visible_text(f"{value.get('role', 'message')}: {told}")
    if tag == "document" and isinstance(content := value.get("content"), str):
        return visible_text(f"document {value.get('id', '')}: {content}")
    return visible_text(json.dumps(bounded(value), ensure_ascii=False))


def _details(details: Mapping[str, Any], told: str | None) -> Iterator[str]:
    """Return what else differs, apart from the leaf that was told of already."""
    left = 0
    shown = 0
    for name, entries in details.items():
        if not isinstance(entries, list):
            yield from _labelled(one_line(str(name)), _words(entries))
            continue
        for entry in entries:
            if not isinstance(entry, dict) or entry.get("leaf") == told:
                continue
            if shown >= _MOST_DETAILS:
                left += 1
                continue
            shown += 1
            leaf = one_line(str(entry.get("leaf", "")))
            one = _short(entry.get("recorded"))
            other = _short(entry.get("live"))
            yield f"{one_line(str(name))}: {leaf}: {one} → {other}"
    if left:
        yield f"… and {_count(left, 'difference')} more"


def _labelled(label: str, text: str) -> Iterator[str]:
    lines = text.splitlines() or [""]
    if len(lines) == 1:
        yield f"{label}: {_clipped(lines[0])}"
        return
    yield f"{label}:"
    # Of a stack, the last lines are where it happened.
    yield from (f"{_INDENT}{_clipped(line)}" for line in lines[-_MOST_STACK:])


def _short(value: Any) -> str:
    text = one_line(_words(value))
    return text if len(text) <= _AROUND else f"{text[: _AROUND - 1]}…"


def _count(number: int, one: str) -> str:
    # What is pasted into an issue is searched with the spaces of a keyboard.
    return plural(number, one).replace(THIN, " ")
