"""`run-inspector redact`: a copy without secrets, or a look at what it would be."""

import json

import pytest

from inspector.cli.exit_codes import COULD_NOT, FINE, FOUND
from inspector.runfile.load import load_run
from tests.cli.commands import called, program
from tests.helpers.secret_world import AT
from tests.redaction.runs import made_bytes, span

MAIL = f"jo.doe{AT}example.org"


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "a.run.json"
    place.write_bytes(
        made_bytes(
            span(1, inputs={"q": f"Please write to {MAIL} about EMP-1234 of Bluebird today"}),
            span(2, inputs={"meta": {"customer": "Kim"}, "q": f"again {MAIL}"}),
        )
    )
    return place


def test_a_copy_is_written_and_the_original_stays(file, tmp_path, capsys):
    before = file.read_bytes()
    answer = called(
        capsys, "redact", file, "-o", tmp_path / "b.run.json", "--term", "bluebird",
        "--field", "meta.customer", "--rule", "employee=EMP-[0-9]{4}",
    )  # fmt: skip
    assert answer.code == FINE
    assert "5 places replaced" in answer.out
    assert "names not checked" in answer.out
    assert file.read_bytes() == before
    copy = load_run(tmp_path / "b.run.json")
    assert copy.spans[0].inputs["q"] == (
        "Please write to <email:1> about <employee:1> of <term:1> today"
    )
    assert copy.spans[1].inputs["meta"]["customer"] == "<field:1>"
    assert copy.verify().state == "ok"


def test_a_dry_run_writes_nothing_and_lists_each_place_in_its_context(file, tmp_path, capsys):
    answer = called(capsys, "redact", file, "--dry-run")
    assert answer.code == FOUND
    assert [each.name for each in tmp_path.iterdir()] == ["a.run.json"]
    assert "email: 2" in answer.out
    assert f"Please write to {MAIL} about EMP-1234" in answer.out
    assert "made: inputs.q" in answer.out
    assert "part2#1: inputs.q" in answer.out
    assert "bytes before" in answer.out
    assert called(capsys, "redact", file, "--dry-run", "--keep", MAIL).code == FINE
    assert called(capsys, "redact", file, "--dry-run", "--off", "email").code == FINE


def test_json_is_for_programs(file, capsys):
    told = json.loads(called(capsys, "redact", file, "--dry-run", "--json").out)
    assert told["count"] == 2
    assert told["taken"][0]["rule"] == "email"
    assert [place["secret"] for place in told["places"]] == [MAIL, MAIL]
    assert {place["placeholder"] for place in told["places"]} == {"<email:1>"}
    assert told["names"] == "names not checked"


def test_a_salt_comes_from_the_environment(file, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("TEAM_SALT", "a salt of the whole team")
    said = []
    for name in "bc":
        target = tmp_path / f"{name}.run.json"
        assert (
            called(capsys, "redact", file, "-o", target, "--salt-from-env", "TEAM_SALT").code == 0
        )
        said.append(load_run(target).spans[1].inputs["q"])
    assert said[0] == said[1]
    assert said[0].startswith("again <email:")
    monkeypatch.delenv("TEAM_SALT")
    answer = called(capsys, "redact", file, "--dry-run", "--salt-from-env", "TEAM_SALT")
    assert answer.code == COULD_NOT
    assert "TEAM_SALT is not set" in answer.err


def test_what_the_project_has_set_holds_unless_it_is_left_aside(file, tmp_path, capsys):
    (tmp_path / "run-inspector.toml").write_text('[redact]\nterms = ["Kim"]\n')
    assert json.loads(called(capsys, "redact", file, "--dry-run", "--json").out)["count"] == 3
    bare = called(capsys, "redact", file, "--dry-run", "--json", "--no-project")
    assert json.loads(bare.out)["count"] == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "needs a file to write to"),
        (["-o", "a.run.json"], "take the place of the original"),
        (["-o", "b.json", "--rule", "nothing"], "is no rule"),
        (["-o", "b.json", "--rule", "a=(x)\\1"], "linear time"),
        (["-o", "b.json", "--off", "nothing"], "no rule nothing"),
        (["-o", "nowhere/b.json"], "no directory"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(
    file, tmp_path, capsys, arguments, says
):
    answer = called(capsys, "redact", file, *arguments)
    assert answer.code == COULD_NOT
    assert says in answer.err
    assert [each.name for each in tmp_path.iterdir()] == ["a.run.json"]


def test_text_of_the_run_reaches_the_terminal_as_text_only(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "a.run.json"
    place.write_bytes(made_bytes(span(1, inputs={"q": f"\x1b]0;x\x07 {MAIL} \x1b[31m\u202e"})))
    answer = called(capsys, "redact", place, "--dry-run")
    assert "\x1b" not in answer.out
    assert "\u202e" not in answer.out


def test_it_reads_standard_input(file, tmp_path):
    target = tmp_path / "b.run.json"
    answer = program("redact", "-", "-o", target, sent=file.read_bytes(), cwd=tmp_path)
    assert answer.code == FINE
    assert MAIL not in target.read_text()
