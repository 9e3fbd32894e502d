"""Runs that only some may read, in the age format. The only importer of its library.

Everything happens in memory: what is unsealed is written nowhere by what stands here.
"""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.errors import InspectorError
from inspector.runfile.sniff import SEALED_MARKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SUFFIX = ".age"
IDENTITY, PASSPHRASE = "AGE_IDENTITY", "AGE_PASSPHRASE"
"""What the secrets are called in the keyring."""

_HEAD = 64 * 1024
_LARGEST_KEYS = 64 * 1024
_KEY = re.compile(r"AGE-SECRET-KEY-1[A-Z0-9]{20,100}")
_SSH = "-----BEGIN OPENSSH PRIVATE KEY-----"
_BY_PASSPHRASE = b"\n-> scrypt "


class SealedBy(StrEnum):
    """What opens a sealed file."""

    PASSPHRASE = "passphrase"  # noqa: S105 - what it is called
    KEY = "key"


class Secret(NamedTuple):
    """What is to open a sealed file: a passphrase, or keys, each as a text."""

    passphrase: str = ""
    keys: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Say how many there are, and none of them."""
        return f"Secret({'a passphrase' if self.passphrase else ''}{len(self.keys)} keys)"


def is_sealed(data: bytes) -> bool:
    """Say whether data begins like a sealed file."""
    return data.startswith(SEALED_MARKS)


def sealed_by(data: bytes) -> SealedBy:
    """Say what a sealed file is to be opened with."""
    head = data[:_HEAD]
    if not head.startswith(SEALED_MARKS[0]):
        head = _unarmoured(head)
    lines = head.split(b"\n---", 1)[0]
    return SealedBy.PASSPHRASE if _BY_PASSPHRASE in lines else SealedBy.KEY


def seal(data: bytes, *, to: Sequence[str] = (), passphrase: str = "") -> bytes:
    """Return data that only the owners of these keys, or who has the passphrase, can read.

    Args:
        data: A run's file, as it is.
        to: Public keys: `age1…` or those of ssh.
        passphrase: Instead of keys.

    Raises:
        InspectorError: There is neither or both, or a key is none.

    """
    if bool(to) == bool(passphrase):
        raise InspectorError("A run is sealed for keys or with a passphrase: name one of the two.")
    library = _library()
    if passphrase:
        return bytes(library.passphrase.encrypt(data, passphrase))
    return bytes(library.encrypt(data, [_recipient(library, key) for key in to]))


def unseal(data: bytes, secret: Secret) -> bytes:
    """Return what is sealed.

    Raises:
        InspectorError: The secret does not open it, or it is damaged.

    """
    library = _library()
    by = sealed_by(data)
    if by is SealedBy.PASSPHRASE and not secret.passphrase:
        raise InspectorError("It is sealed with a passphrase, not for a key.")
    if by is SealedBy.KEY and not secret.keys:
        raise InspectorError("It is sealed for a key, not with a passphrase.")
    try:
        if by is SealedBy.PASSPHRASE:
            return bytes(library.passphrase.decrypt(data, secret.passphrase))
        return bytes(library.decrypt(data, [_identity(library, key) for key in secret.keys]))
    except library.DecryptError as error:
        raise _why(error, by) from error


def recipients_in(given: str) -> list[str]:
    """Return the public keys that were named: the key itself, or a file with one a line.

    Raises:
        InspectorError: It is neither.

    """
    given = given.strip()
    if given.startswith(("age1", "ssh-")):
        _recipient(_library(), given)
        return [given]
    if _KEY.search(given.upper()):
        raise InspectorError(
            "That is a secret key, and has no place in a command.",
            hint="Seal for the public one, which begins with age1; then make another secret key.",
        )
    lines = [line.strip() for line in _text_of(Path(given)).splitlines()]
    keys = [line for line in lines if line and not line.startswith("#")]
    if not keys:
        raise InspectorError(f"There is no public key in {given[:200]}.")
    library = _library()
    for key in keys:
        _recipient(library, key)
    return keys


def keys_in(text: str) -> tuple[str, ...]:
    """Return the secret keys in a text, as age-keygen and ssh-keygen write them.

    Raises:
        InspectorError: There are none.

    """
    if text.lstrip().startswith(_SSH):
        return (text,)
    keys = tuple(_KEY.findall(text))
    if not keys:
        raise InspectorError(
            "There is no key in it.", hint="A key of age begins with AGE-SECRET-KEY-1."
        )
    return keys


def keys_of_file(place: Path) -> tuple[str, ...]:
    """Return the secret keys in a file.

    Raises:
        InspectorError: It cannot be read, or there are none.

    """
    return keys_in(_text_of(place))


def new_key() -> tuple[str, str]:
    """Return a new secret key, and the public one that others seal for.

    Raises:
        InspectorError: The library is missing.

    """
    made = _library().x25519.Identity.generate()
    return str(made), str(made.to_public())


def public_of(keys: Sequence[str]) -> list[str]:
    """Return the public keys that belong to secret ones; those of ssh say none.

    Raises:
        InspectorError: A key is damaged, or the library is missing.

    """
    library = _library()
    known = [_identity(library, key) for key in keys if not key.lstrip().startswith(_SSH)]
    return [str(identity.to_public()) for identity in known]


def _why(error: Exception, by: SealedBy) -> InspectorError:
    said = str(error)
    if "Excessive work" in said:
        return InspectorError(
            "Opening it would take this machine hours: it is made so, and left alone."
        )
    if "No matching keys" in said:
        return InspectorError("It is sealed for another key.", hint="Ask who sealed it for whom.")
    if by is SealedBy.PASSPHRASE and "Decryption failed" in said:
        return InspectorError("That is not its passphrase.")
    return InspectorError("The sealed file is damaged.", hint="Copy or download it again.")


def _recipient(library: Any, key: str) -> Any:
    kind = library.ssh if key.startswith("ssh-") else library.x25519
    try:
        return kind.Recipient.from_str(key)
    except library.RecipientError as error:
        raise InspectorError(
            f"{key[:20]}… is no public key.", hint="One of age begins with age1."
        ) from error


def _identity(library: Any, key: str) -> Any:
    try:
        if key.lstrip().startswith(_SSH):
            return library.ssh.Identity.from_buffer(key.encode())
        return library.x25519.Identity.from_str(key)
    except (library.IdentityError, ValueError) as error:
        raise InspectorError("The key is damaged, or has a password of its own.") from error


def _unarmoured(head: bytes) -> bytes:
    import base64
    import binascii

    lines: Iterable[bytes] = head.splitlines()[1:]
    packed = b"".join(line.strip() for line in lines if not line.startswith(b"-"))
    try:
        return base64.b64decode(packed[: len(packed) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _text_of(place: Path) -> str:
    try:
        with place.open("rb") as file:
            data = file.read(_LARGEST_KEYS + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InspectorError(f"Cannot read the key {place.name[:200]}: {reason}.") from error
    if len(data) > _LARGEST_KEYS:
        raise InspectorError(f"{place.name[:200]} is no file of keys.")
    return data.decode("utf-8", "replace")


def _library() -> Any:
    try:
        import pyrage
    except ImportError as error:
        raise InspectorError(
            "Sealed runs need the library pyrage.",
            hint="pip install 'haystack-run-inspector[seal]'",
        ) from error
    return pyrage
