"""The log of what left this machine: one line an export, each holding the digest of the one before.

A line that is changed, or taken out of the middle, breaks the chain. Whoever may write the file
can cut lines off its end, or write all of it anew: keep its last digest elsewhere to notice that.
No recorded value is in it, only names, digests and counts.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from inspector.runfile.model import PipelineRun

VARIABLE = "RUN_INSPECTOR_EXPORT_LOG"
"""Names another file for the log; `off` keeps none."""

BEGINNING = "0" * 64
_TAIL = 64 * 1024
_LARGEST = 256 * 2**20
_SIMPLE = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Checked:
    """A log that was read: its lines, and in words where its chain is broken."""

    entries: tuple[Mapping[str, Any], ...]
    trouble: str
    last: str  # the digest of its last line


def log_place() -> Path | None:
    """Return where the log is; None where none is kept."""
    named = os.environ.get(VARIABLE, "")
    if named.strip().lower() == "off":
        return None
    if named:
        return Path(named)
    from platformdirs import user_state_path

    return user_state_path("run-inspector", appauthor=False) / "exports.jsonl"


def note_export(
    run: PipelineRun,
    what: str,
    files: Mapping[str, bytes | Path],
    rules: Sequence[str] | None,
    *,
    place: Path | None = None,
) -> str:
    """Write a line about something that was just written for others.

    Args:
        run: What it was made of.
        what: Such as `export html`, `redact`, `seal`.
        files: What was written: its bytes, or where it is, by name.
        rules: The redaction rules that took something out; None where nothing was redacted.
        place: Where the log is, unless it is the usual one.

    Returns:
        Why it is not in the log, in a sentence; empty when it is.

    """
    place = place or log_place()
    if place is None:
        return ""
    try:
        _append(place, _entry(run, what, files, rules))
    except OSError as error:
        return f"This is not in the log of exports: {error.strerror or error}."
    return ""


def read_log(place: Path) -> Checked:
    """Read a log and follow its chain.

    Raises:
        InspectorError: It cannot be read.

    """
    try:
        if place.stat().st_size > _LARGEST:
            raise InspectorError(f"{place.name} is too large to be read here.")
        lines = place.read_bytes().split(b"\n")
    except FileNotFoundError:
        return Checked((), "", BEGINNING)
    except OSError as error:
        raise InspectorError(f"Cannot read {place}: {error.strerror}.") from error
    entries: list[Mapping[str, Any]] = []
    trouble = ""
    before = BEGINNING
    if lines[-1]:
        trouble = "Its last line is cut off."
    for number, line in enumerate(lines[:-1], start=1):
        tree = _tree_of(line)
        if tree is None:
            trouble = trouble or f"Line {number} is damaged."
        else:
            entries.append(tree)
            if not trouble and tree.get("before") != before:
                trouble = (
                    f"Line {number} does not follow the one before:"
                    " something was changed, put in or taken out there."
                )
        before = sha256(line).hexdigest()
    return Checked(tuple(entries), trouble, before)


def _entry(
    run: PipelineRun, what: str, files: Mapping[str, bytes | Path], rules: Sequence[str] | None
) -> dict[str, Any]:
    header = run.header
    environment = header.get("environment")
    recorder = environment.get("recorder") if isinstance(environment, dict) else None
    entry: dict[str, Any] = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "who": _who(),
        "what": what,
        "run": {
            "id": _short(header.get("id")),
            "name": _short(header.get("name")),
            "started_at": _short(header.get("started_at")),
            "recorder": _short(recorder),
            "file": None if run.origin is None else run.origin.name,
            "digest": run.parts.digest,
            "redacted_by": _earlier(header.get("redaction")),
        },
        "files": [
            {"name": name, "sha256": digest, "bytes": size}
            for name, (digest, size) in ((n, _digest(data)) for n, data in files.items())
        ],
        "rules": None if rules is None else sorted(set(rules)),
    }
    return entry


def _earlier(redaction: Any) -> list[str] | None:
    """Return the rules by which a run was redacted before it was exported."""
    if not isinstance(redaction, list):
        return None
    named = (each.get("rule") for each in redaction[:1_000] if isinstance(each, dict))
    return sorted({name[:100] for name in named if isinstance(name, str)})


def _append(place: Path, entry: dict[str, Any]) -> None:
    from inspector.runfile.files import PRIVATE_FILE, make_private_directory, write_all

    make_private_directory(str(place.parent))
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    descriptor = os.open(place, flags, PRIVATE_FILE)
    try:
        with _alone(descriptor):
            before, cut = _last(descriptor)
            line = json.dumps({**entry, "before": before}, ensure_ascii=True).encode()
            write_all(descriptor, (b"\n" if cut else b"") + line + b"\n")
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _last(descriptor: int) -> tuple[str, bool]:
    """Return the digest of the last line, and whether that line is cut off."""
    size = os.fstat(descriptor).st_size
    if size == 0:
        return BEGINNING, False
    length = _TAIL
    while True:
        start = max(0, size - length)
        os.lseek(descriptor, start, os.SEEK_SET)
        tail = b""
        while piece := os.read(descriptor, size - start - len(tail)):
            tail += piece
        cut = not tail.endswith(b"\n")
        lines = (tail if cut else tail[:-1]).split(b"\n")
        if len(lines) > 1 or start == 0:
            return sha256(lines[-1]).hexdigest(), cut
        length *= 4


@contextmanager
def _alone(descriptor: int) -> Iterator[None]:
    """Keep other programs of ours out while a line is written."""
    try:
        import fcntl
    except ImportError:  # Windows, where an appended line is one write all the same
        yield
        return
    with suppress(OSError):  # a file system without locks
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def _digest(data: bytes | Path) -> tuple[str, int]:
    if isinstance(data, bytes):
        return sha256(data).hexdigest(), len(data)
    digest, size = sha256(), 0
    with data.open("rb") as file:
        while block := file.read(2**20):
            digest.update(block)
            size += len(block)
    return digest.hexdigest(), size


def _tree_of(line: bytes) -> Mapping[str, Any] | None:
    if len(line) > 2**20:
        return None
    try:
        tree = json.loads(line)
    except (ValueError, RecursionError):
        return None
    good = isinstance(tree, dict) and _SIMPLE.fullmatch(str(tree.get("before")))
    return tree if good else None


def _who() -> str:
    import getpass
    import platform

    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        name = "somebody"
    return f"{name}@{platform.node() or 'somewhere'}"


def _short(value: Any) -> str | None:
    return value[:200] if isinstance(value, str) else None
