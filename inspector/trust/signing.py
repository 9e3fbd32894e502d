"""Signatures beside run files, in the format of minisign. The only importer of its library.

A digest in a file says that nothing changed since it was written; a signature says who vouches
for it. It signs the file's bytes as they are, so that any minisign can check it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from inspector.errors import InspectorError

if TYPE_CHECKING:
    from collections.abc import Callable

SUFFIX = ".minisig"
_LARGEST_UNHASHED = 64 * 2**20
_LARGEST_KEY = 10_000
_PUBLIC = re.compile(r"RW[A-Za-z0-9+/]{53}[A-Za-z0-9+/=]")
_NO_LIBRARY = "Signatures need the library py-minisign."
_HINT = "pip install 'haystack-run-inspector[sign]'"


@dataclass(frozen=True, slots=True)
class Signed:
    """What a signature beside a file says.

    Args:
        state: `good`; `bad` where it does not fit the file; `unknown` where it is by none of the
            keys that were given; `none` where there is no signature.
        key: The id of the key that signed, 16 hex digits; empty where none did.
        name: What the key that fits is called here.
        comment: What the signer wrote, which the signature covers; empty unless it is good.
        message: All of it in a sentence.

    """

    state: Literal["good", "bad", "unknown", "none"]
    key: str
    name: str
    comment: str
    message: str


def sign_file(path: Path, key: Path, ask: Callable[[], str], *, output: Path | None = None) -> Path:
    """Write a signature beside a file, and return where it is.

    Args:
        path: Which file.
        key: The file with the secret key.
        ask: Returns the password of the key; called only if it has one.
        output: Where the signature goes instead.

    Raises:
        InspectorError: There is no such key, its password is another, or it cannot be written.

    """
    from inspector.runfile.files import replace

    library = _library()
    secret = _secret_key(library, key, ask)
    place = output or path.with_name(path.name + SUFFIX)
    try:
        signature = secret.sign_file(path, prehash=True)
        for _ in replace(str(place), [bytes(signature), b"\n"]):
            pass
    except OSError as error:
        raise InspectorError(f"Cannot sign {path.name}: {error.strerror}.") from error
    except (library.Error, ValueError) as error:
        raise InspectorError(f"Cannot sign {path.name}: {error}.") from error
    finally:
        secret.wipe()
    return place


def make_key(place: Path, password: str) -> Path:
    """Make a key: the secret one at `place`, the public one beside it as `*.pub`.

    Args:
        place: Where nothing is yet.
        password: What the secret key is encrypted with; empty leaves it open.

    Raises:
        InspectorError: Something is there, or it cannot be written.

    """
    import os

    from inspector.runfile.files import open_new, write_all

    library = _library()
    public = place.with_name(f"{place.stem if place.suffix == '.key' else place.name}.pub")
    pair = library.KeyPair.generate()
    told = bytes(pair.public_key)
    if password:
        pair.secret_key.encrypt(password)
    for where, data in ((place, bytes(pair.secret_key)), (public, told)):
        try:
            descriptor = open_new(str(where), os.O_WRONLY)
        except FileExistsError as error:
            raise InspectorError(
                f"There is a {where.name} already.", hint="Name another file."
            ) from error
        except OSError as error:
            raise InspectorError(f"Cannot write {where}: {error.strerror}.") from error
        try:
            write_all(descriptor, data + b"\n")
        finally:
            os.close(descriptor)
    return public


def check_signature(path: Path, keys: dict[str, str], *, signature: Path | None = None) -> Signed:
    """Say whether a file is as one of these keys signed it.

    Args:
        path: Which file.
        keys: Public keys by what they are called here, as `public_key` returns them.
        signature: Where the signature is, unless it is beside the file.

    Raises:
        InspectorError: The library is missing, or the file cannot be read.

    """
    place = signature or path.with_name(path.name + SUFFIX)
    text = _small(place)
    if text is None:
        return Signed("none", "", "", "", f"There is no signature {place.name}.")
    library = _library()
    try:
        found = library.Signature.from_bytes(text)
    except (library.Error, ValueError):
        return Signed("bad", "", "", "", f"{place.name} is damaged, or no signature.")
    signer = _key_id(bytes(found).split(b"\n")[1])
    known = {_key_id(key.encode()): (name, key) for name, key in keys.items()}
    if signer not in known:
        return Signed(
            "unknown", signer, "", "",
            f"It is signed by the key {signer}, which is none of those that you trust."
            if keys
            else f"It is signed by the key {signer}; no key of yours says whose that is.",
        )  # fmt: skip
    name, key = known[signer]
    try:
        if not found.is_prehashed() and path.stat().st_size > _LARGEST_UNHASHED:
            # Anybody may put a signature of the old kind beside a huge file.
            return Signed(
                "unknown", signer, name, "",
                f"It is signed in minisign's old way, by {name} if at all, which is checked up to"
                f" {_LARGEST_UNHASHED // 2**20} MiB: it takes the whole file in memory.",
            )  # fmt: skip
        library.PublicKey.from_base64(key).verify_file(path, found)
    except OSError as error:
        raise InspectorError(f"Cannot read {path.name}: {error.strerror}.") from error
    except (library.Error, ValueError):
        return Signed(
            "bad", signer, name, "", f"The file is not the one that {name} ({signer}) signed."
        )
    comment = str(found.trusted_comment)
    return Signed("good", signer, name, comment, f"{name} ({signer}) signed this file.")


def signature_beside(path: Path, signature: Path | None = None) -> Signed | None:
    """Say what the signature beside a file says by the keys that are trusted; None without one."""
    place = signature or path.with_name(path.name + SUFFIX)
    if not place.is_file():
        return None
    try:
        return check_signature(path, trusted_keys(keys_folder()), signature=place)
    except InspectorError as error:  # such as a library that is not installed
        return Signed("unknown", "", "", "", f"A signature lies beside it. {error}")


def public_key(given: str) -> tuple[str, str]:
    """Return what a public key is called, and the key, from a file or from the key itself.

    Raises:
        InspectorError: It is neither.

    """
    if _PUBLIC.fullmatch(given.strip()):
        return "the key", given.strip()
    path = Path(given)
    text = _small(path)
    if text is None:
        raise InspectorError(
            f"There is no public key {given[:200]}.",
            hint="Name the *.pub file of who signed, or the line in it that begins with RW.",
        )
    if (found := _line_of_key(text)) is None:
        raise InspectorError(f"{path.name} is no public key of minisign.")
    return path.stem, found


def trusted_keys(folder: Path) -> dict[str, str]:
    """Return the public keys in a folder by the names of their files; damaged ones are none."""
    found: dict[str, str] = {}
    try:
        places = sorted(folder.glob("*.pub"))[:200]
    except OSError:
        return found
    for place in places:
        text = _small(place)
        if text is not None and (key := _line_of_key(text)) is not None:
            found[place.stem] = key
    return found


def keys_folder() -> Path:
    """Return the folder in which a person keeps the public keys that they trust."""
    from platformdirs import user_config_path

    return user_config_path("run-inspector", appauthor=False) / "keys"


def _line_of_key(text: bytes) -> str | None:
    lines = text.decode("utf-8", "replace").splitlines()
    return next((line.strip() for line in lines if _PUBLIC.fullmatch(line.strip())), None)


def _key_id(line: bytes) -> str:
    """Return the id of a key as minisign writes it, from the base64 that holds it."""
    import base64

    packed = base64.b64decode(line)
    return packed[2:10][::-1].hex().upper()


def _secret_key(library: Any, place: Path, ask: Callable[[], str]) -> Any:
    text = _small(place)
    if text is None:
        raise InspectorError(
            f"There is no secret key {place}.",
            hint="Name it with --key, or make one: run-inspector sign --make-key FILE",
        )
    try:
        secret = library.SecretKey.from_bytes(text)
    except (library.Error, ValueError) as error:
        raise InspectorError(f"{place.name} is no secret key of minisign.") from error
    if secret.is_encrypted():
        try:
            secret.decrypt(ask())
        except (library.Error, ValueError) as error:
            raise InspectorError(f"That is not the password of {place.name}.") from error
    return secret


def _small(place: Path) -> bytes | None:
    """Return what a key or a signature has in it; None of what is none."""
    try:
        if not place.is_file():
            return None
        with place.open("rb") as file:
            text = file.read(_LARGEST_KEY + 1)
    except (OSError, ValueError):
        return None
    return text if len(text) <= _LARGEST_KEY else None


def _library() -> Any:
    try:
        import minisign
    except ImportError as error:
        raise InspectorError(_NO_LIBRARY, hint=_HINT) from error
    return minisign
