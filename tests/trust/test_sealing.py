"""What is sealed opens for those it is sealed for, and for nobody else; it is age's own format."""

import shutil
import subprocess
from pathlib import Path

import pytest

from inspector.errors import InspectorError, SealedFileError
from inspector.runfile.load import load_run
from inspector.trust.sealing import (
    SealedBy,
    Secret,
    is_sealed,
    keys_in,
    keys_of_file,
    new_key,
    recipients_in,
    seal,
    sealed_by,
    unseal,
)
from inspector.trust.unsealing import unsealed_elsewhere

pyrage = pytest.importorskip("pyrage", reason="pyrage (extra seal) is not installed")
SAMPLE = Path(__file__).parents[1] / "data" / "runs" / "sample-1.run.json"
PLAIN = SAMPLE.read_bytes()
WORD = "a made up " + "phrase"
AGE, KEYGEN = shutil.which("age"), shutil.which("age-keygen")
real = pytest.mark.skipif(
    AGE is None or KEYGEN is None, reason="the program age is not on this machine"
)


@pytest.fixture(scope="module")
def by_phrase() -> bytes:
    return seal(PLAIN, passphrase=WORD)


@pytest.fixture(scope="module")
def keys() -> tuple[str, str]:
    return new_key()


def test_a_run_that_is_sealed_for_a_key_opens_with_it(keys: tuple[str, str]) -> None:
    secret, public = keys
    sealed = seal(PLAIN, to=[public, new_key()[1]])
    assert is_sealed(sealed)
    assert sealed_by(sealed) is SealedBy.KEY
    assert b"Paris" not in sealed
    assert unseal(sealed, Secret(keys=(secret,))) == PLAIN


def test_another_key_opens_nothing(keys: tuple[str, str]) -> None:
    sealed = seal(PLAIN, to=[keys[1]])
    with pytest.raises(InspectorError, match="sealed for another key"):
        unseal(sealed, Secret(keys=(new_key()[0],)))


def test_a_passphrase_opens_and_another_does_not(by_phrase: bytes) -> None:
    assert sealed_by(by_phrase) is SealedBy.PASSPHRASE
    assert unseal(by_phrase, Secret(passphrase=WORD)) == PLAIN
    with pytest.raises(InspectorError, match="not its passphrase"):
        unseal(by_phrase, Secret(passphrase="another"))


def test_the_wrong_kind_of_secret_is_said(by_phrase: bytes, keys: tuple[str, str]) -> None:
    with pytest.raises(InspectorError, match="with a passphrase, not for a key"):
        unseal(by_phrase, Secret(keys=(keys[0],)))
    with pytest.raises(InspectorError, match="for a key, not with a passphrase"):
        unseal(seal(PLAIN, to=[keys[1]]), Secret(passphrase=WORD))


def test_a_sealed_run_that_was_changed_does_not_open(keys: tuple[str, str]) -> None:
    sealed = bytearray(seal(PLAIN, to=[keys[1]]))
    sealed[-5] ^= 1
    with pytest.raises(InspectorError, match="damaged"):
        unseal(bytes(sealed), Secret(keys=(keys[0],)))
    for cut in (22, 60, len(sealed) - 5):
        with pytest.raises(InspectorError):
            unseal(bytes(sealed[:cut]), Secret(keys=(keys[0],)))


def test_a_file_that_would_keep_a_machine_busy_for_years_is_left_alone(by_phrase: bytes) -> None:
    first, stanza, rest = by_phrase.split(b"\n", 2)
    harder = b"\n".join([first, stanza.rsplit(b" ", 1)[0] + b" 40", rest])
    with pytest.raises(InspectorError, match="left alone"):
        unseal(harder, Secret(passphrase=WORD))


def test_sealed_text_is_known_too(keys: tuple[str, str], by_phrase: bytes) -> None:
    armoured = pyrage.encrypt(PLAIN, [pyrage.x25519.Recipient.from_str(keys[1])], armored=True)
    assert is_sealed(armoured)
    assert sealed_by(armoured) is SealedBy.KEY
    assert unseal(armoured, Secret(keys=(keys[0],))) == PLAIN


def test_a_sealed_run_says_so_where_a_run_is_expected(
    keys: tuple[str, str], tmp_path: Path
) -> None:
    place = tmp_path / "a.run.json.age"
    place.write_bytes(seal(PLAIN, to=[keys[1]]))
    with pytest.raises(SealedFileError, match="is sealed"):
        load_run(place)


def test_one_of_the_two_ways_has_to_be_chosen(keys: tuple[str, str]) -> None:
    for given in ({}, {"to": [keys[1]], "passphrase": WORD}):
        with pytest.raises(InspectorError, match="name one of the two"):
            seal(PLAIN, **given)  # type: ignore[arg-type]


def test_public_keys_are_given_or_stand_in_a_file(keys: tuple[str, str], tmp_path: Path) -> None:
    place = tmp_path / "team.txt"
    other = new_key()[1]
    place.write_text(f"# the team\n{keys[1]}\n\n{other}\n")
    assert recipients_in(str(place)) == [keys[1], other]
    assert recipients_in(keys[1]) == [keys[1]]
    for wrong in ("age1nothing", str(tmp_path / "gone")):
        with pytest.raises(InspectorError):
            recipients_in(wrong)


def test_a_secret_key_in_the_place_of_a_public_one_is_refused(keys: tuple[str, str]) -> None:
    with pytest.raises(InspectorError, match="no place in a command") as caught:
        recipients_in(keys[0])
    assert keys[0] not in str(caught.value) + caught.value.hint


def test_secret_keys_are_found_in_what_age_writes(keys: tuple[str, str], tmp_path: Path) -> None:
    text = f"# created: today\n# public key: {keys[1]}\n{keys[0]}\n"
    assert keys_in(text) == (keys[0],)
    (tmp_path / "k").write_text(text)
    assert keys_of_file(tmp_path / "k") == (keys[0],)
    with pytest.raises(InspectorError, match="no key in it"):
        keys_in("hello")


def test_no_secret_is_in_the_words_about_it(keys: tuple[str, str]) -> None:
    assert WORD not in repr(Secret(WORD))
    assert keys[0] not in repr(Secret(keys=(keys[0],)))


def test_another_process_unseals_the_same(by_phrase: bytes, keys: tuple[str, str]) -> None:
    def go_on() -> bool:
        return False

    assert unsealed_elsewhere(by_phrase, Secret(passphrase=WORD), go_on) == PLAIN
    with pytest.raises(InspectorError, match="not its passphrase"):
        unsealed_elsewhere(by_phrase, Secret(passphrase="another"), go_on)


def test_unsealing_elsewhere_is_stopped_when_asked(by_phrase: bytes) -> None:
    with pytest.raises(InspectorError, match="stopped"):
        unsealed_elsewhere(by_phrase, Secret(passphrase=WORD), lambda: True)


@real
def test_age_itself_opens_what_we_seal_and_we_what_it_seals(tmp_path: Path) -> None:
    assert AGE is not None
    assert KEYGEN is not None
    key, sealed, theirs = tmp_path / "key.txt", tmp_path / "a.age", tmp_path / "b.age"
    made = subprocess.run([KEYGEN, "-o", str(key)], capture_output=True, text=True, check=True)
    public = made.stderr.split()[-1]
    sealed.write_bytes(seal(PLAIN, to=[public]))
    opened = subprocess.run(
        [AGE, "-d", "-i", str(key), str(sealed)], capture_output=True, check=True
    )
    assert opened.stdout == PLAIN
    for more in ([], ["-a"]):
        command = [AGE, "-r", public, *more, "-o", str(theirs), str(SAMPLE)]
        subprocess.run(command, capture_output=True, check=True)
        assert unseal(theirs.read_bytes(), Secret(keys=keys_of_file(key))) == PLAIN


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not on this machine")
def test_a_key_of_ssh_does_as_well(tmp_path: Path) -> None:
    place = tmp_path / "id"
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(place)], check=True
    )  # fmt: skip
    public = recipients_in(str(tmp_path / "id.pub"))
    assert unseal(seal(PLAIN, to=public), Secret(keys=keys_of_file(place))) == PLAIN
