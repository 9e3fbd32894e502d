"""A replay that answers each call by its place, whatever the call was given.

For a recording of which something was cut away: what runs by itself makes other prompts of
what is left, and the recorded answers go to the calls that stand where they stood. The run of
such a replay says what each call is given now, so that the recording can be made to fit. It
proves nothing: whether a recording still replays is said by a replay that is STRICT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.replay.api import Replayer
from inspector.replay.cassette import Cassette, Match, Miss

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.replay.outcome import Outcome
    from inspector.replay.session import ReplaySession


class PlaceCassette(Cassette):
    """Hands a recorded answer to the call at its place."""

    def find(
        self, path: str, visit: int, fingerprint: str, *, name: str, parent_path: str, kind: str
    ) -> Match | Miss:
        """Find the recorded call of this place, and mark it as used."""
        for entry in self.calls.by_path.get(path, ()):
            if entry.kind == kind and entry.has_answer and self.take(entry):
                return Match(entry)
        return super().find(
            path, visit, fingerprint, name=name, parent_path=parent_path, kind=kind
        )  # fmt: skip


class PlaceReplayer(Replayer):
    """Replays a recording by the places of its calls. Nothing runs live."""

    def _prepare(
        self, data: Any, more: Mapping[str, Any] | None = None
    ) -> tuple[ReplaySession, Outcome, tuple[Any, ...], dict[str, Any]]:
        session, outcome, args, kwargs = super()._prepare(data, more)
        session.cassette = PlaceCassette(session.run)
        session.shortcuts = None  # they know calls by what they were given
        return session, outcome, args, kwargs
