import json
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings
from pytestqt.qtbot import QtBot

from inspector.gui.settings import MOST_RECENT_FILES, Memory, Settings, SettingsStore, ThemeChoice


def test_a_choice_comes_back(settings: SettingsStore, disk: QSettings) -> None:
    settings.update(theme=ThemeChoice.DARK, text_scale=1.25)
    assert SettingsStore(disk).current == Settings(theme=ThemeChoice.DARK, text_scale=1.25)


def test_choosing_what_is_chosen_says_nothing(settings: SettingsStore, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(settings.changed):
        settings.update(theme=ThemeChoice.SYSTEM)


@pytest.mark.parametrize(
    "stored",
    ["", "[]", "{", '{"theme": "purple"}', '{"text_scale": 900}', '{"reuse_window": "yes"}', "7"],
)
def test_what_makes_no_sense_counts_as_not_chosen(disk: QSettings, stored: str) -> None:
    disk.setValue("settings", stored)
    assert SettingsStore(disk).current == Settings()


@pytest.mark.parametrize("stored", ['{"rules_off": "failed"}', '{"rules_off": [1]}'])
def test_rules_that_are_no_list_of_names_count_as_not_chosen(disk: QSettings, stored: str) -> None:
    disk.setValue("settings", stored)
    assert SettingsStore(disk).current.rules_off == ()


def test_one_odd_value_does_not_lose_the_others(disk: QSettings) -> None:
    disk.setValue("settings", json.dumps({"theme": 3, "reduce_motion": True, "later": 1}))
    assert SettingsStore(disk).current == Settings(reduce_motion=True)


def test_the_file_opened_last_stands_first_and_once(memory: Memory) -> None:
    for name in ("a", "b", "a"):
        memory.remember_file(Path("/runs") / name)
    assert memory.recent_files == (Path("/runs/a"), Path("/runs/b"))


def test_only_so_many_files_are_remembered(memory: Memory, disk: QSettings) -> None:
    for number in range(50):
        memory.remember_file(Path(f"/runs/{number}"))
    assert len(Memory(disk).recent_files) == MOST_RECENT_FILES


def test_recent_files_can_be_forgotten(memory: Memory, qtbot: QtBot) -> None:
    memory.remember_file(Path("/runs/a"))
    memory.remember_file(Path("/runs/b"))
    memory.forget_file(Path("/runs/a"))
    assert memory.recent_files == (Path("/runs/b"),)
    with qtbot.waitSignal(memory.recent_changed):
        memory.forget_files()
    assert memory.recent_files == ()


def test_layouts_are_kept_as_qt_gave_them(memory: Memory, disk: QSettings) -> None:
    memory.keep_bytes("layout", QByteArray(b"\x00\x01\xff"))
    disk.sync()
    assert Memory(disk).bytes("layout") == QByteArray(b"\x00\x01\xff")
    assert Memory(disk).bytes("nothing").isEmpty()
