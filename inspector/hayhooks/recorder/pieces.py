"""The spans of segments, before they are those of one run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from inspector.errors import RunFileError
from inspector.recording.paths import AGENT_SEGMENT
from inspector.runfile.compact import compact
from inspector.runfile.digest import value_id
from inspector.runfile.durable import ATTEMPT
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.value import REF

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from inspector.runfile.model import PipelineRun

PIPELINE = "haystack.pipeline.run"
AGENT = "haystack.agent.run"
_RUNS = {PIPELINE: "pipeline", AGENT: "agent"}
_VISIT = re.compile(r"#\d+\Z")


class Segment(NamedTuple):
    """One attempt as it was recorded.

    Args:
        path: Its file.
        attempt: Its number, from 1.
        run: What its file holds.
        facts: What it says of itself under `extensions.hayhooks`.
        ended: How the attempt ended: `completed`, `waiting`, `retried`, `canceled`, `failed`,
            `lease lost`, `handed back`, `killed`, `running`, or `silent`.
        shift_ns: When it began, after the first segment did.
        last_ns: The last that is heard of it, on its own clock.

    """

    path: Path
    attempt: int
    run: PipelineRun
    facts: Mapping[str, Any]
    ended: str
    shift_ns: int
    last_ns: int

    @property
    def is_cut_off(self) -> bool:
        """Whether what had not ended by then never did in this attempt."""
        return self.ended in ("killed", "lease lost", "handed back", "silent")


class Piece:
    """A span of a segment on its way into the run."""

    __slots__ = (
        "children", "id", "is_counted", "is_repeated", "label", "number", "parent", "path",
        "place", "record", "scope", "segment", "start", "visits",
    )  # fmt: skip

    def __init__(self, segment: Segment, number: int, record: dict[str, Any]) -> None:
        self.segment = segment
        self.number = number  # of the segment and the row: what came first where times are equal
        self.record = record
        self.start: int = record["start_ns"]
        last = str(record.get("path") or "").rpartition("/")[2] or str(record.get("name", "span"))
        self.label = _VISIT.sub("", last)
        # Whether its first visit stands in its path, too.
        self.is_counted = record.get("visit", 1) != 1 or last != self.label
        self.children: list[Piece] = []
        self.parent: Piece | None = None
        self.id = self.path = self.scope = self.place = ""
        self.visits: dict[str, int] = {}
        self.is_repeated = False

    @property
    def operation(self) -> str:
        return str(self.record.get("operation", ""))

    @property
    def what_ran(self) -> tuple[str, str] | None:
        """The operation and name of a run of a pipeline or an agent; None for other spans."""
        if self.operation not in _RUNS:
            return None
        return self.operation, str(self.record.get("name", ""))

    @property
    def error_type(self) -> str:
        error = self.record.get("error")
        return str(error.get("type", "")) if isinstance(error, dict) else ""

    def forget(self) -> None:
        """Be ready to be settled anew, among others than before."""
        self.visits = {}
        self.path = self.scope = self.place = ""

    def settle(self) -> None:
        """Count the visit and spell the path; the parent's are settled."""
        above = self.parent
        if above is None:
            return
        visit = above.visits.get(self.label, 0) + 1
        counted = self.is_counted or visit > 1
        above.visits[self.label] = visit
        last = f"{self.label}#{visit}" if counted else self.label
        self.path = self.scope = f"{above.scope}/{last}" if above.scope else last
        self.place = f"{above.place}/{self.label}"
        if last == AGENT_SEGMENT and self.record.get("kind") == "agent":
            # As the recorder has it: what the agent does counts as done by its component.
            self.scope, self.visits, self.place = above.scope, above.visits, above.place
        self.record["visit"] = visit


class Values:
    """The values of all segments, each once; those that had to be made anew among them."""

    def __init__(self) -> None:
        self.made: dict[str, bytes] = {}
        self.left_out: set[str] = set()

    def chunks(self, segment: Segment, chunks: Any) -> Any:
        """Return the chunks of a stream with their times on the clock of the run."""
        shift = segment.shift_ns
        if not shift:
            return chunks
        digest = chunks.get(REF) if isinstance(chunks, dict) else None
        if isinstance(digest, str):
            try:
                tree = read_record(bytes(segment.run.values.raw(digest)))
            except (KeyError, ValueError, RunFileError):
                return chunks
            self.left_out.add(digest)
        else:
            tree = chunks
        if not isinstance(tree, list):
            return chunks
        moved = [
            [each[0] + shift, *each[1:]] if _is_timed(each) else each for each in tree
        ]  # fmt: skip
        if digest is None:
            return moved
        text = compact(moved, str)
        self.made[name := value_id(text)] = text
        return {REF: name}


def _is_timed(chunk: Any) -> bool:
    return isinstance(chunk, list) and bool(chunk) and type(chunk[0]) is int


def pieces_of(segment: Segment, number: int, values: Values) -> tuple[Piece, list[Piece], int]:
    """Return the span of the attempt, all others in start order, and how many cannot be read."""
    table = segment.run.table
    pieces: dict[int, Piece] = {}
    lost = 0
    for row in range(len(table)):
        try:
            record = read_record(segment.run.record_text(row))
        except (ValueError, RunFileError):
            record = None
        if not isinstance(record, dict):
            lost += 1
            continue
        record["start_ns"] = table.start_ns[row] + segment.shift_ns
        if type(record.get("end_ns")) is int:
            record["end_ns"] += segment.shift_ns
        else:
            record.pop("end_ns", None)
            record["status"] = "unfinished"
        if "chunks" in record:
            record["chunks"] = values.chunks(segment, record["chunks"])
        pieces[row] = Piece(segment, number + row, record)
    top: Piece | None = None
    for row, piece in pieces.items():
        above = table.parent_row[row]
        while above >= 0 and above not in pieces:
            above = table.parent_row[above]
        if above < 0 and top is None and piece.operation == ATTEMPT:
            top = piece
        elif above >= 0:
            piece.parent = pieces[above]
    if top is None:
        # Killed before the first record: the attempt began, and that is all that is known.
        began = {"kind": "other", "operation": ATTEMPT, "start_ns": segment.shift_ns}
        top = Piece(segment, number, {**began, "status": "unfinished"})
    others = [piece for piece in pieces.values() if piece is not top]
    for piece in others:
        piece.parent = piece.parent or top
        piece.parent.children.append(piece)
    return top, others, lost


def read_record(text: bytes) -> Any:
    """Return the JSON of a record or a value.

    Raises:
        ValueError: It is none.

    """
    try:
        return orjson.loads(text)
    except (ValueError, RecursionError):
        try:
            return read_leaf(text)[0]
        except LeafError as error:
            raise ValueError(str(error)) from error
