"""How a reader knows whether a journal still has a writer.

The writer holds an advisory lock on the open journal; the system lets go of it when
the process ends, however it ends. A process id in the file could not say that: it may
belong to another program by now, or to another machine.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

fcntl: Any = None
with suppress(ImportError):  # Windows has other locks, which keep readers out
    import fcntl


def is_claimed(descriptor: int) -> bool:
    """Whether somebody is writing an open journal."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False
