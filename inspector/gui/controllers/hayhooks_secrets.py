"""What is shown to servers, for as long as the window lives: typed here, or from the keyring."""

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from inspector.errors import InspectorError

if TYPE_CHECKING:
    from inspector.hayhooks.client.access import Access
    from inspector.hayhooks.client.model import Server


class HayhooksSecrets:
    """Tokens and owners by the address of the server; workers ask, the window gives.

    What was typed comes before what the keyring has. The keyring is asked once a server, and
    only for one that wants to be shown something: it may wait for a person to unlock it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._given: dict[str, Access] = {}
        self._from_ring: dict[str, Access] = {}
        self._asked: set[str] = set()

    def __repr__(self) -> str:
        """Say how many there are, and none of them."""
        return f"HayhooksSecrets({len(self._given)} typed, {len(self._from_ring)} of the keyring)"

    def __getstate__(self) -> object:
        """Refuse to be copied or kept."""
        raise InspectorError("Secrets of a session are not kept.")

    def give(self, server: "Server", access: "Access") -> None:
        """Take what was typed for a server; what was left empty stays as it was."""
        from inspector.hayhooks.client.access import Access

        with self._lock:
            known = self._given.get(server.url, Access())
            token = access.token or known.token
            self._given[server.url] = Access(token, {**known.owner, **access.owner})

    def forget(self, server: "Server") -> None:
        """Forget what was typed for a server, and what the keyring had."""
        with self._lock:
            self._given.pop(server.url, None)
            self._from_ring.pop(server.url, None)
            self._asked.discard(server.url)

    def access(self, server: "Server") -> "Access":
        """Return what is shown to a server."""
        from inspector.hayhooks.client.access import Access

        with self._lock:
            given = self._given.get(server.url, Access())
            ring = self._from_ring.get(server.url, Access())
        names = set(server.owner_headers)
        owner = {**ring.owner, **given.owner}
        return Access(given.token or ring.token, {k: v for k, v in owner.items() if k in names})

    def has(self, server: "Server") -> tuple[bool, frozenset[str]]:
        """Say whether there is a token, and for which headers there are values."""
        access = self.access(server)
        return access.token is not None, frozenset(access.owner)

    def ask_ring(self, server: "Server", cancelled: Callable[[], bool]) -> bool:
        """Ask the keyring for a server, once; say whether it had anything. For workers."""
        from inspector.hayhooks.client.access import access_from_keyring

        with self._lock:
            if server.url in self._asked:
                return False
            self._asked.add(server.url)
        found, _problem = access_from_keyring(server, cancelled=cancelled)
        if found.token is None and not found.owner:
            return False
        with self._lock:
            self._from_ring[server.url] = found
        return True
