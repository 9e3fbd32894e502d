"""Which way a run was sent: routes taken and not taken, verdicts, and who ran all the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.diff.model import Agreement, Decision, DecisionKind, Severity
from inspector.diff.said import message_text, quoted, replies_text, value_words
from inspector.diff.text import text_diff
from inspector.runfile.kinds import SpanKind
from inspector.runfile.value import is_message

if TYPE_CHECKING:
    from inspector.diff.context import Both, SideView
    from inspector.runfile.model import Span

_NO_ROUTER = frozenset({"agent", "llm", "validation", "embedding", "retrieval", "prompt", "write"})
_NO_JUDGE = frozenset({"agent", "llm", "routing"})
# What guards and graders call their verdict, besides being right or wrong.
_VERDICTS = frozenset({
    "allowed", "approved", "blocked", "decision", "flagged", "grade", "is_safe", "is_valid",
    "label", "passed", "safe", "status", "valid", "verdict",
})  # fmt: skip
_LONGEST_VERDICT = 200
_EMPTY = (b"[]", b"null")
_TRUTH = (b"true", b"false")


def routes(both: Both) -> Iterator[Decision]:
    """Yield which of a component's outputs were taken, and from whom a joiner took its value."""
    if both.kind is not SpanKind.COMPONENT or both.inner or not both.worked:
        return
    role = both.role
    if role == "joining":
        yield from _joined(both)
    elif role == "routing" or role not in _NO_ROUTER:
        yield from _routed(both, router=role == "routing")


def _routed(both: Both, *, router: bool) -> Iterator[Decision]:
    declared: dict[str, None] = {}
    for view, span in both.sides:
        if span is not None:
            declared.update(dict.fromkeys(sockets_of(view, span)))
    taken = [None if span is None else taken_of(view, span) for view, span in both.sides]
    if all(each is None for each in taken):
        return
    for each in taken:
        declared.update(dict.fromkeys(each or ()))
    whole = all(each is None or len(each) == len(declared) for each in taken)
    if len(declared) < 2 and not router:
        return
    if whole and not router:
        return
    words = [None if each is None else _route_words(each, declared) for each in taken]
    left, right = taken
    if (agreement := both.one_sided) is not None:
        title = both.only(f"took {words[0] or words[1]}")
        yield both.decision(DecisionKind.ROUTE, title, words, agreement, Severity.MAJOR)
    elif left is None or right is None:
        title = f"{both.name}: which way it went was recorded on one side only"
        yield both.decision(DecisionKind.ROUTE, title, words, Agreement.UNKNOWN)
    elif set(left) == set(right):
        title = f"{both.name} took {words[0]}"
        yield both.decision(DecisionKind.ROUTE, title, words, Agreement.SAME)
    else:
        title = f"{both.name} took {_names(right)} instead of {_names(left)}"
        yield both.decision(DecisionKind.ROUTE, title, words, Agreement.DIFFERS, Severity.CRITICAL)


def sockets_of(view: SideView, span: Span) -> list[str]:
    """Return the output sockets that a component was built with, as far as known."""
    outputs = (view.declared(span) or {}).get("outputs")
    if isinstance(outputs, Mapping):
        return [str(name) for name in outputs]
    return list(view.glance.members(view.facts(span).receivers))


def taken_of(view: SideView, span: Span) -> list[str] | None:
    """Return the outputs that carried something, or None where outputs were not recorded."""
    outputs = view.facts(span).outputs
    if not bytes(outputs):
        return None
    return [name for name, raw in view.glance.members(outputs).items() if _bare(raw) not in _EMPTY]


def _bare(raw: msgspec.Raw) -> bytes:
    """Return JSON without the white space that other programs put there, where it is short."""
    text = bytes(raw)
    return b"".join(text.split()) if len(text) < 20 else text


def _route_words(taken: list[str], declared: Mapping[str, None]) -> str:
    rest = [name for name in declared if name not in taken]
    words = _names(taken)
    return f"{words} (not {', '.join(rest)})" if rest else words


def _names(sockets: list[str]) -> str:
    return ", ".join(sockets) or "no route"


def _joined(both: Both) -> Iterator[Decision]:
    if both.alone:
        return
    came = [[] if span is None else senders_of(view, span) for view, span in both.sides]
    if not any(came):
        return
    if not any(_has_choice(view, span) for view, span in both.sides if span is not None):
        return
    words = [_names(each) for each in came]
    if came[0] == came[1]:
        title = f"{both.name} took what {words[0]} sent"
        yield both.decision(DecisionKind.ROUTE, title, words, Agreement.SAME)
    else:
        title = f"{both.name} took what {words[1]} sent instead of {words[0]}"
        yield both.decision(DecisionKind.ROUTE, title, words, Agreement.DIFFERS, Severity.MAJOR)


def senders_of(view: SideView, span: Span) -> list[str]:
    """Return the names of the components that a span got something from."""
    found: dict[str, None] = {}
    senders = view.glance.peek(view.facts(span).senders)
    for names in senders.values() if isinstance(senders, dict) else ():
        for name in names if isinstance(names, list) else [names]:
            if isinstance(name, str):
                found[name] = None
    return sorted(found)


def _has_choice(view: SideView, span: Span) -> bool:
    """Whether more senders are connected to a joiner than sent it something."""
    connected = {sender for sender, _, _ in view.wired(span)}
    return len(connected) > len(senders_of(view, span))


def untaken(both: Both) -> Iterator[Decision]:
    """Yield a component that ran although every route to it was left out."""
    if both.kind is not SpanKind.COMPONENT or both.inner:
        return
    found = [None if span is None else _left_out(view, span) for view, span in both.sides]
    if not any(found):
        return
    words = [f"ran without {each}" if each else "" for each in found]
    title = f"{both.name} ran although its route, {found[0] or found[1]}, was not taken"
    if found[0] and found[1]:
        yield both.decision(DecisionKind.UNTAKEN, title, words, Agreement.SAME)
        return
    agreement = Agreement.LEFT_ONLY if found[0] else Agreement.RIGHT_ONLY
    yield both.decision(DecisionKind.UNTAKEN, title, words, agreement, Severity.CRITICAL)


def _left_out(view: SideView, span: Span) -> str | None:
    """Return the route that would have led to a component, where it ran without any."""
    wired = view.wired(span)
    # A component with one output puts it out whenever it runs.
    if not wired or not all(wire.several for wire in wired):
        return None
    latest = view.latest_before(span, {sender for sender, _, _ in wired})
    routes = []
    for sender, out, _ in wired:
        sent = view.facts(latest[sender]).outputs if sender in latest else msgspec.Raw()
        if not bytes(sent) or out in view.glance.members(sent):
            return None
        routes.append(f"{sender}.{out}")
    return ", ".join(routes)


def verdicts(both: Both) -> Iterator[Decision]:
    """Yield what a validator, guard or person said of what it was given."""
    if not both.worked or both.kind not in (SpanKind.COMPONENT, SpanKind.HOOK, SpanKind.OTHER):
        return
    if not _may_judge(both):
        return
    found = [None if span is None else _verdict(view, span) for view, span in both.sides]
    if all(each is None for each in found):
        return
    words = [None if each is None else _verdict_words(*each) for each in found]
    title = f"{both.name} said {words[0] or words[1]}"
    left, right = found
    if (agreement := both.one_sided) is not None:
        title = both.only(f"said {words[0] or words[1]}")
        yield both.decision(DecisionKind.VALIDATOR, title, words, agreement, Severity.MAJOR)
    elif left is None or right is None:
        yield both.decision(DecisionKind.VALIDATOR, title, words, Agreement.UNKNOWN)
    elif left[0] != right[0]:
        title = f"{both.name} said {words[1]} instead of {words[0]}"
        yield both.decision(
            DecisionKind.VALIDATOR, title, words, Agreement.DIFFERS, Severity.CRITICAL
        )
    elif left[1] != right[1]:
        title = f"{both.name} said {left[0]} for another reason"
        yield both.decision(
            DecisionKind.VALIDATOR, title, words, Agreement.DIFFERS, Severity.MINOR,
            text=text_diff(left[1], right[1]),
        )  # fmt: skip
    else:
        yield both.decision(DecisionKind.VALIDATOR, title, words, Agreement.SAME)


def _may_judge(both: Both) -> bool:
    if both.role == "validation":
        return True
    if both.role in _NO_JUDGE:
        return False
    members = both.view.glance.members(both.facts.outputs)
    return any(name in _VERDICTS or _bare(raw) in _TRUTH for name, raw in members.items())


def _verdict(view: SideView, span: Span) -> tuple[str, str] | None:
    """Return a verdict and the reason for it, or None where a span gives none."""
    outputs = span.outputs
    if not isinstance(outputs, Mapping):
        return None
    if span.role == "validation":
        taken = taken_of(view, span) or []
        wrong = [name for name in taken if "error" in name or "invalid" in name]
        return _names(taken), "\n".join(_text(outputs[name]) for name in wrong)
    said = {
        name: value
        for name, value in outputs.items()
        if isinstance(value, bool)
        or (name in _VERDICTS and isinstance(value, str) and len(value) <= _LONGEST_VERDICT)
    }
    if not said:
        return None
    return ", ".join(f"{name}: {value_words(said[name])}" for name in sorted(said)), ""


def _verdict_words(verdict: str, reason: str) -> str:
    return f"{verdict} ({quoted(reason)})" if reason else verdict


def _text(value: Any) -> str:
    if isinstance(value, list) and value and all(map(is_message, value)):
        return "\n\n".join(map(message_text, value))
    return replies_text({"replies": value}) or value_words(value, _LONGEST_VERDICT)
