"""Findings as a list: what a pane and a command show of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.findings import Severity
from inspector.presentation.outline import span_label
from inspector.presentation.visible import one_line
from inspector.presentation.words import elided, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inspector.findings import Finding
    from inspector.runfile.model import PipelineRun

NOTHING = "Nothing to report: no rule found anything in this run."

_LONGEST_SENTENCE = 600
_LONGEST_LABEL = 60
_MOST_PLACES = 6
_MOST_DOCUMENTS = 12
_WORDS = {Severity.ERROR: "Error", Severity.WARNING: "Warning", Severity.NOTE: "Note"}
_LOOKS = {
    Severity.ERROR: ("failed", "failed"),
    Severity.WARNING: ("warning", "changed"),
    Severity.NOTE: ("info", "secondary"),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A span that proves a finding, as it is named on the screen."""

    span_id: str
    label: str
    path: str


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One finding, harmless to show. `icon` and `colour` are names of the theme's."""

    rule: str
    severity: Severity
    word: str
    icon: str
    colour: str
    sentence: str
    hint: str
    places: tuple[Place, ...]
    documents: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """All of it in one text, for those who hear it."""
        spans = ", ".join(place.label for place in self.places)
        parts = (f"{self.word}: {self.sentence}", self.hint, f"Spans: {spans}" if spans else "")
        return " ".join(part for part in parts if part)


def finding_rows(run: PipelineRun, findings: Iterable[Finding]) -> tuple[FindingRow, ...]:
    """Return findings as rows, in the order in which they come."""
    return tuple(_row(run, finding) for finding in findings)


def severity_word(severity: Severity) -> str:
    """Return what a severity is called."""
    return _WORDS[severity]


def severity_look(severity: Severity) -> tuple[str, str]:
    """Return the icon and the colour that stand for a severity beside its word."""
    return _LOOKS[severity]


def count_words(severity: Severity, number: int) -> str:
    """Return `2 warnings`."""
    return plural(number, _WORDS[severity].lower())


def summary_words(rows: Sequence[FindingRow] | Sequence[Finding]) -> str:
    """Return how many there are of each severity: `1 error, 2 notes`."""
    found = Counter(row.severity for row in rows)
    return ", ".join(count_words(each, found[each]) for each in Severity if found[each])


def off_words(off: Sequence[str]) -> str:
    """Return `2 rules are switched off: retried, cut-off`, or nothing."""
    if not off:
        return ""
    verb = "is" if len(off) == 1 else "are"
    return f"{plural(len(off), 'rule')} {verb} switched off: {', '.join(off)}"


def stops(run: PipelineRun, findings: Iterable[Finding]) -> list[int]:
    """Return the rows that a walk from finding to finding stops at, in start order."""
    rows = {run.table.row_of(each.spans[0]) for each in findings if each.spans}
    return sorted(row for row in rows if row is not None)


def words_at(run: PipelineRun, findings: Sequence[Finding], span_id: str | None) -> str:
    """Say which finding the walk has come to: `Finding 2 of 5: ...`."""
    here = [each for each in findings if each.spans[:1] == (span_id,)]
    if not here or span_id is None:
        return ""
    rows = stops(run, findings)
    number = rows.index(run.table.row_of(span_id) or 0) + 1
    (shown,) = finding_rows(run, here[:1])
    return f"Finding {number} of {len(rows)}: {shown.sentence}"


def _row(run: PipelineRun, finding: Finding) -> FindingRow:
    icon, colour = _LOOKS[finding.severity]
    return FindingRow(
        rule=finding.rule,
        severity=finding.severity,
        word=_WORDS[finding.severity],
        icon=icon,
        colour=colour,
        sentence=elided(one_line(_sentence(finding)), _LONGEST_SENTENCE),
        hint=elided(one_line(finding.hint), _LONGEST_SENTENCE),
        places=tuple(_place(run, span_id) for span_id in finding.spans[:_MOST_PLACES]),
        documents=tuple(
            elided(one_line(each), _LONGEST_LABEL) for each in finding.documents[:_MOST_DOCUMENTS]
        ),
    )


def _sentence(finding: Finding) -> str:
    return f"Possible: {finding.sentence}" if finding.possible else finding.sentence


def _place(run: PipelineRun, span_id: str) -> Place:
    span = run.span(span_id)
    parent = run.parent(span)
    label = span_label(run, span.row)
    if parent is not None and parent.step is not None:
        label = f"{span_label(run, parent.row)} › {label}"
    elif span.visit > 1:
        label = f"{label} #{span.visit}"
    return Place(span.id, elided(label, _LONGEST_LABEL), one_line(span.path))
