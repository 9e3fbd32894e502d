"""`run-inspector export`: what is written, where, and what is said."""

import json
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest

from inspector.assets import asset
from inspector.cli.main import main
from inspector.export.kinds import KINDS
from tests.cli.commands import called, program
from tests.export.hostile_runs import HIDDEN, hostile_bytes

SECRET = "ada@example.com"


@pytest.fixture(autouse=True)
def log_of_exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "exports.jsonl"
    monkeypatch.setenv("RUN_INSPECTOR_EXPORT_LOG", str(place))
    return place


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    text = asset("examples/rag-answer.run.json").read_text("utf-8")
    place = tmp_path / "rag.run.json"
    place.write_text(text.replace("clogged screen", f"{SECRET} screen"), "utf-8")
    return place


def options_for(kind: str) -> list[str]:
    return ["--at", "llm"] if kind == "snapshot" else []


@pytest.mark.parametrize("kind", [*KINDS])
def test_every_kind_is_written_redacted_and_noted_in_the_log(
    kind: str, capsys, tmp_path: Path, run_file: Path, log_of_exports: Path
) -> None:
    place = tmp_path / ("out" if KINDS[kind].is_folder else f"out{KINDS[kind].suffix}")
    before = run_file.read_bytes()
    answer = called(capsys, "export", run_file, "--as", kind, "-o", place, *options_for(kind))
    assert answer.code == 0, answer.err
    assert str(place) in answer.out
    files = list(place.iterdir()) if place.is_dir() else [place]
    assert all(SECRET.encode() not in file.read_bytes() for file in files)
    assert run_file.read_bytes() == before
    (line,) = log_of_exports.read_text("utf-8").splitlines()
    assert f"export {kind}" in line
    assert SECRET not in line


@pytest.mark.parametrize("kind", [kind for kind, known in KINDS.items() if not known.is_folder])
def test_without_a_place_it_goes_to_standard_output(kind: str, capsys, run_file: Path) -> None:
    answer = called(capsys, "export", run_file, "--as", kind, *options_for(kind))
    assert answer.code == 0, answer.err
    assert len(answer.out) > 300
    assert SECRET not in answer.out


def test_json_says_what_was_written_and_what_was_taken_out(
    capsys, tmp_path: Path, run_file: Path
) -> None:
    place = tmp_path / "t.txt"
    answer = called(capsys, "export", run_file, "--as", "transcript", "-o", place, "--json")
    told = json.loads(answer.out)
    (file,) = told["files"]
    assert file["path"] == str(place)
    assert file["sha256"] == sha256(place.read_bytes()).hexdigest()
    assert told["redaction"]["count"] >= 1
    again = called(capsys, "export", run_file, "--as", "transcript", "--json")
    assert json.loads(again.out)["files"][0]["text"] == place.read_text("utf-8")


def test_what_may_stay_and_what_has_to_go_can_be_said(capsys, run_file: Path) -> None:
    kept = called(capsys, "export", run_file, "--as", "transcript", "--keep", SECRET)
    assert SECRET in kept.out
    assert SECRET in called(capsys, "export", run_file, "--as", "transcript", "--no-redact").out
    gone = called(capsys, "export", run_file, "--as", "transcript", "--term", "tomato")
    assert "tomato" not in gone.out.lower()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--as", "fixture"], "A fixture is several files."),
        (["--as", "fixture", "-o", "f", "--no-redact"], "always redacted"),
        (["--as", "card", "--at", "nothing"], "The run has no span 'nothing'."),
        (["--as", "html", "-o", "rag.run.json"], "is the run itself"),
        (["--as", "fixture", "-o", "."], "is the run itself"),
        (["--as", "fixture", "-o", "rag.run.json"], "is no folder"),
        (["--as", "fixture", "-o", "f", "--pipeline", "x y"], "names no pipeline"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_written(
    arguments: list[str], said: str, capsys, tmp_path: Path, run_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    answer = called(capsys, "export", run_file.name, *arguments)
    assert answer.code == 2
    assert said in answer.err
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_a_fixture_lies_in_a_folder_of_its_own(capsys, tmp_path: Path, run_file: Path) -> None:
    folder = tmp_path / "tests" / "fixtures"
    answer = called(capsys, "export", run_file, "--as", "fixture", "-o", folder)
    assert answer.code == 0
    assert {each.name for each in folder.iterdir()} == {"test_rag.py", "rag.run.json"}
    assert "The recording is cut to" in answer.err
    assert "--pipeline" in answer.err


@pytest.mark.parametrize("kind", [kind for kind, known in KINDS.items() if not known.is_folder])
def test_no_terminal_acts_on_what_a_stranger_wrote(kind: str, capsysbinary, tmp_path: Path) -> None:
    place = tmp_path / "hostile.run.json"
    place.write_bytes(hostile_bytes())
    arguments = ["export", str(place), "--as", kind, *options_for(kind)]
    main(arguments)
    said = capsysbinary.readouterr()
    for sign in HIDDEN:
        assert sign.encode() not in said.out
        assert sign.encode() not in said.err


@pytest.mark.skipif(find_spec("PySide6") is None, reason="the window's parts draw it")
def test_a_card_is_a_png_where_its_name_says_so(tmp_path: Path, run_file: Path) -> None:
    place = tmp_path / "card.png"
    # A program of its own: there is one application of Qt's in a process, and of one kind.
    answer = program("export", run_file, "--as", "card", "-o", place)
    assert answer.code == 0, answer.err
    data = place.read_bytes()
    assert data.startswith(b"\x89PNG")
    assert int.from_bytes(data[16:20], "big") == 2 * 760
    assert len(data) > 10_000  # there is something on it
