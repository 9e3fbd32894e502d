"""Packages that bring rules of their own, installed for one test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.findings import Finding, Rule, Severity
from inspector.findings.plugins import GROUP, plugin_rules

HERE = "tests.helpers.rule_packages"


def long_ones(reading: Any) -> list[Finding]:
    """Find what took more than half of the run."""
    return [
        Finding("long", Severity.NOTE, f"`{span.name}` took long.", (span.id,))
        for span in reading.run.spans
        if span.parent_id and span.duration_ns > reading.run.duration_ns // 2
    ]


def breaks(_reading: Any) -> Iterator[Finding]:
    yield Finding("breaks", Severity.NOTE, "Before it broke.")
    raise RuntimeError("Out of seeds.")


LONG = Rule("long", "a span took more than half of the run", long_ones, "Ours")
NAMESAKE = Rule("long", "another of the same name", lambda _reading: ())
BREAKS = Rule("breaks", "always breaks", breaks)
NO_RULE = "just a text"


def made_of_both() -> list[Rule]:
    return [LONG, Rule("silent", "finds nothing", lambda _reading: ())]


def install_rules(folder: Path, patch: pytest.MonkeyPatch, **entries: str) -> None:
    """Install a package whose entry points name things of this module, by their names."""
    info = folder / "garden_rules-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: garden-rules\nVersion: 1\n")
    lines = [f"{name} = {place}" for name, place in entries.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines]))
    patch.syspath_prepend(str(folder))
    plugin_rules.cache_clear()
