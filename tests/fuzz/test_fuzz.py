"""A few hundred rounds of the fuzz target, with seeds that never change."""

import pytest

from tests.fuzz.fuzz_load import main, try_one


@pytest.mark.parametrize("first", range(0, 600, 100))
def test_spoilt_files_give_a_run_or_a_sentence(first):
    assert [found for seed in range(first, first + 100) if (found := try_one(seed))] == []


def test_the_fuzz_target_runs_by_itself(capsys):
    assert main(["--rounds", "3", "--seed", "7"]) == 0
    assert "3 rounds, 0 found" in capsys.readouterr().out
