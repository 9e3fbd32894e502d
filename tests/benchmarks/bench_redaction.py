"""How fast secrets are looked for: in texts as retrievers return them, and in whole runs."""

from __future__ import annotations

import random
from dataclasses import replace
from math import inf

from inspector.redaction.run import redact_run
from inspector.redaction.scanner import Scanner
from inspector.redaction.settings import Redaction
from inspector.runfile.load import load_run
from tests.benchmarks.report import MISSED, REACHED, Row, took
from tests.helpers.rag_text import PARAGRAPHS, documents, plain_text
from tests.redaction.runs import made_bytes, span

LEAST = 50.0
"""So many MB/s of processor time are asked for."""

# Others may slow the machine down to half of that. Where nobody does, it copies 2,500 MB/s
# through a table (0.4 ms a MB): so many copies are 70 MB/s there.
COPIES = 35
OF = "copies through a table"
TABLE = bytes(range(256))[::-1]
MEGABYTE = 1_000_000
DOCUMENTS = 200
PIECE = 100_000


def measure(quick: bool) -> list[Row]:
    rounds = 5 if quick else 15
    plain = plain_text(2 * MEGABYTE).encode()
    run = _run(plain)
    rows = [
        _row("texts of documents, a secret in 20 kB", _mixed(20_000), rounds, goal=True),
        _row("  a secret in 4 kB", _mixed(4_000), rounds),
        _row("  half of it numbers, names and code", _dense(), rounds),
    ]
    best = min(took(lambda: redact_run(load_run(run), _RULES)).worked for _ in range(rounds))
    rows.append(Row("a run of such documents, copied", f"{_speed(len(run), best):.0f} MB/s"))
    return rows


_RULES = Redaction(environment=False)


def _mixed(between: int) -> bytes:
    """Return texts with a secret, in a paragraph of what looks like some, in so many bytes."""
    with_secrets = (text for text, cases in documents(count=8 * DOCUMENTS) if cases)
    return "\n\n".join(
        f"{plain_text(between, number)}\n{text[:600]}"
        for number, text in zip(range(2 * MEGABYTE // between), with_secrets, strict=False)
    ).encode()


def _dense() -> bytes:
    rng = random.Random(5)
    return "\n\n".join(rng.choice(PARAGRAPHS) for _ in range(1_000)).encode()


def _row(what: str, data: bytes, rounds: int, *, goal: bool = False) -> Row:
    pieces = [data[at : at + PIECE] for at in range(0, len(data), PIECE)]
    best, beside = [inf] * len(pieces), [inf] * len(pieces)
    for _ in range(rounds):
        # Each round is a file of its own: what a scanner remembers, it met there.
        scanner = Scanner()
        for place, piece in enumerate(pieces):
            # In pieces, in turns: others may have the machine now and then, not at each try.
            best[place] = min(best[place], _scanned(scanner, piece))
            beside[place] = min(beside[place], _copied(piece))
    speed, copies = _speed(len(data), sum(best)), sum(best) / sum(beside)
    found = Row(what, f"{speed:.0f} MB/s", f"{copies:.2g} {OF}")
    if not goal:
        return found
    verdict = REACHED if speed >= LEAST or copies <= COPIES else MISSED
    return replace(found, goal=f">= {LEAST:.0f} MB/s, or <= {COPIES} copies", verdict=verdict)


def _scanned(scanner: Scanner, piece: bytes) -> float:
    return took(lambda: scanner.scan(piece)).worked


def _copied(piece: bytes) -> float:
    """Return how long something takes whose speed is known where nothing else runs."""
    return took(lambda: piece.translate(TABLE)).worked


def _speed(size: int, worked_ms: float) -> float:
    return size / MEGABYTE / worked_ms * 1e3


def _run(text: bytes) -> bytes:
    """Return a file of documents, each of a few kB."""
    words = text.decode()
    documents_ = tuple(
        {
            "$": "document",
            "id": f"{place:064x}",
            "content": words[place : place + 3_000],
            "meta": {},
        }
        for place in range(0, len(words), 3_000)
    )
    outputs = {"documents": [{"$value": number} for number in range(len(documents_))]}
    return made_bytes(span(1), span(2, outputs=outputs), values=documents_)
