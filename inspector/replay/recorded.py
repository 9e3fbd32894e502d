"""The calls of a recorded run, found by where they were made and by what they were given.

One of these serves every replay of a run, in any thread: it is worked out once, piece by
piece as it is asked for, and nobody changes it.
"""

from __future__ import annotations

import threading
from array import array
from base64 import b64decode
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import orjson

from inspector.recording.encoding.leaves import digest_floats
from inspector.redaction.salts import is_numbered
from inspector.replay.memory import Memory
from inspector.runfile.fingerprint import Fingerprints
from inspector.runfile.leaf import LeafError, read_leaf

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from inspector.runfile.model import PipelineRun
    from inspector.runfile.span import Span


_QUERY = "query_embedding"


class Entry:
    """One recorded call."""

    __slots__ = (
        "_fingerprint",
        "_owner",
        "_whole",
        "cluster",
        "end_ns",
        "kind",
        "made",
        "name",
        "operation",
        "order",
        "parent",
        "path",
        "raw",
        "result_print",
        "row",
        "start_ns",
        "status",
        "type",
        "visit",
    )  # fmt: skip

    def __init__(self, owner: RecordedRun, span: Span, parent: Entry | None) -> None:
        raw: Mapping[str, Any] = span.raw
        self._owner = owner
        self.raw = raw
        self.row = span.row
        self.path = str(raw.get("path", ""))
        self.name = str(raw.get("name", ""))
        self.kind = str(raw.get("kind", ""))
        self.type = str(raw.get("type", ""))
        self.operation = str(raw.get("operation", ""))
        self.status = str(raw.get("status", ""))
        self.visit = span.visit
        self.start_ns = span.start_ns
        self.end_ns = span.end_ns if span.end_ns is not None else span.start_ns
        self.parent = parent
        self.order = span.row
        self.cluster: int | None = None
        self._fingerprint: str | None = None
        self._whole: Any = None
        self.result_print: str | None = None
        self.made: Any = None  # how to make the answer anew, once somebody has worked it out

    @property
    def owner(self) -> RecordedRun:
        return self._owner

    @property
    def span(self) -> Span:
        return self._owner.run.spans[self.row]

    @property
    def asked(self) -> Any:
        """What the call was given, references not followed."""
        return self.raw.get("arguments", self.raw.get("inputs"))

    @property
    def whole(self) -> Any:
        """What the call was given, references followed; for comparisons, not to be changed."""
        if self._whole is None:
            self._whole = self._owner.run.resolve(self.asked)
        return self._whole

    @property
    def fingerprint(self) -> str:
        known = self._fingerprint
        if known is None:
            known = self._fingerprint = self._owner.print_of(self.asked)
        return known

    @property
    def output_fingerprint(self) -> str | None:
        """Of what the call gave back; None where that was not recorded."""
        if self.result_print is None and "outputs" in self.raw:
            self.result_print = self._owner.print_of(self.raw["outputs"])
        return self.result_print

    @property
    def has_answer(self) -> bool:
        """Whether it ended, in any way that can be told again."""
        # Hooks give nothing back.
        ended = "outputs" in self.raw or self.kind == "hook"
        return "error" in self.raw or (ended and self.status == "ok")

    @property
    def is_added(self) -> bool:
        """Whether it was added to the recording by a later replay."""
        return "take" in self.raw

    @property
    def parent_path(self) -> str:
        return "" if self.parent is None else self.parent.path

    @property
    def thread(self) -> Any:
        return self.raw.get("thread")

    def inside(self) -> list[Entry]:
        """Return everything that happened inside of it."""
        return self._owner.below(self)


class RecordedRun:
    """All calls of one run, by path, and by what made them."""

    def __init__(self, run: PipelineRun) -> None:
        self.run = run
        self._lock = threading.RLock()
        self.numbered = is_numbered(run.header.get("redacted"))
        """Whether its secrets have placeholders that hold in this run only."""
        self._prints = Fingerprints(self.lookup, numbered=self.numbered)
        self.memory = Memory(numbered=self.numbered)
        self.shortcuts: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # by policy
        self.entries: list[Entry] = []
        self.by_path: dict[str, list[Entry]] = {}
        self.families: dict[tuple[str, str, str], list[Entry]] = {}
        by_id: dict[str, Entry] = {}
        for span in run.spans:
            parent_id = span.parent_id
            entry = Entry(self, span, None if parent_id is None else by_id.get(parent_id))
            by_id[span.id] = entry
            self.entries.append(entry)
            self.by_path.setdefault(entry.path, []).append(entry)
            family = (_scope(entry.path), entry.name, entry.kind)
            self.families.setdefault(family, []).append(entry)

    def lookup(self, digest: str) -> Any:
        """Return the tree that a digest stands for, references not followed.

        Raises:
            KeyError: The run holds no such value.

        """
        text = self.run.values.raw(digest)
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            pass
        try:
            return read_leaf(text)[0]  # what other writers get wrong is told as such
        except LeafError as error:
            raise KeyError(digest) from error

    def followed(self, tree: Any) -> Any:
        """Return a tree whose outermost reference is followed."""
        while isinstance(tree, dict) and isinstance(ref := tree.get("$ref"), str):
            try:
                tree = self.lookup(ref)
            except KeyError:
                return None
        return tree

    def print_of(self, tree: Any) -> str:
        """Return the fingerprint of a recorded tree. One thread at a time: it remembers."""
        with self._lock:
            return self._prints.of(tree)

    def work_out(self, entry: Entry, how: Callable[[Entry], Any]) -> Any:
        """Return what `how` makes of an entry, worked out once."""
        if entry.made is None:
            with self._lock:
                if entry.made is None:
                    entry.made = how(entry)
        return entry.made

    def embedding(self, digest: Any) -> list[float] | None:
        """Return the numbers behind a digest, where another place of the run has them.

        Of what an embedder returned only the digest is kept; what a retriever was asked is
        kept whole.
        """
        with self._lock:
            return self._embeddings.get(digest)

    @cached_property
    def _embeddings(self) -> dict[Any, list[float]]:
        found: dict[Any, list[float]] = {}
        for entry in self.entries:
            if isinstance(entry.asked, dict) and _QUERY in entry.asked:
                tree = self.run.resolve(entry.asked[_QUERY])
                floats = _floats(tree)
                if floats:
                    found[digest_floats(floats)["digest"]] = floats
        return found

    @cached_property
    def has_additions(self) -> bool:
        """Whether something was added to the recording by a later replay."""
        return any(entry.is_added for entry in self.entries)

    @cached_property
    def _below(self) -> dict[int, list[Entry]]:
        below: dict[int, list[Entry]] = {}
        for entry in self.entries:
            above = entry.parent
            while above is not None:
                below.setdefault(above.row, []).append(entry)
                above = above.parent
        return below

    def below(self, entry: Entry) -> list[Entry]:
        """Return what happened inside of an entry."""
        return self._below.get(entry.row, [])

    def unordered(self, one: Entry, other: Entry) -> bool:
        """Say whether two siblings went on at the same time, so that neither was first."""
        return self._cluster(one) == self._cluster(other)

    def _cluster(self, entry: Entry) -> int:
        if entry.cluster is None:
            family = self.families[_scope(entry.path), entry.name, entry.kind]
            number, latest = -1, -1
            for each in sorted(family, key=lambda one: one.start_ns):
                pooled = each.parent is not None and each.thread != each.parent.thread
                # What other threads were given went on side by side, however short it was.
                if each.start_ns >= latest and not (pooled and number >= 0):
                    number += 1
                latest = max(latest, each.end_ns)
                each.cluster = number
        return entry.cluster or 0


def _floats(tree: Any) -> list[float] | None:
    if isinstance(tree, list):
        return tree if set(map(type, tree)) == {float} else None
    if isinstance(tree, dict) and isinstance(text := tree.get("base64"), str):
        return array("d", b64decode(text)).tolist()
    return None


def _scope(path: str) -> str:
    return path.rpartition("/")[0]


_lock = threading.Lock()
_KEPT = "_calls_for_replays"


def recorded(run: PipelineRun) -> RecordedRun:
    """Return the calls of a run, read once for as long as the run is open."""
    kept = vars(run)
    with _lock:
        # Kept on the run itself: a table of runs would hold all of them for ever.
        known = kept.get(_KEPT)
        if not isinstance(known, RecordedRun):
            known = kept[_KEPT] = RecordedRun(run)
        return known
