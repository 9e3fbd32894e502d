"""Signatures are those of minisign, and say of a file what is so."""

import shutil
import subprocess
from pathlib import Path

import pytest

from inspector.errors import InspectorError
from inspector.trust import signing
from inspector.trust.signing import (
    check_signature,
    make_key,
    public_key,
    sign_file,
    trusted_keys,
)

pytest.importorskip("minisign", reason="py-minisign (extra sign) is not installed")
SAMPLE = Path(__file__).parents[1] / "data" / "runs" / "sample-1.run.json"
MINISIGN = shutil.which("minisign")
real = pytest.mark.skipif(MINISIGN is None, reason="the program minisign is not on this machine")


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path / "a.run.json"))


@pytest.fixture
def key(tmp_path: Path) -> Path:
    make_key(tmp_path / "ada.key", "")
    return tmp_path / "ada.key"


@pytest.fixture
def public(key: Path) -> str:
    return public_key(str(key.with_suffix(".pub")))[1]


def never() -> str:
    raise AssertionError("nobody is to be asked")


def test_a_signed_file_is_known_by_the_key_that_signed_it(
    run_file: Path, key: Path, public: str
) -> None:
    place = sign_file(run_file, key, never)
    assert place == run_file.with_name("a.run.json.minisig")
    signed = check_signature(run_file, {"ada": public})
    assert (signed.state, signed.name) == ("good", "ada")
    assert signed.key in signed.message
    assert "file:a.run.json" in signed.comment


def test_a_file_that_changed_by_one_byte_is_not_the_one_that_was_signed(
    run_file: Path, key: Path, public: str
) -> None:
    sign_file(run_file, key, never)
    data = bytearray(run_file.read_bytes())
    data[100] ^= 1
    run_file.write_bytes(data)
    signed = check_signature(run_file, {"ada": public})
    assert signed.state == "bad"
    assert signed.comment == ""


def test_a_comment_that_was_changed_is_not_repeated(run_file: Path, key: Path, public: str) -> None:
    place = sign_file(run_file, key, never)
    place.write_bytes(place.read_bytes().replace(b"file:a.run", b"file:b.run"))
    assert check_signature(run_file, {"ada": public}).state == "bad"


def test_a_signature_by_another_key_is_unknown_and_vouches_for_nothing(
    run_file: Path, key: Path, tmp_path: Path
) -> None:
    make_key(tmp_path / "eve.key", "")
    sign_file(run_file, tmp_path / "eve.key", never)
    ada = public_key(str(tmp_path / "ada.pub"))[1]
    signed = check_signature(run_file, {"ada": ada})
    assert signed.state == "unknown"
    assert "none of those that you trust" in signed.message
    assert check_signature(run_file, {}).state == "unknown"


def test_a_key_that_only_pretends_to_be_known_is_found_out(
    run_file: Path, key: Path, public: str, tmp_path: Path
) -> None:
    """Another key under the same id: ids are no secret, and anybody may take one."""
    import base64

    make_key(tmp_path / "eve.key", "")
    place = sign_file(run_file, tmp_path / "eve.key", never)
    lines = place.read_bytes().split(b"\n")
    packed = bytearray(base64.b64decode(lines[1]))
    packed[2:10] = base64.b64decode(public)[2:10]
    lines[1] = base64.b64encode(bytes(packed))
    place.write_bytes(b"\n".join(lines))
    assert check_signature(run_file, {"ada": public}).state == "bad"


def test_without_a_signature_nothing_is_said(run_file: Path, public: str) -> None:
    assert check_signature(run_file, {"ada": public}).state == "none"


@pytest.mark.parametrize("text", [b"", b"hello", b"a\nb\nc\nd\n", b"\xff" * 300, b"x" * 20_000])
def test_a_damaged_signature_is_a_sentence(run_file: Path, public: str, text: bytes) -> None:
    run_file.with_name("a.run.json.minisig").write_bytes(text)
    assert check_signature(run_file, {"ada": public}).state in ("bad", "none")


def test_a_key_with_a_password_asks_for_it(run_file: Path, tmp_path: Path) -> None:
    word = "a made up " + "word"
    make_key(tmp_path / "ada.key", word)
    with pytest.raises(InspectorError, match="not the password"):
        sign_file(run_file, tmp_path / "ada.key", lambda: "another")
    assert not run_file.with_name("a.run.json.minisig").exists()
    assert sign_file(run_file, tmp_path / "ada.key", lambda: word).is_file()


def test_a_key_is_for_its_owner_only_and_never_written_over(key: Path, tmp_path: Path) -> None:
    assert key.stat().st_mode & 0o077 == 0
    with pytest.raises(InspectorError, match="already"):
        make_key(key, "")


def test_what_is_no_key_is_said_to_be_none(run_file: Path, tmp_path: Path) -> None:
    with pytest.raises(InspectorError, match="no secret key"):
        sign_file(run_file, run_file, never)
    with pytest.raises(InspectorError, match="There is no secret key"):
        sign_file(run_file, tmp_path / "gone.key", never)
    with pytest.raises(InspectorError, match="no public key of minisign"):
        public_key(str(_text(tmp_path)))
    with pytest.raises(InspectorError, match="There is no public key"):
        public_key(str(tmp_path / "gone.pub"))


def _text(folder: Path) -> Path:
    place = folder / "text.pub"
    place.write_text("hello\n")
    return place


def test_keys_that_are_trusted_lie_in_a_folder(key: Path, tmp_path: Path, public: str) -> None:
    _text(tmp_path)
    assert trusted_keys(tmp_path) == {"ada": public}
    assert trusted_keys(tmp_path / "gone") == {}


@real
def test_minisign_itself_accepts_our_signature(run_file: Path, key: Path) -> None:
    assert MINISIGN is not None
    sign_file(run_file, key, never)
    ran = subprocess.run(
        [MINISIGN, "-V", "-p", str(key.with_suffix(".pub")), "-m", str(run_file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Signature and comment signature verified" in ran.stdout
    run_file.write_bytes(run_file.read_bytes() + b" ")
    ran = subprocess.run(
        [MINISIGN, "-V", "-p", str(key.with_suffix(".pub")), "-m", str(run_file)],
        capture_output=True,
        check=False,
    )
    assert ran.returncode != 0


@real
def test_we_accept_a_signature_of_minisign_itself(run_file: Path, tmp_path: Path) -> None:
    assert MINISIGN is not None
    secret, public = tmp_path / "m.key", tmp_path / "m.pub"
    make = [MINISIGN, "-G", "-W", "-p", str(public), "-s", str(secret)]
    subprocess.run(make, capture_output=True, check=True)
    sign = [MINISIGN, "-S", "-s", str(secret), "-m", str(run_file)]
    subprocess.run(sign, capture_output=True, check=True)
    signed = check_signature(run_file, dict([public_key(str(public))]))
    assert (signed.state, signed.name) == ("good", "m")
    assert sign_file(run_file, secret, never).is_file()


def test_a_signature_of_the_old_kind_is_checked_where_that_takes_little_memory(
    run_file: Path, key: Path, public: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import minisign

    secret = minisign.SecretKey.from_file(key)
    old = secret.sign_file(run_file, prehash=False)
    run_file.with_name("a.run.json.minisig").write_bytes(bytes(old) + b"\n")
    assert check_signature(run_file, {"ada": public}).state == "good"
    monkeypatch.setattr(signing, "_LARGEST_UNHASHED", 1_000)
    signed = check_signature(run_file, {"ada": public})
    assert signed.state == "unknown"
    assert "old way" in signed.message
