"""Which run a resumed run continues.

Haystack's snapshot knows nothing of runs. Within a process we remember which run made
which snapshot; elsewhere both runs carry the snapshot's own id, made of what is in it.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from hashlib import sha256
from typing import Any

_REMEMBERED = 1000
_DIGITS = 32

_runs: OrderedDict[str, str] = OrderedDict()


def snapshot_id(snapshot: Any) -> str:
    """Return an id that a snapshot keeps through saving and loading."""
    stop = snapshot.break_point
    stamp = snapshot.timestamp
    parts = [
        None if stamp is None else stamp.isoformat(),
        stop.component_name,
        stop.visit_count,
        sorted(snapshot.pipeline_state.component_visits.items()),
    ]
    text = json.dumps(parts, default=str).encode()
    return f"snapshot:{sha256(text).hexdigest()[:_DIGITS]}"


def remember_snapshot(snapshot: Any, run_id: str) -> str:
    """Note that this run ended with this snapshot; returns the snapshot's id."""
    key = snapshot_id(snapshot)
    _runs[key] = run_id
    while len(_runs) > _REMEMBERED:
        _runs.popitem(last=False)
    return key


def continued_by(snapshot: Any) -> str:
    """Return the id of the run that a snapshot comes from, or else of the snapshot."""
    key = snapshot_id(snapshot)
    return _runs.get(key, key)
