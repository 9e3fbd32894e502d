"""What the command says of a replay on stubs is what really happened."""

from pathlib import Path

import pytest

from inspector.cli.main import main
from tests.replay.worker.test_file_wall import HARMLESS, recorded


def test_what_was_listed_as_real_and_cannot_be_made_is_said_to_be_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Nested so deeply that no template can be made of it; the same inputs are named in it.
    template = "{{ " + "(" * 3_000 + "stream" + ")" * 3_000 + " }}" + HARMLESS
    assert main(["replay", "--stub", str(recorded(tmp_path, template))]) == 0
    said = capsys.readouterr()
    assert "real: builder" in said.err
    assert "note: builder was answered after all" in said.err
    assert "none live" in said.out


def test_what_ran_is_not_said_to_be_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", "--stub", str(recorded(tmp_path, HARMLESS))]) == 0
    said = capsys.readouterr()
    assert "real: builder" in said.err
    assert "answered after all" not in said.err
