"""Where the segments of an execution stand, and what they are called.

    FOLDER/
      <execution id>/
        execution.json                        what never changes: run id, deployment, revision
        attempt-0001-3f9a2c51.run.jsonl       an attempt that was killed, or is going on
        attempt-0002-77b0e1d4.run.json        an attempt that ended

Names tell what belongs together. The header of a segment says the same, but went through the
rules of a redaction, which may have taken an id for a secret.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = 1
MANIFEST = "execution.json"
MANIFEST_FORMAT = "haystack-run-segments"
STATE_KEY = "run_inspector"
SALT_KEY = "salt"
"""Where in that the salt of an execution's placeholders stands."""
SIGNALS = {
    "_ExecutionSuspendedError": "waiting", "_RetryRequestedError": "retried",
    "DurableExecutionCancelledError": "canceled", "ExecutionLeaseLostError": "lease lost",
}  # fmt: skip
"""What Hayhooks raises to end an attempt, by the names of the types, and how it ends with that."""
ALIVE = "alive_ns"
"""Until when an attempt is known to have gone on, in its span."""

_SEGMENT = re.compile(r"attempt-(\d{1,9})-[0-9a-f]{8}\.run\.jsonl?(?:\.gz|\.zst)?")
_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LARGEST_MANIFEST = 64 * 1024
_MOST_SEGMENTS = 2_000


class SegmentFile(NamedTuple):
    """A segment as its name tells."""

    path: Path
    attempt: int


def segment_name(execution: str, attempt: int) -> str:
    """Return where the segment of a new attempt goes, below the folder and without suffixes."""
    return f"{folder_name(execution)}/attempt-{attempt:04d}-{os.urandom(4).hex()}"


def folder_name(execution: str) -> str:
    """Return the name of an execution's folder: its id, where that can be one."""
    if _PLAIN_ID.fullmatch(execution):
        return execution
    return hashlib.sha256(execution.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def run_id_for(execution: str, created_at_ms: int) -> str:
    """Return the id of an execution's run: the same in all attempts, on whichever machine.

    It cannot be made up once and handed on: an attempt that is killed before its first
    checkpoint leaves nothing behind in the store.
    """
    drawn = hashlib.sha256(b"hayhooks execution " + execution.encode("utf-8", "surrogatepass"))
    number = (max(0, created_at_ms) & (2**48 - 1)) << 80 | int.from_bytes(drawn.digest()[:10])
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def segments_in(folder: Path) -> list[SegmentFile]:
    """Return the segments in the folder of one execution, by attempt and then by time.

    Of very many these are the first.

    Raises:
        OSError: The folder cannot be looked through.

    """
    found: list[tuple[int, int, SegmentFile]] = []
    for path in folder.iterdir():
        if (name := _SEGMENT.fullmatch(path.name)) is not None:
            with suppress(OSError):
                status = path.stat()
                if stat.S_ISREG(status.st_mode):  # a pipe would be waited for
                    segment = SegmentFile(path, int(name[1]))
                    found.append((segment.attempt, status.st_mtime_ns, segment))
    return [segment for *_, segment in sorted(found)[:_MOST_SEGMENTS]]


def manifest_text(facts: dict[str, Any]) -> bytes:
    """Return what the manifest of an execution holds."""
    head = {"format": MANIFEST_FORMAT, "version": SCHEMA}
    return json.dumps({**head, **facts}, indent=1).encode() + b"\n"


def manifest_of(folder: Path) -> dict[str, Any]:
    """Return what the manifest in a folder says; nothing where there is none that can be read."""
    path = folder / MANIFEST
    with suppress(OSError, ValueError, RecursionError):
        if not path.is_file():
            return {}
        with path.open("rb") as file:
            said = json.loads(file.read(_LARGEST_MANIFEST))
        if isinstance(said, dict) and said.get("format") == MANIFEST_FORMAT:
            return said
    return {}
