"""How runs are recorded, and where they go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspector.errors import RecordingError
from inspector.recording.keep import Always, Keep
from inspector.recording.limits import DirectoryLimits
from inspector.runfile.limits import WriteLimits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inspector.recording.spending import Terms
    from inspector.redaction.settings import Redaction
    from inspector.runfile.finished import FinishedRun

_SUFFIXES = {None: ".run.json", "gz": ".run.json.gz", "zst": ".run.json.zst"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Settings:
    """What a recorder was told."""

    directory: Path | None = None
    keep: Keep = field(default_factory=Always)
    sink: Callable[[FinishedRun], object] | None = None
    stream: Callable[[str, bytes], object] | None = None
    compress: str | None = None
    embeddings: bool = False
    limits: WriteLimits = field(default_factory=WriteLimits)
    directory_limits: DirectoryLimits | None = None
    wrappers: bool = True
    budget: Terms | None = None
    redact: Redaction | None = None

    def __post_init__(self) -> None:
        if self.compress not in _SUFFIXES:
            raise RecordingError(
                f"Runs cannot be compressed as {self.compress!r}.", hint='Use "gz" or "zst".'
            )
        for name, takes in (("sink", self.sink), ("stream", self.stream)):
            if takes is not None and not callable(takes):
                raise RecordingError(f"`{name}` has to be a function, not {takes!r}.")
        for name, kind in (("limits", WriteLimits), ("directory_limits", DirectoryLimits)):
            limits = getattr(self, name)
            if not isinstance(limits, kind | None):
                raise RecordingError(
                    f"`{name}` has to be a {kind.__name__}, not {limits!r}.",
                    hint=f"See help(inspector.{kind.__name__}).",
                )

        if self.budget is not None:
            self.budget.refuse_without(wrappers=self.wrappers)

    @property
    def suffix(self) -> str:
        """How the names of run files end."""
        return _SUFFIXES[self.compress]

    def said(self) -> dict[str, Any]:
        """Return what the run header tells of these settings."""
        return {
            "embeddings": "whole" if self.embeddings else "digest",
            "wrappers": self.wrappers,
            "value_bytes": self.limits.value_bytes,
            "run_bytes": self.limits.run_bytes,
        }
