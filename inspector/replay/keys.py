"""Keys for what runs live: from the environment, from the keyring, or for this session only.

They are handed to a worker's environment and to nobody else: no log, no setting, no run, no
word of ours holds one. A worker under limits gets none.
"""

from __future__ import annotations

import os
import re
from enum import StrEnum
from typing import TYPE_CHECKING

from inspector.errors import InspectorError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
_NOT_KEYS = frozenset(
    {
        "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "HOME", "IFS", "LD_LIBRARY_PATH",
        "LD_PRELOAD", "PATH", "SHELL",
    }
)  # fmt: skip


class KeySource(StrEnum):
    """Where the value of a variable comes from."""

    SESSION = "session"  # typed here, and forgotten at the end
    ENVIRONMENT = "environment"
    KEYRING = "keyring"
    NOWHERE = "nowhere"


def may_be_given(name: str) -> bool:
    """Say whether a variable is one that may hold a key.

    Names come from files. One that would change how a program starts is nothing to be asked
    for, whatever a file says.
    """
    upper = name.upper()
    return bool(_NAME.fullmatch(name)) and not (upper in _NOT_KEYS or upper.startswith("PYTHON"))


class SessionKeys:
    """Values that a person typed, or that the keyring gave, for as long as the window lives."""

    def __init__(self) -> None:
        self._typed: dict[str, str] = {}
        self._from_ring: dict[str, str] = {}

    def __repr__(self) -> str:
        """Say how many there are, and none of them."""
        return f"SessionKeys({len(self._typed)} typed, {len(self._from_ring)} of the keyring)"

    def __getstate__(self) -> object:
        """Refuse to be copied or kept."""
        raise InspectorError("Keys of a session are not kept.")

    def give(self, name: str, value: str) -> None:
        """Take a value for this session; an empty one forgets it.

        Raises:
            InspectorError: No key goes by such a name.

        """
        if not may_be_given(name):
            raise InspectorError(f"{name[:80]!r} is no variable that holds a key.")
        if value:
            self._typed[name] = value
        else:
            self._typed.pop(name, None)

    def take_from_ring(self, values: Mapping[str, str]) -> None:
        """Take what the keyring gave."""
        self._from_ring.update({n: v for n, v in values.items() if may_be_given(n)})

    def forget(self) -> None:
        """Forget everything."""
        self._typed.clear()
        self._from_ring.clear()

    def source_of(self, name: str) -> KeySource:
        """Say where the value of a variable comes from."""
        if name in self._typed:
            return KeySource.SESSION
        if os.environ.get(name):
            return KeySource.ENVIRONMENT
        return KeySource.KEYRING if name in self._from_ring else KeySource.NOWHERE

    def environment(self, names: Iterable[str]) -> dict[str, str]:
        """Return what a worker has to be given besides the environment that it has anyway."""
        given: dict[str, str] = {}
        for name in names:
            source = self.source_of(name)
            if source is KeySource.SESSION:
                given[name] = self._typed[name]
            elif source is KeySource.KEYRING:
                given[name] = self._from_ring[name]
        return given
