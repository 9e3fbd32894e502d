"""What retrievers were asked and what they found; what rankers and joiners made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inspector.diff.documents import document_moves
from inspector.diff.glance import loaded
from inspector.diff.model import Agreement, Decision, DecisionKind, DocumentMove, Severity
from inspector.diff.said import (
    is_left_out,
    is_vector,
    json_words,
    listed,
    plural,
    quoted,
    short,
    value_words,
)
from inspector.diff.text import text_diff
from inspector.runfile.kinds import SpanKind
from inspector.runfile.value import is_document, tag_of

if TYPE_CHECKING:
    from inspector.diff.context import Both, SideView
    from inspector.runfile.model import Span

_QUERIES = ("query", "queries", "text", "query_embedding")
_MADE = ("query", "queries", "question")
_LIMITS = ("top_k", "filters")
_FINDERS = frozenset({"retrieval", "ranking", "joining"})
_GRAVE = frozenset({"added", "removed", "content", "cut off"})


def queries(both: Both) -> Iterator[Decision]:
    """Yield what a retriever was asked, or what a component made of the question."""
    if both.role == "retrieval":
        yield _asked(both)
    elif both.kind is SpanKind.COMPONENT and both.role != "llm" and not both.alone:
        yield from _rewritten(both)


def _asked(both: Both) -> Decision:
    left, right = (None if span is None else asked_of(view, span) for view, span in both.sides)
    words = [None if asked is None else _asked_words(asked) for asked in (left, right)]
    title = f"{both.name} was asked {words[0] or words[1]}"
    if (agreement := both.one_sided) is not None:
        title = both.only(f"was asked {words[0] or words[1]}")
        return both.decision(DecisionKind.QUERY, title, words, agreement, Severity.MAJOR)
    assert left is not None
    assert right is not None
    agreement, changes = both.compare(left, right, "retrieval")
    text = None
    if agreement is Agreement.DIFFERS:
        title = f"{both.name} was asked {_difference(left, right)}"
        one, other = left.get("query"), right.get("query")
        if isinstance(one, str) and isinstance(other, str) and one != other:
            text = text_diff(one, other)
    return both.decision(
        DecisionKind.QUERY, title, words, agreement, Severity.MAJOR, text=text, changes=changes
    )


def asked_of(view: SideView, span: Span) -> dict[str, Any]:
    """Return what a retriever was asked: the query, `top_k` and `filters`, as far as known."""
    members = view.glance.members(view.facts(span).retrieval)
    told = {name: view.run.resolve(loaded(bytes(members[name]))) for name in members
            if name != "documents"}  # fmt: skip
    given = view.glance.members(view.facts(span).inputs)
    wanted = [name for name in (*_QUERIES, *_LIMITS) if name in given]
    inputs = {name: view.run.resolve(loaded(bytes(given[name]))) for name in wanted}
    parameters = view.parameters(span)
    asked: dict[str, Any] = {}
    query = told.get("query")
    if query is None:
        query = next((inputs[name] for name in _QUERIES if inputs.get(name) is not None), None)
    if query is not None:
        asked["query"] = query
    for limit in _LIMITS:
        value = next(
            (each[limit] for each in (told, inputs, parameters) if each.get(limit) is not None),
            None,
        )
        if value not in (None, {}, []):
            asked[limit] = value
    return asked


def _asked_words(asked: Mapping[str, Any]) -> str:
    query = asked.get("query")
    words = [quoted(query) if isinstance(query, str) else _embedding_words(query)]
    if is_vector(query):
        words = ["with an embedding"]
    if "top_k" in asked:
        words.append(f"top_k {value_words(asked['top_k'])}")
    if "filters" in asked:
        words.append(f"filters {short(json_words(asked['filters']))}")
    return ", ".join(filter(None, words))


def _embedding_words(query: Any) -> str:
    if query is None:
        return ""
    return value_words(query)


def _difference(left: Mapping[str, Any], right: Mapping[str, Any]) -> str:
    said = []
    one, other = left.get("query"), right.get("query")
    if one != other:
        if isinstance(one, str) and isinstance(other, str):
            said.append(f"{quoted(other)} instead of {quoted(one)}")
        else:
            said.append(
                "with another query embedding"
                if is_vector(one) and is_vector(other)
                else f"{_embedding_words(other)} instead of {_embedding_words(one)}"
            )
    said += [
        f"with {limit} {_limit_words(now)} instead of {_limit_words(was)}"
        for limit in _LIMITS
        if (was := left.get(limit)) != (now := right.get(limit))
    ]
    return ", ".join(said) or "something else"


def _limit_words(limit: Any) -> str:
    return "none" if limit is None else value_words(limit, 60)


def _rewritten(both: Both) -> Iterator[Decision]:
    if both.view.glance.members(both.facts.outputs).keys().isdisjoint(_MADE):
        return
    left, right = (_own_queries(span) for _, span in both.sides)
    if not left and not right:
        return
    words = [", ".join(map(quoted, each)) for each in (left, right)]
    agreement = Agreement.SAME
    title = f"{both.name} made {words[0]} of the question"
    text = None
    if left != right:
        agreement = Agreement.DIFFERS
        title = f"{both.name} made {words[1] or 'nothing'} of the question instead of {words[0]}"
        text = text_diff("\n".join(left), "\n".join(right))
    yield both.decision(
        DecisionKind.QUERY, short(title, 400), words, agreement, Severity.MAJOR, text=text
    )


def _own_queries(span: Span | None) -> list[str]:
    """Return the queries that a component put out and was not given as they are."""
    outputs = span.outputs if span is not None else None
    if span is None or not isinstance(outputs, Mapping):
        return []
    found = []
    for socket in _MADE:
        value = outputs.get(socket)
        several = value if isinstance(value, list) else [value]
        found += [each for each in several if isinstance(each, str)]
    if len(found) == 1 and isinstance(span.inputs, Mapping) and found[0] in span.inputs.values():
        return []
    return found


def retrieved(both: Both) -> Iterator[Decision]:
    """Yield the documents that a component put out."""
    if both.kind is not SpanKind.COMPONENT or not both.worked:
        return
    if both.pair.same:
        counts = map(both.view.glance.count, both.view.glance.members(both.facts.outputs).values())
        found = [count for count in counts if count is not None]
        if found and (sum(found) or both.role in _FINDERS):
            same = plural(sum(found), "document")
            title = f"{both.name} returned {same}"
            yield both.decision(DecisionKind.DOCUMENTS, title, [same] * 2, Agreement.SAME)
        return
    left, right = (None if span is None else documents_of(span) for _, span in both.sides)
    if left is None and right is None:
        return
    words = [None if each is None else plural(len(each), "document") for each in (left, right)]
    title = f"{both.name} returned {words[0] or words[1]}"
    if (agreement := both.one_sided) is not None:
        title = both.only(f"returned {words[0] or words[1]}")
        yield both.decision(DecisionKind.DOCUMENTS, title, words, agreement, Severity.MAJOR)
        return
    outputs = [None if span is None else span.outputs for _, span in both.sides]
    if is_left_out(outputs[0]) != is_left_out(outputs[1]):
        title = f"{both.name}: not all that it returned was kept on both sides"
        yield both.decision(DecisionKind.DOCUMENTS, title, words, Agreement.UNKNOWN)
        return
    limits = [
        asked_of(view, span).get("top_k") if span is not None and both.role == "retrieval" else None
        for view, span in both.sides
    ]
    left_limit, right_limit = (each if isinstance(each, int) else None for each in limits)
    moves = document_moves(left or [], right or [], left_limit=left_limit, right_limit=right_limit)
    if both.role != "retrieval":
        moves = _cut_off_here(moves, [_given(span) for _, span in both.sides])
    changed = [move for move in moves if move.change != "same"]
    if not changed:
        yield both.decision(DecisionKind.DOCUMENTS, title, words, Agreement.SAME, documents=moves)
        return
    grave = any(move.change in _GRAVE for move in changed)
    title = f"{both.name} returned {words[1] or 'no documents'}"
    if words[0] != words[1]:
        title += f" instead of {words[0] or 'none'}"
    title += f": {listed(changes_in_words(changed))}"
    yield both.decision(
        DecisionKind.DOCUMENTS, title, words, Agreement.DIFFERS,
        Severity.MAJOR if grave else Severity.MINOR, documents=moves,
    )  # fmt: skip


_ORDER = ("content", "removed", "cut off", "added", "meta", "moved", "score")


def changes_in_words(moves: list[DocumentMove]) -> list[str]:
    """Say what happened to documents, the gravest first; scores only where nothing else is."""
    ranked = sorted(moves, key=lambda move: _ORDER.index(move.change))
    grave = [move for move in ranked if move.change != "score"]
    if grave:
        return [move_words(move) for move in grave]
    return [move_words(move) for move in ranked]


def move_words(move: DocumentMove) -> str:
    """Say what happened to one document."""
    name = move.name if move.name.startswith("“") else f"“{move.name}”"
    match move.change:
        case "added":
            return f"{name} is new at rank {move.right_rank}"
        case "removed":
            return f"{name} is gone from rank {move.left_rank}"
        case "cut off":
            rank = move.left_rank if move.right_rank is None else move.right_rank
            side = "is cut off" if move.right_rank is None else "is no longer cut off,"
            return f"{name} {side} at rank {rank}"
        case "content":
            return f"{name} has other content"
        case "meta":
            return f"{name} has other metadata"
        case "moved":
            return f"{name} moved from rank {move.left_rank} to {move.right_rank}"
        case "score":
            return f"{name} scores {_score(move.right_score)} instead of {_score(move.left_score)}"
    return name


def _score(score: float | None) -> str:
    return "nothing" if score is None else f"{score:.4g}"


def _given(span: Span | None) -> set[str]:
    """Return the ids of the documents that a ranker or joiner was given."""
    inputs = span.inputs if span is not None else None
    waiting = list(inputs.values()) if isinstance(inputs, Mapping) else []
    found = set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif is_document(each) and isinstance(each.get("id"), str):
            found.add(each["id"])
    return found


def _cut_off_here(
    moves: tuple[DocumentMove, ...], given: list[set[str]]
) -> tuple[DocumentMove, ...]:
    """Return moves where only those are cut off that the other side was given."""
    found = []
    for move in moves:
        if move.change == "cut off":
            gone = move.right_rank is None
            if (known := given[gone]) and move.key not in known:
                move = replace(move, change="removed" if gone else "added")  # noqa: PLW2901 - the same move, said better
        found.append(move)
    return tuple(found)


def documents_of(span: Span) -> list[Any] | None:
    """Return the documents in a span's outputs, or None where it puts out none at all."""
    outputs = span.outputs
    if not isinstance(outputs, Mapping) or tag_of(outputs) is not None:
        return None
    found: list[Any] | None = None
    for socket, value in outputs.items():
        if isinstance(value, list) and (
            (value and all(map(is_document, value))) or (not value and socket == "documents")
        ):
            found = [*(found or []), *value]
    return found
