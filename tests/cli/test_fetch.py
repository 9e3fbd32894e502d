"""`fetch` lists the runs of an issue and keeps those that are chosen."""

import json
import stat

import pytest

from inspector.replay.keyring_asking import keep_in_ring
from tests.cli.commands import SAMPLE, called, program
from tests.helpers.github_server import Answer, GitHubServer
from tests.replay.live.test_keys import BACKEND

TEXT = SAMPLE.read_text()
TOKEN = "made-" + "up-" * 3


@pytest.fixture
def github(monkeypatch):
    for name in ("GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN", "RUN_INSPECTOR_GITHUB"):
        monkeypatch.delenv(name, raising=False)
    with GitHubServer() as server:
        yield server


@pytest.fixture
def issue(github):
    return github.issue(7, f"{github.attach('a.run.json', SAMPLE.read_bytes())}\n```\n{TEXT}```")


def test_runs_are_listed_with_author_date_and_size(capsys, github, issue):
    answer = called(capsys, "fetch", issue, "--base-url", github.url)
    size = f"{SAMPLE.stat().st_size / 1000:.0f}"
    assert answer.code == 0
    assert answer.out.splitlines() == [
        "acme/pumps#7 It fails",
        "  1  block 1",
        f"     block · ada · 2026-11-04 10:20 UTC · {size} kB",
        "  2  a.run.json",
        f"     attachment · ada · 2026-11-04 10:20 UTC · {size} kB",
    ]


def test_all_are_kept_and_nothing_is_written_over(capsys, github, issue, tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "a.run.json").write_text("mine")
    answer = called(capsys, "fetch", issue, "-o", folder, "--base-url", github.url)
    assert answer.code == 0
    kept = [folder / "block 1.run.json", folder / "a-2.run.json"]
    assert answer.out.splitlines() == [str(place) for place in kept]
    assert (folder / "a.run.json").read_text() == "mine"
    assert kept[1].read_bytes() == SAMPLE.read_bytes()
    assert stat.S_IMODE(kept[1].stat().st_mode) == 0o400


def test_one_is_picked_by_its_number(capsys, github, issue, tmp_path):
    answer = called(
        capsys, "fetch", issue, "-o", tmp_path / "new", "--pick", 2, "--base-url", github.url
    )
    assert answer.code == 0
    assert [place.name for place in (tmp_path / "new").iterdir()] == ["a.run.json"]
    answer = called(capsys, "fetch", issue, "-o", tmp_path, "--pick", 9, "--base-url", github.url)
    assert answer.code == 2
    assert "no run number 9" in answer.err


def test_a_program_is_told_all_of_it(capsys, github, issue, tmp_path):
    answer = called(capsys, "fetch", issue, "-o", tmp_path, "--json", "--base-url", github.url)
    tree = json.loads(answer.out)
    assert [run["how"] for run in tree["runs"]] == ["block", "attachment"]
    assert [run["path"] for run in tree["runs"]] == [
        str(tmp_path / "block 1.run.json"),
        str(tmp_path / "a.run.json"),
    ]


def test_an_issue_without_runs_is_found_so(capsys, github):
    answer = called(capsys, "fetch", github.issue(9, "It fails."), "--base-url", github.url)
    assert (answer.code, answer.out.splitlines()[-1]) == (1, "There is no run here.")


def test_the_address_of_a_company_may_stand_in_the_environment(capsys, github, issue, monkeypatch):
    monkeypatch.setenv("RUN_INSPECTOR_GITHUB", github.url)
    assert called(capsys, "fetch", issue, "--list").code == 0


def test_a_link_to_another_host_asks_nobody(capsys, github, issue):
    answer = called(capsys, "fetch", issue)
    assert answer.code == 2
    assert "nothing else is asked" in answer.err
    assert github.log == []


def test_a_token_comes_from_where_it_is_said_and_goes_to_its_own_github_only(
    capsys, github, issue, monkeypatch
):
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    called(capsys, "fetch", issue, "--base-url", github.url)
    assert {asked.authorization for asked in github.log} == {None}
    monkeypatch.setenv("GITHUB_ENTERPRISE_TOKEN", TOKEN)
    called(capsys, "fetch", issue, "--base-url", github.url)
    assert github.log[-3].authorization == f"Bearer {TOKEN}"
    monkeypatch.setenv("MINE", TOKEN)
    monkeypatch.delenv("GITHUB_ENTERPRISE_TOKEN")
    answer = called(
        capsys, "fetch", issue, "--base-url", github.url, "--token-from", "env:MINE", "--json"
    )
    assert github.log[-3].authorization == f"Bearer {TOKEN}"
    assert TOKEN not in answer.out + answer.err


@pytest.mark.parametrize("place", ["env:NOTHING_HERE", "ghp_something", "prompt"])
def test_a_token_that_cannot_be_had_is_a_sentence(place, github, issue):
    answer = program("fetch", issue, "--base-url", github.url, "--token-from", place)
    assert answer.code == 2
    assert answer.err.startswith("run-inspector: ")
    assert "Traceback" not in answer.err
    assert github.log == []


def test_what_people_write_cannot_act_in_the_terminal(capsys, github):
    address = github.issue(7, f"```\n{TEXT}```", title="\x1b]0;owned\x07\u202e")
    answer = called(capsys, "fetch", address, "--base-url", github.url)
    assert answer.code == 0
    assert "\x1b" not in answer.out
    assert "\u202e" not in answer.out


def test_a_limit_of_requests_is_a_sentence(capsys, github, issue):
    github.answers["/api/v3/repos/acme/pumps/issues/7"] = Answer(
        403, b"{}", (("x-ratelimit-remaining", "0"),)
    )
    answer = called(capsys, "fetch", issue, "--base-url", github.url)
    assert answer.code == 2
    assert "was asked too often" in answer.err


def test_a_token_of_the_keyring_is_used_when_asked_for(
    capsys, github, issue, tmp_path, monkeypatch
):
    (tmp_path / "paper_ring.py").write_text(BACKEND)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "paper_ring.Ring")
    way = ("--base-url", github.url, "--token-from", "keyring")
    answer = called(capsys, "fetch", issue, *way)
    assert answer.code == 2
    assert "The keyring has no GITHUB_ENTERPRISE_TOKEN" in answer.err
    assert github.log == []
    assert keep_in_ring("GITHUB_ENTERPRISE_TOKEN", TOKEN).problem == ""
    assert called(capsys, "fetch", issue, *way).code == 0
    assert github.log[0].authorization == f"Bearer {TOKEN}"
