"""What the command palette lists, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.fuzzy import fuzzy

if TYPE_CHECKING:
    from collections.abc import Sequence

_NOT_NOW = 6  # what cannot be done gives way to what can, where both fit alike
_BY_GROUP = 4  # as does what only its group was named by


class PaletteEntry(NamedTuple):
    """One thing that can be done. `key` names it; `group` says what sort of thing it is."""

    key: str
    text: str
    group: str
    shortcut: str = ""
    icon: str = ""
    why_not: str = ""  # why it cannot be done now, in a few words


class PaletteRow(NamedTuple):
    """An entry that fits what was typed, and which letters of its text were meant."""

    entry: PaletteEntry
    places: tuple[int, ...] = ()

    @property
    def spoken(self) -> str:
        """All of the row in one text, for those who hear it."""
        entry = self.entry
        parts = [entry.text, entry.group, entry.shortcut, entry.why_not]
        return ", ".join(part for part in parts if part)


def ranked(
    entries: Sequence[PaletteEntry], wanted: str, used: Sequence[str] = ()
) -> list[PaletteRow]:
    """Return the entries that fit, the best first.

    Args:
        entries: Everything there is, in the order in which it stands where nothing is typed.
        wanted: What was typed.
        used: Keys of what was done last, the latest first: it stands above the rest
            where nothing is typed, and above what fits no better otherwise.

    """
    age = {key: place for place, key in enumerate(used)}
    newest = len(age)
    if not wanted.strip():
        first = sorted(
            (entry for entry in entries if entry.key in age), key=lambda entry: age[entry.key]
        )
        return [
            *map(PaletteRow, first),
            *(PaletteRow(entry) for entry in entries if entry.key not in age),
        ]
    found: list[tuple[float, int, int, PaletteRow]] = []
    for place, entry in enumerate(entries):
        match = fuzzy(wanted, entry.text)
        penalty = _NOT_NOW if entry.why_not else 0
        if match is None:
            # "file run" finds what is called "rag.run.json" by its group too.
            match = fuzzy(wanted, f"{entry.text} {entry.group}")
            penalty += _BY_GROUP
        if match is None:
            continue
        places = tuple(at for at in match.places if at < len(entry.text))
        row = PaletteRow(entry, places)
        found.append((penalty - match.score, age.get(entry.key, newest), place, row))
    return [row for *_order, row in sorted(found, key=lambda one: one[:3])]
