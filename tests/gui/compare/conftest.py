"""Comparisons in a real window."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("PySide6", reason="there is no window without PySide6")

from pytestqt.qtbot import QtBot

from inspector.assets import asset
from inspector.gui.app_program import Program
from inspector.gui.panes.comparison_window import ComparisonWindow

Compare = Callable[[Path | str, Path | str], ComparisonWindow]


def example(name: str) -> Path:
    """Return one of the bundled runs."""
    return Path(str(asset(f"examples/{name}.run.json")))


def wait_until_settled(window: ComparisonWindow, qtbot: QtBot) -> None:
    """Wait until nothing is computed for a comparison."""
    one = window.open_comparison
    qtbot.waitUntil(
        lambda: (
            (one.comparison is not None or one.failure is not None)
            and window.is_settled
            and window.detail.is_settled
        ),
        timeout=30_000,
    )


@pytest.fixture
def compare(program: Program, qtbot: QtBot) -> Compare:
    """Return a function that compares two files, or two bundled runs by their names."""

    def compare(left: Path | str, right: Path | str) -> ComparisonWindow:
        paths = [each if isinstance(each, Path) else example(each) for each in (left, right)]
        with qtbot.waitSignal(program.workspace.comparison_added):
            program.comparer.compare_files(*paths)
        window = program.content.tabs.current_comparison_window
        assert window is not None
        wait_until_settled(window, qtbot)
        return window

    return compare


@pytest.fixture
def prompts(compare: Compare) -> ComparisonWindow:
    """Return the comparison of two runs with another prompt."""
    return compare("rag-answer", "rag-other-prompt")


@pytest.fixture
def documents(compare: Compare) -> ComparisonWindow:
    """Return the comparison of two runs with another document."""
    return compare("rag-answer", "rag-other-document")
