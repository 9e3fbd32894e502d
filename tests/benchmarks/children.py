"""Runs a part of a benchmark in a process of its own, as an installed program would run."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def run_child(
    module: str, *arguments: str, home: Path, cache: Path | None = None
) -> dict[str, Any]:
    """Run a module that prints a JSON object; return that, and when it was started.

    Args:
        home: Stands for the user's home: settings, data, and the compiled modules, which an
            installed program has, too, from its second start on.
        cache: Another cache directory than the one in `home`.
    """
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(cache or home / "cache"),
        "PYTHONPYCACHEPREFIX": str(home / "pycache"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", *arguments]
    begun = time.monotonic()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{module} failed: {(done.stderr or done.stdout).strip()[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return {**found, "begun": begun}
