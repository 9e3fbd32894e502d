"""RECORD_NEW on one file from two processes at once: no take is lost."""

import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from haystack import Pipeline
from haystack.components.builders import PromptBuilder

from inspector import Replayer, ReplayMode, load_run, record_run
from inspector.runfile.turns import Turn
from tests.replay.report.parts import Oracle

TIMES = 25


def pipeline() -> Pipeline:
    made = Pipeline()
    made.add_component("prompt", PromptBuilder("Say {{ what }}.", required_variables="*"))
    made.add_component("oracle", Oracle())
    made.connect("prompt.prompt", "oracle.prompt")
    return made


def asking(what: str) -> dict[str, Any]:
    return {"prompt": {"what": what}}


def add(file: Path, name: str, barrier: Any) -> None:
    made = pipeline()
    barrier.wait(60)  # both begin at once
    for number in range(TIMES):
        Replayer(made, file, mode=ReplayMode.RECORD_NEW).play(asking(f"{name} {number}"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shared.run.json"
    record_run(pipeline(), asking("nothing"))[1].save(path)
    return path


def test_two_processes_add_to_one_file_and_nothing_is_lost(file: Path) -> None:
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    processes = [
        context.Process(target=add, args=(file, name, barrier)) for name in ("one", "other")
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    run = load_run(file)
    takes = [span.raw.get("take", 1) for span in run.spans if span.path == "oracle#1"]
    assert sorted(takes) == list(range(1, 2 * TIMES + 2))
    assert run.verify().state != "changed"
    for name in ("one", "other"):
        for number in range(TIMES):
            said = Replayer(pipeline(), file).play(asking(f"{name} {number}"))
            assert said["oracle"]["reply"] == f"You said 'Say {name} {number}.'."
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_whoever_has_the_turn_at_a_directory_may_add_to_its_files(file: Path) -> None:
    with Turn(file.parent):
        Replayer(pipeline(), file, mode=ReplayMode.RECORD_NEW).play(asking("something"))
    Replayer(pipeline(), file).play(asking("something"))
