"""What the status line says of what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.words import duration_words, number_words, plural, sentence

if TYPE_CHECKING:
    from inspector.presentation.run_tree import RunTree
    from inspector.runfile.model import PipelineRun


def shown_words(run: PipelineRun, tree: RunTree, bounds: tuple[int, int] | None) -> str:
    """Return `412 of 1 204 spans · 1.2 s to 3.4 s`, or just how many there are."""
    total = len(run.spans)
    if bounds is None:
        return plural(total, "span")
    first, last = bounds
    return sentence(
        [
            f"{number_words(tree.shown)} of {plural(total, 'span')}",
            f"{duration_words(first)} to {duration_words(last)}",
        ]
    )


def redaction_words(run: PipelineRun) -> tuple[str, str]:
    """Return how much was taken out of the file, and by which rules; empty for nothing."""
    told = run.header.get("redaction")
    if not isinstance(told, list) or not told:
        return "", ""
    rules: set[str] = set()
    values = 0
    for entry in told:
        if not isinstance(entry, dict):
            continue
        count = entry.get("count", 1)
        values += count if isinstance(count, int) and not isinstance(count, bool) else 1
        if isinstance(rule := entry.get("rule"), str):
            rules.add(rule)
    by = f"{plural(len(rules), 'rule')}: {', '.join(sorted(rules))}" if rules else ""
    return f"Redacted: {plural(values, 'value')}", by
