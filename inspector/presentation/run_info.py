"""What a run file says about itself: when, with what, and what it leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.presentation.redaction_words import report_lines
from inspector.presentation.words import (
    UNKNOWN,
    duration_words,
    number_words,
    one_line,
    plural,
    sentence,
    started_words,
    status_words,
)

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_LONGEST = 400
_MOST_ENTRIES = 2_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: what it is about, what is said of it, and more of it on demand."""

    name: str
    text: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Entries that belong together. `open` says whether to show them unasked.

    `named_by_file` says that the names of the entries come from the file as
    well, so that they must not look like words of ours.
    """

    title: str
    entries: tuple[Entry, ...]
    open: bool = True
    empty: str = ""
    named_by_file: bool = False


def run_info(run: PipelineRun) -> tuple[Section, ...]:
    """Return everything that stands in the header of a run, for people."""
    sections = (
        _problems(run),
        _about(run),
        _imported(run),
        _taken_out(run),
        _not_recorded(run),
        _versions(run),
        _components(run),
        _connections(run),
        _packages(run),
    )
    return tuple(section for section in sections if section.entries or section.empty)


def _problems(run: PipelineRun) -> Section:
    entries = tuple(
        Entry(_text(problem.where) or "File", _text(problem.message), _text(problem.hint))
        for problem in run.problems[:_MOST_ENTRIES]
    )
    return Section("What could not be read", entries)


def _about(run: PipelineRun) -> Section:
    offset = run.header.get("utc_offset_s")
    error = run.error
    entries = [
        Entry("Name", _text(run.name)),
        Entry("Kind", sentence([_text(run.kind), _text(run.mode)], ", ")),
        Entry("Status", status_words(run.status)),
        Entry("Error", _text(f"{error.type}: {error.message}") if error else ""),
        Entry("Started", _started(run.started_at, offset)),
        Entry("Duration", duration_words(run.duration_ns)),
        Entry("Spans", number_words(len(run.spans))),
        Entry("Id", _text(run.id)),
        Entry("Continues", _text(run.continues)),
        Entry("Replay of", _text(run.replay_of)),
        Entry("File", one_line(str(run.origin)) if run.origin else ""),
    ]
    return Section("Run", _said(entries))


def _taken_out(run: PipelineRun) -> Section:
    """Say what a redaction took out, by the report that the file carries."""
    entries = (Entry(name, text, tip) for name, text, tip in report_lines(run))
    return Section("Redacted", tuple(entries))


def _started(started_at: str | None, offset: Any) -> str:
    if started_at is None:
        return ""
    whole = offset if isinstance(offset, int) and not isinstance(offset, bool) else None
    words = started_words(started_at, whole)
    if words == UNKNOWN or whole is None:
        return words if words != UNKNOWN else _text(started_at)
    sign = "+" if whole >= 0 else "−"
    hours, minutes = divmod(abs(whole) // 60, 60)
    return f"{words} (UTC{sign}{hours:02d}:{minutes:02d})"


def _imported(run: PipelineRun) -> Section:
    """Say which program's file this was, and what the importer made of it."""
    note = _mapping(run.extensions.get("import"))
    written = _text(note.get("written_at")).replace("T", " ").rstrip("Z")
    stopped = _mapping(note.get("break_point"))
    entries = [
        Entry("Format", _text(note.get("words") or note.get("format"))),
        Entry("Version", _text(note.get("version"))),
        Entry("Conventions", ", ".join(map(_text, _listed(note.get("dialects"))))),
        Entry("Trace", _text(note.get("trace_id"))),
        Entry("Written", written, _text(note.get("zone"))),
        Entry("Stopped at", _text(stopped.get("component_name") or stopped.get("agent_name"))),
        Entry("Run", f"{note['run']} of {note.get('runs')}" if "run" in note else ""),
    ]
    return Section("Imported", _said(entries))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _not_recorded(run: PipelineRun) -> Section:
    entries = []
    for item in run.not_recorded[:_MOST_ENTRIES]:
        if isinstance(item, Mapping):
            entries.append(Entry(_text(item.get("what")), _text(item.get("why"))))
        else:
            entries.append(Entry(_text(item), ""))
    return Section(
        "Not recorded",
        tuple(entries),
        named_by_file=True,
        empty="The recorder left nothing out that it knows of.",
    )


def _versions(run: PipelineRun) -> Section:
    environment = run.environment or {}
    packages = _mapping(environment.get("packages"))
    entries = [
        Entry("Haystack", _text(packages.get("haystack-ai"))),
        Entry("Python", _text(environment.get("python"))),
        Entry("Platform", _text(environment.get("platform"))),
        Entry("Recorder", _text(environment.get("recorder"))),
        Entry("Time zone", _text(environment.get("tz"))),
        Entry("Hash seed", _text(environment.get("hash_seed"))),
    ]
    return Section("Environment", _said(entries), empty="Not recorded.")


def _packages(run: PipelineRun) -> Section:
    packages = _mapping((run.environment or {}).get("packages"))
    entries = tuple(
        Entry(_text(name), _text(version))
        for name, version in sorted(packages.items())[:_MOST_ENTRIES]
    )
    title = f"Packages ({number_words(len(packages))})"
    return Section(title, entries, open=False, named_by_file=True)


def _components(run: PipelineRun) -> Section:
    components = _mapping((run.topology or {}).get("components"))
    entries = []
    for name, about in list(components.items())[:_MOST_ENTRIES]:
        known = _mapping(about)
        kind = _text(known.get("type"))
        package = _words(_text(known.get("package")), _text(known.get("version")))
        entries.append(Entry(_text(name), kind.rpartition(".")[2], _lines(kind, package)))
    title = plural(len(entries), "component")
    return Section(title, tuple(entries), named_by_file=True)


def _connections(run: PipelineRun) -> Section:
    connections = (run.topology or {}).get("connections")
    entries = []
    if isinstance(connections, list):
        for link in connections[:_MOST_ENTRIES]:
            ends = _mapping(link)
            entries.append(Entry(_text(ends.get("sender")), f"→ {_text(ends.get('receiver'))}"))
    title = plural(len(entries), "connection")
    return Section(title, tuple(entries), open=False, named_by_file=True)


def _said(entries: list[Entry]) -> tuple[Entry, ...]:
    return tuple(entry for entry in entries if entry.text and entry.text != UNKNOWN)


def _words(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)


def _lines(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    if value is None:
        return ""
    return one_line(str(value))[:_LONGEST]
