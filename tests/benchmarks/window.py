"""How long it takes until the window is painted, beside a bare PySide6 window."""

import importlib.util

from tests.benchmarks.report import Row, skipped


def measure(quick: bool) -> list[Row]:
    if importlib.util.find_spec("PySide6") is None:
        return [skipped("window", "PySide6 is not installed")]
    return []
