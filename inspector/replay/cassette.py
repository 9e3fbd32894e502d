"""The recorded answers, handed out to one replay: each once, and to the call it belongs to."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.replay.memory import Again
from inspector.replay.recorded import Entry, recorded
from inspector.replay.trees import is_same

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.runfile.model import PipelineRun


class Match(NamedTuple):
    """The recorded call that is this one."""

    entry: Entry
    out_of_order: bool = False  # it stands at another place, and not because of parallel calls


class Miss(NamedTuple):
    """There is none, and what comes nearest."""

    kind: str  # "input" or "missing"
    candidate: Entry | None = None
    again: bool = False  # the candidate is the same call, which was answered already


class Cassette:
    """The answers of one run, for one replay of it. Any thread may ask.

    Args:
        run: The recorded run.

    """

    def __init__(self, run: PipelineRun) -> None:
        self.calls = recorded(run)
        self._used: set[int] = set()
        self._ran: set[int] = set()  # what is inside of these was asked for by itself
        self._passed: set[str] = set()  # where something else was asked
        self._lock = threading.Lock()

    def find_same(self, path: str, kind: str, tree: Any) -> Match | None:
        """Find the recorded call of this place, where it was given this very tree."""
        known = tree.known.entries.get((path, kind)) if type(tree) is Again else None
        if known is not None and self.take(known):
            return Match(known)
        asked = tree.known.tree if type(tree) is Again else tree
        for entry in self.calls.by_path.get(path, ()):
            if entry.row not in self._used and entry.kind == kind and is_same(asked, entry.whole):
                if type(tree) is Again:
                    tree.known.entries[path, kind] = entry
                if self.take(entry):
                    return Match(entry)
        return None

    def take(self, entry: Entry) -> bool:
        """Mark a recorded call as used, unless it was already."""
        with self._lock:
            if entry.row in self._used:
                return False
            self._used.add(entry.row)
            return True

    def find(
        self, path: str, visit: int, fingerprint: str, *, name: str, parent_path: str, kind: str
    ) -> Match | Miss:
        """Find the recorded call of this place and these inputs, and mark it as used.

        First at the very place; then among the siblings, the calls of the same thing from
        the same parent, as far as nobody has used them; never by position alone.
        """
        at_path = self.calls.by_path.get(path, ())
        with self._lock:
            for entry in at_path:
                if (
                    entry.row not in self._used
                    and entry.kind == kind
                    and entry.fingerprint == fingerprint
                ):
                    self._used.add(entry.row)
                    return Match(entry)
            family = self.calls.families.get((parent_path, name, kind), ())
            for entry in family:
                if entry.row not in self._used and entry.fingerprint == fingerprint:
                    self._used.add(entry.row)
                    own = at_path[0] if at_path else None
                    apart = own is None or not self.calls.unordered(own, entry)
                    return Match(entry, out_of_order=apart)
        again = next(
            (each for each in (*at_path, *family) if each.fingerprint == fingerprint), None
        )
        if again is not None and not at_path:
            return Miss("missing", again, again=True)
        if not at_path:
            return Miss("missing", self._nearest(family, visit))
        free = [each for each in at_path if each.row not in self._used]
        return Miss("input", (free or at_path)[-1], again=again is not None)

    def _nearest(self, family: tuple[Entry, ...] | list[Entry], visit: int) -> Entry | None:
        return min(family, key=lambda each: abs(each.visit - visit), default=None)

    def family_of(self, entry: Entry) -> list[Entry]:
        """Return the recorded calls of the same thing from the same parent."""
        scope = entry.path.rpartition("/")[0]
        return self.calls.families.get((scope, entry.name, entry.kind), [])

    def times_asked(self, fingerprint: str, name: str) -> int:
        """Say how often something was asked with the same inputs when it was recorded."""
        return sum(
            each.name == name and each.fingerprint == fingerprint for each in self.calls.entries
        )

    def use(self, entry: Entry) -> None:
        """Mark a recorded call as used."""
        self._used.add(entry.row)

    def use_place(self, path: str) -> None:
        """Mark whatever stands at a place as used: it ran there, however it went."""
        for entry in self.calls.by_path.get(path, ()):
            self._used.add(entry.row)
            self._ran.add(entry.row)

    def pass_by(self, path: str) -> None:
        """Take note that something else was asked at a place: that was told already."""
        self._passed.add(path)

    def is_used(self, entry: Entry) -> bool:
        return entry.row in self._used

    @property
    def follows_additions(self) -> bool:
        """Whether this replay asks for what a later replay added to the recording."""
        calls = self.calls
        return calls.has_additions and any(calls.entries[row].is_added for row in self._used)

    def unused(self, counts: Callable[[Entry], bool]) -> list[Entry]:
        """Return the answers that nobody asked for, and that are no part of another answer.

        Args:
            counts: Says whether an entry is an answer at all.

        """
        if self.follows_additions:
            return []  # this replay follows what was added later, and leaves the rest aside
        used, entries = self._used, self.calls.entries
        left = [entry for entry in entries if entry.row not in used]
        if not left:
            return []
        reached = {entries[row].path for row in used} | self._passed
        answered: set[int] = set()
        for row in used:
            if row in self._ran or not (inside := entries[row].inside()):
                continue
            if counts(entries[row]):
                answered.update(each.row for each in inside)
        return [
            entry
            for entry in left
            if entry.row not in answered
            and entry.path not in reached  # another take of the same call was used
            and not entry.is_added
            and counts(entry)
        ]
