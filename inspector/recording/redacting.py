"""Which redaction a run is recorded with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inspector.recording.secrets import SecretScrubber
    from inspector.recording.settings import Settings
    from inspector.redaction.live import LiveRedactor
    from inspector.redaction.settings import Redaction


def redactor_for(
    everyone: Iterable[Settings],
    wanted: Redaction | None,
    secret_names: Iterable[str],
    scrub: SecretScrubber | None,
) -> LiveRedactor | None:
    """Return what redacts a run, if anybody who records it wants that.

    There is one file, or copies of it: what one recorder wants taken out is taken out for
    all of them. The form of the placeholders is that of the innermost.
    """
    redaction = wanted
    for settings in reversed([*everyone]):
        other = settings.redact
        if other is None or other is redaction:
            continue
        redaction = other if redaction is None else redaction.together_with(other)
    if redaction is None:
        return None
    from inspector.redaction.live import LiveRedactor, secrets_of_environment

    values = secrets_of_environment(secret_names) if redaction.environment else {}
    return LiveRedactor(redaction, values, scrub=scrub)
