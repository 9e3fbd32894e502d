"""Where each span sits, in the words of FORMAT.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.importers.tree_of_spans import NO_PARENT

if TYPE_CHECKING:
    from inspector.importers.reading import Reading


def placed_paths(
    readings: list[Reading], parents: list[int], *, several_roots: bool
) -> tuple[list[str], list[int], list[int]]:
    """Return of each span its path, its visit, and for tools the index of the call, else -1.

    Spans are in start order, and a parent may start after its children.
    """
    count = len(readings)
    paths: list[str] = [""] * count
    visits = [1] * count
    indexes = [-1] * count
    prefixes: list[str] = [""] * count
    seen: dict[tuple[int, str, str], int] = {}
    for row in _outermost_first(parents):
        reading, parent = readings[row], parents[row]
        key = (parent, reading.kind, reading.name)
        visits[row] = seen[key] = seen.get(key, 0) + 1
        if reading.kind == "tool":
            calls = (parent, "tool", "")
            indexes[row] = seen.get(calls, 0)
            seen[calls] = indexes[row] + 1
        if parent == NO_PARENT and not several_roots:
            continue
        segment = _segment(reading, visits[row], indexes[row])
        above = "" if parent == NO_PARENT else prefixes[parent]
        paths[row] = f"{above}{segment}" if reading.path is None else reading.path
        inside = (
            reading.kind == "agent" and parent != NO_PARENT and readings[parent].role == "agent"
        )
        # The segment of an agent is left out of the paths of what it does.
        prefixes[row] = above if inside else f"{paths[row]}/"
    return paths, visits, indexes


def _segment(reading: Reading, visit: int, index: int) -> str:
    if reading.kind == "agent":
        return f"agent#{visit}"
    if reading.kind == "pipeline":
        return f"pipeline#{visit}"
    if reading.kind == "step" and reading.step is not None:
        return f"step{reading.step}"
    if reading.kind == "llm" and reading.name == "llm":
        return "llm" if visit == 1 else f"llm#{visit}"
    if reading.kind == "tool":
        return f"tool:{_safe(reading.name)}[{index}]"
    return f"{_safe(reading.name)}#{visit}"


def _safe(name: str) -> str:
    return name.replace("/", "∕")


def _outermost_first(parents: list[int]) -> list[int]:
    """Return the rows so that each stands after its parent, siblings in start order."""
    children: dict[int, list[int]] = {}
    for row, parent in enumerate(parents):
        children.setdefault(parent, []).append(row)
    order: list[int] = []
    waiting = list(reversed(children.get(NO_PARENT, ())))
    while waiting:
        row = waiting.pop()
        order.append(row)
        waiting.extend(reversed(children.get(row, ())))
    return order
