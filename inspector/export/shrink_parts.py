"""Components and tools taken out of the pipeline that a run describes.

For a run that replays on stubs only: they are made of this very description.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.export.shrink_draft import Draft
from inspector.export.shrink_spans import inside

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

_ENDS = ("sender", "receiver")


def components(draft: Draft) -> Iterator[str]:
    """Yield the names of the pipeline's components, where there are several."""
    topology = draft.header.get("topology")
    found = topology.get("components") if isinstance(topology, dict) else None
    if isinstance(found, dict) and len(found) > 1 and draft.header.get("kind") == "pipeline":
        yield from found


def without_components(draft: Draft, names: Collection[str]) -> Draft:
    """Return a draft of a run whose pipeline never had some components."""
    gone = inside(
        draft,
        [
            str(span.get("id"))
            for span in draft.spans
            if span.get("kind") == "component" and span.get("name") in names
            and "/" not in str(span.get("path"))
        ],
    )  # fmt: skip

    def named(tree: Any) -> Any:
        if not isinstance(tree, dict) or "$" in tree or "$ref" in tree:
            return tree
        return {name: value for name, value in tree.items() if name not in names}

    header = dict(draft.header)
    for field in ("topology", "definition"):
        if isinstance(header.get(field), dict):
            header[field] = _without_components(header[field], names, named)
    for field in ("inputs", "outputs"):
        if field in header:
            header[field] = named(header[field])
    spans = []
    for span in draft.spans:
        if span.get("id") in gone:
            continue
        now = dict(span)
        for field in ("senders", "receivers"):
            if isinstance(now.get(field), dict):
                now[field] = _without_ends(now[field], names)
        if span.get("parent") is None:
            now |= {field: named(now[field]) for field in ("inputs", "outputs") if field in now}
        spans.append(now)
    return Draft(header, tuple(spans), draft.values)


def _without_components(
    described: dict[str, Any], names: Collection[str], named: Callable[[Any], Any]
) -> dict[str, Any]:
    kept = {**described, "components": named(described.get("components"))}
    if isinstance(lines := described.get("connections"), list):
        kept["connections"] = [
            line
            for line in lines
            if not isinstance(line, dict)
            or not any(str(line.get(end)).partition(".")[0] in names for end in _ENDS)
        ]
    return kept


def _without_ends(sockets: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for socket, ends in sockets.items():
        if not isinstance(ends, list):
            kept[socket] = ends
        elif left := [end for end in ends if end not in names]:
            kept[socket] = left
    return kept


def without_tools(draft: Draft, names: Collection[str]) -> Draft:
    """Return a draft of a run whose agents were never made with some tools."""
    header = dict(draft.header)
    for field in ("topology", "definition"):
        if field in header:
            header[field] = _without_tools(header[field], names)
    return Draft(header, draft.spans, draft.values)


def _without_tools(tree: Any, names: Collection[str]) -> Any:
    if isinstance(tree, list):
        return [_without_tools(item, names) for item in tree]
    if not isinstance(tree, dict):
        return tree
    return {
        key: _without_tools(
            [tool for tool in value if _name(tool) not in names]
            if key == "tools" and isinstance(value, list)
            else value,
            names,
        )
        for key, value in tree.items()
    }


def _name(tool: Any) -> Any:
    if not isinstance(tool, dict):
        return None
    data = tool.get("data")
    return tool.get("name") or (data.get("name") if isinstance(data, dict) else None)


def inputs(draft: Draft) -> Iterator[tuple[str, ...]]:
    """Yield what the caller passed: a component and a socket, or the input of an agent."""
    given = draft.header.get("inputs")
    for name, value in given.items() if isinstance(given, dict) else ():
        inner = value if draft.header.get("kind") == "pipeline" else None
        if isinstance(inner, dict) and not {"$", "$ref"} & inner.keys():
            yield from ((name, socket) for socket in inner)
        else:
            yield (name,)


def without_inputs(draft: Draft, places: Collection[tuple[str, ...]]) -> Draft:
    """Return a draft of a run whose caller did not pass some things."""

    def left(given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        kept = {name: of(name, value) for name, value in given.items() if (name,) not in places}
        return {name: value for name, value in kept.items() if value or value is given[name]}

    def of(name: str, value: Any) -> Any:
        sockets = {place[1] for place in places if len(place) > 1 and place[0] == name}
        if not sockets or not isinstance(value, dict):
            return value
        return {socket: each for socket, each in value.items() if socket not in sockets}

    header = {**draft.header, "inputs": left(draft.header.get("inputs"))}
    spans = tuple(
        {**span, "inputs": left(span["inputs"])}
        if span.get("parent") is None and "inputs" in span
        else span
        for span in draft.spans
    )
    return Draft(header, spans, draft.values)
