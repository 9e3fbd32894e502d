"""Manners of a guest: whatever goes wrong in here is said once, in the log, and never raised."""

from __future__ import annotations

import logging

log = logging.getLogger("inspector.recording")

_SAID: set[str] = set()
_MOST_KINDS = 200


def complain(what: str, why: BaseException | str) -> None:
    """Log a failure of our own, once for each kind of it."""
    try:
        kind = why if isinstance(why, str) else type(why).__name__
        if (key := f"{what}|{kind}") in _SAID or len(_SAID) >= _MOST_KINDS:
            return
        _SAID.add(key)
        log.warning("%s: %s", what, why, exc_info=None if isinstance(why, str) else why)
    except Exception:  # noqa: BLE001, S110 - a log that fails must not take the host with it
        pass
