"""Making one run of the spans of all attempts.

The run looks like one that nothing had interrupted: what the pipeline or agent did stands right
below the root, wherever and in whichever attempt it happened, and what was done again is a
further visit. Beside that, each attempt has a span of its own, and each span says whose it is.
So everything that reads runs reads this one, and comparisons find the same paths in a run that
needed three attempts and in one that needed one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.hayhooks.recorder.layout import SIGNALS
from inspector.hayhooks.recorder.pieces import AGENT, PIPELINE, Piece, Segment, Values, pieces_of
from inspector.hayhooks.recorder.repeats import mark_repeats
from inspector.hayhooks.recorder.superseded import counting
from inspector.runfile.durable import ATTEMPT, CHECKPOINT, EXTENSION

if TYPE_CHECKING:
    from collections.abc import Sequence

_INNER = "inspector.inner"
_BREAKPOINT = "BreakpointException"
_STATUS = {"completed": "ok", "failed": "failed"}
_CUT_OFF = "unfinished"
_RUN_STATUS = {
    "completed": "completed", "failed": "failed", "canceled": "canceled", "waiting": "paused",
    "running": "running",
}  # fmt: skip
_ROWS = 10**9  # more than any segment has
_MOST_LISTED = 10_000


class Joined(NamedTuple):
    """The spans of a run, and what its header says of them."""

    records: list[dict[str, Any]]
    root: dict[str, Any]
    attempts: list[dict[str, Any]]
    checkpoints: list[dict[str, Any]]
    repeats: list[dict[str, Any]]
    end_ns: int
    lost: int


def run_status(segment: Segment) -> str:
    """Return the status of a run whose last attempt this is."""
    if segment.facts.get("cancel_requested") and segment.ended == "completed":
        return "canceled"  # Hayhooks discards the result
    return _RUN_STATUS.get(segment.ended, "incomplete")


def joined(
    segments: Sequence[Segment], kind: str, name: str, values: Values, *, whole: bool = True
) -> Joined:  # fmt: skip
    """Return the spans of one run, in start order, with their final ids and paths.

    Args:
        segments: The attempts, in order; at least one.
        kind: `pipeline` or `agent`.
        name: What the run is called.
        values: Takes the values that had to be made anew.
        whole: Whether with what a later attempt did anew.

    """
    read = [pieces_of(each, at * _ROWS, values) for at, each in enumerate(segments)]
    target = _target([top for top, *_ in read], kind)
    root = Piece(segments[0], -1, {"kind": kind, "start_ns": 0})
    legs: list[Piece] = []
    spans: list[Piece] = []
    for top, others, _ in read:
        own = _legs(top, target)
        legs += own
        top.parent = root
        top.label = f"attempt{top.segment.attempt}"
        top.is_counted = False
        for piece in own:
            for child in piece.children:
                child.parent = root
        for piece in top.children if kind == "agent" else ():
            if piece.operation == _INNER and piece not in own:
                piece.parent = root  # what an agent calls before its own span opens
        spans += [top, *(piece for piece in others if piece not in own)]
    spans.sort(key=lambda piece: (piece.start, piece.number))
    _number(root, spans)
    _settle(spans)
    tops = [top for top, *_ in read]
    end_ns = max(_end(each) for each in segments)
    for piece in spans:
        _finish(piece)
    repeats = mark_repeats(spans, segments)
    if not whole:
        spans, repeats = counting(spans, tops), []
        for top in tops:
            top.id = ""
        for piece in (root, *spans):
            piece.forget()
        _number(root, spans)
        _settle(spans)
        for piece in spans:
            _place(piece)
    for top in tops:
        _describe_attempt(top)
    _describe_root(root, legs, tops[-1], name, end_ns)
    return Joined(
        records=[piece.record for piece in (root, *spans)],
        root=root.record,
        attempts=[_attempt(top) for top in tops],
        checkpoints=[_checkpoint(piece) for piece in spans if piece.operation == CHECKPOINT][
            :_MOST_LISTED
        ],
        repeats=repeats[:_MOST_LISTED],
        end_ns=end_ns,
        lost=sum(lost for *_, lost in read),
    )


def _target(tops: list[Piece], kind: str) -> tuple[str, str] | None:
    """Return which pipeline or agent the execution is about: what most attempts ran."""
    wanted = AGENT if kind == "agent" else PIPELINE
    votes: Counter[tuple[str, str]] = Counter()
    for top in tops:
        votes.update({what for child in top.children if (what := child.what_ran) is not None})
    # Of those that as many attempts ran, the one that was met first.
    return max(votes, key=lambda what: (what[0] == wanted, votes[what]), default=None)


def _legs(top: Piece, target: tuple[str, str] | None) -> list[Piece]:
    """Return the runs of an attempt that are parts of one: a checkpoint stands between them."""
    legs: list[Piece] = []
    for child in top.children:
        if child.what_ran != target or target is None:
            continue
        if legs and not legs[-1].error_type.endswith(_BREAKPOINT):
            break  # the wrapper ran it once more, which is another thing
        legs.append(child)
    return legs


def _number(root: Piece, spans: list[Piece]) -> None:
    for number, piece in enumerate((root, *spans), 1):
        piece.id = f"s{number}"


def _settle(spans: list[Piece]) -> None:
    settled: set[Piece] = set()
    for piece in spans:
        chain = []
        above: Piece | None = piece
        while above is not None and above.parent is not None and above not in settled:
            chain.append(above)
            settled.add(above)
            above = above.parent
        for each in reversed(chain):
            each.settle()


def _finish(piece: Piece) -> None:
    """Put the record of a span in order, and say whose it is."""
    record, segment = piece.record, piece.segment
    own: dict[str, Any] = {"attempt": segment.attempt}
    for signal, ended in SIGNALS.items():
        if piece.error_type.rpartition(".")[2] == signal:
            del record["error"]  # no error: this is how Hayhooks ends an attempt
            if isinstance(channels := record.get("channels"), dict):
                channels.pop("error", None)
            own["stopped_by"] = ended
            break
    if record.get("status") == _CUT_OFF and segment.is_cut_off:
        # Its end is not known, only until when there is anything of its attempt.
        record["end_ns"] = max(piece.start, _end(segment))
        own["end"] = "last sign"
    extensions = record.get("extensions")
    told = extensions if isinstance(extensions, dict) else {}
    record["extensions"] = {**told, EXTENSION: own}  # without the signs of life of an attempt
    rest = {key: record[key] for key in record if key not in ("id", "parent", "path")}
    record.clear()
    record.update(id="", parent=None, **rest)
    _place(piece)


def _place(piece: Piece) -> None:
    """Put down where a span stands."""
    parent = piece.parent
    piece.record.update(
        id=piece.id, parent=None if parent is None else parent.id, path=piece.path
    )  # fmt: skip


def _end(segment: Segment) -> int:
    return segment.shift_ns + segment.last_ns


def _describe_attempt(top: Piece) -> None:
    segment, record = top.segment, top.record
    record.update(
        name=f"attempt {segment.attempt}", kind="other", operation=ATTEMPT, role="other",
        status=_status(segment),
    )  # fmt: skip
    if segment.ended != "running":
        record.setdefault("end_ns", max(top.start, _end(segment)))
    record["extensions"][EXTENSION] |= {
        key: value for key, value in segment.facts.items() if key in _TOLD
    }
    record["extensions"][EXTENSION]["ended"] = segment.ended


_TOLD = frozenset({"worker", "from_checkpoint", "resumed", "error", "delay_s", "cancel_requested"})


def _status(segment: Segment) -> str:
    if segment.is_cut_off or segment.ended == "running":
        return _CUT_OFF
    return _STATUS.get(segment.ended, "canceled")


def _describe_root(root: Piece, legs: list[Piece], last: Piece, name: str, end_ns: int) -> None:
    """Make the root of what its parts say: the first of what went in, the last of what came out."""
    record = root.record
    for leg in legs:
        told = leg.record
        fresh = {key: told[key] for key in ("operation", "type", "role", "tags") if key in told}
        record.update({key: value for key, value in fresh.items() if key not in record})
        if _holds(told.get("inputs")) and not _holds(record.get("inputs")):
            record["inputs"] = told["inputs"]
        if "outputs" in told:
            record["outputs"] = told["outputs"]
    ended = last.segment
    status = {"completed": "completed", "failed": "failed"}.get(run_status(ended), ended.ended)
    if status == "failed" and (error := last.record.get("error")) is not None:
        record["error"] = error
    kind = record["kind"]
    fields: dict[str, Any] = {
        "id": root.id, "parent": None, "kind": kind,
        "operation": record.get("operation") or (AGENT if kind == "agent" else PIPELINE),
        "name": name, "path": "", "visit": 1, "status": _status(ended),
        "extensions": {EXTENSION: {"attempts": ended.attempt}},
    }  # fmt: skip
    if ended.ended != "running":
        fields["end_ns"] = end_ns
    rest = {key: value for key, value in record.items() if key not in fields}
    record.clear()
    record.update(fields | rest)


def _holds(tree: Any) -> bool:
    return bool(tree)


def _attempt(top: Piece) -> dict[str, Any]:
    segment = top.segment
    told: dict[str, Any] = {
        "attempt": segment.attempt, "span": top.id, "ended": segment.ended,
        "started_at": segment.run.started_at, "start_ns": top.start, "end_ns": _end(segment),
        "segment": segment.path.name, "segment_run": segment.run.id,
    }  # fmt: skip
    if segment.ended == "running":
        del told["end_ns"]
    if not top.id:
        del told["span"]
    told |= {key: value for key, value in segment.facts.items() if key in _TOLD}
    return told


def _checkpoint(piece: Piece) -> dict[str, Any]:
    tags = piece.record.get("tags")
    told = tags if isinstance(tags, dict) else {}
    at_ns = piece.record.get("end_ns", piece.start)
    return {
        **told, "span": piece.id, "attempt": piece.segment.attempt, "at_ns": at_ns,
        "saved": piece.record.get("status") == "ok",
    }  # fmt: skip
