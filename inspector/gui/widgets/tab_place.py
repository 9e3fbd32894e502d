"""Where the view of a tab goes, once it is made."""

from typing import TypeVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

View = TypeVar("View", bound=QWidget)


class TabPlace(QWidget):
    """An empty tab that takes in a view later."""

    def __init__(self) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)

    def take(self, view: View) -> View:
        """Take in a view, and return it."""
        self.setFocusProxy(view)
        layout = self.layout()
        assert layout is not None
        layout.addWidget(view)
        view.show()  # at once: Qt would do it a turn of the loop later
        layout.activate()  # and with its size, so that what fills it is laid out once
        return view
