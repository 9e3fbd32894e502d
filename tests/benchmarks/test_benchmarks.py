"""The benchmarks run, and say plainly what was reached."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.report import MISSED, REACHED, Row, limit, row, seconds, size, table

ROOT = Path(__file__).parents[2]


def test_a_ratio_at_its_goal_is_reached_and_above_it_is_missed() -> None:
    assert row("x", "", 0.5, 0.5, of="y").verdict == REACHED
    assert row("x", "", 0.51, 0.5, of="y").verdict == MISSED
    assert limit("x", 151.0, 150.0, "MB").verdict == MISSED


@pytest.mark.parametrize(
    ("value", "words"), [(1.5, "1.5 s"), (0.0123, "12.3 ms"), (4.2e-5, "42 us"), (-0.002, "-2 ms")]
)
def test_a_time_is_written_with_the_unit_it_is_read_best_in(value: float, words: str) -> None:
    assert seconds(value) == words


def test_a_size_is_written_with_the_unit_it_is_read_best_in() -> None:
    assert [size(count) for count in (12, 4200, 5.3e6)] == ["12 B", "4.2 kB", "5.3 MB"]


def test_the_table_lines_up_its_columns() -> None:
    lines = table([Row("short", "1"), Row("a longer name", "2")]).splitlines()
    assert [line.index(digit) for line, digit in zip(lines[1:], "12", strict=True)] == [15, 15]


@pytest.mark.haystack
def test_the_benchmarks_print_goals_beside_figures_and_always_end_well() -> None:
    command = [sys.executable, "-m", "tests.benchmarks", "--quick", "size"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "goal" in done.stdout.splitlines()[0]
    assert any(line.startswith("agent-100, bytes a run") for line in done.stdout.splitlines())
    assert done.stdout.rstrip().endswith(("goals missed.", "Every goal is reached."))
