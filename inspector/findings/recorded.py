"""What the file itself says of its run: its budget, and what a replay found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from inspector.findings.finding import Finding, Severity
from inspector.runfile.drift import DriftReport, Grade

if TYPE_CHECKING:
    from inspector.findings.reading import Reading
    from inspector.runfile.drift import Drift

_LIMITS = ("usd", "tokens", "calls")
_MOST_DRIFTS = 200


def budget_stop(reading: Reading) -> Iterator[Finding]:
    """Find runs that used up their budget."""
    budget = reading.run.header.get("budget")
    if not isinstance(budget, Mapping) or budget.get("exceeded") not in _LIMITS:
        return
    limit = budget["exceeded"]
    spent = budget.get("spent")
    used = _amount(limit, spent.get(limit) if isinstance(spent, Mapping) else None)
    allowed = _amount(limit, budget.get(limit))
    stopped = budget.get("stopped") is True
    sentence = "The run was stopped by its budget" if stopped else "The run went over its budget"
    if used and allowed:
        sentence += f": it used {used} of {allowed}"
    at = budget.get("at")
    row = reading.table.row_of(at) if isinstance(at, str) else None
    yield Finding(
        "budget-stop",
        Severity.WARNING,
        f"{sentence}.",
        () if row is None else (reading.table.id(row),),
        "What comes after it did not happen." if stopped else "",
    )


def _amount(limit: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if limit == "usd":
        return f"${Decimal(repr(value)):f}"
    return f"{value:,} {limit}"


def replay_drift(reading: Reading) -> Iterator[Finding]:
    """Find where a replay was not what had been recorded, by the report that it left."""
    recorded = reading.run.header.get("findings")
    for each in recorded if isinstance(recorded, list) else ():
        if not isinstance(each, Mapping) or each.get("kind") != "replay":
            continue
        report = each.get("report")
        if isinstance(report, Mapping):
            yield from _drifts(reading, DriftReport.from_dict(report))


def _drifts(reading: Reading, report: DriftReport) -> Iterator[Finding]:
    drifts = [drift for drift in report.drifts if drift.counts]
    for drift in drifts[:_MOST_DRIFTS]:
        yield Finding(
            "replay-drift",
            Severity.NOTE if drift.grade == Grade.MINOR else Severity.WARNING,
            _sentence(drift),
            _spans(reading, drift),
            "Compare the replay with its recording.",
        )
    if (rest := len(drifts) - _MOST_DRIFTS) > 0:
        yield Finding("replay-drift", Severity.NOTE, f"The replay differs in {rest:,} more places.")


def _sentence(drift: Drift) -> str:
    told = drift.message or f"{drift.path} is not what was recorded"
    return f"The replay drifted ({drift.kind}): {told}{'' if told.endswith('.') else '.'}"


def _spans(reading: Reading, drift: Drift) -> tuple[str, ...]:
    for path in (drift.path, drift.candidate):
        if path and (span := reading.run.at(path)) is not None:
            return (span.id,)
    return ()
