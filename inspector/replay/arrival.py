"""Values that several branches send to one socket arrive in the order they arrived in.

A joiner gets a list of what its senders sent. Branches that run at once finish in any
order, and a sync replay of an async recording runs them in another one; that is no
difference of the pipeline. So the same values are put into the order of the recording.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.replay.trees import built

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan
    from inspector.replay.recorded import Entry
    from inspector.replay.session import ReplaySession

_variadic: dict[type, bool] = {}
_MOST_CLASSES = 4_096


def may_vary(instance: Any) -> bool:
    """Say whether several senders may feed one socket of a component."""
    cls = type(instance)
    known = _variadic.get(cls)
    if known is None:
        if len(_variadic) >= _MOST_CLASSES:
            _variadic.clear()
        known = _variadic[cls] = bool(_sockets(instance))
    return known


def _sockets(instance: Any) -> list[str]:
    sockets = getattr(getattr(instance, "__haystack_input__", None), "_sockets_dict", None)
    if not isinstance(sockets, dict):
        return []
    return [name for name, socket in sockets.items() if getattr(socket, "is_variadic", False)]


def as_recorded(
    session: ReplaySession, live: LiveSpan, instance: Any, path: str, kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Return the arguments with the same values in the order of the recording."""
    takes = session.cassette.calls.by_path.get(path, ())
    asked = built(session.asked(live))
    if not takes or not isinstance(asked, dict):
        return kwargs
    for name in _sockets(instance):
        given, trees = kwargs.get(name), built(asked.get(name))
        if not isinstance(given, list) or len(given) < 2 or not isinstance(trees, list):
            continue
        if len(trees) != len(given):
            continue
        prints = [session.print_of(tree) for tree in trees]
        for entry in takes:
            places = _places(_recorded_prints(session, entry, name), prints)
            if places is not None:
                kwargs = {**kwargs, name: [given[place] for place in places]}
                asked = {**asked, name: [trees[place] for place in places]}
                session.ask_instead(live, asked)
                break
    return kwargs


def _recorded_prints(session: ReplaySession, entry: Entry, name: str) -> list[str]:
    calls = session.cassette.calls
    tree = session.recorded_part(entry.asked, name)
    return [calls.print_of(item) for item in tree] if isinstance(tree, list) else []


def _places(recorded: list[str], given: list[str]) -> list[int] | None:
    """Return where each recorded value stands in what was given; None when others did."""
    if recorded == given or sorted(recorded) != sorted(given):
        return None
    free: dict[str, list[int]] = {}
    for place, each in enumerate(given):
        free.setdefault(each, []).append(place)
    return [free[each].pop(0) for each in recorded]
