"""What every tree whose rows stand for spans is like."""

from PySide6.QtWidgets import QAbstractItemView, QTreeView

from inspector.gui import theme


def dress_tree(view: QTreeView, name: str) -> None:
    """Make a tree one of rows of the same height, to be chosen as a whole and never edited.

    Args:
        view: The tree.
        name: Its name for those who listen.

    """
    view.setAccessibleName(name)
    view.setUniformRowHeights(True)
    view.setAllColumnsShowFocus(True)
    view.setMouseTracking(True)
    view.setFrameShape(QTreeView.Shape.NoFrame)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.header().setSectionsMovable(False)
    theme.dress_rows(view)
