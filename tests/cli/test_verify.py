"""`verify` says whether a file is as it was recorded, with an exit code for scripts."""

import json

import pytest

from tests.cli.commands import SAMPLE, called, program


@pytest.fixture
def forged(tmp_path):
    path = tmp_path / "forged.run.json"
    path.write_bytes(SAMPLE.read_bytes().replace(b"who lives in Paris?", b"who lives in Milan?"))
    return path


def test_a_file_as_it_was_recorded(capsys):
    assert called(capsys, "verify", SAMPLE) == (0, "ok: Every record is as it was written.\n", "")


def test_a_file_that_changed_names_the_records(capsys, forged):
    answer = called(capsys, "verify", forged)
    assert answer.code == 1
    assert answer.out == "changed: 3 records changed.\n  run\n  span s1\n  span s2\n"


def test_json_for_scripts(capsys, forged):
    answer = called(capsys, "verify", forged, "--json")
    assert answer.code == 1
    tree = json.loads(answer.out)
    assert (tree["state"], tree["changed"]) == ("changed", ["run", "span s1", "span s2"])


def test_a_file_without_digests_is_not_vouched_for(capsys, tmp_path):
    tree = json.loads(SAMPLE.read_text())
    del tree["record_digests"], tree["digest"]
    path = tmp_path / "bare.run.json"
    path.write_text(json.dumps(tree))
    answer = called(capsys, "verify", path)
    assert answer.code == 1
    assert answer.out == "none: The file holds no digests, so nothing can be said.\n"


def test_a_cut_off_file_is_found_and_what_it_lacks_is_said(capsys, tmp_path):
    path = tmp_path / "cut.run.json"
    path.write_bytes(SAMPLE.read_bytes()[:-500])
    answer = called(capsys, "verify", path)
    assert answer.code == 1
    assert "cut off" in answer.err


def test_what_is_no_run_cannot_be_checked(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("{}")
    answer = program("verify", path)
    assert answer.code == 2
    assert "is JSON, but no run" in answer.err
