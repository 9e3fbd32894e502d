"""The verdict line says everything there is room for, and the rest to those who hover or listen."""

from itertools import pairwise

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.widgets.labels import ElidedWords
from inspector.gui.widgets.verdict_line import VerdictLine
from inspector.presentation.verdict import Fact, Verdict
from inspector.runfile.kinds import RunStatus

SHOWN = Verdict(
    "greenhouse_assistant",
    RunStatus.COMPLETED,
    "completed in 5.10 s",
    (
        Fact("llm", "4 LLM calls"),
        Fact("tool", "7 tool calls"),
        Fact("tokens", "4 942 tokens"),
        Fact("cost", "≈ $0.00083 (prices of 2026-11-10)", "An estimate.", short="≈ $0.00083"),
        Fact("failed", "1 failure"),
        Fact("findings", "2 findings", colour="failed"),
    ),
)


def texts(line: QWidget) -> list[str]:
    shown: list[QLabel | QAbstractButton] = [
        *line.findChildren(QLabel), *line.findChildren(QAbstractButton),
    ]  # fmt: skip
    return [each.text() for each in shown if each.isVisible() and each.text() not in ("", "·")]


@pytest.fixture
def around(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(1600, 60)
    return made


@pytest.fixture
def line(around: QWidget, qtbot: QtBot) -> VerdictLine:
    made = VerdictLine(around)
    made.show_verdict(SHOWN)
    made.resize(1600, 40)
    with qtbot.waitExposed(around):
        around.show()
    return made


def test_with_room_for_it_everything_is_said(line: VerdictLine) -> None:
    assert set(texts(line)) >= {fact.text for fact in SHOWN.facts}


def test_the_line_gives_up_little_by_little_what_is_said_elsewhere(line: VerdictLine) -> None:
    seen: list[list[str]] = []
    for width in range(1600, 240, -20):
        line.resize(width, 40)
        said = texts(line)
        if not seen or seen[-1] != said:
            seen.append(said)
    assert "≈ $0.00083" in seen[1]
    assert len(seen[1]) == len(seen[0]), "first it says the same in less words"
    gone = [set(before) - set(after) for before, after in pairwise(seen[1:])]
    assert gone == [{"7 tool calls"}, {"4 LLM calls"}, {"4 942 tokens"}, {"1 failure"}]
    assert "2 findings" in seen[-1]
    assert line.minimumSizeHint().width() < 300, "it does not hold the window open"
    line.resize(1600, 40)
    assert texts(line) == seen[0]


def test_whoever_listens_hears_all_of_it(line: VerdictLine) -> None:
    line.resize(300, 40)
    assert "prices of 2026-11-10" in line.accessibleDescription()
    assert "7 tool calls" in line.accessibleDescription()


def test_facts_that_lead_somewhere_are_buttons(line: VerdictLine, qtbot: QtBot) -> None:
    buttons = {each.text(): each for each in line.findChildren(QAbstractButton)}
    assert set(buttons) == {SHOWN.facts[3].text, "1 failure", "2 findings"}
    with qtbot.waitSignal(line.fact_chosen) as caught:
        buttons["2 findings"].click()
    assert caught.args == ["findings"]


def test_the_date_of_prices_goes_before_any_letter_of_the_name(line: VerdictLine) -> None:
    name = next(each for each in line.findChildren(ElidedWords) if each.text() == SHOWN.name)
    dated = SHOWN.facts[3].text
    for width in range(1600, 240, -10):
        line.resize(width, 40)
        QApplication.processEvents()
        assert name.shown == SHOWN.name or dated not in texts(line), width
