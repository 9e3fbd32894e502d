"""`run-inspector shrink`: a run cut to what still shows what was chosen."""

import json
from pathlib import Path

import pytest

from inspector.assets import asset
from inspector.cli.exit_codes import COULD_NOT, FINE, FOUND
from inspector.runfile.load import load_run
from tests.cli.commands import called

FINDING = "route-not-taken"


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    return copied("untaken-branch", tmp_path)


@pytest.fixture
def crash(tmp_path: Path) -> Path:
    return copied("crash", tmp_path)


def copied(name: str, folder: Path) -> Path:
    place = folder / f"{name}.run.json"
    place.write_bytes(asset(f"examples/{name}.run.json").read_bytes())
    return place


def test_it_lists_what_can_be_kept(capsys, crash):
    answer = called(capsys, "shrink", crash, "--list")
    assert answer.code == FINE
    names = [line.split()[0] for line in answer.out.splitlines()]
    assert names == ["failure", "documents/retriever#1", "finding/failed"]
    listed = json.loads(called(capsys, "shrink", crash, "--list", "--json").out)["choices"]
    assert [choice["name"] for choice in listed] == names


def test_a_finding_needs_no_pipeline(capsys, odd, tmp_path):
    before, place = odd.read_bytes(), tmp_path / "small.run.json.gz"
    answer = called(capsys, "shrink", odd, "--finding", FINDING, "-o", place)
    assert answer.code == FINE
    said = answer.out.splitlines()
    assert said[0].startswith(f"{place}: ")
    assert "from 43 kB" in said[0]
    assert said[1].startswith("cut out: ")
    assert said[2].startswith(f"kept: finding/{FINDING}: `technician` ran although")
    assert odd.read_bytes() == before
    assert load_run(place).verify().state == "ok"
    assert FINDING in called(capsys, "check", place, "--json").out


def test_it_says_for_programs_what_it_did(capsys, odd, tmp_path):
    place = tmp_path / "small.run.json"
    answer = called(
        capsys, "shrink", odd, "--keep", f"finding/{FINDING}", "-o", place, "--json",
        "--max-tries", 3,
    )  # fmt: skip
    assert answer.code == FOUND
    told = json.loads(answer.out)
    assert told["ended"] == "tries"
    assert told["tries"] == 3
    assert told["replayed"] is False
    assert told["bytes"] == place.stat().st_size < told["bytes_before"]
    assert told["kept"][0]["name"] == f"finding/{FINDING}"
    assert answer.err == ""


def test_it_says_when_there_may_be_more_to_cut(capsys, odd, tmp_path):
    place = tmp_path / "small.run.json"
    answer = called(
        capsys, "shrink", odd, "--finding", FINDING, "-o", place, "--max-seconds", 0
    )  # fmt: skip
    assert answer.code == FOUND
    assert "Nothing could be cut out." in answer.out
    assert "may be more to cut (--max-seconds)" in answer.err
    assert load_run(place).header == load_run(odd).header


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ((), "Say with -o where"),
        (("-o", "{run}"), "is the run itself"),
        (("-o", "{out}"), "needs the pipeline that was recorded"),
        (("-o", "{out}", "--keep", "tool/nowhere"), "shows nothing called tool/nowhere"),
        (("-o", "{out}", "--keep", "answer"), "gave no answer"),
        (("-o", "{out}", "--finding", "nonsense"), "There is no rule nonsense"),
        (("-o", "{out}", "--against", "{run}"), "decided the same"),
        (("-o", "{out}", "--stub", "--pipeline", "a:b"), "not allowed with"),
        (("-o", "{out}", "--max-tries", "-1"), "expected one argument|is no number of tries"),
        (("-o", "{out}", "--max-seconds", "nan"), "is no time in seconds"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(
    capsys, crash, tmp_path, more, words
):  # fmt: skip
    before, place = crash.read_bytes(), tmp_path / "small.run.json"
    given = [each.format(run=crash, out=place) for each in more]
    answer = called(capsys, "shrink", crash, *given)
    assert answer.code == COULD_NOT
    assert any(each in answer.err for each in words.split("|"))
    assert not place.exists()
    assert crash.read_bytes() == before


def test_a_run_that_is_not_there_is_said_though_the_place_to_write_is(capsys, crash, tmp_path):
    answer = called(capsys, "shrink", tmp_path / "none.run.json", "-o", crash)
    assert answer.code == COULD_NOT
    assert "none.run.json" in answer.err


def test_a_strangers_run_replays_on_stubs_after_it_was_cut(capsys, crash, tmp_path):
    pytest.importorskip("haystack", reason="what is left of a run is replayed")
    place = tmp_path / "small.run.json"
    answer = called(capsys, "shrink", crash, "--stub", "-o", place)
    assert answer.code == FINE
    assert "stub: planner (greenhouse.WateringPlanner)" in answer.err
    assert "kept: failure: " in answer.out
    assert place.stat().st_size < 3_000
    replayed = called(capsys, "replay", place, "--stub")
    assert replayed.code == FINE
    assert "the same as recorded" in replayed.out
