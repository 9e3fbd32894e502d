"""What the commands that run something take: a target, and its data as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from inspector.errors import InspectorError
from inspector.recording.finding import fitted, found_target

__all__ = ["fitted", "found_target", "read_data"]


def read_data(words: str | None) -> Any:
    """Return what a data file holds; `-` is standard input.

    Raises:
        InspectorError: It cannot be read, or is not JSON.

    """
    if words is None:
        return None
    name = "Standard input" if words == "-" else words
    try:
        text = sys.stdin.read() if words == "-" else Path(words).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InspectorError(f"{name} cannot be read: {reason}.") from error
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InspectorError(f"{name} is not JSON: {error}.") from error
