"""Keeping account of what a command has just written for others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cli.output import note

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from inspector.redaction.report import RedactionReport
    from inspector.runfile.model import PipelineRun


def log_export(
    run: PipelineRun, what: str, files: Mapping[str, bytes | Path], report: RedactionReport | None
) -> None:
    """Put a line into the log of exports; that it cannot be written is said, and no more.

    Args:
        run: What was exported.
        what: As what, such as `export html`.
        files: What was written, by name.
        report: What was taken out; None where nothing was looked for.

    """
    from inspector.trust.export_log import note_export

    rules = None if report is None else [each.rule for each in report.taken]
    if trouble := note_export(run, what, files, rules):
        note(f"note: {trouble}")
