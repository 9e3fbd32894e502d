"""What this program is, in which version."""

import platform
from importlib.metadata import PackageNotFoundError, version

import PySide6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.dialogs.buttons import close_row
from inspector.gui.messages import PROMISE
from inspector.gui.widgets.labels import Icon, Words


def program_version() -> str:
    """Return the version of Run Inspector that is installed."""
    try:
        return version("haystack-run-inspector")
    except PackageNotFoundError:
        return "from a checkout"


class AboutDialog(QDialog):
    """Names the program, its version and what it stands on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About Run Inspector")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = QVBoxLayout()
        words.setSpacing(theme.GRID_PX)
        words.addWidget(Words("Run Inspector", step=3, strong=True))
        words.addWidget(Words(f"Version {program_version()}", colour="secondary"))
        words.addSpacing(theme.GAP_PX)
        words.addWidget(
            Words("Records Haystack pipeline and agent runs, and shows what they really did.")
        )
        words.addWidget(Words(PROMISE))
        words.addSpacing(theme.GAP_PX)
        stands_on = f"Python {platform.python_version()} · PySide6 {PySide6.__version__}"
        words.addWidget(Words(f"{stands_on} · Apache-2.0", step=-1, colour="secondary"))

        top = QHBoxLayout()
        top.setSpacing(2 * theme.GAP_PX)
        top.addWidget(Icon("app", size_px=56), 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(words)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(2 * theme.GAP_PX)
        layout.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)
        layout.addLayout(top)
        layout.addWidget(close_row(self))
