"""What the status line says of what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.visible import one_line
from inspector.presentation.words import (
    THIN,
    duration_words,
    elided,
    number_words,
    plural,
    sentence,
)
from inspector.runfile.kinds import RunStatus

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_LONGEST_QUERY = 80


def shown_words(
    run: PipelineRun, shown: int, bounds: tuple[int, int] | None, asked: str = ""
) -> str:
    """Return `412 of 1 204 spans · filter kind:tool · 1.2 s to 3.4 s`, or just how many."""
    total = len(run.spans)
    if bounds is None and not asked:
        return plural(total, "span")
    return sentence(
        [
            filtered_words(shown, total, asked),
            f"{_moment(bounds[0])} to {_moment(bounds[1])}" if bounds else "",
        ]
    )


def _moment(since_start_ns: int) -> str:
    return duration_words(since_start_ns) if since_start_ns else f"0{THIN}s"


def no_spans_words(run: PipelineRun) -> str:
    """Return what stands where spans would stand in a run that has none."""
    if run.status is RunStatus.RUNNING:
        return "Nothing has happened in this run yet. Spans appear here in time."
    if run.problems:
        return "No span can be shown: not all of the file could be read. Run says what is amiss."
    return "There is no span in this run."


def no_times_words(run: PipelineRun) -> str:
    """Return what stands in place of a timeline where nobody knows a time; empty elsewhere.

    Some files of other programs, such as snapshots, say what ran and not when.
    """
    table = run.table
    if run.status is RunStatus.RUNNING or not len(table) or table.end_of_run():
        return ""
    if "start_ns" not in run.spans[0].not_recorded:
        return ""
    why = one_line(str(run.spans[0].not_recorded["start_ns"]))
    return f"There is no timeline: {elided(why, _LONGEST_QUERY)}."


def filtered_words(shown: int, total: int, asked: str) -> str:
    """Return `412 of 1 204 spans · filter kind:tool`."""
    wanted = f"filter {elided(one_line(asked), _LONGEST_QUERY)}" if asked else ""
    return sentence([f"{number_words(shown)} of {plural(total, 'span')}", wanted])


def redaction_words(run: PipelineRun) -> tuple[str, str]:
    """Return how much was taken out of the file, and by which rules; empty for nothing."""
    told = run.header.get("redaction")
    said = run.header.get("redacted")
    names = said.get("names") if isinstance(said, dict) else None
    note = elided(one_line(names), _LONGEST_QUERY) if isinstance(names, str) else ""
    if not isinstance(told, list) or not told:
        # It went through a redaction all the same.
        return ("Redacted: nothing found", note) if isinstance(said, dict) else ("", "")
    rules: set[str] = set()
    values = 0
    for entry in told:
        if not isinstance(entry, dict):
            continue
        count = entry.get("count", 1)
        values += count if isinstance(count, int) and not isinstance(count, bool) else 1
        if isinstance(rule := entry.get("rule"), str):
            rules.add(elided(one_line(rule), _LONGEST_QUERY))
    by = f"{plural(len(rules), 'rule')}: {', '.join(sorted(rules))}" if rules else ""
    return f"Redacted: {plural(values, 'value')}", sentence([by, note], "; ")
