"""What is answered from the recording, and is made otherwise now than it was then.

The inputs of a call say nothing of the model that it goes to. A recorded answer of another
model, or of a retriever that was told to find fewer documents, is no answer of this one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.diff.leaves import differences
from inspector.replay.classes import Treatment
from inspector.replay.policy import is_known
from inspector.replay.topology import class_name
from inspector.runfile.drift import Drift, DriftKind, Grade

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from inspector.diff.leaves import Difference
    from inspector.replay.policy import Policy

_PARAMETERS = "init_parameters."
_DEEPEST = 20
_MOST = 1_000
_RUNS = frozenset({Treatment.EXECUTE, Treatment.CONTAIN})
_ANSWERED = frozenset({Treatment.ANSWER, Treatment.NEVER_LIVE, Treatment.UNKNOWN, Treatment.VERIFY})

# How a service is reached, and who listens: no part of what it is asked.
_PASSING = frozenset(
    {
        "api_base", "api_base_url", "api_key", "azure_ad_token", "azure_ad_token_provider",
        "azure_endpoint", "batch_size", "concurrency_limit", "default_headers",
        "http_client_kwargs", "max_concurrent_requests", "max_retries", "max_workers",
        "organization", "progress_bar", "streaming_callback", "timeout", "token",
    }
)  # fmt: skip
_GENERATORS = frozenset({"chat_generator", "chat_generators", "generator", "llm"})


def parameter_drifts(recorded: Any, live: Any, policy: Policy) -> tuple[Drift, ...]:
    """Return which components are made with other parameters than were recorded.

    What runs live shows by what it makes whether a parameter matters: there, and where nobody
    knows anything about a class, a difference is a note.

    Args:
        recorded: The `definition` of a run header; None where it was not recorded.
        live: The same of what is to be replayed.
        policy: Says what is answered.

    """
    found: list[Drift] = []
    for drift in _inside(recorded, live, _Place("", "", ""), policy, 0):
        found.append(drift)
        if len(found) >= _MOST:
            break
    return tuple(found)


def with_reasons(drifts: Iterable[Drift]) -> tuple[Drift, ...]:
    """Leave out the notes on what runs live where nothing came of it."""
    drifts = tuple(drifts)
    if any(drift.counts for drift in drifts):
        return drifts
    return tuple(drift for drift in drifts if not _is_reason(drift))


def _is_reason(drift: Drift) -> bool:
    return drift.kind == DriftKind.TOPOLOGY and (drift.leaf or "").startswith(_PARAMETERS)


class _Place:
    """Where in a definition one is."""

    __slots__ = ("leaf", "name", "path")

    def __init__(self, path: str, name: str, leaf: str) -> None:
        self.path = path
        self.name = name
        self.leaf = leaf

    def inside(self, part: str) -> _Place:
        return _Place(self.path, part, f"{self.leaf}.{part}" if self.leaf else part)


def _inside(recorded: Any, live: Any, place: _Place, policy: Policy, depth: int) -> Iterator[Drift]:
    if depth > _DEEPEST or type(recorded) is not type(live):
        return
    if isinstance(recorded, list):
        for number, (one, other) in enumerate(zip(recorded, live, strict=False)):
            inner = _Place(place.path, place.name, f"{place.leaf}[{number}]")
            yield from _inside(one, other, inner, policy, depth + 1)
    elif isinstance(recorded, dict):
        if _is_made(recorded) and _is_made(live):
            yield from _compare(recorded, live, place, policy, depth)
        elif isinstance(components := recorded.get("components"), dict):
            yield from _components(components, live.get("components"), place, policy, depth)
        else:
            for name, one in recorded.items():
                yield from _inside(one, live.get(name), place.inside(name), policy, depth + 1)


def _components(
    recorded: dict[str, Any], live: Any, place: _Place, policy: Policy, depth: int
) -> Iterator[Drift]:
    around = f"{place.path}/pipeline#1/" if place.path else ""
    for name, one in recorded.items():
        other = live.get(name) if isinstance(live, dict) else None
        inner = _Place(f"{around}{name}#1", name, "")
        yield from _inside(one, other, inner, policy, depth + 1)


def _compare(
    recorded: dict[str, Any], live: dict[str, Any], place: _Place, policy: Policy, depth: int
) -> Iterator[Drift]:
    kind = recorded.get("type")
    before, after = recorded["init_parameters"], live["init_parameters"]
    if not isinstance(kind, str) or class_name(kind) != class_name(str(live.get("type"))):
        return  # that it is another class is told as such
    as_what = "llm" if place.name in _GENERATORS else "component"
    ruling = policy.of_class_named(as_what, kind, place.path, place.name)
    inner = place.inside("init_parameters")
    known = as_what == "llm" or is_known(kind)
    if ruling.treatment in _ANSWERED and (known or not place.leaf):
        # What is inside of it and no component, such as a store, shows in what it finds.
        yield from _parameters(before, after, inner, kind, known=known)
    elif ruling.treatment in _RUNS and place.path and not place.leaf:
        yield from _notes(before, after, place)
    if ruling.treatment not in _ANSWERED and ruling.treatment is not Treatment.CONTAIN:
        return
    for name, one in before.items():
        yield from _inside(one, after.get(name), inner.inside(name), policy, depth + 1)


def _parameters(
    before: Mapping[str, Any], after: Mapping[str, Any], place: _Place, kind: str, *, known: bool
) -> Iterator[Drift]:
    for found in _others(before, after):
        leaf = found.leaf
        what = place.path or kind.rpartition(".")[2]
        yield Drift(
            kind=DriftKind.INPUT, path=place.path, visit=1,
            grade=Grade.MAJOR if known else Grade.NOTE,
            leaf=f"{place.leaf}.{leaf}", recorded=found.recorded, live=found.live,
            candidate=place.path,
            message=f"{what} is made with another {leaf} than was recorded, so its recorded "
            "answers may not be what it would say now",
        )  # fmt: skip


def _others(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    one = {name: part for name, part in before.items() if _counts(name, part)}
    other = {name: part for name, part in after.items() if _counts(name, part)}
    for found in differences(one, other):
        leaf = found.leaf or ""
        name = leaf.partition(".")[0].partition("[")[0]
        # Another version of the class tells more or less of itself.
        if name in one and name in other:
            yield found


def _notes(before: Mapping[str, Any], after: Mapping[str, Any], place: _Place) -> Iterator[Drift]:
    """Say what is otherwise about what runs live: no drift, but often the reason of one."""
    for found in _others(before, after):
        yield Drift(
            kind=DriftKind.TOPOLOGY, path=place.path, visit=1, grade=Grade.NOTE,
            leaf=f"{_PARAMETERS}{found.leaf}", recorded=found.recorded, live=found.live,
            candidate=place.path,
            message=f"{place.path} is made with another {found.leaf} than was recorded",
        )  # fmt: skip


def _is_made(node: Any) -> bool:
    return isinstance(node.get("type"), str) and isinstance(node.get("init_parameters"), dict)


def _counts(name: str, part: Any) -> bool:
    """Say whether a parameter is one of its own; what it holds is compared by itself."""
    if name in _PASSING:
        return False
    parts = part if isinstance(part, list) else [part]
    return not any(
        isinstance(each, dict) and isinstance(each.get("type"), str) and len(each) > 1
        for each in parts
    )
