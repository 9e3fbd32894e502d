"""Paths of values such as `outputs.replies[0]`, taken apart and followed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.presentation.values import entries_in, is_leaf, items_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.runfile.model import PipelineRun, Span

_STEP = re.compile(r"\.?([^\W\d]\w*)|\[(\d+)\]|\[(\"(?:[^\"\\]|\\.)*\")\]")

ABSENT = object()
"""What is found where a path leads nowhere; `None` may be a value."""


class Step(NamedTuple):
    """One step of a path: as it is written there, and what it names."""

    text: str
    label: str

    @property
    def is_index(self) -> bool:
        return self.text[:1] == "[" and self.text[1:2] != '"'


def split(path: str) -> list[Step]:
    """Return the steps of a path, its root the first; none for text that is no path."""
    steps: list[Step] = []
    position = 0
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None:
            return []
        name, number, quoted = found.groups()
        label = json.loads(quoted) if quoted is not None else name or number
        steps.append(Step(found.group(), label))
        position = found.end()
    return steps


def joined(steps: Sequence[Step]) -> str:
    """Return the path that is made of these steps."""
    return "".join(step.text for step in steps)


def part_of(value: Any, step: Step) -> Any:
    """Return what of a value a step names, or `ABSENT`."""
    if is_leaf(value):
        return ABSENT
    items = items_in(value)
    if items is not None:
        at = int(step.label) if step.label.isdecimal() and len(step.label) < 12 else len(items)
        return items[at] if at < len(items) else ABSENT
    return next((part for key, part in entries_in(value) if str(key) == step.label), ABSENT)


def follow(value: Any, steps: Sequence[Step]) -> Any:
    """Return what stands in a value where these steps lead, or `ABSENT`."""
    for step in steps:
        value = part_of(value, step)
        if value is ABSENT:
            break
    return value


def field_of(run: PipelineRun, span: Span, root: str) -> Any:
    """Return what a span was given, gave or changed; `ABSENT` where it was not recorded."""
    if root not in ("inputs", "arguments", "outputs", "state_changes"):
        return ABSENT
    value = getattr(span, root)
    if value is None and span.parent_id is None and root in ("inputs", "outputs"):
        value = getattr(run, root)
    return ABSENT if value is None else value


def value_at(run: PipelineRun, span: Span, path: str) -> Any:
    """Return the value at a path of a span, or `ABSENT`."""
    steps = split(path)
    if not steps:
        return ABSENT
    value = field_of(run, span, steps[0].label)
    return value if value is ABSENT else follow(value, steps[1:])
