"""What is said of an export before it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from inspector.presentation.words import byte_words, plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.redaction.report import RedactionReport


class Leaving(Protocol):
    """What leaves: files by name, notes, and the report of what was taken out."""

    @property
    def files(self) -> Mapping[str, bytes]: ...

    @property
    def notes(self) -> tuple[str, ...]: ...

    @property
    def report(self) -> RedactionReport | None: ...


def leaving_words(made: Leaving) -> str:
    """Return in sentences what would be written, and what was taken out of it."""
    size = byte_words(sum(map(len, made.files.values())))
    names = ", ".join(made.files)
    said = [f"{plural(len(made.files), 'file')}, {size}: {names}."]
    report = made.report
    if report is None:
        said.append("Nothing is taken out: it holds whatever the run holds.")
    elif report.count:
        rules = ", ".join(f"{each.count} {each.rule}" for each in report.taken)
        said.append(f"Taken out in {plural(report.count, 'place')}: {rules}; {report.names}.")
    else:
        said.append(f"The rules found nothing to take out; {report.names}.")
    return "\n".join([*said, *made.notes])
