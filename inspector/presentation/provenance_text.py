"""Which texts others were put together from: found by looking for their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.presentation.value_graph import walk_texts
from inspector.presentation.value_paths import ABSENT, split
from inspector.presentation.words import elided

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHORTEST = 4  # characters of a part: "no" stands in everything
_MOST_PARTS = 400
_LONGEST = 4_000_000  # characters that are looked through


class TextPart(NamedTuple):
    """A text that stands in another one."""

    path: str
    name: str


def parts_in(value: Any, inputs: Any) -> Iterator[TextPart]:
    """Yield the texts in what went in that stand in a value, in their order.

    A document counts as a whole when its content does; a text that is in a longer one
    that was found already is still named, since a template may have put it in as well.
    """
    if inputs is ABSENT:
        return
    whole = [text for _path, text in walk_texts(value, "", _MOST_PARTS) if len(text) < _LONGEST]
    for path, text in walk_texts(inputs, "inputs", _MOST_PARTS):
        words = text.strip()
        if len(words) < _SHORTEST:
            continue
        # What is the same all through was handed on, not put in.
        if any(words in each and words != each.strip() for each in whole):
            yield TextPart(path, _name(path))


def stands_in_outputs(value: Any, outputs: Any) -> Iterator[str]:
    """Yield the paths of the texts that came out and hold the words of a value."""
    if outputs is ABSENT:
        return
    parts = [text.strip() for _path, text in walk_texts(value, "", _MOST_PARTS)]
    parts = [text for text in parts if len(text) >= _SHORTEST]
    for path, text in walk_texts(outputs, "outputs", _MOST_PARTS):
        if len(text) < _LONGEST and any(part in text and part != text.strip() for part in parts):
            yield path


def _name(path: str) -> str:
    steps = split(path)
    shown = [step for step in steps[1:] if step.label not in ("content", "text")]
    words = "".join(step.text for step in shown or steps).lstrip(".")
    return elided(words, 60)
