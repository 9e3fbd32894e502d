"""One process at a time changes the files of a directory."""

import multiprocessing
from pathlib import Path

from inspector.runfile.turns import Turn


def count(directory: Path, times: int) -> None:
    file = directory / "count"
    for _ in range(times):
        with Turn(directory):
            file.write_text(str(int(file.read_text()) + 1))


def test_processes_take_turns_and_leave_nothing_behind(tmp_path):
    (tmp_path / "count").write_text("0")
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=count, args=(tmp_path, 50)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert (tmp_path / "count").read_text() == "150"
    assert [path.name for path in tmp_path.iterdir()] == ["count"]


def test_a_turn_is_given_up_when_something_goes_wrong(tmp_path):
    try:
        with Turn(tmp_path):
            raise KeyError
    except KeyError:
        pass
    with Turn(tmp_path):
        (tmp_path / "it").touch()
    assert (tmp_path / "it").exists()
