"""A live value as it would stand in the file of a run, which is what it is compared with.

What is written is without the values of secrets, and says in another way what JSON cannot
say. Writing takes time, so it is done only where a live value seems to be another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from inspector.replay.cassette import Match, Miss
from inspector.replay.redacted import agrees, live_redactor
from inspector.replay.telling import plain
from inspector.runfile.compact import compact

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.recording.session import LiveSpan
    from inspector.replay.session import ReplaySession
    from inspector.runfile.scrub import Scrub


def as_written(session: ReplaySession, tree: Any) -> Any:
    """Return a live tree as it would be read again; the same where it cannot be written."""
    return written(tree, session.writer.scrub)


def written(tree: Any, scrub: Scrub | None) -> Any:
    """Return a live tree as it would be read again, without what `scrub` keeps out."""
    try:
        if (redactor := live_redactor(scrub)) is not None:
            tree = redactor.without_fields(plain(tree), "inputs", "outputs", "arguments")
            return redactor.cleaned(compact(tree, str))[1]
        text = compact(plain(tree), str)
        return orjson.loads(text if scrub is None else scrub.clean(text))
    except (TypeError, ValueError, RecursionError):
        return tree


def found(session: ReplaySession, live: LiveSpan, find: Callable[[], Match | Miss]) -> Match | Miss:
    """Find a recorded call by what was asked, and where there is none, by how that is written."""
    there = find()
    asked = session.asked(live)
    if isinstance(there, Match):
        return _with_same_secrets(session, there, asked)
    instead = as_written(session, asked)
    if session.print_of(instead) == session.print_of(asked):
        return there
    # From here on: what is said of it in a report must not be what is kept out of files.
    session.ask_instead(live, instead)
    there = find()
    return there if isinstance(there, Miss) else _with_same_secrets(session, there, instead)


def _with_same_secrets(session: ReplaySession, match: Match, asked: Any) -> Match | Miss:
    if not session.numbered or agrees(session, plain(asked), match.entry.whole):
        return match
    return Miss("input", match.entry)
