"""Secrets in streams: a chunk is passed on when no rule can match into its text any more.

The texts of a stream's chunks are put together, each kind of text for itself (what is said,
what is thought, the arguments of each call), searched as one, and cut again where they were
cut before. A placeholder stands whole in the chunk in which its secret began.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.redaction.edits import Edit
from inspector.runfile.interned import Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inspector.redaction.records import Redactor

_TEXTS = frozenset(
    {
        "content", "text", "arguments", "reasoning_text", "reasoning", "thinking", "partial_json",
        "delta", "refusal", "output_text", "summary", "transcript",
    }
)  # fmt: skip
_WORDS = 12
_LEAST = 80  # bytes: numbers may be spelt digit by digit
_KEPT = 512  # of what was passed on, for what stands before a match
_LONGEST_KEY = 20_000
_LONGEST_WORDS = 512
_BASE64_LINE = 40


class Chunk(NamedTuple):
    """A chunk, and when it arrived. Its tree is ours to change."""

    at_ns: int
    tree: Any


class _Piece(NamedTuple):
    """A part of a text: which chunk has it, and where in that chunk it stands."""

    chunk: int
    holder: Any
    key: Any
    data: bytes


class _Text:
    """One text of a stream, as far as it is held back."""

    __slots__ = ("before", "covered", "jsonlike", "pieces", "started")

    def __init__(self) -> None:
        self.before = b""  # the end of what was passed on, as it was
        self.covered = 0  # so much of what comes next belongs to what was replaced already
        self.pieces: list[_Piece] = []
        self.started = False
        self.jsonlike = False  # read in another way as a whole: nothing is sure before its end


class Stream:
    """The chunks of one span while they come. Used by one thread."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._chunks: dict[int, Chunk] = {}
        self._texts: dict[str, _Text] = {}
        self._count = 0
        self._first = 0

    def take(self, at_ns: int, tree: Any) -> list[Chunk]:
        """Take a chunk; return those that can be passed on now, in order."""
        self._add(((at_ns, tree),))
        return self._released(self._settled())

    def whole(self, chunks: Iterable[tuple[int, Any]]) -> list[Chunk]:
        """Take all chunks of a stream that is over, and return them."""
        self._add(chunks)
        return self.rest()

    def _add(self, chunks: Iterable[tuple[int, Any]]) -> None:
        times = []
        trees: list[Any] = []
        for at_ns, tree in chunks:
            times.append(at_ns)
            trees.append(plain(tree))
        texts = [list(_texts_of(trees[at : at + 1], "", 0)) for at in range(len(trees))]
        for own in texts:
            for _, owner, key, _text in own:
                owner[key] = ""
        self._redactor.clean_tree(trees)
        for at_ns, tree, own in zip(times, trees, texts, strict=True):
            number = self._count
            self._count += 1
            self._chunks[number] = Chunk(at_ns, tree)
            for place, owner, key, text in own:
                self._add_text(number, place, owner, key, text)

    def _add_text(self, number: int, place: str, owner: Any, key: Any, text: str) -> None:
        known = self._texts.setdefault(place, _Text())
        data = text.encode("utf-8", "surrogatepass")
        if not known.started and data.strip():
            known.started = True
            known.jsonlike = data.lstrip()[:1] in (b"{", b"[", b'"')
        known.pieces.append(_Piece(number, owner, key, data))

    def rest(self) -> list[Chunk]:
        """Return what is left, when no chunk will come any more."""
        return self._released(self._count)

    def _settled(self) -> int:
        """Return the number of the first chunk that has to be held back."""
        reach = self._redactor.own.reach
        if reach is None or self._redactor.redaction.names:
            return self._first
        held = self._count
        for text in self._texts.values():
            if text.pieces:
                held = min(held, self._first_held(text, reach))
        return held

    def _first_held(self, text: _Text, reach: int) -> int:
        if text.jsonlike:
            return text.pieces[0].chunk
        data = b"".join([piece.data for piece in text.pieces])
        safe = _safe_until(data, reach)
        whole = text.before + data
        offset = len(text.before)
        for edit in self._redactor.scanner.scan(whole):
            if edit.start < offset + safe < edit.end:
                safe = max(0, edit.start - offset)
        place = 0
        for piece in text.pieces:
            place += len(piece.data)
            if place > safe:
                return piece.chunk
        return self._count

    def _released(self, until: int) -> list[Chunk]:
        if until <= self._first:
            return []
        for place, text in self._texts.items():
            self._redactor.path = place.lstrip("[0].")
            self._write(text, until)
        numbers = range(self._first, until)
        self._first = until
        return [self._chunks.pop(number) for number in numbers]

    def _write(self, text: _Text, until: int) -> None:
        """Put the redacted text back into the chunks before `until`."""
        going = [piece for piece in text.pieces if piece.chunk < until]
        if not going:
            return
        whole = text.before + b"".join([piece.data for piece in text.pieces])
        offset = len(text.before)
        covered = Edit(0, offset + text.covered, "", b"")
        found = self._redactor.scanner.scan(whole)
        edits = [
            edit._replace(start=max(edit.start, covered.end))
            for edit in found
            if edit.end > covered.end
        ]
        if text.covered:
            edits.insert(0, covered)
        place = offset
        for piece in going:
            end = place + len(piece.data)
            piece.holder[piece.key] = self._cut(whole, edits, place, end).decode(
                "utf-8", "surrogateescape"
            )
            place = end
        text.pieces = text.pieces[len(going) :]
        text.before = whole[max(0, place - _KEPT) : place]
        text.covered = max((e.end - place for e in edits if e.start < place < e.end), default=0)

    def _cut(self, whole: bytes, edits: list[Edit], start: int, end: int) -> bytes:
        out: list[bytes] = []
        at = start
        for edit in edits:
            if edit.end <= start or edit.start >= end:
                continue
            if edit.start >= start:
                out.append(whole[at : edit.start])
                out.append(self._redactor.replacement(whole, edit))
            at = min(edit.end, end)
        out.append(whole[at:end])
        return b"".join(out)


def _safe_until(data: bytes, reach: int) -> int:
    """Return how much of a text no rule can match into any more, whatever follows."""
    place = len(data.rstrip())
    floor = max(0, place - _LONGEST_WORDS)
    for _ in range(_WORDS):
        found = max(data.rfind(32, floor, place), data.rfind(10, floor, place))
        if found < 0:
            place = floor
            break
        place = found
    place = min(place, max(0, len(data) - max(reach, _LEAST)))
    place = max(data.rfind(b" ", 0, place), data.rfind(b"\n", 0, place), -1) + 1
    key = data.rfind(b"-----BEGIN", max(0, len(data) - _LONGEST_KEY))
    if key >= 0 and b"-----END" not in data[key:place]:
        place = min(place, key)
    # Base64 in lines reads on from line to line.
    while place > 0:
        line = data.rfind(10, 0, place - 1) + 1
        body = data[line:place].strip()
        if len(body) < _BASE64_LINE or b" " in body:
            break
        place = line
    return place


def plain(tree: Any) -> Any:
    """Return a copy of a tree without nodes that a writer keeps once."""
    while isinstance(tree, Interned):
        tree = tree.build()
    if isinstance(tree, dict):
        if tree.get(TAG) == "list" and "after" in tree:
            before, items = plain(tree["after"]), plain(tree["items"])
            if isinstance(before, list):
                return [*before, *items]
        return {key: plain(part) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [plain(part) for part in tree]
    return tree


def _texts_of(node: Any, place: str, depth: int) -> Iterator[tuple[str, Any, Any, str]]:
    """Yield the texts of a chunk that go on from chunk to chunk, and where they stand."""
    if isinstance(node, list):
        for number, part in enumerate(node):
            inside = f"{place}[{part['index'] if _has_index(part) else number}]"
            yield from _texts_of(part, inside, depth + 1)
    elif isinstance(node, dict):
        fields = node.get("fields")
        if isinstance(fields, dict) and _has_index(fields):
            place = f"{place}#{fields['index']}"
        for key, part in node.items():
            if isinstance(part, str):
                if key in _TEXTS:
                    yield f"{place}.{key}", node, key, part
            elif part:
                yield from _texts_of(part, f"{place}.{key}", depth + 1)


def _has_index(part: Any) -> bool:
    return isinstance(part, dict) and type(part.get("index")) is int
