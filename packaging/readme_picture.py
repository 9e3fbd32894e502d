"""Draws the picture of the README: `make picture`."""

from pathlib import Path

from inspector.assets import asset
from inspector.gui.app_picture import render_window

PICTURE = Path(__file__).parents[1] / "resources" / "readme" / "window.png"

if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    render_window(
        [str(asset("examples/agent-tools.run.json"))],
        PICTURE,
        (1360, 900),
        at="assistant#1/step1/llm",
        tab="Messages",
    )
