"""The snapshots that Haystack left are found where it writes them."""

import os
from datetime import datetime

from inspector.importers.crash_folders import crash_folders, crash_snapshots
from inspector.presentation.crashes import crash_sentence, crash_title


def write(folder, name, text="{}"):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


def test_haystack_writes_to_the_home_folder_first(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    folders = crash_folders()
    assert folders[0] == tmp_path / ".haystack" / "pipeline_snapshot"
    assert folders[1].parts[-2:] == ("haystack", "pipeline_snapshot")
    assert folders[2] == tmp_path / ".haystack" / "pipeline_snapshot"


def test_the_newest_come_first_and_no_more_than_asked_for(tmp_path):
    for day in range(1, 8):
        write(tmp_path, f"my_llm_0_2026_11_{day:02}_14_18_11.json")
    found = crash_snapshots((tmp_path,), 3)
    assert [each.written_at.day for each in found] == [7, 6, 5]
    assert {each.component for each in found} == {"my_llm"}


def test_a_name_without_a_visit_and_one_of_another_sort_are_read(tmp_path):
    write(tmp_path, "llm_2026_11_29_14_18_11.json")
    other = write(tmp_path, "mine.json")
    os.utime(other, (0, 0))
    found = crash_snapshots((tmp_path,), 9)
    assert [each.component for each in found] == ["llm", ""]
    assert found[0].written_at == datetime(2026, 11, 29, 14, 18, 11)
    assert [crash_title(each) for each in found] == ["Stopped at llm", "mine.json"]


def test_an_empty_one_says_so_before_it_is_opened(tmp_path):
    write(tmp_path, "llm_0_2026_11_29_14_18_11.json", "")
    found = crash_snapshots((tmp_path,), 9)
    assert found[0].is_empty
    assert "Haystack failed while writing it" in crash_sentence(found[0])


def test_other_files_and_missing_folders_are_passed_over(tmp_path):
    write(tmp_path, "notes.txt")
    (tmp_path / "folder.json").mkdir()
    assert crash_snapshots((tmp_path, tmp_path / "gone"), 9) == []


def test_a_folder_that_is_named_twice_counts_once(tmp_path):
    write(tmp_path, "llm_0_2026_11_29_14_18_11.json")
    assert len(crash_snapshots((tmp_path, tmp_path), 9)) == 1
