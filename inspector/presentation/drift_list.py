"""What a replay found to differ, as rows of a table, and what there is to say of each."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.presentation.drift_report import title_of
from inspector.presentation.table_cells import Cell, MadeRows, TableRow
from inspector.presentation.visible import one_line
from inspector.presentation.words import plural, sentence
from inspector.runfile.drift import Drift, DriftReport, Grade

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DRIFT_TITLES = ("What", "Where", "In it")
_MOST_DETAILS = 40
_ORDER = tuple(Grade)
_LOOKS = {
    Grade.MAJOR: ("compare", "changed"),
    Grade.MINOR: ("compare", "secondary"),
    Grade.NOTE: ("info", "secondary"),
}


class Both(NamedTuple):
    """The values on both sides of one difference, and where it is."""

    title: str
    recorded: Any
    live: Any


class DriftList(NamedTuple):
    """The drifts of a replay, the gravest first, and what is said of all of them."""

    drifts: Sequence[Drift] = ()
    headline: str = ""
    counted: int = 0
    """How many differences count."""


def listed(
    finished: Mapping[str, Any] | None, found: Sequence[Drift], *, ended: bool
) -> DriftList:  # fmt: skip
    """Return the drifts of a replay as they are shown; of many it takes a while."""
    drifts = drifts_of(finished, found)
    counted = sum(drift.counts for drift in drifts)
    return DriftList(drifts, headline_words(drifts, ended=ended), counted)


def drifts_of(finished: Mapping[str, Any] | None, found: Sequence[Drift]) -> list[Drift]:
    """Return the drifts of a replay, the gravest first; those of its report once it has ended."""
    report = (finished or {}).get("report")
    drifts = found
    if isinstance(report, dict):
        drifts = DriftReport.from_dict(report).drifts
    return sorted(drifts, key=_gravity)


def _gravity(drift: Drift) -> int:
    return _ORDER.index(Grade(drift.grade)) if drift.grade in _ORDER else len(_ORDER)


def headline_words(drifts: Sequence[Drift], *, ended: bool) -> str:
    """Return how many differences there are, by what they are."""
    counted = [drift for drift in drifts if drift.counts]
    notes = len(drifts) - len(counted)
    if not counted:
        nothing = "Nothing differs from the recording" if ended else "Nothing differs so far"
        return f"{nothing}, with {plural(notes, 'note')}." if notes else f"{nothing}."
    kinds = Counter(title_of(drift.kind) for drift in counted)
    said = [plural(count, kind) for kind, count in kinds.items()]
    return sentence([*said, plural(notes, "note") if notes else ""])


def drift_rows(drifts: Sequence[Drift]) -> MadeRows:
    """Return drifts as rows with the columns `DRIFT_TITLES`, keyed by their place."""
    return MadeRows(range(len(drifts)), lambda at: _row(at, drifts[at]))


def _row(key: int, drift: Drift) -> TableRow:
    grade = Grade(drift.grade) if drift.grade in _ORDER else Grade.MAJOR
    icon, ink = _LOOKS[grade]
    title = title_of(drift.kind)
    title = title[:1].upper() + title[1:]
    visit = f" (visit {drift.visit})" if drift.visit > 1 and "#" not in drift.path else ""
    where = f"{one_line(drift.path)}{visit}" or "the whole run"
    leaf, message = one_line(drift.leaf or ""), one_line(drift.message)
    cells = (
        Cell(title, icon=icon, icon_ink=ink),
        Cell(where),
        Cell(leaf or message, quoted=bool(leaf), ink="secondary"),
    )
    return TableRow(key, cells, sentence([title, where, leaf, message], ", "))


def about_words(drift: Drift) -> str:
    """Return what there is to say of a drift beside its values."""
    lines = [one_line(drift.message)]
    if drift.candidate and drift.candidate != drift.path:
        lines.append(f"The nearest recorded call is {one_line(drift.candidate)}.")
    return "\n".join(line for line in lines if line)


def values_of(drift: Drift) -> list[Both]:
    """Return the values of a drift on both sides: at its leaf first, then what else differs."""
    found = []
    if drift.leaf is not None or drift.recorded is not None or drift.live is not None:
        found.append(Both(one_line(drift.leaf or "Value"), drift.recorded, drift.live))
    for entries in (drift.details or {}).values():
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and entry.get("leaf") not in (None, drift.leaf):
                leaf = one_line(str(entry["leaf"]))
                found.append(Both(leaf, entry.get("recorded"), entry.get("live")))
    return found[:_MOST_DETAILS]
