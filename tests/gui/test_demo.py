import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.gui.demo import has_display


@pytest.mark.parametrize(
    ("environment", "platform", "shown"),
    [
        ({}, "linux", False),
        ({}, "darwin", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"DISPLAY": ":98765"}, "linux", False),
        ({"DISPLAY": "elsewhere:10.0"}, "linux", True),
        ({"DISPLAY": "nonsense"}, "linux", False),
        ({"QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":0"}, "linux", False),
    ],
)
def test_a_display_is_believed_only_when_it_answers(environment, platform, shown):
    assert has_display(environment, platform) is shown


def test_without_a_display_the_demo_draws_the_window_and_says_where(tmp_path: Path):
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    ran = subprocess.run(
        [sys.executable, "-m", "inspector.gui.demo"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    assert str(tmp_path / "demo.png") in ran.stdout
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")
    assert ran.stderr == ""
