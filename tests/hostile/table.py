"""All hostile files: a name, an ending, and what makes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.hostile.places import PLACES, Make, base, saying
from tests.hostile.shapes import SHAPES
from tests.hostile.words import MARK, Bait

_PLACES_A_FILE = 6
_NAMED = f'\x1b[2J<img src=x onerror={MARK}>\u202egnp "$(id)" `'
_WORDS: dict[str, Callable[[Bait], str]] = {
    "markup": Bait.markup,
    "rich text": Bait.rich,
    "terminal": Bait.terminal,
    "program": Bait.program,
}


class Hostile(NamedTuple):
    """A file by somebody who means ill."""

    title: str
    name: str  # of the file
    make: Make


def _table() -> list[Hostile]:
    files = [
        (f"{words} in all places", ".run.json", saying(PLACES, say))
        for words, say in _WORDS.items()
    ]
    for at in range(0, len(PLACES), _PLACES_A_FILE):
        places = PLACES[at : at + _PLACES_A_FILE]
        files.append((" and ".join(places), ".run.json", saying(places, Bait.everything)))
    files += [(title, ending, make) for title, (ending, make) in SHAPES.items()]
    named = [Hostile(title, f"h{at:03}{ending}", make)
             for at, (title, ending, make) in enumerate(files)]  # fmt: skip
    plain = json.dumps(base()).encode()
    named.append(Hostile("name of a file", f"{_NAMED}.run.json", lambda _: plain))
    return named


HOSTILE = _table()


def write_all(folder: Path, bait: Bait) -> list[Path]:
    """Write all files, and return where they are."""
    paths = []
    for file in HOSTILE:
        path = folder / file.name
        path.write_bytes(file.make(bait))
        paths.append(path)
    return paths
