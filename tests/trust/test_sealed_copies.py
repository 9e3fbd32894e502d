"""Sealed copies: of the file as it is, for public keys among lines, and never over the run."""

import json
from itertools import count

import pytest

pytest.importorskip("pyrage", reason="pyrage (extra seal) is not installed")

from inspector.errors import InspectorError
from inspector.runfile.load import load_run
from inspector.trust import unsealing
from inspector.trust.sealed_copies import For, bytes_of_copy, keys_among, write_sealed
from inspector.trust.sealing import Secret, new_key, public_of, seal, unseal
from tests.redaction.runs import made_bytes, span


@pytest.fixture
def origin(tmp_path):
    place = tmp_path / "pump.run.json"
    place.write_bytes(made_bytes(span(1, inputs={"q": "why"})))
    return place


@pytest.fixture(autouse=True)
def log_of_exports(tmp_path, monkeypatch):
    place = tmp_path / "exports.jsonl"
    monkeypatch.setenv("RUN_INSPECTOR_EXPORT_LOG", str(place))
    return place


def test_the_copy_holds_the_file_as_it_is_and_the_log_names_it(origin, tmp_path, log_of_exports):
    secret, public = new_key()
    place = tmp_path / "pump.run.json.age"
    before = origin.read_bytes()
    told = write_sealed(load_run(origin), origin, place, For(keys=(public,)))
    assert told == ""
    assert unseal(place.read_bytes(), Secret(keys=(secret,))) == before == origin.read_bytes()
    assert json.loads(log_of_exports.read_text())["what"] == "seal"


def test_a_run_that_was_opened_sealed_is_sealed_again_as_it_is(origin, tmp_path):
    place = tmp_path / "pump.run.json.age"
    plain = origin.read_bytes()
    place.write_bytes(seal(plain, to=[new_key()[1]]))
    again = load_run(bytes_of_copy(load_run(plain), place))
    assert again.spans[0].inputs["q"] == "why"
    assert again.verify().state == "ok"


def test_a_file_that_was_changed_since_it_was_read_is_not_sealed(origin, tmp_path):
    run = load_run(origin)
    origin.write_bytes(made_bytes(span(1)).replace(run.id.encode(), b"another"))
    with pytest.raises(InspectorError, match="changed by another program"):
        write_sealed(run, origin, tmp_path / "copy.age", For(keys=(new_key()[1],)))
    assert not (tmp_path / "copy.age").exists()


@pytest.mark.parametrize("linked", [False, True])
def test_the_run_itself_is_never_overwritten(origin, tmp_path, linked):
    place = tmp_path / "link.age" if linked else origin
    if linked:
        place.hardlink_to(origin)
    before = origin.read_bytes()
    with pytest.raises(InspectorError, match="is the run itself"):
        write_sealed(load_run(origin), origin, place, For(keys=(new_key()[1],)))
    assert origin.read_bytes() == before


def test_lines_are_read_as_public_keys_each_once():
    secret, public = new_key()
    other = new_key()[1]
    assert keys_among(f"# the team\n{public}\n\n {other} \n{public}") == (public, other)
    assert public_of([secret]) == [public]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "A public key is needed"),
        ("# nobody\n", "A public key is needed"),
        ("ada@example.org", "is no public key"),
        ("/etc/passwd", "is no public key"),
        ("age1nonsense", "is no public key"),
        ("AGE-SECRET-KEY-1" + "Q" * 58, "secret key"),
    ],
)
def test_what_is_no_public_key_is_refused_in_words(text, says):
    with pytest.raises(InspectorError, match=says):
        keys_among(text)


def test_who_may_open_it_is_never_printed_with_the_passphrase():
    assert repr(For(("age1",), "a phrase")) == "For(1 keys, a passphrase)"


def test_a_copy_larger_than_a_pipe_is_sealed_and_opened_however_slow_the_other_process_is(
    monkeypatch,
):
    monkeypatch.setattr(unsealing, "_LOOK_S", 0.001)  # it is looked after before it reads
    secret, public = new_key()
    data = b"{" + b"pump " * 400_000
    looks = count()

    def cancelled():
        return next(looks) > 60_000

    sealed = unsealing.sealed_elsewhere(data, [public], "", cancelled)
    assert unsealing.unsealed_elsewhere(sealed, Secret(keys=(secret,)), cancelled) == data
