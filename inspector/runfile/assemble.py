"""Putting a run together from what a reader found in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from inspector.runfile import upgrade as formats
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.model import PipelineRun, RunParts
from inspector.runfile.problems import Problems
from inspector.runfile.reading import PlacedRecords
from inspector.runfile.sniff import require_run
from inspector.runfile.source import ByteSource, MemorySource
from inspector.runfile.store import ValueStore
from inspector.runfile.whole import read_whole

if TYPE_CHECKING:
    from inspector.runfile.intake import Intake
    from inspector.runfile.reading import Found
    from inspector.runfile.table import SpanTable
    from inspector.runfile.value_index import ValueIndex

_OURS = frozenset({"format", "version", "run", "spans", "values", "record_digests", "digest"})
_COPY_AGAIN = "Copy it again, or open the journal (*.run.jsonl) if there is one beside it."


def assembled(intake: Intake, found: Found, source: ByteSource) -> PipelineRun:
    """Return the run that a reader found.

    Raises:
        RunFileError: It is no run, or of a format that we cannot read.

    """
    members, problems = found.members, intake.problems
    require_run(members, intake.name, complete=found.complete, size=intake.source.size)
    version = _member(members, "version", problems)
    if type(version) is not int:
        problems.add("It does not say which version of the format it uses.")
    if formats.check_version(version, intake.name) < formats.CURRENT:
        return _upgraded(intake, source)
    table = found.columns.table()
    problems.take(found.columns.problems)
    complete = found.complete and intake.whole
    if not complete:
        _say_where_it_ends(problems, table, found.values)
    return from_parts(intake, members, table, found.values, source, complete=complete)


def from_parts(
    intake: Intake,
    members: dict[str, bytes],
    table: SpanTable,
    values: ValueIndex,
    source: ByteSource,
    *,
    complete: bool,
) -> PipelineRun:
    """Return a run whose spans and values are indexed already."""
    problems = intake.problems
    header: Any = {}
    if "run" in members:
        header = _member(members, "run", problems)
    elif complete:
        problems.add("It has no run header.", where="run")
    if not isinstance(header, dict):
        problems.add("Its run header is not an object.", where="run")
        header = {}
    return PipelineRun(
        RunParts(
            header=header,
            members=members,
            table=table,
            records=PlacedRecords(source, table),
            values=ValueStore(source, values),
            index=values,
            source=source,
            problems=problems.found(),
            origin=intake.path,
            complete=complete,
            record_digests=_text(members, "record_digests") if complete else None,
            digest=_text(members, "digest") if complete else None,
            extra={key: text for key, text in members.items() if key not in _OURS},
        )
    )


def _member(members: dict[str, bytes], name: str, problems: Problems) -> Any:
    text = members.get(name)
    if text is None:
        return None
    try:
        value, said = read_leaf(text)
    except LeafError as error:
        problems.add(f"It {error}.", where=name)
        return None
    if said:
        problems.add(f"It is not quite JSON: {said}.", where=name)
    return value


def _text(members: dict[str, bytes], name: str) -> str | None:
    value = _member(members, name, Problems())
    return value if isinstance(value, str) else None


def _upgraded(intake: Intake, source: ByteSource) -> PipelineRun:
    text = source.read_at(0, source.size)
    raw = formats.upgrade(read_leaf(text[text.find(b"{") :])[0])
    newer = orjson.dumps(raw)
    return assembled(intake, read_whole(newer, intake.problems), MemorySource(newer))


def _say_where_it_ends(problems: Problems, table: SpanTable, values: ValueIndex) -> None:
    spans, kept = len(table), len(values)
    if not spans:
        where = "inside its header; no span can be shown"
    elif not kept:
        where = f"after {spans:,} {'span' if spans == 1 else 'spans'}"
    else:
        where = f"after {spans:,} {'span' if spans == 1 else 'spans'} and {kept:,} values"
    problems.add(f"The file is cut off {where}.", hint=_COPY_AGAIN)
