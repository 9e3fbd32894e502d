"""What the tab of servers says: how they are, what of it is old, why there is nothing."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from inspector.presentation.execution_words import when_words
from inspector.presentation.visible import one_line
from inspector.presentation.words import number_words, plural, sentence

INSTALL = "pip install 'haystack-run-inspector[hayhooks]'"
"""What has to be installed for what needs Hayhooks itself."""

MISSING = (
    "Servers can be watched without it, but to run durable executions on this machine, or to go "
    f"on from a checkpoint, Hayhooks has to be installed: {INSTALL}"
)


class _Named(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def url(self) -> str: ...


class Seen(Protocol):
    """How somebody answered who was asked, as far as words depend on it."""

    @property
    def state(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def answered_at_ns(self) -> int: ...
    @property
    def list_problem(self) -> str: ...
    @property
    def is_stale(self) -> bool: ...


class SeenServer(Seen, Protocol):
    """What is known of a server, as far as words depend on it."""

    @property
    def server(self) -> _Named: ...


class Said(NamedTuple):
    """A title, more words, and what to do about it."""

    title: str
    words: str
    action: str


def head_words(views: Sequence[SeenServer], waiting: int) -> str:
    """Return how all servers are, in one sentence."""
    if not views:
        return "No server yet"
    counts = {
        state: sum(view.state == state for view in views)
        for state in ("up", "degraded", "down", "refused", "asking")
    }
    parts = [
        f"{plural(counts['up'], 'server')} up" if counts["up"] else "",
        f"{counts['degraded']} degraded" if counts["degraded"] else "",
        f"{counts['down']} down" if counts["down"] else "",
        f"{counts['refused']} refused" if counts["refused"] else "",
        "asking…" if counts["asking"] else "",
        f"{number_words(waiting)} {'waits' if waiting == 1 else 'wait'} for an answer"
        if waiting
        else "",
    ]
    said = sentence([part for part in parts if part])
    return said[:1].upper() + said[1:]


def trouble_words(views: Sequence[SeenServer], now_ns: int) -> Said | None:
    """Return what is wrong with servers, the first of them in full; None when nothing is."""
    ill = [view for view in views if view.is_stale]
    if not ill:
        return None
    view = next((each for each in ill if each.state == "down"), ill[0])
    name = one_line(view.server.name)
    since = (
        f"What is shown of it is of {when_words(view.answered_at_ns, now_ns)}, kept here."
        if view.answered_at_ns
        else "What is shown of it was kept here."
    )
    words = one_line(view.message or view.list_problem)
    titles = {
        "down": f"{name} cannot be reached.",
        "degraded": f"{name} answers, but its store does not.",
        "refused": f"{name} does not let us in.",
    }
    title = titles.get(view.state, f"{name} does not list its executions.")
    more = f" {plural(len(ill) - 1, 'more server')} in trouble." if len(ill) > 1 else ""
    action = "Token…" if view.list_problem or view.state == "refused" else "Try again"
    return Said(title, f"{words} {since}{more}".strip(), action)


def empty_words(
    views: Sequence[SeenServer], *, total: int, is_filtered: bool, is_loaded: bool
) -> Said:
    """Return why no execution is shown."""
    if not views:
        return Said(
            "Watch durable executions",
            "Add the address of a Hayhooks server: its executions are listed here, with what "
            "they wait for, and can be answered, canceled and submitted. Nothing is asked before.",
            "Add a server…",
        )
    if not is_loaded or any(view.state == "asking" for view in views):
        return Said("Asking…", "The list comes page by page, the oldest first.", "")
    if is_filtered and total:
        return Said(
            "Nothing fits", f"None of {plural(total, 'execution')} fits what is asked for.",
            "Show all",
        )  # fmt: skip
    if all(view.state in ("down", "refused") for view in views):
        return Said("Nothing is known yet", "No server could be asked so far.", "Try again")
    return Said(
        "No executions yet", "Submit one, and it shows here as soon as it is taken.", "Submit…"
    )
