"""What a finding is, and what a rule is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.findings.reading import Reading


class Severity(StrEnum):
    """How much a finding matters, worst first."""

    ERROR = "error"  # it spoiled the run
    WARNING = "warning"  # it probably is not what was wanted
    NOTE = "note"  # worth knowing

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence that a person should read, and the spans that prove it.

    `spans` are ids, the one to look at first at the head; empty where the run as a whole
    is meant. Words from the file stand in `sentence` and `hint` as they are recorded: who
    shows them has to make them harmless.

    `fields` says where in the first span the proof stands, such as `outputs.documents`;
    `documents` names the documents that prove it, by their ids. What is `possible` only
    cannot be proved by what was recorded.
    """

    rule: str
    severity: Severity
    sentence: str
    spans: tuple[str, ...] = ()
    hint: str = ""
    fields: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    possible: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding. `find` looks for it in a run; `says` is its line in the README.

    The rules of other packages are such ones too; `group` is where ours stand in the table.
    """

    name: str
    says: str
    find: Callable[[Reading], Iterable[Finding]]
    group: str = "other"
