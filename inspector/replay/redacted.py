"""Recordings without secrets: what a live value is in them.

A live value is redacted with the rules of the file before it is compared. Where the file
numbers its secrets, the number of a live one is found out where it first stands in a place
that is otherwise the same; from then on it has to be that number wherever it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from inspector.redaction.likeness import pairs
from inspector.redaction.project import redaction_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inspector.redaction.live import LiveRedactor
    from inspector.redaction.project import Redact
    from inspector.replay.session import ReplaySession
    from inspector.runfile.model import PipelineRun
    from inspector.runfile.scrub import Scrub


def redactor_of(
    run: PipelineRun, own: Redact, secret_names: Iterable[str], scrub: Scrub | None
) -> LiveRedactor | None:
    """Return what redacts live values as those of a recording were; None for one that was not.

    Args:
        run: The recording.
        own: Where terms and the salt come from, which no file says.
        secret_names: Variables that the live target's secrets name.
        scrub: What keeps values of variables out of every file.

    Raises:
        RedactionError: A rule cannot be used here.

    """
    said = run.header.get("redacted")
    if not isinstance(said, dict):
        return None
    from inspector.redaction.live import LiveRedactor, secrets_of_environment
    from inspector.redaction.settings import from_said

    redaction = from_said(said, redaction_of(own))
    values = secrets_of_environment(secret_names) if redaction.environment else {}
    numbers = said.get("numbers")
    taken = numbers if isinstance(numbers, dict) else {}
    counted = {rule: last for rule, last in taken.items() if isinstance(last, int)}
    return LiveRedactor(redaction, values, scrub=scrub, taken=counted)


def live_redactor(scrub: Scrub | None) -> LiveRedactor | None:
    """Return what keeps things out of a file, if it does that by the rules of a redaction."""
    if not hasattr(scrub, "without_fields"):
        return None  # without loading the rules only to see that
    return cast("LiveRedactor", scrub)


def agrees(session: ReplaySession, live: Any, recorded: Any) -> bool:
    """Say whether the secrets of a live tree can be those of a recorded one, and keep that."""
    redactor = live_redactor(session.writer.scrub)
    if not session.numbered or redactor is None:
        return True
    return redactor.placeholders.agree(pairs(live, recorded))
