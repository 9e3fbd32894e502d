"""What the window offers to do with two runs: what to compare, how, and what a drop does."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from inspector.errors import InspectorError
from inspector.gui.controllers.compare_controller import CompareController
from inspector.gui.main_window import MainWindow
from inspector.gui.messages import Messages
from inspector.gui.settings import Memory
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_comparison import OpenComparison
from inspector.gui.workspace.workspace import Workspace
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.gui.panes.comparison_window import ComparisonWindow

ShowDialog = Callable[[str, Callable[[], QDialog]], None]

_SAVED = "Saved {}. It holds what the runs hold: look at it before you send it on."


class CompareOffers(QObject):
    """Ties comparisons to who computes them, and shows their dialogs."""

    def __init__(
        self,
        window: MainWindow,
        workspace: Workspace,
        comparer: CompareController,
        memory: Memory,
        messages: Messages,
        show_dialog: ShowDialog,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._comparer = comparer
        self._memory = memory
        self._messages = messages
        self._show_dialog = show_dialog
        self._windows: dict[OpenComparison, ComparisonWindow] = {}
        workspace.comparison_removed.connect(lambda gone: self._windows.pop(gone, None))
        window.compare_dropped.connect(self._on_compare_dropped)

    def ask(self) -> None:
        """Let a person choose what the current run is compared with."""
        if (current := self._workspace.current) is None:
            return
        from inspector.gui.dialogs.compare_dialog import CompareDialog

        others = [one for one in self._workspace.open_runs if one is not current]

        def make() -> QDialog:
            dialog = CompareDialog(current, others, self._memory, self._window)
            comparer = self._comparer
            dialog.run_chosen.connect(lambda other: comparer.compare_open(current, other))
            dialog.file_chosen.connect(lambda path: comparer.compare_with_file(current, path))
            return dialog

        self._show_dialog("compare", make)

    def ask_for_rules(self) -> None:
        """Let a person say by which rules the comparison in front is made."""
        if (current := self._workspace.current_comparison) is not None:
            self._show_rules(current)

    def save_page(self) -> None:
        """Ask where to save the comparison in front as a page for a browser."""
        if (current := self._workspace.current_comparison) is not None:
            self._ask_for_page(current)

    def next_difference(self) -> None:
        """Go to the next difference in the text that is shown."""
        self._step(1)

    def previous_difference(self) -> None:
        """Go to the difference before."""
        self._step(-1)

    def _step(self, by: int) -> None:
        current = self._workspace.current_comparison
        if current is not None and (window := self._windows.get(current)) is not None:
            window.step(by)

    def tie(self, window: "ComparisonWindow") -> None:
        """Have what a person does in a comparison done."""
        comparer = self._comparer
        self._windows[window.open_comparison] = window
        window.swap_requested.connect(comparer.swap)
        window.next_requested.connect(comparer.next_change)
        window.previous_requested.connect(comparer.previous_change)
        window.cancel_requested.connect(comparer.stop)
        window.open_requested.connect(comparer.open_span)
        window.align_requested.connect(comparer.align)
        window.rules_requested.connect(self._show_rules)
        window.page_requested.connect(self._ask_for_page)

    def _show_rules(self, comparison: OpenComparison) -> None:
        from inspector.gui.dialogs.rules_dialog import RulesDialog

        def make() -> QDialog:
            dialog = RulesDialog(comparison, self._window)
            dialog.rules_chosen.connect(
                lambda rules: self._comparer.change_rules(comparison, rules)
            )
            return dialog

        self._show_dialog("rules", make)

    def _ask_for_page(self, comparison: OpenComparison) -> None:
        from inspector.gui.dialogs.save_page import ask_where_to_save_page

        if comparison.comparison is None:
            return
        names = [side.title.partition(".")[0] for side in (comparison.left, comparison.right)]
        ask_where_to_save_page(
            self._window,
            self._memory.last_folder,
            f"{'-'.join(names) or 'comparison'}.html",
            lambda path: self._write_page(comparison, path),
        )

    def _write_page(self, comparison: OpenComparison, path: Path) -> None:
        found, left, right = comparison.comparison, comparison.left, comparison.right
        if found is None:  # any more
            return

        def write(_cancelled: Cancelled) -> None:
            from inspector.export.comparison_html import comparison_html
            from inspector.runfile.files import replace

            if path in (left.path, right.path):
                raise InspectorError(
                    f"{path.name} is one of the two runs and would be overwritten.",
                    hint="Choose another name.",
                )
            page = comparison_html(found, left.run, right.run)
            try:
                for _ in replace(str(path), [page.encode()]):
                    pass
            except OSError as error:
                raise InspectorError(f"Cannot write {path}: {error.strerror}.") from error

        def done(_nothing: None) -> None:
            self._memory.remember_folder(path.parent)
            if (window := self._windows.get(comparison)) is not None:
                window.say(_SAVED.format(one_line(path.name)))

        comparison.tasks.start(write, done=done, failed=self._messages.failed, key="page")

    def _on_compare_dropped(self, left: Path, right: Path) -> None:
        self._comparer.compare_files(left, right)
