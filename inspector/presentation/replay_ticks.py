"""The rows with ticks of the dialog before a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.replay_manifest import class_words, part_rows
from inspector.presentation.words import one_line, plural
from inspector.replay.stub_plan import AGENT, OFFERED, PURE, may_be_ticked

if TYPE_CHECKING:
    from collections.abc import Collection

    from inspector.replay.manifest_parts import ClassUse, Manifest
    from inspector.replay.stub_plan import Part, StubPlan

_MOST_NEEDED = 200
_HAPPENS = {
    "live": "Runs live",
    "recorded": "Recorded answer",
    "compared": "Checked here if possible",
    "executed": "Runs again here",
}


class TickRow(NamedTuple):
    """One row: what it is about, what becomes of it, and whether somebody is asked."""

    key: str
    name: str
    what: str
    happens: str
    why: str
    icon: str
    colour: str
    """That of the icon; the words are quiet unless something runs live."""
    ticked: bool | None = None
    """None where there is nothing to tick."""
    warning: str = ""
    is_code: bool = False
    """Whether its name is one of a class, from a file."""

    @property
    def ink(self) -> str:
        """The colour of what happens."""
        return self.colour if self.colour == "live" else "secondary"

    @property
    def spoken(self) -> str:
        """The row in one sentence."""
        return f"{self.name}, {self.what}: {self.happens}. {self.why}"


_LOOKS = {
    "live": ("live", "live"),
    "recorded": ("completed", "same"),
    "compared": ("compare", "component"),
    "executed": ("reload", "secondary"),
}


def live_ticks(manifest: Manifest, ticked: Collection[str], *, live: bool) -> list[TickRow]:
    """Return the parts of a pipeline of one's own; those that may run live can be ticked."""
    rows = []
    for row in part_rows(manifest, ticked, live=live):
        icon, colour = _LOOKS[row.group]
        asked = live and row.part.may_live
        is_ticked = row.part.word in ticked if asked else None
        happens = _HAPPENS[row.group]
        if is_ticked and row.group != "live":
            happens, icon, colour = "Recorded, or else live", "live", "live"
        reach = row.reach[:1].upper() + row.reach[1:] if asked else ""
        rows.append(
            TickRow(
                row.part.word, row.name, row.what, happens,
                f"{reach}. {_sentence(row.why)}" if reach else _sentence(row.why),
                icon, colour, is_ticked, row.warning if live else "",
            )
        )  # fmt: skip
    return rows


def class_ticks(manifest: Manifest, plan: StubPlan, ticked: Collection[str]) -> list[TickRow]:
    """Return the classes of a file that a stranger may have written; each has to be ticked.

    First what would be made, then what is answered whatever is ticked.
    """
    by_type: dict[str, list[str]] = {}
    for each in plan.parts:
        by_type.setdefault(each.type, []).append(each.name or each.type.rpartition(".")[2])
    how: dict[str, Part] = {one.type: one for one in plan.parts}
    uses = {use.name: use for use in manifest.classes}
    askable = [name for name in by_type if name in OFFERED or may_be_ticked(name)]
    needs = {need: one for one in plan.parts for need in one.needs if need not in by_type}
    needed = list(needs)[:_MOST_NEEDED]
    rows: list[TickRow] = []
    for name in (*askable, *needed):
        part = how.get(name)
        names = by_type.get(name) or [needs[name].name]
        is_made = part is not None and part.how in ("real", "agent", "ticked")
        rows.append(
            TickRow(
                name, one_line(name), _listed(names),
                _happens(name, part, is_made=is_made, is_ticked=name in ticked),
                _why(name, uses.get(name), "" if part is None else part.why),
                "reload" if is_made else "completed", "secondary" if is_made else "same",
                name in ticked, _warning(uses.get(name)), is_code=True,
            )
        )  # fmt: skip
    for name, names in by_type.items():
        if name not in askable:
            rows.append(
                TickRow(
                    name, one_line(name), _listed(names), _HAPPENS["recorded"],
                    "Never made from a file.", "completed", "same", None,
                    _warning(uses.get(name)), is_code=True,
                )
            )  # fmt: skip
    return rows


def _happens(name: str, part: Part | None, *, is_made: bool, is_ticked: bool) -> str:
    if part is None:
        return "Imported in the worker" if is_ticked else "Not imported"
    if name == AGENT:
        return "Made of stubs in the worker" if is_made else _HAPPENS["recorded"]
    return "Made in the worker" if is_made else _HAPPENS["recorded"]


def _why(name: str, use: ClassUse | None, why: str) -> str:
    if why:
        return _sentence(why)
    if name in PURE:
        return "Can do no harm: it depends on its inputs only."
    said = "" if use is None else class_words(use)
    return _sentence(said) if said else "Its module is imported in the worker, under its limits."


def _warning(use: ClassUse | None) -> str:
    if use is None:
        return ""
    if use.commands:
        return f"It would start {one_line(use.commands[0])}"
    if use.hosts and use.variables:
        return f"It would send {one_line(use.variables[0])} to {one_line(use.hosts[0])}"
    return ""


def _listed(names: list[str]) -> str:
    if len(names) > 2:
        return f"{one_line(names[0])} and {plural(len(names) - 1, 'more', 'more')}"
    return ", ".join(map(one_line, names))


def _sentence(words: str) -> str:
    words = words.strip()
    return f"{words[:1].upper()}{words[1:]}." if words and words[-1] != "." else words
