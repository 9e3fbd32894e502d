"""Shows where a value came from, or who used it, as a list."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.presentation.provenance_answer import Answer, Candidate, link_words

AnyIndex = QModelIndex | QPersistentModelIndex

CANDIDATE_ROLE = Qt.ItemDataRole.UserRole
_NONE = QModelIndex()


class OriginsModel(QAbstractListModel):
    """Adapts an `Answer` to Qt."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._answer = Answer("")

    def show_answer(self, answer: Answer) -> None:
        """Show another answer."""
        self.beginResetModel()
        self._answer = answer
        self.endResetModel()

    def candidate(self, index: AnyIndex) -> Candidate | None:
        return self._answer.candidates[index.row()] if index.isValid() else None

    def rowCount(self, parent: AnyIndex = _NONE) -> int:
        return 0 if parent.isValid() else len(self._answer.candidates)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        each = self.candidate(index)
        if each is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return f"{each.title} {each.path}"
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{each.title}, {each.path}. {link_words(each)}. {each.preview}"
            case _ if role == CANDIDATE_ROLE:
                return each
        return None
