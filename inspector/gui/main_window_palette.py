"""What the command palette offers in the window, and does when it is chosen."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction

from inspector.gui.actions import ACTIONS, Actions, keys_words
from inspector.gui.controllers.open_controller import OpenController
from inspector.gui.main_window import MainWindow
from inspector.gui.panes.pane_table import PANES
from inspector.gui.settings import Memory
from inspector.gui.workspace.workspace import Workspace
from inspector.presentation.palette import PaletteEntry
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.gui.widgets.command_palette import CommandPalette

_MOST_USED = 8
_OURSELVES = "palette"


class PaletteOffers(QObject):
    """Gathers everything that can be done or gone to, when somebody asks for it."""

    def __init__(
        self,
        window: MainWindow,
        workspace: Workspace,
        opener: OpenController,
        memory: Memory,
        actions: Callable[[], Actions],
        pane_actions: Callable[[], list[QAction]],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._opener = opener
        self._memory = memory
        self._actions = actions
        self._pane_actions = pane_actions
        self._palette: CommandPalette | None = None
        self._does: dict[str, Callable[[], object]] = {}
        self._used: list[str] = []

    @property
    def palette(self) -> "CommandPalette":
        """What lies over the window; made when it is first asked for."""
        if self._palette is None:
            from inspector.gui.widgets.command_palette import CommandPalette

            self._palette = CommandPalette(self._window)
            self._palette.chosen.connect(self._do)
            self._window.installEventFilter(self)
        return self._palette

    def show(self) -> None:
        """Show the palette, or hide it when it is there already."""
        if self.palette.isVisible():
            self.palette.leave()
        else:
            self.palette.begin(self.entries(), tuple(self._used))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.palette.isVisible():
            self.palette.place()
        return super().eventFilter(watched, event)

    def entries(self) -> list[PaletteEntry]:
        """Return what there is at this moment."""
        self._does.clear()
        return [*self._runs(), *self._commands(), *self._panes(), *self._files()]

    def _add(self, entry: PaletteEntry, does: Callable[[], object]) -> PaletteEntry:
        self._does[entry.key] = does
        return entry

    def _runs(self) -> list[PaletteEntry]:
        current = self._workspace.current_item
        return [
            self._add(
                PaletteEntry(f"tab:{number}", one_line(item.title), "Open tab", icon="file"),
                lambda item=item: self._workspace.make_current(item),  # type: ignore[misc]
            )
            for number, item in enumerate(self._workspace.items)
            if item is not current
        ]

    def _commands(self) -> list[PaletteEntry]:
        actions = self._actions()
        return [
            self._add(
                PaletteEntry(
                    spec.id,
                    actions[spec.id].text().replace("&", ""),
                    spec.menu.capitalize(),
                    keys_words(spec.keys[:1]),
                    spec.icon,
                    "" if actions[spec.id].isEnabled() else actions.why_not(spec.id),
                ),
                actions[spec.id].trigger,
            )
            for spec in ACTIONS
            if spec.id != _OURSELVES
        ]

    def _panes(self) -> list[PaletteEntry]:
        return [
            self._add(
                PaletteEntry(
                    f"pane:{spec.key}",
                    action.text(),
                    "View",
                    keys_words((spec.shortcut,)),
                    "layout",
                    "" if action.isEnabled() else "needs an open run",
                ),
                action.trigger,
            )
            for spec, action in zip(PANES, self._pane_actions(), strict=True)
        ]

    def _files(self) -> list[PaletteEntry]:
        opened = {run.path for run in self._workspace.open_runs}
        return [
            self._add(
                PaletteEntry(f"file:{path}", one_line(path.name), _folder_of(path), icon="clock"),
                lambda path=path: self._opener.open([path]),  # type: ignore[misc]
            )
            for path in self._memory.recent_files
            if path not in opened
        ]

    def _do(self, key: str) -> None:
        self._used = [key, *(one for one in self._used if one != key)][:_MOST_USED]
        self._does[key]()


def _folder_of(path: Path) -> str:
    return f"Recent · {one_line(path.parent.name)}" if path.parent.name else "Recent"
