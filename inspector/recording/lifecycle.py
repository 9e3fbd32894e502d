"""How the recording of one run begins and ends."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from inspector.recording import assembly
from inspector.recording.assembly import PipelineFacts
from inspector.recording.capture import Capture
from inspector.recording.described import Descriptions
from inspector.recording.distribution import Distribution
from inspector.recording.encoding.errors import shown_path
from inspector.recording.environment import our_version
from inspector.recording.guest import complain
from inspector.recording.identity import new_run_id
from inspector.recording.redacting import redactor_for
from inspector.recording.secrets import scrubber_for
from inspector.recording.session import Recording
from inspector.recording.snapshots import continued_by, remember_snapshot
from inspector.recording.spending import Spending
from inspector.recording.stopped import is_breakpoint
from inspector.recording.topology import topology_of_seen
from inspector.runfile.journal import RunWriter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.recording.kept_runs import RecordedRun
    from inspector.recording.session import LiveSpan
    from inspector.recording.settings import Settings
    from inspector.recording.spending import Terms
    from inspector.recording.targets import Target
    from inspector.redaction.settings import Redaction

FINGERPRINT_RULES = 1
_RUN_STATUS = {"ok": "completed", "failed": "failed", "canceled": "canceled"}


def begin_recording(
    kind: str, name: str, *, mode: str, everyone: list[Settings], target: Target | None = None,
    snapshot: Any = None, descriptions: Descriptions | None = None, terms: Terms | None = None,
    redact: Redaction | None = None, extensions: Mapping[str, Any] | None = None,
    file_name: str | None = None,
) -> tuple[Recording, list[RecordedRun]] | None:  # fmt: skip
    """Open a run, for everyone who records it; the last of them says how.

    What describes the run is taken here, before it can change. Returns None when it is
    clear beforehand that nobody will keep it, and no budget has to be watched. `extensions`
    are those of the run header; `file_name` is without suffixes, and may name a folder.
    """
    run_id = new_run_id()
    if terms is None and not any(each.keep.may_keep(run_id) for each in everyone):
        return None
    settings = everyone[-1]
    header: dict[str, Any] = {
        "id": run_id,
        "kind": kind,
        "name": name,
        "mode": mode,
        "status": "running",
        "recorder": {
            "version": our_version(),
            "channels": ["tracing"],
            "fingerprint_rules": FINGERPRINT_RULES,
            "settings": settings.said(),
        },
    }
    capture = Capture(keep_embeddings=settings.embeddings)
    description = (descriptions or Descriptions()).of(target)
    header.update(description.header)
    if terms is not None:
        header["budget"] = terms.budget.said()
    if extensions is not None:
        header["extensions"] = {**header.get("extensions", {}), **extensions}
    scrubber = scrubber_for(description.secret_names, description.taken_out)
    if snapshot is not None:
        try:
            header["continues"] = continued_by(snapshot)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            complain("What a run continues was not recorded", error)
    header["started_at"], file_time, header["utc_offset_s"] = time_now()
    redactor = redactor_for(everyone, redact, description.secret_names, scrubber)
    shown = name if redactor is None else redactor.text(name)
    file_name = file_name or f"{file_time}-{_as_file_name(shown)}-{run_id[-8:].lower()}"
    distribution = Distribution(everyone, file_name)
    writer = RunWriter(
        header,
        target=distribution.target,
        sink=distribution.sink,
        stream=distribution.stream,
        keep=distribution.keep,
        saved=distribution.saved,
        limits=settings.limits,
        scrub=redactor or scrubber,
        redact=None if redactor is None else redactor.redact,
        chunk_scrub=redactor,
    )
    recording = Recording(run_id, kind, name, writer=writer, capture=capture)
    recording.mode = mode
    recording.target = None if target is None else target.instance
    recording.path = distribution.target
    recording.made_by = header["recorder"]
    recording.definition = header.get("definition")
    recording.started_at = header["started_at"]
    recording.extensions = dict(header.get("extensions", {}))
    if terms is not None:
        recording.spending = Spending(terms, recording.definition)
    return recording, distribution.handles(writer)


@lru_cache(maxsize=256)
def _as_file_name(name: str) -> str:
    """Return what a person will recognise in a folder of runs, which sort by time."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:60] or "run"


def time_now() -> tuple[str, str, int]:
    """Return the time for the header, for the file's name, and the local offset in seconds."""
    microseconds = time.time_ns() // 1000
    second = microseconds // 1_000_000
    in_header, in_name, offset_s = _second(second)
    return f"{in_header}.{microseconds % 1_000_000:06d}Z", in_name, offset_s


@lru_cache(maxsize=4)
def _second(second: int) -> tuple[str, str, int]:
    moment = datetime.fromtimestamp(second, UTC)
    offset_s = time.localtime(second).tm_gmtoff
    return f"{moment:%Y-%m-%dT%H:%M:%S}", f"{moment:%Y%m%d-%H%M%S}", offset_s


def finish_recording(recording: Recording) -> None:
    """Close a run whose root has ended. Returns at once: the writer does the rest."""
    if recording.finished:
        return
    recording.finished = True
    root = recording.root
    fields: dict[str, Any] = {"status": "completed", "mode": recording.mode}
    try:
        if root is not None:
            _end_of(root, fields)
        _add_notes(recording, fields)
    except Exception as error:  # noqa: BLE001 - a guest never raises into its host
        complain("The end of a run was not recorded whole", error)
    recording.error = recording.target = None  # the host's, and not to be kept alive by us
    spending = recording.spending
    # Nothing may be left for the garbage collector: a host that makes none should see none.
    recording.root = recording.on_root_end = recording.spending = None
    for live in sorted(recording.open_spans, key=_start_of, reverse=True):
        recording.writer.do(assembly.left_open, live)
    recording.open_spans.clear()
    recording.writer.do(assembly.sum_up, recording, spending)
    recording.writer.finish(fields)


def _start_of(live: LiveSpan) -> int:
    return live.start_ns


def _end_of(root: LiveSpan, fields: dict[str, Any]) -> None:
    recording = root.recording
    fields["status"] = _RUN_STATUS.get(root.status, "failed")
    fields["duration_ns"] = root.end_ns
    if recording.inputs is not None:
        fields["inputs"] = recording.inputs
    for field in ("outputs", "error"):
        if field in root.fields:
            fields[field] = root.fields[field]
    error = recording.error
    if error is not None:
        if is_breakpoint(error):
            fields["status"] = "paused"
        snapshot = getattr(error, "pipeline_snapshot", None)
        if snapshot is not None:
            key = remember_snapshot(snapshot, recording.run_id)
            recording.extensions["inspector"] = {"snapshot": key}
            fields["snapshot"] = recording.capture.at_once(_without_home(snapshot.to_dict()))
    if recording.target is None and type(root.facts) is PipelineFacts and root.facts.seen:
        fields["topology"] = topology_of_seen(root.facts.seen)
        recording.leave_out("topology", "only the components that ran are known")


def _without_home(snapshot: dict[str, Any]) -> dict[str, Any]:
    """Shorten the folder that Haystack would have written to: it lies below somebody's home."""
    stop = snapshot.get("break_point")
    if isinstance(stop, dict) and isinstance(folder := stop.get("snapshot_file_path"), str):
        return {**snapshot, "break_point": {**stop, "snapshot_file_path": shown_path(folder)}}
    return snapshot


def _add_notes(recording: Recording, fields: dict[str, Any]) -> None:
    if going_on := len(recording.open_spans):
        recording.leave_out("spans", f"{going_on} were still going on when the run ended")
    if "wrapper" not in recording.channels:
        why = "the run was recorded through tracing alone"
        recording.leave_out("what spans do not show", why)
    if recording.extensions:
        fields["extensions"] = recording.extensions
    fields["recorder"] = {**recording.made_by, "channels": sorted(recording.channels)}
    if recording.spending is not None and recording.spending.stopped:
        fields["status"] = "canceled"
    if recording.not_recorded:
        fields["not_recorded"] = recording.not_recorded
