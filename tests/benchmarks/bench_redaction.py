"""How fast secrets are looked for: in texts as retrievers return them, and in whole runs."""

from __future__ import annotations

import random

from inspector.redaction.run import redact_run
from inspector.redaction.scanner import Scanner
from inspector.redaction.settings import Redaction
from inspector.runfile.load import load_run
from tests.benchmarks.report import Row, limit, took
from tests.helpers.rag_text import PARAGRAPHS, documents, plain_text
from tests.redaction.runs import made_bytes, span

LEAST_MB_PER_S = 50.0
MEGABYTE = 1_000_000
DOCUMENTS = 200
PIECE = 100_000


def measure(quick: bool) -> list[Row]:
    rounds = 5 if quick else 15
    plain = plain_text(2 * MEGABYTE).encode()
    found = "\n\n".join(f"{plain_text(4_000, number)}\n{text[:600]}" for number, (text, _) in
                        enumerate(documents(count=DOCUMENTS))).encode()  # fmt: skip
    rng = random.Random(5)
    dense = "\n\n".join(rng.choice(PARAGRAPHS) for _ in range(2_000)).encode()
    run = _run(plain)
    rows = [
        _row("texts of documents without a secret", plain, rounds, goal=True),
        _row("  with a secret in every other document", found, rounds, goal=True),
        _row("  half of it numbers, names and code", dense, rounds),
    ]
    best = min(took(lambda: redact_run(load_run(run), _RULES)).worked for _ in range(rounds))
    rows.append(Row("a run of such documents, copied", f"{_speed(len(run), best):.0f} MB/s"))
    return rows


_RULES = Redaction(environment=False)


def _row(what: str, data: bytes, rounds: int, *, goal: bool = False) -> Row:
    scanner = Scanner()
    scanner.scan(data[:PIECE])
    best = 0.0
    for at in range(0, len(data), PIECE):
        # In pieces: others may have the machine now and then, but not for every try of each.
        piece = data[at : at + PIECE]
        best += min(took(lambda: scanner.scan(piece)).worked for _ in range(rounds))  # noqa: B023 - called at once
    speed = _speed(len(data), best)
    if not goal:
        return Row(what, f"{speed:.0f} MB/s")
    most = 1e3 / LEAST_MB_PER_S
    return limit(
        f"{what}, a MB", best / len(data) * MEGABYTE, most, "ms", beside=f"{speed:.0f} MB/s"
    )


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
