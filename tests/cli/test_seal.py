"""`seal` and `unseal`: for a key or a passphrase, neither of which stands in an argument."""

import json
import shutil

import pytest

from tests.cli.commands import SAMPLE, called, program
from tests.replay.live.test_keys import BACKEND

pytest.importorskip("pyrage", reason="pyrage (extra seal) is not installed")
WORD = "a made up " + "phrase"


@pytest.fixture
def run_file(tmp_path):
    return shutil.copy(SAMPLE, tmp_path / "a.run.json")


@pytest.fixture
def keys():
    from inspector.trust.sealing import new_key

    return new_key()


@pytest.fixture
def sealed(capsys, run_file, tmp_path, keys):
    place = tmp_path / "a.run.json.age"
    assert called(capsys, "seal", run_file, "--to", keys[1], "-o", place).code == 0
    return place


def test_a_sealed_run_is_unsealed_with_the_key_of_a_file(capsys, sealed, keys, tmp_path):
    (tmp_path / "key").write_text(keys[0])
    out = tmp_path / "b.run.json"
    answer = called(capsys, "unseal", sealed, "--key-file", tmp_path / "key", "-o", out)
    assert answer.code == 0
    assert out.read_bytes() == SAMPLE.read_bytes()
    assert out.stat().st_mode & 0o077 == 0
    assert "not sealed any more" in answer.err


def test_it_may_be_handed_on_without_a_file(sealed, keys):
    ran = program("unseal", sealed, "--from", "env:KEY", "-o", "-", env={"KEY": keys[0]})
    assert ran.code == 0
    assert ran.out == SAMPLE.read_text()


def test_a_passphrase_comes_from_a_variable_or_is_asked(capsys, run_file, tmp_path, monkeypatch):
    monkeypatch.setenv("WORD", WORD)
    place, out = tmp_path / "p.age", tmp_path / "p.run.json"
    phrase = ("--passphrase-from", "env:WORD")
    assert called(capsys, "seal", run_file, *phrase, "-o", place).code == 0
    assert called(capsys, "unseal", place, "--from", "env:WORD", "-o", out).code == 0
    assert out.read_bytes() == SAMPLE.read_bytes()
    monkeypatch.setenv("WORD", "another")
    answer = called(capsys, "unseal", place, "--from", "env:WORD", "-o", out)
    assert answer.code == 2
    assert "not its passphrase" in answer.err
    assert "no terminal" in program("unseal", place, "-o", out).err


@pytest.mark.parametrize("command", [("show",), ("verify",), ("check",), ("cost",)])
def test_every_command_says_that_a_run_is_sealed(capsys, sealed, command):
    answer = called(capsys, *command, sealed)
    assert answer.code == 2
    assert "is sealed" in answer.err
    assert "unseal" in answer.err


def test_what_is_sealed_is_in_the_log_by_its_digest(capsys, run_file, keys, tmp_path, monkeypatch):
    monkeypatch.setenv("RUN_INSPECTOR_EXPORT_LOG", str(tmp_path / "log"))
    called(capsys, "seal", run_file, "--to", keys[1], "-o", tmp_path / "x.age")
    entry = json.loads(called(capsys, "log", "--json").out)["entries"][0]
    assert entry["what"] == "seal"
    assert entry["files"][0]["bytes"] == (tmp_path / "x.age").stat().st_size


@pytest.mark.parametrize(
    "wrong",
    [
        ("-o", "x.age"),
        ("--to", "age1nothing", "-o", "x.age"),
        ("--to", "PUBLIC"),
        ("--to", "PUBLIC", "-o", "a.run.json"),
        ("--to", "SECRET", "-o", "x.age"),
    ],
)
def test_what_makes_no_sense_writes_nothing(capsys, run_file, keys, tmp_path, monkeypatch, wrong):
    monkeypatch.chdir(tmp_path)
    known = {"PUBLIC": keys[1], "SECRET": keys[0]}
    answer = called(capsys, "seal", run_file, *(known.get(word, word) for word in wrong))
    assert answer.code == 2
    assert keys[0] not in answer.err
    assert [place.name for place in tmp_path.iterdir()] == ["a.run.json"]


def test_what_is_no_run_or_not_sealed_is_said(capsys, run_file, keys, tmp_path):
    (tmp_path / "b.txt").write_text("hello")
    answer = called(capsys, "seal", tmp_path / "b.txt", "--to", keys[1], "-o", tmp_path / "b.age")
    assert answer.code == 2
    answer = called(capsys, "unseal", run_file, "-o", tmp_path / "c.json")
    assert "is not sealed" in answer.err


def test_a_plain_file_does_not_take_the_place_of_the_sealed_one(capsys, sealed, keys, tmp_path):
    (tmp_path / "key").write_text(keys[0])
    before = sealed.read_bytes()
    answer = called(capsys, "unseal", sealed, "--key-file", tmp_path / "key", "-o", sealed)
    assert (answer.code, sealed.read_bytes()) == (2, before)
    assert "another file" in answer.err


@pytest.fixture
def paper_ring(tmp_path, monkeypatch):
    """Have a file for a keyring."""
    folder = tmp_path / "ring"
    folder.mkdir()
    (folder / "paper_ring.py").write_text(BACKEND)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "paper_ring.Ring")


def test_a_key_is_made_into_the_keyring_and_opens_from_there(
    capsys, run_file, tmp_path, paper_ring
):
    made = called(capsys, "seal", "--make-key")
    assert made.code == 0
    public = made.out.strip()
    assert public.startswith("age1")
    assert "AGE-SECRET-KEY" not in made.out + made.err
    place, out = tmp_path / "k.age", tmp_path / "k.run.json"
    assert called(capsys, "seal", run_file, "--to", public, "-o", place).code == 0
    assert called(capsys, "unseal", place, "-o", out).code == 0
    assert out.read_bytes() == SAMPLE.read_bytes()
    again = called(capsys, "seal", "--make-key")
    assert again.code == 2
    assert "already" in again.err


def test_without_a_keyring_no_key_is_made(capsys, monkeypatch):
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    answer = called(capsys, "seal", "--make-key")
    assert answer.code == 2
    assert answer.out == ""
    assert "no keyring" in answer.err
    assert "age-keygen" in answer.err
