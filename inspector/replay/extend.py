"""RECORD_NEW: what a replay ran live is added to the recording, in place and at once.

A call that was recorded and is now given something else gets a second *take* at the same
path; both are found by their inputs from then on. The file holds all of it or what it held
before, whatever happens while it is written.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from inspector.errors import RunFileError
from inspector.replay.classes import Treatment
from inspector.replay.plans import Source
from inspector.replay.policy import Policy
from inspector.replay.recorded import recorded as calls_of
from inspector.runfile.digest import value_id
from inspector.runfile.files import replace
from inspector.runfile.layout import run_file
from inspector.runfile.load import load_run
from inspector.runfile.turns import Turn
from inspector.runfile.value import REF

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from inspector.replay.recorded import Entry, RecordedRun
    from inspector.runfile.model import PipelineRun

_FRAMES = frozenset({"agent", "pipeline", "step"})


class NewCall(NamedTuple):
    """One call that a recording would get."""

    path: str
    take: int
    """Which take of the calls at its path it would be, from 1."""
    kind: str
    name: str
    type: str
    source: str
    """Where it comes from: `live`, `executed`, `verified`, `edited`."""


class News(NamedTuple):
    """What a replay would add to its recording."""

    calls: tuple[NewCall, ...]
    size: int
    """About how many bytes the file would grow by, not compressed."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"calls": [call._asdict() for call in self.calls], "size": self.size}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> News:
        """Read what `to_dict` said; what makes no sense of it is left out."""
        listed = told.get("calls")
        size = told.get("size")
        calls = []
        for each in listed if isinstance(listed, list) else ():
            with suppress(TypeError):
                calls.append(NewCall(**each))
        return cls(tuple(calls), size if isinstance(size, int) else 0)


def news(file: Path, replay: PipelineRun, policy: Policy | None = None) -> News:
    """Say what `extend` would add to a file, as it is now, and add nothing.

    Raises:
        RunFileError: The file cannot be read.

    """
    run = load_run(file, use_cache=False)
    addition = _Addition(calls_of(run), calls_of(replay), policy or Policy())
    size = sum(map(len, addition.spans)) + sum(len(text) for _, text in addition.values(run))
    return News(tuple(addition.calls), size)


def extend(file: Path, replay: PipelineRun, policy: Policy | None = None) -> PipelineRun:
    """Add what is new in a replay to the file of its recording, and return that anew.

    Raises:
        RunFileError: The file cannot be read or written.

    """
    file = file.resolve()
    # Nobody writes between our reading and our writing, or what they added would be lost.
    with Turn(file.parent):
        return _extended(file, replay, policy or Policy())


def _extended(file: Path, replay: PipelineRun, policy: Policy) -> PipelineRun:
    # As it is now: somebody else may have added something meanwhile.
    run = load_run(file, use_cache=False)
    addition = _Addition(calls_of(run), calls_of(replay), policy)
    if not addition.spans:
        return run
    parts = run_file(
        run.parts.members["run"],
        (*(run.record_text(row) for row in range(len(run.table))), *addition.spans),
        (*((name, run.values.raw(name)) for name in run.values.digests()), *addition.values(run)),
        named_by_digest=False,
        extra=((orjson.dumps(key), text) for key, text in run.parts.extra.items()),
    )
    try:
        for _ in replace(os.fspath(file), parts, durable=True):
            pass
    except OSError as error:
        raise RunFileError(
            f"{file.name} cannot be extended: {error.strerror or error}.",
            hint="It is as it was before. Replay into a copy of it.",
        ) from error
    return load_run(file, use_cache=False)


class _Addition:
    """The records and values to be added."""

    def __init__(self, old: RecordedRun, new: RecordedRun, policy: Policy) -> None:
        self.spans: list[bytes] = []
        self.calls: list[NewCall] = []
        self._old = old
        self._new = new
        self._policy = policy
        self._values: dict[str, bytes] = {}
        self._ids = {path: entries[0].raw["id"] for path, entries in old.by_path.items()}
        self._count = len(old.entries)
        # Later than everything that is there: the spans of a file stand in start order.
        self._later_ns = max((entry.end_ns for entry in old.entries), default=0)
        self._takes = {path: len(entries) for path, entries in old.by_path.items()}
        for entry in new.entries:
            if self._is_new(entry):
                self._add(entry)

    def _is_new(self, entry: Entry) -> bool:
        takes = self._old.by_path.get(entry.path, ())
        source = entry.raw.get("source")
        if source == Source.RECORDED or entry.status not in ("ok", "failed"):
            return False
        if source == Source.EDITED:
            return False  # what a person made up was never said by anybody
        ruling = self._policy.of_recorded(
            entry.kind, entry.operation, entry.type, entry.path, entry.name
        )
        if entry.kind in _FRAMES or ruling.treatment is Treatment.CONTAIN:
            # Its inside tells all there is; it is wanted only where it would be missing.
            return not takes and self._leads_to_new(entry)
        return not any(
            take.fingerprint == entry.fingerprint
            and take.output_fingerprint == entry.output_fingerprint
            for take in takes
        )

    def _leads_to_new(self, entry: Entry) -> bool:
        return any(each.raw.get("source") == Source.LIVE for each in entry.inside())

    def _add(self, entry: Entry) -> None:
        record = orjson.loads(self._new.run.record_text(entry.row))
        self._count += 1
        take = self._takes[entry.path] = self._takes.get(entry.path, 0) + 1
        record["id"] = name = f"s{self._count}"
        record["parent"] = self._parent(entry)
        record["take"] = take
        record["start_ns"] += self._later_ns
        record["end_ns"] = entry.end_ns + self._later_ns
        if isinstance(chunks := record.get("chunks"), dict) and isinstance(chunks.get(REF), str):
            record["chunks"] = self._later(chunks[REF])
        self._ids.setdefault(entry.path, name)
        self._want(record)
        self.spans.append(orjson.dumps(record))
        source = str(record.get("source", ""))
        call = NewCall(entry.path, take, entry.kind, entry.name, entry.type, source)
        self.calls.append(call)

    def _parent(self, entry: Entry) -> Any:
        above = entry.parent
        while above is not None:
            if (known := self._ids.get(above.path)) is not None:
                return known
            above = above.parent
        return None

    def _later(self, ref: str) -> dict[str, str]:
        """Keep a stream with its times moved."""
        tree = self._new.lookup(ref)
        moved = [[at_ns + self._later_ns, chunk] for at_ns, chunk in tree]
        text = orjson.dumps(moved)
        name = value_id(text)
        self._want(moved)
        self._values[name] = text
        return {REF: name}

    def _want(self, tree: Any) -> None:
        """Take along the values that a tree refers to, those first that they refer to."""
        for ref in _refs(tree):
            if ref not in self._values:
                try:
                    text = self._new.run.values.raw(ref)
                except KeyError:
                    continue
                self._want(orjson.loads(text))
                self._values[ref] = text

    def values(self, run: PipelineRun) -> Iterator[tuple[str, bytes]]:
        """Yield the values that the file lacks."""
        for name, text in self._values.items():
            if name not in run.values:
                yield name, text


def _refs(tree: Any) -> Iterator[str]:
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            if isinstance(ref := node.get(REF), str):
                yield ref
            todo.extend(node.values())
        elif isinstance(node, list):
            todo.extend(node)
