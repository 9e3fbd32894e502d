from collections import Counter

import pytest
from PySide6.QtGui import QKeySequence

from inspector.gui.action_spec import ActionSpec
from inspector.gui.actions import ACTIONS, MENUS
from inspector.gui.app_program import Program
from inspector.gui.main_window_content import key_groups
from inspector.gui.panes.pane_table import PANES


@pytest.mark.parametrize(
    "front",
    ["run", "comparison", "replay", "executions", "execution", "agents", "task", "nothing"],
)
def test_no_two_actions_answer_to_the_same_keys(front: str) -> None:
    def answers(spec: ActionSpec) -> bool:
        gives_way = spec.gives_way and front == "replay"
        return not gives_way and (not spec.needs or front in spec.needs)

    keys = [QKeySequence(key).toString() for spec in ACTIONS if answers(spec) for key in spec.keys]
    keys += [QKeySequence(spec.shortcut).toString() for spec in PANES if front == "run"]
    assert [key for key, times in Counter(keys).items() if times > 1] == []


def test_ids_are_unique_and_every_menu_exists() -> None:
    ids = [spec.id for spec in ACTIONS]
    assert len(ids) == len(set(ids))
    assert {spec.menu for spec in ACTIONS} == set(MENUS)


@pytest.mark.parametrize("spec", ACTIONS, ids=lambda spec: spec.id)
def test_every_action_is_in_a_menu_with_its_keys(program: Program, spec: object) -> None:
    action = program.content.action(spec.id)  # type: ignore[attr-defined]
    bar = program.window.menuBar()
    in_menus = [entry for menu in bar.actions() for entry in menu.menu().actions()]
    assert action in in_menus
    assert [QKeySequence(key) for key in spec.keys] == action.shortcuts()  # type: ignore[attr-defined]


def test_the_sheet_lists_every_key_there_is() -> None:
    listed = [keys for _title, lines in key_groups() for _words, keys in lines]
    expected = [spec.keys for spec in ACTIONS if spec.keys]
    assert len(listed) == len(expected) + len(PANES)
    assert sum(map(len, listed)) == sum(map(len, expected)) + len(PANES)
