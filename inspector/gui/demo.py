"""`make demo`: a bundled run in the window, or a picture of it where there is no display."""

import os
import socket
import sys
from importlib.resources import as_file
from pathlib import Path

from inspector.assets import asset

_EXAMPLE = "examples/agent-tools.run.json"
_FAILED_TOOL = "assistant#1/step0/tool:read_sensor[1]"
_PICTURE = Path("demo.png")


def has_display(environment: dict[str, str], platform: str = sys.platform) -> bool:
    """Say whether a window can be shown.

    Qt ends the process when it cannot reach the display it was promised, so a
    local one is tried first.
    """
    if platform in ("darwin", "win32"):
        return True
    if environment.get("QT_QPA_PLATFORM"):
        return environment["QT_QPA_PLATFORM"] not in ("offscreen", "minimal")
    if environment.get("WAYLAND_DISPLAY"):
        return True
    host, colon, number = environment.get("DISPLAY", "").rpartition(":")
    if not colon:
        return False
    return bool(host) or _answers(number.partition(".")[0])


def _answers(number: str) -> bool:
    # Linux servers listen on the abstract name too, and some on nothing else.
    for address in (f"/tmp/.X11-unix/X{number}", f"\0/tmp/.X11-unix/X{number}"):  # noqa: S108 - X's own
        with socket.socket(socket.AF_UNIX) as door:
            try:
                door.connect(address)
            except OSError:
                continue
            return True
    return False


def main() -> int:
    """Show the example; 0 when it was shown or drawn."""
    # Imported here: Qt may only be loaded once we know whether it will find a display.
    from inspector.gui.app import main as show
    from inspector.gui.app_picture import render_window

    with as_file(asset(_EXAMPLE)) as example:
        if has_display(dict(os.environ)):
            return show([str(example)], at=_FAILED_TOOL)
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        picture = _PICTURE.resolve()
        written = render_window([str(example)], picture, at=_FAILED_TOOL)
    if not written:
        sys.stderr.write(f"The window could not be drawn to {picture}.\n")
        return 2
    sys.stdout.write(
        f"There is no display here, so the window was drawn to a picture:\n  {picture}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
