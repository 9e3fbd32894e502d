"""Reading YAML that others wrote: as data only, event by event, as far as it goes.

Nothing is made of it but texts, numbers, bytes, lists and mappings. Aliases are followed while
what they repeat stays small: ten lines of them can stand for billions of items.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inspector.importers.losses import Losses
    from inspector.runfile.source import ByteSource

_TAIL = 65_536
_PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BINARY = "tag:yaml.org,2002:binary"
_NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})(?:\.\d+(?:[eE][-+]?\d+)?)?\Z")
_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "Null": None, "NULL": None,
                          "true": True, "True": True, "false": False, "False": False}  # fmt: skip
_DEEPEST = 100
_MOST_REPEATED = 200_000
_LEFT_OUT = "[left out]"


def items_under(
    source: ByteSource, keys: frozenset[str], losses: Losses, at: Callable[[int], None]
) -> Iterator[tuple[Any, bool]]:
    """Yield each item of the list at one of the keys of the outermost mapping, and if it is whole.

    Where the text breaks off or is damaged, what was read of the last item comes last.
    """
    builder = _Builder()
    try:
        for event in yaml.parse(_Stream(source, at), Loader=_PARSER):
            builder.take(event)
            if builder.has_item(keys):
                yield builder.pop_item(), True
    except (yaml.YAMLError, ValueError) as error:
        losses.problem(f"It is cut off or damaged YAML ({_in_words(error)}).")
        if (left := builder.rest(keys)) is not None:
            yield left, False
    if builder.left_out:
        losses.skip("part that is nested or repeated too often", count=builder.left_out)


def _in_words(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    what = str(getattr(error, "problem", None) or "it holds what no YAML does")
    return f"line {mark.line + 1:,}: {what}" if mark is not None else what


class _Stream:
    """A source as the parser reads it."""

    def __init__(self, source: ByteSource, at: Callable[[int], None]) -> None:
        self._source = source
        self._at = at
        self._offset = 0
        # A crash leaves zero bytes behind what was written; the reader of YAML dislikes them.
        tail = source.read_at(max(0, source.size - _TAIL), min(_TAIL, source.size))
        self._end = source.size - len(tail) + len(tail.rstrip(b"\0"))

    def read(self, size: int = 65_536) -> bytes:
        self._at(self._offset)
        data = self._source.read_at(self._offset, min(size, self._end - self._offset))
        self._offset += len(data)
        return data


class _Frame:
    """A list or mapping that is being read."""

    __slots__ = ("anchor", "has_key", "key", "value", "weight")

    def __init__(self, value: Any, anchor: str | None) -> None:
        self.value = value
        self.anchor = anchor
        self.key: Any = None
        self.has_key = False
        self.weight = 1

    def put(self, item: Any, weight: int) -> None:
        self.weight += weight
        if isinstance(self.value, list):
            self.value.append(item)
        elif self.has_key:
            self.value[self.key] = item
            self.has_key = False
        else:
            self.key = item if isinstance(item, str) else str(item)
            self.has_key = True


class _Builder:
    """Puts values together from what the parser says, without ever calling itself."""

    def __init__(self) -> None:
        self.left_out = 0
        self._frames: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._repeated = 0
        self._skipping = 0

    def take(self, event: Any) -> None:
        kind = type(event)
        starts = kind in (yaml.MappingStartEvent, yaml.SequenceStartEvent)
        ends = kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent)
        if self._skipping:
            self._skipping += starts - ends
        elif starts and len(self._frames) >= _DEEPEST:
            self._skipping = 1
            self._leave_out()
        elif starts:
            value: Any = {} if kind is yaml.MappingStartEvent else []
            self._frames.append(_Frame(value, event.anchor))
        elif ends:
            frame = self._frames.pop()
            self._put(frame.value, frame.weight, frame.anchor)
        elif kind is yaml.ScalarEvent:
            self._put(_scalar(event), 1, event.anchor)
        elif kind is yaml.AliasEvent:
            self._repeat(event.anchor)

    def has_item(self, keys: frozenset[str]) -> bool:
        """Whether an item of a list that is wanted has just become whole."""
        frames = self._frames
        return len(frames) == 2 and self._wanted(keys) and bool(frames[1].value)

    def pop_item(self) -> Any:
        """Return that item, and forget it."""
        return self._frames[1].value.pop()

    def rest(self, keys: frozenset[str]) -> Any:
        """Return what there is of the item that was being read; None where there is none."""
        if len(self._frames) < 3 or not self._wanted(keys):
            return None
        while len(self._frames) > 3:
            frame = self._frames.pop()
            above = self._frames[-1]
            if isinstance(above.value, list) or above.has_key:
                above.put(frame.value, frame.weight)
        return self._frames[2].value or None

    def _wanted(self, keys: frozenset[str]) -> bool:
        root, inner = self._frames[:2]
        return isinstance(root.value, dict) and root.key in keys and isinstance(inner.value, list)

    def _put(self, value: Any, weight: int, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = value, weight
        if self._frames:
            self._frames[-1].put(value, weight)

    def _repeat(self, anchor: str) -> None:
        value, weight = self._anchors.get(anchor, (None, 1))
        self._repeated += weight
        if self._repeated > _MOST_REPEATED:
            self._leave_out()
        else:
            self._put(value, weight, None)

    def _leave_out(self) -> None:
        self.left_out += 1
        self._put(_LEFT_OUT, 1, None)


def _scalar(event: Any) -> Any:
    text: str = event.value
    if event.tag == _BINARY:
        try:
            return base64.b64decode(text)
        except (binascii.Error, ValueError):
            return text
    if not event.implicit[0]:  # in quotes, or with a tag
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER.match(text):
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    return text
