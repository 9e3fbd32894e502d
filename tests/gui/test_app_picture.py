from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from inspector.assets import asset
from inspector.gui import theme
from inspector.gui.app_picture import render_window

SIZE = (1360, 860)


def lines_of_ink(picture: QImage, left: int, top: int) -> int:
    """Count the lines of pixels, below and to the right of a point, on which something is."""
    ground = theme.current().panel.rgb()
    return sum(
        any(picture.pixel(x, y) != ground for x in range(left, picture.width() - 40, 2))
        for y in range(top, picture.height() - 40)
    )


@pytest.mark.parametrize("tab", ["Messages", "Output", "Raw"])
def test_a_picture_shows_what_stands_in_the_tab_that_was_asked_for(
    qapp: QApplication, tmp_path: Path, tab: str
) -> None:
    path = tmp_path / "window.png"
    run = str(asset("examples/agent-tools.run.json"))
    assert render_window([run], path, SIZE, at="assistant#1/step1/llm", tab=tab)
    picture = QImage(str(path))
    assert (picture.width(), picture.height()) == SIZE
    assert lines_of_ink(picture, SIZE[0] // 2, SIZE[1] // 2 + 50) > 10
