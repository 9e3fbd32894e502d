"""What is amiss with the data of a run: what it should not hold, and what it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.findings.finding import Finding, Severity
from inspector.findings.passages import texts_in
from inspector.findings.reading import counted, is_tagged, listed, named, replies_of
from inspector.findings.sweep import refers
from inspector.runfile.kinds import SpanStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from inspector.findings.reading import Reading

_MEANS_NOTHING = ("_NoOutputProduced", "inspect._empty")  # Haystack's own words for "no value"
_MOST_SPANS = 6
_MOST_LOOKED_AT = 500
_MOST_NODES = 200_000
_MOST_STREAMS = 500
_MOST_CHUNK_BYTES = 8 * 2**20


def not_serialised(reading: Reading) -> Iterator[Finding]:
    """Find values of which the recorder could keep no more than what they are called."""
    found: dict[str, list[str]] = {}
    for span_id, field, node in _tagged(reading, "opaque", reading.skim.opaque):
        kind = str(node.get("type") or "unknown")
        if kind.endswith(_MEANS_NOTHING):
            continue
        found.setdefault(kind, []).append(f"{span_id} {field}")
    for kind, places in found.items():
        spans = list(dict.fromkeys(place.partition(" ")[0] for place in places))
        fields = list(dict.fromkeys(place.partition(" ")[2] for place in places))
        yield Finding(
            "not-serialised",
            Severity.NOTE,
            f"{counted(len(places), 'value')} of the type `{kind}` could not be kept: the file "
            f"knows only what it is called (first in `{fields[0]}`).",
            tuple(spans[:_MOST_SPANS]),
            "A replay cannot answer with it. Pass plain values, or give the class a `to_dict`.",
            tuple(fields[:_MOST_SPANS]),
        )


def truncated(reading: Reading) -> Iterator[Finding]:
    """Find values that were left out because they were too large."""
    places = list(_tagged(reading, "truncated", reading.skim.truncated))
    if not places:
        return
    spans = tuple(dict.fromkeys(span_id for span_id, _, _ in places))
    fields = tuple(dict.fromkeys(field for _, field, _ in places))
    sizes = [size for _, _, node in places if type(size := node.get("size")) is int]
    largest = f", the largest of {max(sizes):,} bytes or elements" if sizes else ""
    yield Finding(
        "truncated-value",
        Severity.NOTE,
        f"{counted(len(places), 'value')} {'was' if len(places) == 1 else 'were'} left out for "
        f"{'its' if len(places) == 1 else 'their'} size{largest} (first in `{fields[0]}`).",
        spans[:_MOST_SPANS],
        "What was left out cannot be compared or replayed: raise the recorder's limits.",
        fields[:_MOST_SPANS],
    )


def _tagged(
    reading: Reading, tag: str, direct: Iterable[int]
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the spans, the fields and the values of a tag, each value at the first that has it."""
    marked = reading.sweep.tagged[tag]
    rows = list(direct)
    if marked:
        rows += _rows_with(reading, marked)
    seen: set[bytes] = set()
    for span in reading.spans(sorted(set(rows))[:_MOST_LOOKED_AT]):
        for field in ("inputs", "arguments", "outputs", "state_changes"):
            tree = getattr(span, field)
            for where, node in _nodes(tree, tag, field):
                key = repr(sorted(map(str, node.items()))).encode("utf-8", "replace")
                if key not in seen:
                    seen.add(key)
                    yield span.id, where, node


def _rows_with(reading: Reading, marked: set[bytes]) -> list[int]:
    rows = []
    try:
        for row, text in reading.run.record_texts():
            if b'"$ref"' in text and refers(text, marked):
                rows.append(row)
                if len(rows) >= _MOST_LOOKED_AT:
                    break
    except RunFileError:
        pass
    return rows


def _nodes(tree: Any, tag: str, field: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the parts of a value that have a tag, and where in it they stand."""
    waiting = [(tree, field)]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_NODES:
        node, path = waiting.pop()
        if not isinstance(node, dict | list) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, dict):
            if node.get("$") == tag:
                yield path, node
            waiting += [(each, f"{path}.{key}"[:200]) for key, each in reversed(node.items())]
        else:
            numbered = list(enumerate(node))
            waiting += [(each, f"{path}[{number}]"[:200]) for number, each in reversed(numbered)]


def chunks_mismatch(reading: Reading) -> Iterator[Finding]:
    """Find streams whose pieces, put together, are not the answer that came back."""
    if reading.run.header.get("redacted") is not None:
        return  # a placeholder may stand for the pieces of several
    left = _MOST_CHUNK_BYTES
    for span in reading.spans(reading.skim.streamed[:_MOST_STREAMS]):
        left -= _chunk_bytes(reading, span.raw.get("chunks"))
        if left < 0:
            return
        replies = replies_of(span)
        if span.status != SpanStatus.OK or not replies or len(replies) != 1:
            continue
        pieces = [chunk.value for chunk in span.chunks or ()]
        if not pieces or not all(is_tagged(piece, "streaming_chunk") for piece in pieces):
            continue
        streamed = "".join(
            content for piece in pieces if isinstance(content := piece.get("content"), str)
        )
        answer = "".join(texts_in(replies))
        if streamed.strip() == answer.strip():
            continue
        at = next(
            (place for place, (one, other) in enumerate(zip(streamed, answer, strict=False))
             if one != other),
            min(len(streamed), len(answer)),
        )  # fmt: skip
        yield Finding(
            "chunks-mismatch",
            Severity.WARNING,
            f"What {named(span)} streamed is not what it answered{reading.place_of(span)}: "
            f"{len(streamed):,} characters came in {counted(len(pieces), 'piece')}, the answer "
            f"has {len(answer):,}, and they part at character {at + 1:,}.",
            (span.id,),
            "Somebody who watched the stream read something else than what was used.",
            ("chunks", "outputs.replies"),
        )


def _chunk_bytes(reading: Reading, tree: Any) -> int:
    ref = tree.get("$ref") if isinstance(tree, dict) else None
    if isinstance(ref, str) and ref in reading.run.values:
        return reading.run.values.size(ref)
    return 1_000


def secrets_in_run(reading: Reading) -> Iterator[Finding]:
    """Find keys, tokens and passwords that stand in the file for everybody to read."""
    from inspector.findings.secrets import Secret, secrets_of

    by_rule: dict[str, list[Secret]] = {}
    for each in secrets_of(reading):
        by_rule.setdefault(each.rule, []).append(each)
    for rule, found in by_rule.items():
        spans = tuple(dict.fromkeys(each.span for each in found if each.span))
        fields = tuple(dict.fromkeys(each.field for each in found if each.field))
        kinds = listed([rule])
        yield Finding(
            "secret-in-run",
            Severity.WARNING,
            f"{counted(len(found), 'secret')} of the kind {kinds} "
            f"{'stands' if len(found) == 1 else 'stand'} in this file.",
            spans[:_MOST_SPANS],
            "Take it out before the file goes anywhere: `run-inspector redact FILE -o SAFE`.",
            fields[:_MOST_SPANS],
        )
