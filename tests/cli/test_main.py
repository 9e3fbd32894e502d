"""The command line: one command, one exit code, and a sentence when it cannot."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli.main import COMMANDS
from inspector.cli.output import complain, place_to_write
from inspector.errors import InspectorError
from tests.cli.commands import ROOT, SAMPLE, called, program


def test_help_names_every_command(capsys):
    answer = called(capsys, "--help")
    assert answer.code == 0
    for name in COMMANDS:
        assert f"  {name} " in answer.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(capsys, name):
    answer = called(capsys, name, "--help")
    assert answer.code == 0
    assert f"run-inspector {name}" in answer.out


def test_a_command_that_is_misspelt_is_said(capsys):
    answer = called(capsys, "shwo", "x.run.json")
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err == (
        "run-inspector: There is no command and no file called shwo.\n"
        "  Did you mean `run-inspector show`?\n"
    )


def test_a_word_that_is_too_long_for_a_file_is_said(capsys):
    answer = called(capsys, "x" * 5_000)
    assert answer.code == 2
    assert answer.err.startswith("run-inspector: There is no command and no file called xxx")


def test_wrong_arguments_are_an_exit_code_of_two(capsys):
    answer = called(capsys, "show")
    assert answer.code == 2
    assert "the following arguments are required: file" in answer.err


def test_a_file_that_cannot_be_read_is_one_sentence_and_a_hint(capsys):
    answer = called(capsys, "show", "gone.run.json")
    assert answer.code == 2
    assert answer.out == ""
    first, second = answer.err.splitlines()
    assert first == "run-inspector: Cannot open gone.run.json: there is no such file."
    assert second.startswith("  ")


def test_the_version_is_told(capsys):
    assert called(capsys, "--version").out.startswith("run-inspector ")


def test_a_reader_that_goes_away_is_no_failure(tmp_path):
    command = f"{sys.executable} -m inspector.cli.main show {SAMPLE} --values --json | true"
    if os.name == "nt":
        pytest.skip("cmd has no such pipe")
    script = f"set -o pipefail; for n in 1 2 3; do {command} || exit 9; done"
    ran = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=100,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_terminal_that_lacks_signs_gets_escapes(tmp_path):
    answer = program("show", SAMPLE, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert answer.code == 0
    assert "\\u2514" in answer.out


def test_commands_load_only_what_they_need():
    code = (
        "import sys; from inspector.cli.main import main\n"
        f"main(['show', {str(SAMPLE)!r}])\n"
        "heavy = {'haystack', 'PySide6', 'numpy', 'deepdiff', 'keyring', 'asyncio'}\n"
        "sys.stderr.write(str(sorted(heavy & set(sys.modules))))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stderr == "[]"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has it")
def test_an_answer_that_finds_no_room_is_said():
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "inspector.cli.main", "show", str(SAMPLE)],
            stdout=full, stderr=subprocess.PIPE, cwd=ROOT, timeout=100, text=True, check=False,
        )  # fmt: skip
    assert ran.returncode == 2
    assert ran.stderr == "run-inspector: Cannot write all of it: No space left on device.\n"


@pytest.mark.skipif(os.name == "nt", reason="it needs a shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_program_without_an_output_answers_by_its_code(closed):
    command = f'exec "{sys.executable}" -m inspector.cli.main verify "{SAMPLE}" {closed}'
    ran = subprocess.run(
        ["/bin/sh", "-c", command], cwd=ROOT, timeout=100, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")


def test_where_nothing_may_be_written_is_said_before_anything_runs():
    was_root = os.geteuid() == 0
    if was_root:  # who may write everywhere
        os.seteuid(65534)
    try:
        with pytest.raises(InspectorError, match=r"^Nothing may be written to /\.$"):
            place_to_write(Path("/out.run.json"))
    finally:
        if was_root:
            os.seteuid(0)


def test_a_file_called_standard_output_is_not_written():
    with pytest.raises(InspectorError, match="not to standard output"):
        place_to_write(Path("-"))


def test_an_error_as_long_as_a_book_is_cut(capsys):
    complain("x" * 100_000, "y" * 100_000)
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("run-inspector: xxx")
    assert len(first) + len(second) < 10_000
