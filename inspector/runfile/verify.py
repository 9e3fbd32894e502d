"""Saying whether a file is as its writer left it, and in which records it is not."""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

import msgspec
import orjson

from inspector.errors import RunFileError
from inspector.runfile.leaf import LeafError, read_leaf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from inspector.runfile.model import PipelineRun

_HEAD = 8
_ID_DIGITS = 32
_MOST_NAMED = 1_000
_LARGE = 2**20


@dataclass(frozen=True, slots=True)
class Integrity:
    """What the digests of a file say.

    `changed` names records: `run`, spans as `span s3`, values as `value 5f1c…`.
    """

    state: Literal["ok", "changed", "none"]
    changed: tuple[str, ...]
    message: str


def verify_run(
    run: PipelineRun,
    *,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Integrity:
    """Compare every record with the digest that was written for it, one at a time.

    A digest shows that something changed, not who wrote it: anybody can make new ones.
    """
    expected = _heads(run)
    total = 1 + len(run.spans) + len(run.values)
    seen: list[bytes] = []
    names: list[str] = []
    wrong: list[str] = []
    left = Counter(expected or ())
    for number, (name, text, own_name) in enumerate(_records(run)):
        if number % 1_000 == 0:
            if cancelled is not None and cancelled():
                raise RunFileError("Checking was stopped.")
            if progress is not None:
                progress(number / total)
        head = _head(text, expected, left, number)
        if (own_name and not _is_named(text, own_name)) or (
            expected is not None and left[head] <= 0
        ):
            wrong.append(name)
        elif expected is not None:
            left[head] -= 1
            seen.append(head)
            names.append(name)
    return _verdict(run, expected, seen, names, wrong, sum(left.values()))


def _records(run: PipelineRun) -> Iterator[tuple[str, bytes, str]]:
    """Yield each record's name, JSON, and the digest that it is called by, if any."""
    yield "run", run.parts.members.get("run", b""), ""
    for row, text in run.record_texts():
        yield f"span {run.table.id(row)}", text, ""
    for digest, text in run.values.items():
        yield f"value {digest}", text, digest


def _heads(run: PipelineRun) -> list[bytes] | None:
    if run.parts.record_digests is None:
        return None
    try:
        packed = base64.b64decode(run.parts.record_digests, validate=True)
    except (binascii.Error, ValueError):
        return []
    return [packed[at : at + _HEAD] for at in range(0, len(packed), _HEAD)]


def _head(
    text: bytes, expected: list[bytes] | None, known: Mapping[bytes, int], number: int
) -> bytes:
    head = sha256(text).digest()[:_HEAD]
    if expected is None or (number < len(expected) and expected[number] == head):
        return head
    # Written by another program the record may have white space and escapes; its words count.
    compact = sha256(_compact(text)).digest()[:_HEAD]
    if compact in known:
        return compact
    return sha256(_rewritten(text)).digest()[:_HEAD]


def _is_named(text: bytes, digest: str) -> bool:
    if sha256(text).hexdigest()[:_ID_DIGITS] == digest:
        return True
    others = (_compact(text), _rewritten(text))
    return any(sha256(other).hexdigest()[:_ID_DIGITS] == digest for other in others)


def _compact(text: bytes) -> bytes:
    try:
        return msgspec.json.format(text, indent=-1)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return text


def _rewritten(text: bytes) -> bytes:
    """Return the record as our recorder writes it, if nothing is lost by that."""
    if len(text) > _LARGE:
        return text
    try:
        tree, said = read_leaf(text, strictly=True)
        return text if said else orjson.dumps(tree)
    except (LeafError, orjson.JSONEncodeError):
        return text


def _verdict(
    run: PipelineRun,
    expected: list[bytes] | None,
    seen: list[bytes],
    names: list[str],
    wrong: list[str],
    absent: int,
) -> Integrity:
    if expected is None and not wrong:
        why = "" if run.complete else " because it is not complete"
        return Integrity("none", (), f"The file holds no digests{why}, so nothing can be said.")
    if expected is not None and not wrong and not absent:
        # Every record is one that was written, and all are there. In order?
        wrong = [
            name for name, head, was in zip(names, seen, expected, strict=False) if head != was
        ]
    parts = []
    if wrong:
        parts.append(f"{len(wrong):,} {'record' if len(wrong) == 1 else 'records'} changed")
    if absent > len(wrong):
        lost = absent - len(wrong)
        parts.append(f"{lost:,} {'is' if lost == 1 else 'are'} missing")
    if expected is not None and run.parts.digest is not None and not parts:
        whole = "sha256:" + sha256(b"".join(expected)).hexdigest()
        if whole != run.parts.digest:
            parts.append("the digest over all records does not fit")
            wrong.append("digest")
    if not parts:
        return Integrity("ok", (), "Every record is as it was written.")
    shown = tuple(wrong[:_MOST_NAMED])
    return Integrity("changed", shown, f"{'; '.join(parts)[0].upper()}{'; '.join(parts)[1:]}.")
