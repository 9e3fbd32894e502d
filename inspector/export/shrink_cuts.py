"""What could be cut out of a run, kind after kind, the large things first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.export import shrink_parts as parts
from inspector.export import shrink_spans as spans
from inspector.export.shrink_draft import Draft
from inspector.export.shrink_walk import Found, Without, pieces, without_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Thing = Any
"""What names one thing that could be cut. What it is depends on the kind; it can be hashed."""

_RUN_FIELDS = (
    "snapshot", "cost_estimate", "budget", "findings", "definition_errors", "environment", "usage",
)  # fmt: skip
_SPAN_FIELDS = (
    "chunks", "channels", "tags", "state_changes", "usage", "llm", "retrieval", "receivers",
    "extensions",
)  # fmt: skip
_ERROR_FIELDS = ("traceback", "context", "cause", "attributes", "mro")
_DEEPEST_ERROR = 50


class Cuts(NamedTuple):
    """One kind of things to cut: which there are in a draft, and a draft without some."""

    kind: str
    there: Callable[[Draft], Iterable[Thing]]
    without: Callable[[Draft, list[Thing]], Draft]


def cuts(*, on_stubs: bool) -> list[Cuts]:
    """Return all kinds of cuts, in the order in which they are best tried.

    Args:
        on_stubs: Whether the run is to replay on stubs, which are made of what it says of its
            pipeline, or not at all. Otherwise that is what a live pipeline is compared with,
            and it stays.

    """
    definition = on_stubs

    def items(what: tuple[str, ...]) -> Cuts:
        return Cuts(
            what[0],
            lambda draft: [key for key in _found(draft).items if key[0] in what],
            _without_items,
        )

    found = [
        Cuts("fields", _fields, _without_fields),
        Cuts("inputs", parts.inputs, parts.without_inputs),
        Cuts("turns", spans.turns, _without_turns),
        Cuts("calls", spans.calls, _without_calls),
        Cuts("spans", _spans, _without_spans),
        items(("documents",)),
        items(("messages",)),
        items(("items", "tools") if on_stubs else ("items",)),
        Cuts("meta", lambda draft: _found(draft).entries, _without_meta),
        Cuts(
            "texts",
            lambda draft: sorted(_found(draft, definition=definition).texts, key=len, reverse=True),
            lambda draft, gone: _without_texts(draft, gone, definition=definition),
        ),
        Cuts(
            "parts of texts",
            lambda draft: _pieces(draft, definition=definition),
            lambda draft, gone: _without_pieces(draft, gone, definition=definition),
        ),
    ]
    if on_stubs:
        found.insert(2, Cuts("components", parts.components, parts.without_components))
    return found


def _found(draft: Draft, *, definition: bool = False) -> Found:
    found = Found()
    draft.with_values(found, definition=definition)
    return found


# -- fields ----------------------------------------------------------------------------------


def _fields(draft: Draft) -> Iterable[Thing]:
    yield from (("run", name) for name in _RUN_FIELDS if name in draft.header)
    for name in _SPAN_FIELDS:
        if any(name in span for span in draft.spans):
            yield "span", name
    errors = [record["error"] for record in (draft.header, *draft.spans) if "error" in record]
    for name in _ERROR_FIELDS:
        if any(isinstance(error, dict) and name in error for error in errors):
            yield "error", name


def _without_fields(draft: Draft, gone: list[Thing]) -> Draft:
    named = {place: {name for each, name in gone if each == place} for place, _ in gone}
    errors = named.get("error", set())

    def left(record: Any, names: set[str]) -> Any:
        kept = {name: value for name, value in record.items() if name not in names}
        if errors and "error" in kept:
            kept["error"] = _error(kept["error"], errors, 0)
        return kept

    return Draft(
        left(draft.header, named.get("run", set())),
        tuple(left(span, named.get("span", set())) for span in draft.spans),
        draft.values,
    )


def _error(error: Any, names: set[str], depth: int) -> Any:
    if not isinstance(error, dict) or depth > _DEEPEST_ERROR:
        return error
    return {
        name: _error(value, names, depth + 1) if name in ("cause", "context") else value
        for name, value in error.items()
        if name not in names
    }


# -- spans -----------------------------------------------------------------------------------


def _spans(draft: Draft) -> Iterable[Thing]:
    return [str(span["id"]) for span in draft.spans if span.get("parent") is not None]


def _without_spans(draft: Draft, gone: list[Thing]) -> Draft:
    return spans.without_spans(draft, gone, as_if_never=False)


def _without_turns(draft: Draft, gone: list[Thing]) -> Draft:
    ids = [named for turn in gone for named in turn]
    return spans.without_spans(draft, ids, as_if_never=True)


def _without_calls(draft: Draft, gone: list[Thing]) -> Draft:
    short = draft.with_values(Without(calls=[call for _, call in gone]))
    return spans.without_spans(short, [span for span, _ in gone], as_if_never=True)


# -- values ----------------------------------------------------------------------------------


def _without_items(draft: Draft, gone: list[Thing]) -> Draft:
    # Not in the definition: a list of what a component was made with says what it is.
    short = draft.with_values(Without(items=gone))
    tools = [name for what, name in gone if what == "tools"]
    return parts.without_tools(short, tools) if tools else short


def _without_meta(draft: Draft, gone: list[Thing]) -> Draft:
    return draft.with_values(Without(entries=gone))


def _without_texts(draft: Draft, gone: list[Thing], *, definition: bool) -> Draft:
    texts = {text: without_pieces(text, range(len(pieces(text)))) for text in gone}
    return draft.with_values(Without(texts=texts), definition=definition)


def _pieces(draft: Draft, *, definition: bool) -> Iterable[Thing]:
    for text in sorted(_found(draft, definition=definition).texts, key=len, reverse=True):
        yield from ((text, at) for at in range(len(pieces(text))))


def _without_pieces(draft: Draft, gone: list[Thing], *, definition: bool) -> Draft:
    named: dict[str, set[int]] = {}
    for text, at in gone:
        named.setdefault(text, set()).add(at)
    texts = {text: without_pieces(text, places) for text, places in named.items()}
    return draft.with_values(Without(texts=texts), definition=definition)
