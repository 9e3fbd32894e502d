"""How a replay is said: what may happen in it, where it is, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.live_replay import Match
from inspector.presentation.words import one_line, plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from inspector.presentation.live_replay import HeldCall, LiveReplay
    from inspector.replay.protocol import Job

MATCH_MARKS: Mapping[Match, str] = {
    Match.RUNNING: "◌",
    Match.MATCHED: "=",
    Match.AROUND: "≈",
    Match.DRIFTED: "≠",
    Match.EDITED: "✎",
    Match.LIVE: "●",
}
MATCH_WORDS: Mapping[Match, str] = {
    Match.RUNNING: "running",
    Match.MATCHED: "as recorded",
    Match.AROUND: "differs inside",
    Match.DRIFTED: "differs",
    Match.EDITED: "edited",
    Match.LIVE: "live",
}
MATCH_COLOURS: Mapping[Match, str] = {
    Match.RUNNING: "secondary",
    Match.MATCHED: "same",
    Match.AROUND: "secondary",
    Match.DRIFTED: "changed",
    Match.EDITED: "agent",
    Match.LIVE: "live",
}
_MODES = {
    "strict": ("Strict", "Stops at the first difference."),
    "drift_ok": ("Goes on", "Goes on where it differs, and lists each difference."),
    "record_new": ("Records new", "Runs what is new, and offers to add it to the recording."),
}
_LONGEST_REASON = 300


class Verdict(NamedTuple):
    """How a replay ended: in a few words, and where there is more to say, in full."""

    icon: str
    colour: str
    title: str
    detail: str = ""
    hint: str = ""


def mode_words(job: Job) -> tuple[str, str]:
    """Return a mode as a word or two, and in a sentence that says what may run."""
    word, sentence = _MODES.get(str(job.mode), (str(job.mode), ""))
    if not (job.allow_live or job.mode == "record_new"):
        return f"{word} · no network", f"{sentence} Nothing runs live: there is no network."
    limits = []
    if job.live_budget is not None:
        limits.append(f"at most {plural(job.live_budget, 'call')}")
    if job.live_budget_usd is not None:
        limits.append(f"at most ${job.live_budget_usd}")
    most = f", {' and '.join(limits)}" if limits else ""
    return f"{word} · live{most}", f"{sentence} What was not recorded runs live{most}."


def count_words(counts: Mapping[Match, int], of: int) -> str:
    """Return how many spans there are of each sort: `34 of 120 spans · = 30 as recorded`."""
    seen = sum(counts.values())
    parts = [f"{seen:,} of {plural(of, 'span')}" if seen <= of else plural(seen, "span")]
    parts += [
        f"{MATCH_MARKS[match]} {counts[match]:,} {MATCH_WORDS[match]}"
        for match in (Match.MATCHED, Match.DRIFTED, Match.EDITED, Match.LIVE)
        if counts.get(match)
    ]
    return " · ".join(parts)


def pause_words(held: Sequence[HeldCall]) -> str:
    """Return where a replay is paused."""
    if not held:
        return ""
    first = held[0]
    more = f", and {plural(len(held) - 1, 'other call')}" if len(held) > 1 else ""
    kind = {"llm": "LLM call", "tool": "tool call"}.get(first.kind, first.kind)
    name = one_line(first.name) or one_line(first.path)
    return f"Paused {first.phase or 'at'} the {kind} {name}{more}"


def ending(
    live: LiveReplay | None, failure: Mapping[str, str] | None, mode: str = "strict"
) -> Verdict:
    """Say how a replay ended.

    Args:
        live: What came of it, if anything did.
        failure: What its worker died of: `message` and `hint`.
        mode: What it was to do where something differs, as a job has it.

    """
    if failure is not None:
        return _failed(failure["message"], failure.get("hint", ""))
    said: Mapping[str, Any] = (live.finished if live is not None else None) or {}
    error = said.get("error")
    error = error if isinstance(error, dict) else {}
    message, hint = str(error.get("message") or ""), str(error.get("hint") or "")
    count = _differences(live, said)
    match said.get("outcome"):
        case "same":
            return Verdict("completed", "same", "The replay came out as recorded.")
        case "drift" if error:
            where = "at the first difference" if mode == "strict" else "where nothing answers"
            return Verdict("only-changed", "changed", f"Stopped {where}.", _cut(message), hint)
        case "drift":
            differs = f" with {plural(count, 'difference')}" if count else ""
            return Verdict("only-changed", "changed", f"The replay ended{differs}.")
        case "stopped":
            return Verdict("paused", "secondary", "The replay was stopped.")
        case "could_not":
            return _failed(message, hint, "The replay could not begin.")
        case _:
            return _failed(_raised(error), hint or _out_of_memory(error))


def _raised(error: Mapping[str, Any]) -> str:
    """Say what a pipeline raised: what came first, for what is around it only says that it did."""
    cause = error.get("cause")
    first = cause if isinstance(cause, dict) else error
    kind = str(first.get("type") or "").rpartition(".")[2]
    message = str(first.get("message") or "")
    if not kind:
        return message or "The replay failed."
    said = f"The pipeline raised {kind}: {_cut(message)}" if message else ""
    said = said or f"The pipeline raised {kind}."
    return said if first is error else f"{said} {_cut(str(error.get('message') or ''))}"


def _out_of_memory(error: Mapping[str, Any]) -> str:
    cause = error.get("cause")
    first = cause if isinstance(cause, dict) else error
    is_memory = str(first.get("type") or "").endswith("MemoryError")
    return "It asked for more memory than it may have." if is_memory else ""


def _differences(live: LiveReplay | None, said: Mapping[str, Any]) -> int:
    """Count what differs: by the report, which also knows what was only seen at the end."""
    report = said.get("report")
    told = report.get("drifts") if isinstance(report, dict) else None
    if isinstance(told, list):
        return sum(isinstance(each, dict) and each.get("grade") != "note" for each in told)
    return 0 if live is None else sum(drift.counts for drift in live.drifts)


def _failed(detail: str, hint: str, title: str = "The replay did not come to its end.") -> Verdict:
    return Verdict("failed", "failed", title, detail, hint)


def _cut(message: str) -> str:
    line = one_line(message)
    return f"{line[:_LONGEST_REASON]}…" if len(line) > _LONGEST_REASON else line
