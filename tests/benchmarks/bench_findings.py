"""How long all rules take to look at a long run: beside the window, but nobody likes to wait."""

from __future__ import annotations

import tempfile
from pathlib import Path

from inspector.findings import RULES, examine
from inspector.runfile.load import load_run
from tests.benchmarks.big_file import write_run
from tests.benchmarks.report import Row, answered, took

GOAL_MS = 2_500.0
SPANS = 100_000


def measure(quick: bool) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "long.run.json"
        write_run(file, spans=SPANS, value_bytes=300)
        # Each time a run that was just opened: what was read before would be at hand.
        times = []
        for _ in range(2 if quick else 5):
            run = load_run(file, use_cache=False)
            times.append(took(lambda: examine(run)))  # noqa: B023 - called at once
    return [answered(f"{SPANS:,} spans, {len(RULES)} rules", times, GOAL_MS)]
