"""Opens files in the window, goes through them, and tells what it said and did.

    python -m tests.hostile.window_program < JOB

The job is that of `cli_program`, and `thorough`: the files of which every pane is shown. Of the
others those are that stand in a window at first. The answer is a line of JSON for each file.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from PySide6 import QtGui
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QSettings,
    Qt,
)
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLabel,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from inspector.gui.app_program import Program, build
from inspector.gui.panes.pane_table import PANES
from inspector.gui.widgets.late_place import LatePlace
from tests.hostile.cli_program import GIB
from tests.hostile.watching import Watch, bounded, peak_bytes
from tests.hostile.words import MARK, Bait

if TYPE_CHECKING:
    from inspector.gui.panes.run_window import RunWindow

might_be_rich = QtGui.Qt.mightBeRichText
_TOO_LONG_S = 60.0
_MOST_ROWS, _MOST_SPANS = 40, 3
_ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole,
          Qt.ItemDataRole.AccessibleTextRole)  # fmt: skip


class Seen:
    """The texts on a window, and what in it Qt would take for more than text."""

    def __init__(self) -> None:
        self.texts: set[str] = set()
        self.acts: list[str] = []

    def look(self, top: QWidget) -> None:
        for widget in (top, *top.findChildren(QWidget)):
            self._tip(widget.toolTip(), widget)
            self.texts |= {widget.windowTitle(), widget.accessibleName(), widget.statusTip()}
            if isinstance(widget, QLabel):
                self._label(widget)
            elif isinstance(widget, QAbstractButton):
                self.texts.add(widget.text())
            elif isinstance(widget, QTextEdit | QPlainTextEdit):
                self._document(widget.document(), widget)
            elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
                self._rows(widget.model(), QModelIndex(), 0)

    def _tip(self, text: str, owner: object) -> None:
        self.texts.add(text)
        if MARK in text and might_be_rich(text):
            page = QTextDocument()
            page.setHtml(text)  # a document of ours, which loads nothing by itself
            self._document(page, owner)

    def _label(self, label: QLabel) -> None:
        self.texts.add(label.text())
        rich = label.textFormat() == Qt.TextFormat.RichText or (
            label.textFormat() == Qt.TextFormat.AutoText and might_be_rich(label.text())
        )
        if rich and MARK in label.text():
            self.acts.append(f"{label!r} shows {label.text()[:200]!r} as rich text")

    def _document(self, document: QTextDocument, owner: object) -> None:
        self.texts.add(document.toPlainText())
        block = document.begin()
        while block.isValid():
            parts = block.begin()
            while not parts.atEnd():
                form = parts.fragment().charFormat()
                if form.isImageFormat():
                    name = form.toImageFormat().name()
                    if MARK in name or "://" in name:
                        self.acts.append(f"{owner!r} has the picture {name[:200]!r}")
                parts += 1
            block = block.next()

    def _rows(self, model: QAbstractItemModel, parent: QModelIndex, depth: int) -> None:
        is_list = isinstance(model, QAbstractListModel)  # which has one, and will not say so
        columns = 1 if is_list else model.columnCount(parent)
        for row in range(min(model.rowCount(parent), _MOST_ROWS)):
            for column in range(columns):
                index = model.index(row, column, parent)
                for role in _ROLES:
                    said = model.data(index, role)
                    if isinstance(said, str) and role == Qt.ItemDataRole.ToolTipRole:
                        self._tip(said, model)
                    elif isinstance(said, str):
                        self.texts.add(said)
            if depth < 4:
                self._rows(model, model.index(row, 0, parent), depth + 1)


class Window:
    """The whole program, driven as a person would."""

    def __init__(self, app: QApplication, folder: Path) -> None:
        self._app = app
        disk = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        self.program: Program = build(app, disk)
        self.errors: list[str] = []
        self.program.messages.error_shown.connect(self._hear)
        self.program.opener.failed.connect(self._hear)
        self.program.window.show()

    def _hear(self, *words: object) -> None:
        self.errors.append(" ".join(map(str, words)))

    def settle(self) -> bool:
        """Let all go on until nothing does; False when that takes too long."""
        began = time.process_time()
        quiet = 0
        while quiet < 3:
            self._app.processEvents()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            quiet = 0 if self._is_busy() else quiet + 1
            if quiet == 0:
                time.sleep(0.002)  # the threads beside us have the turn
            if time.process_time() - began > _TOO_LONG_S:
                return False
        return True

    def _is_busy(self) -> bool:
        program = self.program
        shown = program.content.tabs.current_window
        return (
            program.tasks.busy
            or any(run.tasks.busy for run in program.workspace.open_runs)
            or (shown is not None and not shown.is_whole)
        )

    def look_at(self, path: Path, *, thorough: bool = True) -> dict[str, Any]:
        """Open a file, go through it and close it."""
        seen, self.errors[:] = Seen(), []
        self.program.opener.open([path])
        whole = self.settle()
        shown = self.program.content.tabs.current_window
        panes = 0
        if shown is not None and self.program.workspace.open_runs:
            panes = self._go_through(shown, seen, thorough=thorough)
            whole = self.settle() and whole
        seen.look(self.program.window)
        for item in self.program.workspace.items:
            self.program.workspace.remove(item)
        whole = self.settle() and whole
        texts = sorted(seen.texts | set(self.errors))
        return {"texts": texts, "acts": seen.acts, "panes": panes, "errors": self.errors[:],
                "whole": whole}  # fmt: skip

    def _go_through(self, shown: RunWindow, seen: Seen, *, thorough: bool) -> int:
        open_run = shown.open_run
        for span in open_run.run.spans[: _MOST_SPANS if thorough else 1]:
            open_run.selection.select(span.id)
            self.settle()
            seen.look(shown.span_pane)
        if thorough:
            for spec in PANES:
                shown.show_pane(spec.key)
                self.settle()
        return sum(place.is_filled for place in shown.findChildren(LatePlace))


def main(job: dict[str, Any]) -> None:
    app = QApplication(["window_program"])
    problems: list[str] = []

    def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        problems.append(f"{kind.__name__}: {error}"[:300])
        traceback.print_exception(kind, error, trace)

    sys.excepthook = note
    output = Path(job["output"])
    bait = Bait(job["bait"][0], Path(job["bait"][1]))
    window = Window(app, output)
    window.look_at(Path(job["friend"]))  # what is loaded only now is none of the strangers'
    watch = Watch(bait, [Path(job["friend"])], [output])
    bounded(6 * GIB, 400)
    for file in job["files"]:
        watch.reading = os.path.realpath(file)
        began = time.process_time()
        told = window.look_at(Path(file), thorough=file in job["thorough"])
        told |= {"file": file, "thorough": file in job["thorough"], "did": watch.taken(), "peak": peak_bytes(), "problems": problems[:],
                 "seconds": time.process_time() - began}  # fmt: skip
        problems.clear()
        print(json.dumps(told), flush=True)
    sys.stdout.flush()
    os._exit(0)  # what is left of the window has no more to say


if __name__ == "__main__":
    main(json.loads(sys.stdin.read()))
