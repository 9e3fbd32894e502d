"""What a person should look at in a run: one function a rule.

Everything is worked out anew from what was recorded, so that old files are checked by
today's rules.
"""

from __future__ import annotations

from inspector.findings.finding import Finding, Rule, Severity
from inspector.findings.registry import RULES, Examined, all_rules, check, examine
from inspector.findings.switches import project_switches, rules_without

__all__ = [
    "RULES",
    "Examined",
    "Finding",
    "Rule",
    "Severity",
    "all_rules",
    "check",
    "examine",
    "project_switches",
    "rules_without",
]
