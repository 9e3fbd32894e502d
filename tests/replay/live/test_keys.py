"""Keys come from the environment, from the keyring, or from a person, and are kept by nobody."""

import copy
import os
import pickle
from pathlib import Path

import pytest

from inspector.errors import InspectorError
from inspector.replay.keyring_asking import RingAnswer, keep_in_ring, read_ring
from inspector.replay.keys import KeySource, SessionKeys, may_be_given

BACKEND = '''
"""A keyring that is a file beside it."""

import json, pathlib, time
from keyring.backend import KeyringBackend

PLACE = pathlib.Path(__file__).with_name("ring.json")


class Ring(KeyringBackend):
    priority = 1

    def _all(self):
        return json.loads(PLACE.read_text()) if PLACE.exists() else {}

    def get_password(self, service, name):
        if name == "SLOW":
            time.sleep(60)
        if name == "BROKEN":
            raise RuntimeError("of value secret-in-an-error")
        return self._all().get(f"{service}/{name}")

    def set_password(self, service, name, value):
        PLACE.write_text(json.dumps({**self._all(), f"{service}/{name}": value}))
'''


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "paper_ring.py").write_text(BACKEND)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "paper_ring.Ring")
    return tmp_path / "ring.json"


def test_what_is_kept_in_the_keyring_is_found_there(ring: Path) -> None:
    assert read_ring(("A_KEY",)) == RingAnswer({})
    assert keep_in_ring("A_KEY", "one").problem == ""
    assert read_ring(("A_KEY", "B_KEY")).values == {"A_KEY": "one"}


def test_a_system_without_a_keyring_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    assert read_ring(("A_KEY",)) == RingAnswer({}, "This system has no keyring.")


def test_a_keyring_that_waits_for_a_person_is_not_waited_for(ring: Path) -> None:
    assert "did not answer within" in read_ring(("SLOW",), wait_s=5).problem


def test_a_keyring_is_not_waited_for_once_nobody_wants_to_know(ring: Path) -> None:
    asked: list[bool] = []

    def cancelled() -> bool:
        asked.append(True)
        return True

    assert read_ring(("SLOW",), wait_s=3_600, cancelled=cancelled).values == {}
    assert asked == [True]


def test_a_keyring_that_breaks_tells_no_value(ring: Path) -> None:
    problem = read_ring(("BROKEN",)).problem
    assert problem == "The keyring failed (RuntimeError)."


def test_a_module_of_a_stranger_s_folder_is_not_taken_for_the_keyring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    (tmp_path / "keyring.py").write_text("open('taken', 'w').close()")
    (tmp_path / "json.py").write_text("open('taken', 'w').close()")
    monkeypatch.chdir(tmp_path)
    assert read_ring(("A_KEY",)).problem == "This system has no keyring."
    assert not (tmp_path / "taken").exists()


def test_what_is_typed_counts_before_the_environment_and_that_before_the_keyring(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = SessionKeys()
    assert keys.source_of("A_KEY") is KeySource.NOWHERE
    keys.take_from_ring({"A_KEY": "of the ring"})
    assert keys.source_of("A_KEY") is KeySource.KEYRING
    assert keys.environment(["A_KEY", "B_KEY"]) == {"A_KEY": "of the ring"}
    monkeypatch.setenv("A_KEY", "of the environment")
    assert keys.source_of("A_KEY") is KeySource.ENVIRONMENT
    assert keys.environment(["A_KEY"]) == {}, "a worker has it anyway"
    keys.give("A_KEY", "typed")
    assert keys.environment(["A_KEY"]) == {"A_KEY": "typed"}
    keys.give("A_KEY", "")
    assert keys.source_of("A_KEY") is KeySource.ENVIRONMENT


def test_keys_are_neither_shown_nor_copied_nor_kept() -> None:
    keys = SessionKeys()
    keys.give("A_KEY", "very-secret")
    keys.take_from_ring({"B_KEY": "very-secret"})
    assert "secret" not in repr(keys)
    assert "secret" not in repr(RingAnswer({"A_KEY": "very-secret"}))
    for keep in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(InspectorError, match="are not kept"):
            keep(keys)
    keys.forget()
    assert keys.environment(["A_KEY", "B_KEY"]) == {}


@pytest.mark.parametrize(
    "name", ["PATH", "LD_PRELOAD", "PYTHONPATH", "pythonstartup", "", "A B", "A=B", "X" * 300]
)
def test_no_file_has_a_person_set_what_is_no_key(name: str) -> None:
    assert not may_be_given(name)
    keys = SessionKeys()
    with pytest.raises(InspectorError, match="is no variable that holds a key"):
        keys.give(name, "value")
    keys.take_from_ring({name: "value"})
    assert keys.environment([name]) == {}
    assert os.environ.get(name) != "value"
