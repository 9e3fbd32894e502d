"""Edits a prompt template, with what it would make of the recorded inputs beside it."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QMenu, QTabBar, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.change_dialog import ChangeDialog, Fault
from inspector.gui.dialogs.template_preview import LivePreview
from inspector.gui.widgets.cells_view import CellsView
from inspector.gui.widgets.edit_field import EditField
from inspector.gui.widgets.labels import ElidedWords, Words
from inspector.gui.widgets.plain import IconButton, LinkButton
from inspector.gui.widgets.preview_view import PreviewView
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.gui.widgets.template_edit import TemplateEdit
from inspector.presentation.template_parts import (
    TemplateText,
    problem_of,
    template_texts,
    with_texts,
)
from inspector.presentation.template_preview import (
    VARIABLE_TITLES,
    preview_words,
    variable_rows,
)
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.gui.workspace.open_run import OpenRun
    from inspector.presentation.template_preview import PreviewPart
    from inspector.presentation.what_if_places import Place
    from inspector.replay.preview import Preview

_ROLES = ("system", "user", "assistant")


class TemplateDialog(ChangeDialog):
    """The messages of a template as tabs over one editor; variables below, the preview beside."""

    def __init__(
        self,
        open_run: "OpenRun",
        place: "Place",
        now: Any,
        fault: Fault,
        python: Path | None = None,
        parent: QWidget | None = None,
    ) -> None:
        from inspector.presentation.definitions import component_at
        from inspector.presentation.what_if_places import variables_for

        super().__init__(place, fault, parent)
        self._texts = list(template_texts(now))
        self._at = 0
        self._showing = False
        self._broken = ""  # why it makes nothing, as far as was rendered
        self._wrong: tuple[int | None, int | None] = (None, None)  # text, line
        span_id, self._values = variables_for(open_run.run, place)
        component = component_at(open_run.run, place.at)
        self._required = component.parameters.get("required_variables") if component else None
        self._tabs = QTabBar()
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.setAccessibleName("Messages of the template")
        self._edit = TemplateEdit("The template")
        self._variables = CellsView(VARIABLE_TITLES, "Variables of the template", (16, 0.99, 26))
        self._shown = PreviewView()
        self._about = ElidedWords(step=-1, colour="secondary")
        self._live = LivePreview(
            open_run.run, span_id, self._values, open_run.tasks, python, self
        )  # fmt: skip
        self._stop = LinkButton("Stop", self._live.stop)
        self._stop.hide()
        self._lay_out(span_id, open_run)
        self._tabs.currentChanged.connect(self._on_tab)
        self._edit.textChanged.connect(self._on_typed)
        self._variables.row_chosen.connect(self._insert)
        self._live.rendered.connect(self._on_rendered)
        self._live.failed.connect(self._on_no_preview)
        self._live.slowed.connect(self._stop.show)
        self._show_variables(None)
        self._shown.say("The preview starts…")
        self._show_tabs()
        self._show_text()
        self._edit.setFocus()
        self.resize(1_000, 660)
        self.check()
        self._live.show(self._texts)

    @property
    def editor(self) -> TemplateEdit:
        return self._edit

    @property
    def tabs(self) -> QTabBar:
        return self._tabs

    @property
    def variables(self) -> CellsView:
        return self._variables

    @property
    def preview(self) -> PreviewView:
        return self._shown

    def value(self) -> Any:
        if problem := problem_of(self.place.recorded, self._texts):
            raise InspectorError(problem)
        return with_texts(self.place.recorded, self._texts)

    def check(self) -> bool:
        can_stand = super().check()
        if can_stand and self._broken:
            # It may be meant for other inputs than the recorded ones.
            words = f"It makes no prompt of what was recorded. {self._broken}"
            self._say("warning", "changed", words)
        return can_stand

    def reset(self) -> None:
        self._show_all(template_texts(self.place.recorded), 0)

    def done(self, result: int) -> None:
        self._live.close()
        super().done(result)

    def add_message(self, role: str) -> None:
        """Add a message; a system message comes first, any other behind the one in front."""
        at = 0 if role == "system" else self._at + 1
        texts = [*self._texts]
        texts.insert(at, TemplateText(role, "", None))
        self._show_all(texts, at)
        self._edit.setFocus()

    def remove_message(self) -> None:
        """Take the message in front out."""
        if len(self._texts) > 1:
            texts = [*self._texts[: self._at], *self._texts[self._at + 1 :]]
            self._show_all(texts, min(self._at, len(texts) - 1))

    def _lay_out(self, span_id: str | None, open_run: "OpenRun") -> None:
        head = QHBoxLayout()
        head.setSpacing(theme.GRID_PX)
        head.addWidget(self._tabs, 1)
        is_list = isinstance(self.place.recorded, list)
        self._remove = IconButton("remove", "Take this message out", self.remove_message, self)
        self._remove.setVisible(is_list)
        if is_list:
            head.addWidget(self._more_button())
            head.addWidget(self._remove)
        self._tabs.setVisible(is_list)
        left = QVBoxLayout()
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(theme.GRID_PX)
        left.addLayout(head)
        left.addWidget(EditField(self._edit), 1)
        upper = QWidget()
        upper.setLayout(left)
        lower = QWidget()
        below = QVBoxLayout(lower)
        below.setContentsMargins(0, theme.GRID_PX, 0, 0)
        below.setSpacing(theme.GRID_PX)
        below.addWidget(Words("Variables", strong=True))
        below.addWidget(self._variables, 1)
        sides = QuietSplitter(Qt.Orientation.Vertical)
        sides.addWidget(upper)
        sides.addWidget(lower)
        sides.setSizes([420, 160])
        right = QWidget()
        beside = QVBoxLayout(right)
        beside.setContentsMargins(theme.GRID_PX, 0, 0, 0)
        beside.setSpacing(theme.GRID_PX)
        title = QHBoxLayout()
        title.setSpacing(theme.GAP_PX)
        title.addWidget(Words("Preview", strong=True))
        title.addWidget(self._about, 1)
        title.addWidget(self._stop)
        beside.addLayout(title)
        beside.addWidget(self._shown, 1)
        row = open_run.run.table.row_of(span_id) if span_id else None
        where = one_line(open_run.run.spans[row].path) if row is not None else ""
        self._about.setText(
            f"from what {where} was given" if where else "nothing was recorded to fill it with"
        )
        whole = QuietSplitter(Qt.Orientation.Horizontal)
        whole.addWidget(sides)
        whole.addWidget(right)
        whole.setSizes([520, 460])
        self.body.addWidget(whole, 1)

    def _more_button(self) -> QWidget:
        button = IconButton("add", "Add a message")
        menu = QMenu(button)
        for role in _ROLES:
            words = f"{role[:1].upper()}{role[1:]} message"
            menu.addAction(words, partial(self.add_message, role))
        button.setMenu(menu)
        button.setPopupMode(IconButton.ToolButtonPopupMode.InstantPopup)
        return button

    def _show_all(self, texts: Sequence[TemplateText], at: int) -> None:
        self._texts = list(texts)
        self._at = at
        self._wrong = (None, None)
        self._show_tabs()
        self._show_text()
        self.check()
        self._live.show(self._texts)

    def _show_tabs(self) -> None:
        self._showing = True
        while self._tabs.count() > len(self._texts):
            self._tabs.removeTab(self._tabs.count() - 1)
        for number, text in enumerate(self._texts):
            words = f"{number + 1}  {one_line(text.role).capitalize()}"
            if number < self._tabs.count():
                self._tabs.setTabText(number, words)
            else:
                self._tabs.addTab(words)
        self._tabs.setCurrentIndex(self._at)
        self._remove.setEnabled(len(self._texts) > 1)
        self._showing = False

    def _show_text(self) -> None:
        self._showing = True
        self._edit.setPlainText(self._texts[self._at].text)
        self._showing = False
        self._mark()

    def _mark(self) -> None:
        text, line = self._wrong
        self._edit.mark_line(line if text == self._at else None)

    def _on_tab(self, at: int) -> None:
        if not self._showing and 0 <= at < len(self._texts):
            self._at = at
            self._show_text()

    def _on_typed(self) -> None:
        if self._showing:
            return
        self._texts[self._at] = self._texts[self._at]._replace(text=self._edit.toPlainText())
        self.look_later()
        self._live.show(self._texts)

    def _show_variables(self, made: "Preview | None") -> None:
        self._rows = variable_rows(self._values, made, self._required)
        self._variables.show_rows(self._rows)

    def _insert(self, key: int) -> None:
        """Write a variable where the caret is."""
        self._edit.insertPlainText(f"{{{{ {self._rows[key].cells[0].text} }}}}")
        self._edit.setFocus()

    def _on_rendered(self, made: "Preview", parts: "tuple[PreviewPart, ...]") -> None:
        self._stop.hide()
        self._wrong = (made.text, made.line) if made.error else (None, None)
        self._mark()
        self._show_variables(made)
        if made.error:
            number = made.text or 0
            many = len(self._texts) > 1 and made.text is not None
            where = f"Message {number + 1}. " if many else ""
            self._broken = f"{where}{preview_words(made)}"
            self._shown.say(self._broken, failed=True)
        else:
            self._broken = ""
            self._shown.show_parts(parts)
        self.check()

    def _on_no_preview(self, why: str) -> None:
        self._stop.hide()
        self._shown.say(why)
