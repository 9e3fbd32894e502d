"""What a run ran on: Python, Haystack, and every package whose classes it uses."""

from __future__ import annotations

import os
import platform
import sys
import time
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

OURS = "haystack-run-inspector"
_ALWAYS = ("haystack-ai",)
# A generator talks through the client library of its vendor, whose version matters as much.
_CLIENTS = ("openai", "anthropic", "cohere", "mistralai", "google-genai", "boto3", "ollama",
            "litellm", "mcp", "transformers", "sentence-transformers")  # fmt: skip


def environment(modules: Iterable[str] = ()) -> dict[str, Any]:
    """Return the versions in use, where `modules` are those of the classes that run."""
    packages = {name: version for name in _ALWAYS if (version := version_of(name))}
    for module in set(modules):
        if (package := package_of(module)) and (version := version_of(package)):
            packages[package] = version
    for client in _CLIENTS:
        if client.replace("-", "_") in sys.modules and (version := version_of(client)):
            packages[client] = version
    return {
        "python": _python(),
        "platform": _platform(),
        "packages": dict(sorted(packages.items())),
        "recorder": our_version(),
        "hash_seed": os.environ.get("PYTHONHASHSEED", "random"),
        "tz": time.tzname[time.localtime().tm_isdst > 0],
    }


def package_of(module: str) -> str | None:
    """Return the distribution that a module belongs to, when it was installed as one."""
    top, _, rest = module.partition(".")
    if top in sys.stdlib_module_names or top == "__main__":
        return None
    if top == "haystack":
        return "haystack-ai"
    if top == "haystack_integrations":
        return _integration(rest)
    return next(iter(_distributions().get(top, ())), None)


@cache
def version_of(package: str) -> str | None:
    """Return the installed version of a distribution."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def our_version() -> str:
    """Return our own version."""
    return version_of(OURS) or "unknown"


@cache
def _python() -> str:
    return platform.python_version()


@cache
def _platform() -> str:
    return platform.platform()


@cache
def _distributions() -> dict[str, list[str]]:
    return dict(metadata.packages_distributions())


@cache
def _integration(rest: str) -> str | None:
    """Find which of the many packages under `haystack_integrations` holds a module."""
    path = "haystack_integrations/" + rest.replace(".", "/")
    for distribution in _distributions().get("haystack_integrations", ()):
        for file in metadata.files(distribution) or ():
            name = file.as_posix()
            if name in (f"{path}.py", f"{path}/__init__.py"):
                return distribution
    return None
