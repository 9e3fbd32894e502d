"""The values of a run, each kept once in the file and decoded when somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.lru import ByteLRU
from inspector.runfile.resolve import MAX_DEPTH, Resolved, Resolver, copied, short
from inspector.runfile.source import Window
from inspector.runfile.value import missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.runfile.source import ByteSource
    from inspector.runfile.value_index import ValueIndex

__all__ = ["MAX_DEPTH", "Resolved", "ValueStore"]

_KEPT = 48 * 2**20


class ValueStore:
    """Finds, decodes and puts together values.

    The trees it returns share their parts with each other: look, do not change.
    """

    def __init__(self, source: ByteSource, index: ValueIndex) -> None:
        self._source = source
        self._index = index
        self._kept: ByteLRU[str, Resolved] = ByteLRU(_KEPT)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, digest: object) -> bool:
        return isinstance(digest, str) and self._index.find(digest) is not None

    def digests(self) -> Iterator[str]:
        """Yield the digest of every value, in the order of the file."""
        return iter(self._index)

    def size(self, digest: str) -> int:
        """Return how many bytes of JSON a value is, not counting what it refers to.

        Raises:
            KeyError: The run holds no such value.

        """
        return self._place(digest)[1]

    def raw(self, digest: str) -> bytes:
        """Return a value's JSON as it stands in the file.

        Raises:
            KeyError: The run holds no such value.

        """
        return self._source.read_at(*self._place(digest))

    def get(self, digest: str) -> Any:
        """Return a value with its references followed.

        Raises:
            KeyError: The run holds no such value.

        """
        self._place(digest)
        return Resolver(self).by_digest(digest).tree

    def resolve(self, tree: Any) -> Any:
        """Return a copy of `tree` with its references followed."""
        return Resolver(self).of_tree(copied(tree)).tree

    def resolve_text(self, text: bytes) -> tuple[Any, str, int]:
        """Return what a piece of JSON says with its references followed.

        Then what was wrong, and how many bytes were read for it that were not here already.

        Raises:
            LeafError: It cannot be read.

        """
        tree, said = read_leaf(text, strictly=True)
        if not isinstance(tree, (dict, list)):
            return tree, said, len(text)
        resolver = Resolver(self)
        resolved = resolver.of_tree(tree, len(text), said)
        return resolved.tree, "; ".join(resolved.said), resolver.made

    def kept(self, digest: str) -> Resolved | None:
        """Return a value that was put together before, if it is still here."""
        return self._kept.get(digest)

    def keep(self, digest: str, resolved: Resolved, weight: int) -> None:
        """Remember a value for a while."""
        self._kept.put(digest, resolved, weight)

    def decode(self, digest: str) -> tuple[Any, int, str]:
        """Return a value's own tree, its size in the file, and what was wrong with it."""
        place = self._index.find(digest)
        if place is None:
            why = "the file holds no value with this digest"
            return missing(digest, why), 0, f"{short(digest)}: {why}"
        try:
            tree, said = read_leaf(self._source.read_at(*place), strictly=True)
        except LeafError as error:
            return missing(digest, f"it {error}"), 0, f"{short(digest)} {error}"
        except RunFileError as error:
            return missing(digest, str(error)), 0, str(error)
        return tree, place[1], f"{short(digest)}: {said}" if said else ""

    def items(self) -> Iterator[tuple[str, bytes]]:
        """Yield every value's digest and JSON in the order of the file, read in large blocks."""
        return self._index.items_in(Window(self._source))

    def _place(self, digest: str) -> tuple[int, int]:
        place = self._index.find(digest)
        if place is None:
            raise KeyError(digest)
        return place
