"""Code of a target may do what it likes: an exit code of ours never says what it did."""

import json
import os
import sys

import pytest

from tests.cli.commands import called, program

pytest.importorskip("haystack", reason="a target is run by the framework")
pytestmark = pytest.mark.haystack

TARGETS = '''
"""Targets that misbehave."""

import os
import subprocess
import sys

from tests.cli.plans import echo

class Odd(BaseException):
    pass

class Touchy:
    def __getattr__(self, name):
        raise ValueError("do not touch")

touchy = Touchy()

def leaves():
    sys.exit(0)

def leaves_with_words():
    sys.exit("enough")

def odd():
    raise Odd("how odd")

def talks():
    print("from Python")
    sys.stdout.buffer.write(b"from bytes\\n")
    subprocess.run([sys.executable, "-c", "print('from a program')"], check=True)
    return echo()

def closes():
    os.close(1)
    return echo()
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "odd_targets.py").write_text(TARGETS)
    (tmp_path / "leaves_at_import.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "data.json").write_text('{"echo": {"text": "hello"}}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("odd_targets", "leaves_at_import"):
        sys.modules.pop(name, None)


@pytest.fixture
def recorded(folder):
    from inspector import record_run
    from tests.cli.plans import echo

    path = folder / "echo.run.json"
    record_run(echo(), {"echo": {"text": "hello"}})[1].save(path)
    return path


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("odd_targets:leaves", "it ended the program, with 0"),
        ("odd_targets:leaves_with_words", "it ended the program, with 'enough'"),
        ("odd_targets:odd", "Odd: how odd"),
        ("odd_targets:touchy", "ValueError: do not touch"),
        ("leaves_at_import:anything", "it ended the program, with 0"),
        ("odd_targets.py:leaves", "Did you mean odd_targets?"),
        ("../odd_targets.py:leaves", "Did you mean odd_targets?"),
        (".odd_targets:leaves", "is no name of a module"),
    ],
)
def test_a_target_that_does_not_come_about_is_said_to_be_so(recorded, capsys, target, said):
    for words in (
        ("replay", recorded, "--pipeline", target),
        ("record", target, "-o", "new.run.json"),
    ):
        answer = called(capsys, *words)
        assert (answer.code, answer.out) == (2, "")
        assert said in answer.err
        assert "Traceback" not in answer.err


def test_what_has_no_such_attribute_names_nothing_that_cannot_be_run(recorded, capsys):
    answer = called(capsys, "replay", recorded, "--pipeline", "tests.cli.plans:nothing")
    assert answer.code == 2
    assert "It has: PIPELINE, part." in answer.err


def test_what_the_target_prints_is_not_among_the_data(recorded):
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}
    words = ("--pipeline", "odd_targets:talks", "--json")
    answer = program("replay", recorded, *words, env=env)
    assert answer.code == 0, answer.err
    assert json.loads(answer.out)["same"] is True
    for said in ("from Python", "from bytes", "from a program"):
        assert said in answer.err
    answer = program("record", "odd_targets:talks", "--data", "data.json", "--json", env=env)
    assert answer.code == 0, answer.err
    assert json.loads(answer.out)["status"] == "completed"


def test_a_target_that_closes_the_output_does_not_silence_us(recorded):
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}
    answer = program("replay", recorded, "--pipeline", "odd_targets:closes", env=env)
    assert answer.code == 0, answer.err
    assert "the same as recorded" in answer.out


def test_a_replay_that_fails_otherwise_is_not_called_the_same(recorded, folder, capsys):
    (folder / "other.json").write_text('{"echo": 3}')
    words = ("replay", recorded, "--pipeline", "tests.cli.plans:echo", "--data", "other.json")
    answer = called(capsys, *words)
    assert answer.code == 1
    assert "no drift, but it raised ValueError, which was not recorded." in answer.out
    assert "the same" not in answer.out


def test_where_to_write_is_looked_at_before_anything_runs(recorded, folder, capsys):
    for output, said in ((folder, "it is a directory"), (os.devnull, "not an ordinary file")):
        answer = called(
            capsys, "replay", recorded, "--pipeline", "odd_targets:leaves", "-o", output
        )
        assert answer.code == 2
        assert said in answer.err


def test_the_hint_of_a_drift_names_options_of_the_command(recorded, folder, capsys):
    from inspector import record_run
    from tests.replay.report import plans

    record_run(plans.same(), plans.DATA)[1].save("parts.run.json")
    answer = called(
        capsys, "replay", "parts.run.json", "--pipeline", "tests.replay.report.plans:longer",
        "--mode", "drift-ok",
    )  # fmt: skip
    assert answer.code == 1
    assert "hint: Pass --allow-live, or" in answer.err


def test_a_damaged_recording_is_said_to_be_so(recorded, folder, capsys):
    text = recorded.read_bytes()
    (folder / "cut.run.json").write_bytes(text[: len(text) // 2])
    words = ("--pipeline", "tests.cli.plans:echo", "--data", "data.json")
    answer = called(capsys, "replay", "cut.run.json", *words)
    assert answer.code in (1, 2)
    assert "cut off" in answer.err
