"""Edits one recorded value: its text where it is about one, or all of it as JSON."""

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QHBoxLayout, QTabBar, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.change_dialog import ChangeDialog, Fault
from inspector.gui.tips import tip
from inspector.gui.widgets.edit_field import CodeField, EditField
from inspector.gui.widgets.labels import ElidedWords
from inspector.presentation.edited_value import (
    as_json,
    from_json,
    main_text,
    part_at,
    with_part,
)
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.presentation.what_if_places import Place

_TEXT, _JSON = 0, 1


class ValueDialog(ChangeDialog):
    """Shows a value as the text it is about, and as JSON; what is written in one counts in both."""

    def __init__(
        self, place: "Place", now: Any, fault: Fault, parent: QWidget | None = None
    ) -> None:
        super().__init__(place, fault, parent)
        self._value = now
        self._showing = False
        self._path: str | None = None
        self._forms = QTabBar()
        self._forms.setDrawBase(False)
        self._forms.setExpanding(False)
        self._forms.setAccessibleName("How the value is edited")
        self._forms.addTab("Text")
        self._forms.addTab("JSON")
        self._where = ElidedWords(step=-1, colour="secondary")
        self._edit = CodeField("The value as it is to be")
        head = QHBoxLayout()
        head.setSpacing(theme.GAP_PX)
        head.addWidget(self._forms)
        head.addWidget(self._where, 1)
        self.body.addLayout(head)
        place_of_edit = QVBoxLayout()
        place_of_edit.addWidget(EditField(self._edit))
        self.body.addLayout(place_of_edit, 1)
        self._find_text()
        self._form = _JSON if self._path is None else _TEXT
        self._forms.setCurrentIndex(self._form)
        self._forms.currentChanged.connect(self._on_form_changed)
        self._edit.textChanged.connect(self._on_typed)
        self._show()
        self.resize(640, 460)
        self._edit.setFocus()
        self.check()

    @property
    def editor(self) -> CodeField:
        return self._edit

    @property
    def forms(self) -> QTabBar:
        return self._forms

    def value(self) -> Any:
        text = self._edit.toPlainText()
        if self._form == _TEXT:
            assert self._path is not None
            return with_part(self._value, self._path, text)
        return from_json(text)

    def reset(self) -> None:
        self._value = self.place.recorded
        self._find_text()
        if self._path is None and self._form == _TEXT:
            self._form = _JSON
            self._forms.setCurrentIndex(_JSON)
        self._show()
        self.check()

    def _show(self) -> None:
        self._showing = True
        if self._form == _TEXT and self._path is not None:
            self._where.setText(one_line(self._path))
            self._edit.setPlainText(str(part_at(self._value, self._path)))
            self._edit.setReadOnly(False)
        else:
            self._where.setText("")
            try:
                self._edit.setPlainText(as_json(self._value))
                self._edit.setReadOnly(False)
            except InspectorError as error:
                self._edit.setPlainText(f"{error} {error.hint}")
                self._edit.setReadOnly(True)
        self._showing = False

    def _on_typed(self) -> None:
        if not self._showing:
            self.look_later()

    def _on_form_changed(self, form: int) -> None:
        if form == self._form:
            return
        # What was written in the other form comes along, as far as it means anything.
        try:
            self._value = self.value()
        except InspectorError:
            self._forms.setCurrentIndex(self._form)
            self.check()
            return
        self._find_text()
        if form == _TEXT and self._path is None:
            self._forms.setCurrentIndex(_JSON)
            return
        self._form = form
        self._show()
        self.check()

    def _find_text(self) -> None:
        self._path = main_text(self._value) if self._value is not None else None
        self._forms.setTabEnabled(_TEXT, self._path is not None)
        why = "" if self._path is not None else "This value is not about one text."
        self._forms.setTabToolTip(_TEXT, tip(why))
