"""The line below a run: what is shown, and how far it can be trusted."""

from PySide6.QtWidgets import QHBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import Badge, ElidedWords

INTEGRITY_LOOKS = {
    "ok": ("integrity", "same", "Unchanged since it was written"),
    "changed": ("integrity-changed", "changed", "Changed since it was written"),
    "none": ("integrity-none", "secondary", "No digest to check against"),
}
"""The icon, the colour and the words for each state of a file's digest."""


class StatusLine(QWidget):
    """Words at the left, badges at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ElidedWords(step=-1, colour="secondary")
        self.redaction = Badge()
        self.integrity = Badge()
        self.freshness = Badge()
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GROUP_GAP_PX, 3, theme.GROUP_GAP_PX, 3)
        row.setSpacing(2 * theme.GAP_PX)
        row.addWidget(self.words, 1)
        for badge in (self.redaction, self.integrity, self.freshness):
            row.addWidget(badge)
