"""`run-inspector diff` with more than two runs."""

import json
from pathlib import Path

import pytest

from inspector.assets import asset
from inspector.cli.main import main


def example(name: str) -> str:
    return str(asset(f"examples/{name}.run.json"))


THREE = [example(name) for name in ("rag-answer", "rag-other-prompt", "rag-other-document")]


def test_three_runs_stand_in_a_table_against_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *THREE]) == 1
    out = capsys.readouterr().out
    assert out.startswith("Both other runs decide otherwise")
    assert "rag-other-document.run.json" in out
    assert "± tokens" in out


def test_runs_that_decide_alike_are_fine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", THREE[0], THREE[0], THREE[0]]) == 0
    assert "decide as the baseline does" in capsys.readouterr().out


def test_json_is_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *THREE, "--json", "--extract", r"regex:(\w+)"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["format"] == "run-cohort"
    assert [member["extract"] for member in found["members"]] == ["Please", "Check"]


def test_a_page_of_many_runs_fetches_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "page.html"
    assert main(["diff", *THREE, "--html", str(place)]) == 1
    page = place.read_text(encoding="utf-8")
    assert "default-src &#x27;none&#x27;" in page
    assert "<script" not in page
    assert "runs compared" in page
    assert "Both other runs decide otherwise" in capsys.readouterr().out


def test_a_page_never_replaces_one_of_the_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.run.json"
    own.write_bytes(Path(THREE[2]).read_bytes())
    assert main(["diff", *THREE[:2], str(own), "--html", str(own)]) == 2
    assert "is one of the runs" in capsys.readouterr().err
    assert own.read_bytes() == Path(THREE[2]).read_bytes()


def test_sync_points_are_for_two_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *THREE, "--sync", "s3=s3"]) == 2
    assert "Compare two of them" in capsys.readouterr().err
