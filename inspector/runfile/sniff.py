"""Telling what a file is by what it holds, never by what it is called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from inspector.errors import RunFileError, SealedFileError
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.shallow import members_of

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT_NAME = "haystack-run"
UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}

SEALED_MARKS = (b"age-encryption.org/v1", b"-----BEGIN AGE ENCRYPTED FILE-----")
"""How files begin that are encrypted in the age format, as bytes and as text."""

_LETTERS_SHOWN = 12
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"PAR1", "a Parquet file"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"<", "HTML or XML"),
    (b"---", "YAML"),
)

# JSON that people have lying about and may take for a run.
_KNOWN: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"pipeline_state", "break_point"}), "a Haystack snapshot"),
    (frozenset({"resourceSpans"}), "an OpenTelemetry trace"),
    (frozenset({"traceEvents"}), "a Chrome trace"),
    (frozenset({"components", "connections"}), "a pipeline definition"),
    (frozenset({"dotted_order"}), "a LangSmith run"),
    (frozenset({"observations"}), "a Langfuse trace"),
    (frozenset({"info", "data"}), "an MLflow trace"),
    (frozenset({"choices", "model"}), "an answer of a chat completions API"),
    (frozenset({"nbformat"}), "a notebook"),
    (frozenset({"log"}), "a HAR file"),
)
_MOST_KEYS = 6
_JOURNAL = re.compile(rb'\s*\{\s*"record"\s*:')
MAKE_ONE = "A run file is what `inspector.record_run(...)` and `run.save(...)` write."


def refuse_others(head: bytes, size: int, name: str) -> None:
    """Say what a file is that cannot be a run, by its first bytes.

    Raises:
        RunFileError: It is something else.

    """
    refuse_what_is_no_text(head, size, name)
    text = head.removeprefix(UTF8_MARK).lstrip()
    first = text[:1]
    if first == b"[":
        raise RunFileError(
            f"{name} holds a JSON list, not a run.",
            hint="A run file is one JSON object. If the list holds runs, save each by itself.",
        )
    if first not in (b"{", b""):
        # As Python writes bytes: whatever they are, that is a few plain letters.
        seen, at = repr(text[:_LETTERS_SHOWN])[1:], len(head) - len(text)
        raise RunFileError(
            f"{name} holds no JSON object: at byte {at} stands {seen} instead of '{{'.",
            hint=MAKE_ONE,
        )


def refuse_what_is_no_text(head: bytes, size: int, name: str) -> None:
    """Say what a file is that no text can be read from, by its first bytes.

    Raises:
        RunFileError: It is empty, or of a sort that holds no text.

    """
    if size == 0:
        raise RunFileError(
            f"{name} is empty.",
            hint="Haystack 2.16 to 3.0 leaves such a file when it fails while writing a snapshot: "
            "run again with Haystack 3.1 or later, or use `exc.pipeline_snapshot`. "
            "If a run was being recorded, look for a journal (*.run.jsonl) beside it.",
        )
    if not head.strip(b"\0"):
        raise RunFileError(
            f"{name} holds zero bytes instead of text.",
            hint="A full disk or a crash of the machine leaves such files. Try a backup.",
        )
    if not head.strip():
        raise RunFileError(f"{name} holds nothing but white space.", hint=MAKE_ONE)
    if head.startswith(SEALED_MARKS):
        raise SealedFileError(
            f"{name} is sealed.",
            hint="The window asks for its passphrase or key; or: run-inspector unseal FILE -o OUT",
        )
    for magic, words in _OTHERS:
        if head.startswith(magic) and not (words == "YAML" and b"interactions:" in head):
            raise RunFileError(f"{name} is {words}, not a run file.", hint=MAKE_ONE)


def utf16_of(head: bytes) -> str | None:
    """Return the encoding of a file that some shells write when they redirect."""
    return _UTF16_MARKS.get(head[:2])


def looks_like_journal(line: bytes, *, whole: bool) -> bool:
    """Whether a file's first line is a record of a journal."""
    if _JOURNAL.match(line):
        return True
    return whole and any(member.key == "record" for member in members_of(line.strip())[0])


def is_header_line(line: bytes) -> bool:
    """Whether a file's first line is that of a run kept one record a line."""
    text = line.strip()
    if not text.startswith(b"{") or text[-1:] not in (b",", b"["):
        return False
    wrapped = text.rstrip(b", \t[")
    if text.endswith(b"["):
        wrapped = wrapped[: wrapped.rfind(b'"spans"')].rstrip(b", \t")
    wrapped += b"}"
    members, whole = members_of(wrapped)
    return whole and any(
        key == "format" and wrapped[start:end] == b'"haystack-run"' for key, start, end in members
    )


def require_run(members: dict[str, bytes], name: str, *, complete: bool, size: int) -> None:
    """Make sure that a JSON object calls itself a run.

    Raises:
        RunFileError: It does not.

    """
    try:
        said = read_leaf(members.get("format", b"null"))[0]
    except LeafError:
        said = None
    if said == FORMAT_NAME:
        return
    if not complete and said is None:
        if size < 64 or not members:
            raise RunFileError(
                f"{name} is cut off after {size:,} bytes, before it says what it is.",
                hint="Copy or download it again.",
            )
        raise RunFileError(
            f"{name} is damaged JSON, and what can be read of it is no run.", hint=MAKE_ONE
        )
    if isinstance(said, str):
        raise RunFileError(
            f"{name} is in the format {said[:60]!r}, not in “haystack-run”.", hint=MAKE_ONE
        )
    raise RunFileError(f"{name} is JSON, but no run: {_what_it_is(members)}.", hint=MAKE_ONE)


def _what_it_is(keys: Iterable[str]) -> str:
    known = list(keys)
    for marks, words in _KNOWN:
        if marks <= set(known):
            return f"it looks like {words}"
    if not known:
        return "it is an empty object"
    shown = ", ".join(key[:40] for key in known[:_MOST_KEYS])
    return f"its keys are {shown}{' …' if len(known) > _MOST_KEYS else ''}"
