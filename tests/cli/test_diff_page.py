"""`diff --html` writes a page: whole or not at all, and never over a run."""

import pytest

from inspector.assets import asset
from tests.cli.commands import called

BEFORE = asset("examples/rag-answer.run.json")
AFTER = asset("examples/rag-other-document.run.json")


@pytest.fixture
def runs(tmp_path):
    found = []
    for source in (BEFORE, AFTER):
        file = tmp_path / source.name
        file.write_bytes(source.read_bytes())
        found.append(file)
    return found


def test_a_page_is_written_and_the_verdict_said(capsys, tmp_path, runs):
    page = tmp_path / "page.html"
    answer = called(capsys, "diff", *map(str, runs), "--html", str(page))
    assert (answer.code, answer.err) == (1, f"Wrote {page}.\n")
    assert answer.out.startswith("The answer changed. First divergence")
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>\n<html")
    assert {each.name for each in tmp_path.iterdir()} == {"page.html", *(run.name for run in runs)}


def test_a_page_for_standard_output_is_read_in_any_encoding(capsys, runs):
    answer = called(capsys, "diff", *map(str, runs), "--html", "-")
    assert answer.code == 1
    assert answer.out.startswith("<!DOCTYPE html>")
    assert answer.out.isascii()


def test_runs_that_decide_alike_have_a_page_too(capsys, tmp_path, runs):
    answer = called(capsys, "diff", str(runs[0]), str(runs[0]), "--html", str(tmp_path / "p.html"))
    assert answer.code == 0


@pytest.mark.parametrize("side", [0, 1])
def test_a_run_is_never_written_over(capsys, tmp_path, runs, side):
    link = tmp_path / "page.html"
    link.symlink_to(runs[side])
    before = runs[side].read_bytes()
    for output in (runs[side], link):
        answer = called(capsys, "diff", *map(str, runs), "--html", str(output))
        assert answer.code == 2
        assert "is one of the two runs" in answer.err
    assert runs[side].read_bytes() == before


def test_a_page_that_cannot_be_written_is_said_before_anything_is_compared(capsys, tmp_path, runs):
    answer = called(capsys, "diff", *map(str, runs), "--html", str(tmp_path / "no" / "p.html"))
    assert (answer.code, "There is no directory" in answer.err) == (2, True)
    answer = called(capsys, "diff", *map(str, runs), "--html", str(tmp_path))
    assert (answer.code, "it is a directory" in answer.err) == (2, True)
