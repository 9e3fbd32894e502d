"""The card of an agent: its name, what it says of itself, and what it can do."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import ElidedWords, Icon, Words
from inspector.gui.widgets.plain import FileWords, PanelGround
from inspector.hayhooks.a2a.cards import A2ACard
from inspector.presentation.a2a_words import card_facts
from inspector.presentation.visible import one_line
from inspector.presentation.words import elided

_MOST_SKILLS = 24
_LONGEST = 600


class A2ACardView(QWidget):
    """Everything on it is a stranger's word, and stands in the fixed font."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._card: A2ACard | None = None
        self._name = FileWords("", step=1, strong=True)
        self._name.setObjectName("card-name")
        self._facts = ElidedWords("", step=-1, colour="secondary", sentence=True)
        self._facts.setObjectName("card-facts")
        self._description = FileWords("", wrap=True)
        self._description.setObjectName("card-description")
        self._skills = FileWords("", wrap=True, step=-1, colour="secondary")
        self._skills.setObjectName("card-skills")
        self._skills_row = QWidget()
        row = QHBoxLayout(self._skills_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GAP_PX)
        row.addWidget(Words("Skills", step=-1, colour="secondary"))
        row.addWidget(self._skills, 1)
        PanelGround(self)
        first = QHBoxLayout()
        first.setSpacing(theme.GAP_PX)
        first.addWidget(Icon("agent", colour="agent", size_px=18))
        first.addWidget(self._name, 1)
        first.addWidget(self._facts)
        column = QVBoxLayout(self)
        gap = theme.GAP_PX
        column.setContentsMargins(theme.GROUP_GAP_PX, gap, theme.GROUP_GAP_PX, gap)
        column.setSpacing(theme.GRID_PX)
        column.addLayout(first)
        column.addWidget(self._description)
        column.addWidget(self._skills_row)
        self.hide()

    @property
    def text(self) -> str:
        """Everything that is said."""
        labels = (self._name, self._facts, self._description, self._skills)
        return "\n".join(label.text() for label in labels if label.text())

    def show_card(self, card: A2ACard | None) -> None:
        """Show a card, or nothing before there is one."""
        if card == self._card:
            return
        self._card = card
        self.setVisible(card is not None)
        if card is None:
            return
        name = elided(one_line(card.name), 120)
        self._name.setText(name)
        self._facts.setText(card_facts(card))
        description = elided(one_line(card.description), _LONGEST)
        self._description.setText(description)
        self._description.setVisible(bool(description))
        shown = [elided(one_line(each), 60) for each in card.skills[:_MOST_SKILLS] if each]
        more = len(card.skills) - len(shown)
        self._skills.setText(" · ".join(shown) + (f" and {more} more" if more > 0 else ""))
        self._skills_row.setVisible(bool(shown))
        self.setAccessibleName(f"Card of {name}")
        self.setAccessibleDescription(description)
