"""Rules of other packages, found by their entry points.

An entry point of the group `haystack_run_inspector.findings` names a `Rule`, several of them,
or a function that returns either. One that cannot be had is named and skipped.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any

from inspector.findings.finding import Rule

GROUP = "haystack_run_inspector.findings"


@lru_cache(maxsize=1)
def plugin_rules() -> tuple[tuple[Rule, ...], tuple[str, ...]]:
    """Return the rules of other packages, and what is wrong with those that cannot be had."""
    found: dict[str, Rule] = {}
    troubles: list[str] = []
    for entry in entry_points(group=GROUP):
        try:
            rules = _rules(entry.load())
            for rule in rules:
                if rule.name in found:
                    raise ValueError(f"there is another rule called {rule.name}")
            found.update((rule.name, rule) for rule in rules)
        except Exception as error:  # noqa: BLE001 - other people's code must not keep us from a run
            troubles.append(
                f"The rules of {entry.name} were skipped: {type(error).__name__}: {error}"
            )
    return tuple(found.values()), tuple(troubles)


def _rules(made: Any) -> list[Rule]:
    if callable(made) and not isinstance(made, Rule):
        made = made()
    rules = [made] if isinstance(made, Rule) else list(made) if isinstance(made, Iterable) else []
    if not rules or not all(isinstance(rule, Rule) for rule in rules):
        raise TypeError("it is no Rule, and no list of them")
    for rule in rules:
        if not (isinstance(rule.name, str) and rule.name and isinstance(rule.says, str)):
            raise TypeError("a rule needs a name and a line that says what it finds")
    return rules
