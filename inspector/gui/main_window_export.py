"""What the window does to give a run to people who have no Run Inspector."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from inspector.errors import InspectorError
from inspector.gui.main_window_compare import ShowDialog
from inspector.gui.messages import Messages
from inspector.gui.settings import Memory
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.workspace import Workspace
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.export.kinds import Exported

_PICTURE = "card"
_PNG = ".png"


class ExportOffers(QObject):
    """Shows what would leave, asks where it goes, and writes it."""

    said = Signal(str)

    def __init__(
        self,
        window: QWidget,
        workspace: Workspace,
        memory: Memory,
        messages: Messages,
        show_dialog: ShowDialog,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._memory = memory
        self._messages = messages
        self._show_dialog = show_dialog

    def ask(self) -> None:
        """Show in which forms the run in front can leave."""
        current = self._workspace.current
        if current is None:
            return
        from inspector.gui.dialogs.export_dialog import ExportDialog

        def make() -> QDialog:
            dialog = ExportDialog(current, self._window)
            dialog.save_requested.connect(lambda made: self._ask_where(current, made))
            return dialog

        self._show_dialog("export", make)

    def _ask_where(self, current: OpenRun, made: "Exported") -> QFileDialog:
        from inspector.export.kinds import KINDS

        kind = KINDS[made.kind]
        folder = str(self._memory.last_folder or Path.home())
        dialog = QFileDialog(self._window, f"Save: {kind.title.lower()}", folder)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        if kind.is_folder:
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptOpen)
        else:
            dialog.setFileMode(QFileDialog.FileMode.AnyFile)
            filters = [f"{kind.title} (*{kind.suffix})"]
            dialog.setNameFilters(filters + (["PNG (*.png)"] if made.kind == _PICTURE else []))
            dialog.setDefaultSuffix(kind.suffix.lstrip("."))
            dialog.filterSelected.connect(
                lambda chosen: dialog.setDefaultSuffix(
                    "png" if "png" in chosen else kind.suffix.lstrip(".")
                )
            )
            dialog.selectFile(next(iter(made.files)))
        dialog.fileSelected.connect(lambda path: self.save(current, made, Path(path)))
        dialog.open()
        return dialog

    def save(self, current: OpenRun, made: "Exported", place: Path) -> None:
        """Write an export where a person wants it; of several files, into that folder."""
        from inspector.export.kinds import KINDS, written

        is_folder = KINDS[made.kind].is_folder
        origin = current.path
        as_png = made.kind == _PICTURE and place.suffix.lower() == _PNG
        if as_png:
            made = _drawn(made)

        def work(_cancelled: Cancelled) -> str:
            targets = [place / name for name in made.files] if is_folder else [place]
            if origin is not None and any(_is_same(each, origin) for each in targets):
                raise InspectorError(
                    f"{origin.name} is the run itself and would be overwritten.",
                    hint="Choose another name.",
                )
            return written(current.run, made, place, is_folder=is_folder)[1]

        def done(trouble: str) -> None:
            self._memory.remember_folder(place if is_folder else place.parent)
            self.said.emit(f"Saved {one_line(place.name)}. {one_line(trouble)}".rstrip())

        current.tasks.start(work, done=done, failed=self._messages.failed, key="save-export")


def _drawn(made: "Exported") -> "Exported":
    """Return the picture as a PNG; what draws it follows no colours of a page."""
    from inspector.gui.widgets.svg_png import png_of_svg

    plain = made.main.decode()
    # What a run says stands behind it, and with its signs escaped.
    start, end = plain.find("<style>"), plain.find("</style>")
    if 0 <= start < end:
        plain = plain[:start] + plain[end + len("</style>") :]
    name = next(iter(made.files)).removesuffix(".svg")
    return replace(made, files={f"{name}{_PNG}": png_of_svg(plain.encode())})


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.exists() and one.samefile(other)
    except OSError:
        return False
