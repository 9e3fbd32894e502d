"""Menus and the toolbar, made from the table of actions."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QMenu, QMenuBar, QSizePolicy, QToolBar, QWidget

from inspector.gui import theme
from inspector.gui.actions import ACTIONS, AT_THE_RIGHT, MENUS, Actions
from inspector.gui.widgets.speed_button import SpeedButton


def build_menus(bar: QMenuBar, actions: Actions) -> dict[str, QMenu]:
    """Fill a menu bar; lines part the groups of a menu."""
    menus = {}
    for key, title in MENUS.items():
        menu = menus[key] = bar.addMenu(title)
        group: int | None = None
        for spec in ACTIONS:
            if spec.menu != key:
                continue
            if group is not None and spec.group != group:
                menu.addSeparator()
            group = spec.group
            menu.addAction(actions[spec.id])
        menu.aboutToShow.connect(lambda key=key: actions.dress(key))
    return menus


def build_toolbar(actions: Actions) -> QToolBar:
    """Make the toolbar: what has a place on it, in groups."""
    bar = QToolBar("Toolbar")
    bar.setObjectName("toolbar")
    bar.setMovable(False)
    bar.setFloatable(False)
    bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    bar.setIconSize(QSize(theme.ICON_PX, theme.ICON_PX))
    placed = sorted((spec for spec in ACTIONS if spec.toolbar), key=lambda spec: spec.toolbar)
    group = 1
    for spec in placed:
        if spec.toolbar == AT_THE_RIGHT != group:
            bar.addWidget(_stretch())
        elif spec.toolbar != group:
            bar.addSeparator()
        group = spec.toolbar
        bar.addAction(actions[spec.id])
        button = bar.widgetForAction(actions[spec.id])
        button.setAccessibleName(spec.text)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if spec.id == "play":
            bar.addWidget(SpeedButton(bar))
    return bar


def _stretch() -> QWidget:
    stretch = QWidget()
    stretch.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    return stretch
