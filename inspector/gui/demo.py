"""Shows the bundled runs: in the window, or as a picture where there is no display."""

import os
import sys
from pathlib import Path

from inspector.presentation.examples import bundled_examples

PICTURE = Path("demo.png")


def main() -> int:
    """Open the bundled runs. Returns the exit code."""
    from inspector.gui import app

    examples = [str(example.path) for example in bundled_examples()]
    if has_display():
        return app.main(examples[:1])
    if not app.render_window(examples[:1], PICTURE):
        sys.stderr.write(f"demo: cannot write {PICTURE.absolute()}\n")
        return 2
    sys.stdout.write(f"There is no display here, so the window was drawn to {PICTURE.absolute()}\n")
    return 0


def has_display() -> bool:
    """Say whether a window could be shown to somebody."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


if __name__ == "__main__":
    sys.exit(main())
