"""Spans taken out of a run, and the paths of those that stay."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from inspector.export.shrink_draft import Draft

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_NUMBERED = re.compile(r"(?P<label>.*?)(?P<open>#|\[|(?<=^step))(?P<number>\d+)(?P<close>\]?)")


def inside(draft: Draft, ids: Collection[str]) -> set[str]:
    """Return the ids of spans and of all that happened inside of them."""
    gone = set(ids)
    for span in draft.spans:  # in start order, so what is outside stands first
        if span.get("parent") in gone:
            gone.add(str(span.get("id")))
    return gone


def without_spans(draft: Draft, ids: Collection[str], *, as_if_never: bool) -> Draft:
    """Return a draft without some spans and all that happened inside of them.

    With `as_if_never`, the later visits, steps and calls are counted as if those had never
    been; otherwise they are merely not there any more.
    """
    gone = inside(draft, ids)
    kept = tuple(span for span in draft.spans if span.get("id") not in gone)
    if as_if_never:
        roots = [span for span in draft.spans if span.get("id") in set(ids)]
        paths = _Paths([str(span.get("path", "")) for span in roots])
        kept = tuple(map(paths.counted_anew, kept))
    return Draft(draft.header, kept, draft.values)


class _Paths:
    def __init__(self, gone: list[str]) -> None:
        self._gone: dict[tuple[str, str], list[int]] = {}
        for path in gone:
            scope, _, segment = path.rpartition("/")
            if found := _NUMBERED.fullmatch(segment):
                self._gone.setdefault((scope, _label(found)), []).append(int(found["number"]))

    def counted_anew(self, span: Mapping[str, Any]) -> Mapping[str, Any]:
        path = span.get("path")
        if not isinstance(path, str) or not path:
            return span
        scope, last, moved, now = "", "", 0, []
        for segment in path.split("/"):
            last, moved = self._segment(scope, segment)
            now.append(last)
            scope = f"{scope}/{segment}" if scope else segment
        changed: dict[str, Any] = {"path": "/".join(now)}
        if changed["path"] == path:
            return span
        if moved:
            call = span.get("tool_call")
            if last.startswith("step") and isinstance(span.get("step"), int):
                changed["step"] = span["step"] - moved
                if span.get("name") == f"step {span['step']}":
                    changed["name"] = f"step {changed['step']}"
            elif last.endswith("]") and isinstance(call, dict) and "index" in call:
                changed["tool_call"] = {**call, "index": call["index"] - moved}
            elif isinstance(span.get("visit"), int):
                changed["visit"] = span["visit"] - moved
        return {**span, **changed}

    def _segment(self, scope: str, segment: str) -> tuple[str, int]:
        """Return a segment of a path as it is counted now, and by how much that is less."""
        found = _NUMBERED.fullmatch(segment)
        if found is None:
            return segment, 0
        before = self._gone.get((scope, _label(found)), ())
        number = int(found["number"])
        less = sum(each < number for each in before)
        return f"{found['label']}{found['open']}{number - less}{found['close']}", less


def _label(found: re.Match[str]) -> str:
    # Calls of one reply are counted together, whichever tool they are for.
    return "[" if found["open"] == "[" else found["label"] + found["open"]


def turns(draft: Draft) -> Iterator[tuple[str, ...]]:
    """Yield what could be left out of loops: steps of agents, and rounds of a pipeline.

    Each is the ids of the spans that go together.
    """
    yield from ((str(span["id"]),) for span in draft.spans if span.get("kind") == "step")
    visits: Counter[tuple[Any, Any]] = Counter()
    for span in draft.spans:
        if span.get("kind") == "component":
            visits[span.get("parent"), span.get("name")] += 1
    rounds: dict[tuple[Any, Any], list[str]] = {}
    for span in draft.spans:
        if span.get("kind") == "component" and visits[span.get("parent"), span.get("name")] > 1:
            rounds.setdefault((span.get("parent"), span.get("visit")), []).append(str(span["id"]))
    yield from map(tuple, rounds.values())


def calls(draft: Draft) -> Iterator[tuple[str, str]]:
    """Yield the tool calls of agents: the id of the span, and the id that the call had."""
    for span in draft.spans:
        call = span.get("tool_call")
        named = call.get("id") if isinstance(call, dict) else None
        if span.get("kind") == "tool" and isinstance(named, str) and named:
            yield str(span.get("id")), named
