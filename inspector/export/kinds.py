"""What a run can be exported as: a table, and one function that does it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from inspector.errors import InspectorError

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.redaction.report import RedactionReport
    from inspector.redaction.settings import Redaction
    from inspector.runfile.model import PipelineRun


class Kind(NamedTuple):
    """A form that a run can take outside of the program.

    Its module has `make(run, options)`, which returns a `Made`.
    """

    title: str
    module: str
    suffix: str  # of its first file
    says: str  # what leaves this machine
    always_redacted: bool = False
    is_folder: bool = False  # several files that belong together
    takes_span: bool = False  # can be about one span
    is_read: bool = False  # its text is for people, as it stands


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a person may say about an export.

    Args:
        name: Of the files, without a suffix.
        at: The span or component that it is about: a path or an id.
        target: `package.module:attribute` that makes the pipeline of a test.
        schemes: Whether a picture follows the colours of the page that it stands in.
        file: Where the run is kept.
        original: The run as its file has it, where nothing was taken out of it. Of what was
            taken out no digest leaves: a phone number could be worked out from one.

    """

    name: str = "run"
    at: str | None = None
    target: str | None = None
    schemes: bool = True
    file: Path | None = None
    original: PipelineRun | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """What an export made: files by name, the first of which is the one to look at."""

    files: dict[str, bytes]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exported:
    """An export that is in no file yet.

    Args:
        kind: Its name in `KINDS`.
        files: What would be written, by name.
        notes: What a person should know about it.
        report: What was taken out; None where the run left as it is.

    """

    kind: str
    files: dict[str, bytes]
    notes: tuple[str, ...] = ()
    report: RedactionReport | None = field(default=None)

    @property
    def size(self) -> int:
        """How many bytes leave."""
        return sum(map(len, self.files.values()))

    @property
    def main(self) -> bytes:
        """The file to look at."""
        return next(iter(self.files.values()))


KINDS: dict[str, Kind] = {
    "html": Kind(
        "Page for a browser", "inspector.export.run_html", ".html",
        "One file: every span with its messages, documents, inputs and outputs. It fetches"
        " nothing.",
    ),
    "fixture": Kind(
        "Test with its recording", "inspector.export.fixture", ".py",
        "A pytest file and the run, cut to what a replay needs. They are kept beside the code.",
        always_redacted=True, is_folder=True, is_read=True,
    ),
    "audit": Kind(
        "Audit page", "inspector.export.audit", ".html",
        "Which LLMs, prompts, documents, configuration, versions and prices made the answer, with"
        " digests.",
    ),
    "card": Kind(
        "Picture", "inspector.export.card", ".svg",
        "The verdict, the question, the answer and a timeline; of a span, what its card says.",
        takes_span=True,
    ),
    "markdown": Kind(
        "Text for an issue or a pull request", "inspector.export.markdown", ".md",
        "The verdict, the question, the answer, errors, decisions, versions and the names of all"
        " spans; no prompts and no documents.",
        is_read=True,
    ),
    "otlp": Kind(
        "Trace for OpenTelemetry", "inspector.export.otlp", ".otlp.json",
        "Every span with its times, messages, inputs, outputs and errors, by OpenTelemetry's"
        " names.",
    ),
    "transcript": Kind(
        "Transcript", "inspector.export.transcript", ".txt",
        "What models were sent and said, tools called and answered, as plain text.",
        is_read=True,
    ),
    "snapshot": Kind(
        "Snapshot for Haystack", "inspector.export.snapshot", ".snapshot.json",
        "What the pipeline had in hand before the selected component: its inputs, prompts and"
        " documents. Haystack can go on from it.",
        takes_span=True,
    ),
}  # fmt: skip


def written(
    run: PipelineRun, exported: Exported, place: Path, *, is_folder: bool
) -> tuple[dict[str, Path], str]:
    """Write an export, and a line about it into the log of exports.

    Args:
        run: What was exported.
        exported: What to write.
        place: The file, or of several files the folder, which is made where it is missing.
        is_folder: Which of the two it is.

    Returns:
        Where each file is, and why it is not in the log, in words; empty when it is.

    Raises:
        InspectorError: It cannot be written.

    """
    from inspector.runfile import files
    from inspector.trust.export_log import note_export

    where = {name: place / name if is_folder else place for name in exported.files}
    try:
        if is_folder:
            place.mkdir(parents=True, exist_ok=True)
        for name, target in where.items():
            for _ in files.replace(str(target), [exported.files[name]]):
                pass
    except OSError as error:
        raise InspectorError(f"Cannot write {place}: {error.strerror or error}.") from error
    logged = {str(where[name]): data for name, data in exported.files.items()}
    rules = [each.rule for each in exported.report.taken] if exported.report is not None else None
    return where, note_export(run, f"export {exported.kind}", logged, rules)


def kind_named(name: str) -> Kind:
    """Return a kind.

    Raises:
        InspectorError: There is none of that name.

    """
    if name not in KINDS:
        raise InspectorError(f"There is no export {name!r}.", hint=f"There are {', '.join(KINDS)}.")
    return KINDS[name]


def export_run(
    run: PipelineRun, kind: str, *, redact: Redaction | None, options: Options | None = None
) -> Exported:
    """Return a run in another form, with secrets taken out first.

    Args:
        run: Any run that was opened; it stays as it is.
        kind: A name in `KINDS`.
        redact: By which rules; None leaves everything in.
        options: What else was asked for.

    Raises:
        InspectorError: There is no such kind, it has to be redacted, or the run lacks what
            this form needs.

    """
    known = kind_named(kind)
    if redact is None and known.always_redacted:
        raise InspectorError(
            f"An export as {kind} is always redacted: it is kept beside the code.",
            hint="Name what may stay with --keep.",
        )
    report = None
    shared = run
    if redact is not None:
        from inspector.redaction.run import redact_run

        shared, report = redact_run(run, redact)
    whole = report is None or not report.count
    wanted = replace(options or Options(), file=run.origin, original=run if whole else None)
    made: Made = import_module(known.module).make(shared, wanted)
    return Exported(kind, made.files, made.notes, report)
