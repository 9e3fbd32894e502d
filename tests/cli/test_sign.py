"""`sign` and `verify --key` vouch for a file, `log` says what has left."""

import json
import shutil

import pytest

from tests.cli.commands import SAMPLE, called, program

pytest.importorskip("minisign", reason="py-minisign (extra sign) is not installed")
WORD = "a made up " + "word"


@pytest.fixture
def run_file(tmp_path):
    return shutil.copy(SAMPLE, tmp_path / "a.run.json")


@pytest.fixture
def key(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORD", WORD)
    place = tmp_path / "ada.key"
    answer = called(capsys, "sign", "--make-key", place, "--password-from", "env:WORD")
    assert answer.code == 0
    assert WORD not in place.read_text()
    return place


@pytest.fixture
def signed(capsys, run_file, key):
    answer = called(capsys, "sign", run_file, "--key", key, "--password-from", "env:WORD")
    assert (answer.code, answer.out) == (0, f"{run_file}.minisig\n")
    return run_file


def test_a_signed_file_is_verified_with_the_public_key(capsys, signed, key):
    answer = called(capsys, "verify", signed, "--key", key.with_suffix(".pub"))
    assert answer.code == 0
    assert answer.out.splitlines()[1].startswith("signature good: ada (")
    line = key.with_suffix(".pub").read_text().splitlines()[1]
    assert called(capsys, "verify", signed, "--key", line).code == 0


def test_a_file_that_was_made_to_fit_its_digests_again_is_found_by_its_signature(
    capsys, signed, key
):
    from inspector.runfile.load import load_run

    load_run(SAMPLE).save(signed, indent=1)  # whole and consistent, and not what was signed
    assert called(capsys, "verify", signed).code == 0
    answer = called(capsys, "verify", signed, "--key", key.with_suffix(".pub"), "--json")
    assert answer.code == 1
    tree = json.loads(answer.out)
    assert (tree["state"], tree["signature"]["state"]) == ("ok", "bad")


def test_a_file_without_a_signature_is_not_vouched_for(capsys, run_file, key):
    answer = called(capsys, "verify", run_file, "--key", key.with_suffix(".pub"))
    assert answer.code == 1
    assert "signature none: There is no signature" in answer.out


def test_without_a_terminal_nobody_is_asked_and_it_is_said(run_file, key):
    answer = program("sign", run_file, "--key", key)
    assert answer.code == 2
    assert "there is no terminal" in answer.err


def test_what_is_no_run_is_not_signed(capsys, tmp_path, key):
    (tmp_path / "b.json").write_text("hello")
    answer = called(
        capsys, "sign", tmp_path / "b.json", "--key", key, "--password-from", "env:WORD"
    )
    assert answer.code == 2
    assert not (tmp_path / "b.json.minisig").exists()


@pytest.fixture
def log(monkeypatch, tmp_path):
    place = tmp_path / "exports.jsonl"
    monkeypatch.setenv("RUN_INSPECTOR_EXPORT_LOG", str(place))
    return place


def test_exports_and_redacted_copies_are_in_the_log(capsys, run_file, tmp_path, log):
    page, copy = tmp_path / "a.html", tmp_path / "b.run.json"
    assert called(capsys, "export", run_file, "--as", "html", "-o", page, "--no-redact").code == 0
    term = ("--term", "Berlin", "--no-project")
    assert called(capsys, "redact", run_file, "-o", copy, *term).code == 0
    answer = called(capsys, "log")
    assert answer.code == 0
    said = answer.out
    assert "export html  by " in said
    assert "of a.run.json (01JDQ6Z3V4N8W2X5Y7A9B1C3D5, sha256:" in said
    assert f"to {page}: " in said
    assert "  not redacted" in said
    assert "redacted by " in said
    tree = json.loads(called(capsys, "log", "--json").out)
    assert [entry["what"] for entry in tree["entries"]] == ["export html", "redact"]
    assert tree["whole"] is True


def test_a_dry_run_leaves_nothing_and_is_not_in_the_log(capsys, run_file, log):
    called(capsys, "redact", run_file, "--dry-run")
    assert not log.exists()


def test_a_log_that_somebody_has_been_at_is_found(capsys, run_file, tmp_path, log):
    for name in "bc":
        called(capsys, "redact", run_file, "-o", tmp_path / f"{name}.run.json")
    log.write_text(log.read_text().replace("redact", "export", 1))
    answer = called(capsys, "log")
    assert answer.code == 1
    assert "Line 2 does not follow" in answer.err


def test_where_no_log_is_kept_it_is_said(capsys, monkeypatch):
    monkeypatch.setenv("RUN_INSPECTOR_EXPORT_LOG", "off")
    assert called(capsys, "log").code == 2


def test_a_signature_beside_a_file_is_checked_with_the_keys_that_are_trusted(
    capsys, signed, key, tmp_path, monkeypatch
):
    from inspector.trust import signing

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    keys = signing.keys_folder()
    assert keys.is_relative_to(tmp_path)
    answer = called(capsys, "verify", signed)
    assert answer.code == 0
    assert "signature unknown: It is signed by the key" in answer.out
    keys.mkdir(parents=True)
    shutil.copy(key.with_suffix(".pub"), keys)
    answer = called(capsys, "verify", signed)
    assert answer.code == 0
    assert "signature good: ada (" in answer.out
    (tmp_path / "a.run.json.minisig").write_text("hello")
    answer = called(capsys, "verify", signed)
    assert answer.code == 1
    assert "signature bad" in answer.out
