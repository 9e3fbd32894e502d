"""The window at a real display, with a mouse and a keyboard that are the display's own."""

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("PySide6", reason="there is no window without PySide6")

ROOT = Path(__file__).parents[2]
NEEDED = ("Xvfb", "xdotool")
MISSING = [name for name in NEEDED if shutil.which(name) is None]

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"{' and '.join(MISSING)} is not installed")


@pytest.fixture
def display() -> Iterator[str]:
    """Yield the name of a display of its own."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        ready, _, _ = select.select([read], [], [], 60)
        assert ready, "the display did not come up"
        yield f":{os.read(read, 16).decode().strip()}"
    finally:
        os.close(read)
        server.terminate()
        server.wait(timeout=60)


def seen_by(person: str, display: str, home: Path) -> list[str]:
    """Return what a person found out, the last thing last."""
    found = subprocess.run(
        [sys.executable, "-m", f"tests.end_to_end.{person}"],
        cwd=ROOT,
        env={**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    told = found.stdout.splitlines()
    assert found.returncode == 0, "\n".join([*told, found.stderr])
    return told


def test_a_person_finds_out_what_an_agent_did_from_the_readme_alone(
    display: str, tmp_path: Path
) -> None:
    told = seen_by("person_at_a_display", display, tmp_path)
    assert told[-1] == "o leads to the reply that asked for it"


def test_a_maintainer_opens_the_run_of_an_issue_by_mouse(display: str, tmp_path: Path) -> None:
    told = seen_by("person_with_an_issue", display, tmp_path)
    assert told[-1] == "the run is as it was recorded"
