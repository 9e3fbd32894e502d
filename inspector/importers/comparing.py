"""Comparing two runs, whoever wrote them: `inspector.diff_runs`.

The comparison itself knows runs only; this stands above it and opens files of every format.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.diff.compare import diff_runs as compared
from inspector.importers.opening import load_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from inspector.diff.model import Comparison
    from inspector.runfile.model import PipelineRun


def diff_runs(
    left: PipelineRun | str | Path,
    right: PipelineRun | str | Path,
    *,
    extract: str | Callable[[str], Any] | None = None,
    ignore: Iterable[str] = (),
    sync: Sequence[tuple[str, str]] = (),
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Comparison:
    """Compare two runs.

    Args:
        left: The baseline: a run, or a file that `load_run` opens. Of a file that holds several
            runs the first is compared; `load_run(path, number=2)` opens another.
        right: What it is compared with.
        extract: What to take out of the answers: `field:PATH`, `regex:PATTERN`,
            `python:MODULE:FUNCTION`, or a function of the answer's text.
        ignore: Paths of values whose differences do not count, such as `*.meta.session`.
        sync: Pairs of spans that stand side by side whatever they look like, by their ids or
            paths.
        progress: Called with how much is done, from 0 to 1.
        cancelled: Asked now and then whether to stop.

    Raises:
        InspectorError: A file cannot be read, an extractor, a path or a sync point makes no
            sense, or the comparison was stopped.

    """
    one, other = _opened(left), _opened(right)
    return compared(
        one, other, extract=extract, ignore=ignore, sync=sync, progress=progress,
        cancelled=cancelled,
    )  # fmt: skip


def _opened(run: PipelineRun | str | Path) -> PipelineRun:
    return load_run(run) if isinstance(run, (str, Path)) else run
