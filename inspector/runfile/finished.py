"""What a sink gets to see of a run that is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from inspector.runfile.model import PipelineRun


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """A run that is over, in memory, on disk, or both.

    Args:
        header: The run header as it stands in the file.
        path: Where the file is, if it was to be one and could be written.
        data: The file's bytes, if nothing touched the disk.

    """

    header: Mapping[str, Any]
    path: Path | None
    data: bytes | None

    @property
    def id(self) -> str:
        """The run's id."""
        return str(self.header.get("id", ""))

    @property
    def status(self) -> str:
        """How it ended, in the word of the format."""
        return str(self.header.get("status", ""))

    def to_bytes(self) -> bytes:
        """Return the run file as it would be or is on disk.

        Raises:
            RecordingError: The run was not kept.
            OSError: Its file cannot be read any more.

        """
        if self.data is not None:
            return self.data
        if self.path is None:
            raise RecordingError("The run was not kept.")
        return self.path.read_bytes()

    def load(self) -> PipelineRun:
        """Open the run.

        Raises:
            RecordingError: It was not kept.
            RunFileError: Its file cannot be read any more.

        """
        from inspector.runfile.load import load_run

        if self.data is None and self.path is None:
            raise RecordingError("The run was not kept.")
        return load_run(self.data if self.data is not None else self.path)  # type: ignore[arg-type]  # one of them is there
