from collections.abc import Callable

from PySide6.QtWidgets import QApplication, QWidget

from inspector.gui import theme
from inspector.gui.widgets.facts_view import FactsView
from inspector.presentation.summary import Fact, FactGroup, Summary

TOKENS = FactGroup(
    "Tokens", tuple(Fact(label, f"{label} 372 tok", number=True) for label in ("Input", "Output"))
)


def lines_of(view: FactsView, text: str) -> int:
    block = view.document().begin()
    while block.isValid():
        if block.text() == text:
            return block.layout().lineCount()
        block = block.next()
    raise AssertionError(f"{text} is not shown")


def test_figures_stay_on_one_line_when_text_becomes_larger(
    shown: Callable[..., QWidget], qapp: QApplication
) -> None:
    view = FactsView()
    view.show_summary(Summary("llm", "Component", "component", "llm", "ok", (TOKENS,)))
    shown(view)
    theme.apply(qapp, theme.ThemeChoice.LIGHT, text_scale=1.5)
    qapp.processEvents()
    assert [lines_of(view, fact.text) for fact in TOKENS.facts] == [1, 1]
