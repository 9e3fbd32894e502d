"""How a redacted copy is made: what else goes, what stands there then, and whose names."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.dialogs.share_salt import SaltRow
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.tips import tip
from inspector.gui.widgets.labels import Words
from inspector.redaction.names import why_not
from inspector.redaction.settings import Redaction
from inspector.replay.keys import SessionKeys

_NUMBERED, _SALTED = 0, 1
_FORMS = ("Numbered within this file", "The same in all files, by a salt")


class ShareOptions(QWidget):
    """Asks; whoever listens changes the preview, and shows what it has become."""

    term_asked = Signal(str)
    field_asked = Signal(str)
    salt_asked = Signal(object)  # bytes | None
    names_asked = Signal(bool)
    waiting_changed = Signal()

    def __init__(self, keys: SessionKeys, tasks: TaskRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._salt: bytes | None = None
        self._line = QLineEdit()
        self._line.setObjectName("more")
        self._line.setAccessibleName("A text or a field that has to go, too")
        self._line.setPlaceholderText("what else has to go: a text, or a path like meta.customer")
        self._line.setMaxLength(2_000)
        self._term = _button("Take out text", "add-term", self._ask_for_term)
        self._field = _button("Take out field", "add-field", self._ask_for_field)
        self._forms = QComboBox()
        self._forms.setObjectName("form")
        self._forms.setAccessibleName("What stands in place of what is taken out")
        self._forms.addItems(_FORMS)
        self._names = QCheckBox("Look for names of persons and places")
        self._names.setObjectName("names")
        lacks = why_not()
        self._names.setEnabled(not lacks)
        if lacks:
            self._names.setToolTip(tip(lacks))
            self._names.setAccessibleDescription(lacks)
        self._salting = SaltRow(keys, tasks)
        self._lay_out()
        self._salting.hide()
        self._line.textChanged.connect(self._allow)
        self._line.returnPressed.connect(self._ask_for_term)
        self._forms.activated.connect(self._on_form)
        self._salting.given.connect(self.salt_asked)
        self._names.clicked.connect(self.names_asked)
        self._allow()

    @property
    def waits_for_salt(self) -> bool:
        """Whether a salt is wanted, and none is there yet."""
        return self._forms.currentIndex() == _SALTED and self._salt is None

    def show_redaction(self, redaction: Redaction) -> None:
        """Show what a preview was made with."""
        was, self._salt = self._salt, redaction.salt
        self._names.setChecked(redaction.names)
        if " ".join(self._line.text().split()) in (*redaction.terms, *redaction.fields):
            self._line.clear()  # it is taken out now
        if redaction.salt is not None:
            self._forms.setCurrentIndex(_SALTED)
            self._salting.put_away()
            self._salting.hide()
        elif was is not None or self._salting.isHidden():
            self._forms.setCurrentIndex(_NUMBERED)

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(theme.GAP_PX)
        first.addWidget(self._line, 1)
        first.addWidget(self._term)
        first.addWidget(self._field)
        second = QHBoxLayout()
        second.setSpacing(theme.GAP_PX)
        second.addWidget(Words("Placeholders"))
        second.addWidget(self._forms)
        second.addSpacing(theme.GAP_PX)
        second.addWidget(self._names)
        second.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GAP_PX)
        layout.addLayout(first)
        layout.addLayout(second)
        layout.addWidget(self._salting)

    def _allow(self) -> None:
        has_words = bool(self._line.text().strip())
        self._term.setEnabled(has_words)
        self._field.setEnabled(has_words)

    def _ask_for_term(self) -> None:
        if text := self._line.text().strip():
            self.term_asked.emit(text)

    def _ask_for_field(self) -> None:
        if text := self._line.text().strip():
            self.field_asked.emit(text)

    def _on_form(self, form: int) -> None:
        if form == _NUMBERED:
            self._salting.hide()
            if self._salt is not None:
                self.salt_asked.emit(None)
        elif self._salt is None:
            known = self._salting.known
            self._salting.setVisible(known is None)
            if known is not None:
                self.salt_asked.emit(known)
        self.waiting_changed.emit()


def _button(words: str, name: str, pressed: Callable[[], None]) -> QPushButton:
    button = QPushButton(words)
    button.setObjectName(name)
    button.setAutoDefault(False)
    button.clicked.connect(lambda _checked: pressed())
    return button
