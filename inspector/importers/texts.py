"""Reading JSON that others wrote: in one piece, one document a line, or one after the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import orjson

from inspector.errors import RunFileError
from inspector.runfile.bounds import BLOCK, MIB
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.shallow import items_of, value_end
from inspector.runfile.sniff import UTF8_MARK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inspector.importers.losses import Losses
    from inspector.runfile.source import ByteSource

LARGEST = 2048 * MIB
SPACE = b" \t\r\n\0\x1e"
"""What stands around documents: space, zero bytes of a crash, what RFC 7464 puts before each."""
_STRICT = MIB
_DEEP = 150
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
_RAW = msgspec.json.Decoder(msgspec.Raw)
_SPACE = re.compile(rb"[ \t\r\n\x00\x1e]*+")
_LAST_COMMA = re.compile(rb'"(?:[^"\\]++|\\.)*+"|,(?=\s*[}\]])', re.DOTALL)


class Piece(NamedTuple):
    """The text of one document, and where it stands: the line or the byte, in words."""

    text: bytes
    where: str


def whole(source: ByteSource, name: str) -> bytes:
    """Return all of a source, without the mark that some editors put first.

    Raises:
        RunFileError: It is larger than what is read in one piece, or not there any more.

    """
    if source.size > LARGEST:
        raise RunFileError(
            f"{name} has {source.size / MIB:,.0f} MiB in one piece of JSON; "
            f"of such files up to {LARGEST / MIB:,.0f} MiB are read.",
            hint="Export it as one document a line, or in parts.",
        )
    return source.read_at(0, source.size).removeprefix(UTF8_MARK).rstrip(b"\0")


def tree_of(text: bytes, losses: Losses, where: str = "") -> Any:
    """Return what a text says, however deep it goes.

    Raises:
        LeafError: It is no JSON.

    """
    try:
        tree, said = read_leaf(text, strictly=len(text) <= _STRICT)
    except LeafError as error:
        if "nested" in str(error):
            tree, said = read_leaf(pruned(text))
            losses.problem(f"What is nested more than {_DEEP} levels deep is left out.", where)
        else:
            mended = _LAST_COMMA.sub(_without_comma, text)
            if mended == text:
                raise
            tree, said = read_leaf(mended)
            losses.problem("It is not quite JSON: a comma stands where nothing follows.", where)
    if said:
        losses.problem(f"It is not quite JSON: {said}.", where)
    return tree


def _without_comma(found: re.Match[bytes]) -> bytes:
    return b"" if found[0] == b"," else found[0]


def whole_items(text: bytes) -> list[Any]:
    """Return the items that stand whole in a list that is cut off or damaged."""
    found: list[Any] = []
    if text[:1] != b"[":
        return found
    for start, end in items_of(text, 0, len(text))[0]:
        try:
            found.append(read_leaf(text[start:end])[0])
        except LeafError:
            continue
    return found


def pruned(text: bytes) -> bytes:
    """Return JSON in which what is nested too deeply is replaced by a note that it was."""
    pieces: list[bytes] = []
    depth, kept_to, cut_from = 0, 0, -1
    for token in _TOKEN.finditer(text):
        sign = text[token.start()]
        if sign in b"{[":
            depth += 1
            if depth == _DEEP and cut_from < 0:
                cut_from = token.start()
        elif sign in b"}]":
            depth -= 1
            if depth == _DEEP - 1 and cut_from >= 0:
                size = token.end() - cut_from
                note = {"$": "truncated", "type": "value", "size": size, "why": "nested too deeply"}
                pieces += [text[kept_to:cut_from], orjson.dumps(note)]
                kept_to, cut_from = token.end(), -1
    pieces.append(text[kept_to:])
    return b"".join(pieces)


def is_lines(head: bytes) -> bool:
    """Whether a text holds one document a line: its first line is one by itself."""
    line, ended, _ = head.partition(b"\n")
    if not ended:
        return False
    text = line.strip(SPACE)
    if text[:1] not in (b"{", b"["):
        return False
    return is_whole(text) or value_end(text, 0, len(text)) == len(text)


def is_whole(text: bytes) -> bool:
    """Whether a text is one document, as far as a fast reader sees that it passes over."""
    try:
        _RAW.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return False
    return True


def lines(source: ByteSource, at: Callable[[int], None]) -> Iterator[Piece]:
    """Yield the lines of a source that are not blank.

    Lines end at line feeds only: other signs that Python takes for ends may stand in texts.
    """
    rest: list[bytes] = []
    number = 1
    offset = len(UTF8_MARK) if source.read_at(0, min(3, source.size)) == UTF8_MARK else 0
    while offset < source.size:
        at(offset)
        block = source.read_at(offset, min(BLOCK, source.size - offset))
        offset += len(block)
        parts = block.split(b"\n")
        if len(parts) == 1:
            rest.append(block)
            continue
        parts[0] = b"".join([*rest, parts[0]])
        rest = [parts.pop()]
        for line in parts:
            if text := line.strip(SPACE):
                yield Piece(text, f"line {number:,}")
            number += 1
    if text := b"".join(rest).strip(SPACE):
        yield Piece(text, f"line {number:,}")


def documents(text: bytes, losses: Losses) -> Iterator[Piece]:
    """Yield the documents that stand one after the other in a text.

    What comes between or after them, and one that is cut off, is counted.
    """
    if is_whole(text):
        yield Piece(text, "")
        return
    at, number = 0, 0
    while (start := _after_space(text, at)) < len(text):
        if text[start : start + 1] == b",":  # lists that lost their brackets
            at = start + 1
            continue
        if text[start : start + 1] not in (b"{", b"["):
            losses.skip("text that is no JSON", f"it stands at byte {start:,}")
            following = [place for sign in b"{[" if (place := text.find(sign, start)) >= 0]
            if not following:
                return
            start = min(following)
        end = value_end(text, start, len(text))
        if end < 0:
            yield Piece(text[start:], f"document {number + 1:,}, which is cut off")
            return
        number += 1
        yield Piece(text[start:end], f"document {number:,}")
        at = end


def pieces(
    source: ByteSource, name: str, losses: Losses, at: Callable[[int], None]
) -> Iterator[Piece]:
    """Yield the documents of a source, whichever of the ways they are laid out in."""
    if source.read_at(max(0, source.size - 1), 1 if source.size else 0) == b"\0":
        losses.skip("run of zero bytes", "it stands at the end")
    head = source.read_at(0, min(8 * MIB, source.size)).removeprefix(UTF8_MARK).lstrip(SPACE)
    if is_lines(head):
        yield from lines(source, at)
    else:
        yield from documents(whole(source, name), losses)


def _after_space(text: bytes, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()
