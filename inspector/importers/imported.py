"""What importers are given, and what they give back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.importers.losses import Losses
from inspector.runfile.naming import in_a_sentence
from inspector.runfile.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.importers.building import RunBuilder
    from inspector.runfile.intake import Intake
    from inspector.runfile.model import PipelineRun
    from inspector.runfile.source import ByteSource


@dataclass(slots=True)
class Context:
    """A foreign file that is being read.

    Args:
        intake: Its bytes, uncompressed, and its name.
        format: The name of the importer that reads it.
        words: What the format is called in a sentence.
        only: The number of the one run that is asked for, from 1; None for all.
        most: How many runs are asked for at most.
        total: How many runs there are, where an importer reads only those that are asked for.

    """

    intake: Intake
    format: str
    words: str
    progress: Callable[[float], None] | None = None
    cancelled: Callable[[], bool] | None = None
    only: int | None = None
    most: int = 1_000
    total: int | None = None
    losses: Losses = field(init=False)
    problems: Problems = field(init=False)

    def __post_init__(self) -> None:
        self.problems = self.intake.problems
        self.losses = Losses(self.problems)

    def apart(self) -> Context:
        """Return what stands for one run of the file alone: what it lacks no other lacks."""
        own = Context(self.intake, self.format, self.words)
        own.problems = Problems()
        own.losses = Losses(own.problems)
        return own

    def told_apart(self, found: ImportedRun) -> ImportedRun:
        """Say of a run what was found wrong with it alone."""
        self.losses.tell()
        found.builder.take_problems(self.problems)
        return found

    @property
    def source(self) -> ByteSource:
        return self.intake.source

    @property
    def name(self) -> str:
        return self.intake.name

    def wanted(self, total: int) -> range:
        """Return which of so many runs are asked for, counted from 0."""
        self.total = total
        if self.only is not None:
            return range(self.only - 1, self.only) if 1 <= self.only <= total else range(0)
        return range(min(total, self.most))

    def at(self, offset: int) -> None:
        """Say that everything before `offset` was read."""
        self.check(offset / max(1, self.source.size))

    def check(self, done: float) -> None:
        """Say how far reading has come, from 0 to 1.

        Raises:
            RunFileError: Whoever asked for the runs does not want them any more.

        """
        if self.cancelled is not None and self.cancelled():
            raise RunFileError(f"Opening {in_a_sentence(self.name)} was stopped.")
        if self.progress is not None:
            self.progress(min(1.0, done))


@dataclass(slots=True)
class ImportedRun:
    """A run as an importer found it: its header, and the spans that were added to its builder."""

    header: dict[str, Any]
    builder: RunBuilder

    def run(self) -> PipelineRun:
        """Return it as a run like any other."""
        return self.builder.run(self.header)


def import_note(context: Context, **facts: Any) -> dict[str, Any]:
    """Return what stands under `extensions.import`: where a run comes from, and what was lost."""
    note: dict[str, Any] = {"format": context.format, "words": context.words}
    note |= {key: value for key, value in facts.items() if value not in (None, "", [], {})}
    if context.losses.sentences:
        note["losses"] = context.losses.sentences
    if context.losses.skipped:
        note["skipped"] = context.losses.skipped
    return note
