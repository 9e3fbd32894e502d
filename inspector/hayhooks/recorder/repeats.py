"""What an attempt did again that an earlier one had begun: the same component, LLM or tool."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from inspector.hayhooks.recorder.pieces import read_record
from inspector.runfile.durable import EXTENSION
from inspector.runfile.fingerprint import Fingerprints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.hayhooks.recorder.pieces import Piece, Segment

_KINDS = frozenset({"component", "llm", "tool"})
_NOT_DONE = frozenset({"unfinished", "canceled", "failed"})


def mark_repeats(spans: Sequence[Piece], segments: Sequence[Segment]) -> list[dict[str, Any]]:
    """Mark spans that repeat one of an earlier attempt, and those that were repeated.

    A span repeats one in the same place (the same path, visits aside) that got the same, or that
    had not come to its end; a tool also one in another step, if it is called with the same.
    Each is repeated at most once by an attempt. What it got is compared as replays compare it.
    """
    prints = Fingerprints(_lookup(segments))
    known: dict[str, list[Piece]] = {}
    told: list[dict[str, Any]] = []
    attempts = sorted({piece.segment.attempt for piece in spans})
    by_attempt: dict[int, list[Piece]] = {each: [] for each in attempts}
    for piece in spans:
        if piece.record.get("kind") in _KINDS:
            by_attempt[piece.segment.attempt].append(piece)
    given: dict[Piece, str | None] = {}

    def of(piece: Piece) -> str | None:
        if piece not in given:
            given[piece] = _given(piece, prints)
        return given[piece]

    for attempt in attempts:
        taken: set[Piece] = set()
        for piece in by_attempt[attempt]:
            places = _places(piece)
            earlier = _earlier(piece, [known.get(place, []) for place in places], taken, of)
            if earlier is None:
                continue
            taken.add(earlier)
            told.append(_mark(piece, earlier, same=of(piece) == of(earlier)))
        for piece in by_attempt[attempt]:
            for place in _places(piece):
                known.setdefault(place, []).append(piece)
    return told


def _places(piece: Piece) -> tuple[str, ...]:
    # What runs beside the pipeline has the attempt in its place, and is looked for in all.
    place = piece.place.replace(f"/attempt{piece.segment.attempt}/", "/attempt/", 1)
    if piece.record.get("kind") == "tool":
        return place, f"tool {piece.record.get('name')}"
    return (place,)


def _earlier(piece: Piece, places: list[list[Piece]], taken: set[Piece], of: Any) -> Piece | None:
    for at, place in enumerate(places):
        free = [each for each in reversed(place) if each not in taken]
        for each in free:
            if of(each) is not None and of(each) == of(piece):
                return each
        if at == 0:
            for each in free:
                if each.record.get("status") in _NOT_DONE:
                    return each
    return None


def _mark(piece: Piece, earlier: Piece, *, same: bool) -> dict[str, Any]:
    stopped_by = earlier.record["extensions"][EXTENSION].get("stopped_by")
    how = stopped_by or earlier.record.get("status")
    own = piece.record["extensions"][EXTENSION]
    own |= {"repeat_of": earlier.id, "same_inputs": same, "earlier": how}
    earlier.record["extensions"][EXTENSION]["repeated_by"] = piece.id
    earlier.is_repeated = True
    return {
        "span": piece.id, "of": earlier.id, "kind": piece.record.get("kind"),
        "name": piece.record.get("name"), "attempt": piece.segment.attempt,
        "of_attempt": earlier.segment.attempt, "same_inputs": same, "earlier": how,
    }  # fmt: skip


def _given(piece: Piece, prints: Fingerprints) -> str | None:
    record = piece.record
    for field in ("arguments", "inputs"):
        if field in record:
            with suppress(Exception):  # a stranger's file: nested too deeply, or no value at all
                return prints.of(record[field])
    return None


def _lookup(segments: Sequence[Segment]) -> Any:
    def look_up(digest: str) -> Any:
        for segment in segments:
            if digest in segment.run.values:
                return read_record(bytes(segment.run.values.raw(digest)))
        raise KeyError(digest)

    return look_up
