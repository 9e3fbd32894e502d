"""Where the agents that a person added are written down: addresses and names, no secrets."""

from __future__ import annotations

import os
from pathlib import Path

FILE_VARIABLE = "RUN_INSPECTOR_A2A_AGENTS"


def agents_file() -> Path:
    """Return the file, which `client.servers` reads and writes."""
    if named := os.environ.get(FILE_VARIABLE):
        return Path(named)
    from platformdirs import user_config_path

    return user_config_path("run-inspector", appauthor=False) / "a2a-agents.json"
