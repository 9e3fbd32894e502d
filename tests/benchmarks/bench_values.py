"""How soon a large value can be read, what memory reading a whole run takes, and how long it
takes to find out where a value came from.
"""

import importlib.util
import statistics
import tempfile
import time
from base64 import b64encode
from pathlib import Path
from typing import Any

import orjson

from tests.benchmarks.big_file import write_run
from tests.benchmarks.children import run_child
from tests.benchmarks.made_runs import agent_file
from tests.benchmarks.report import Row, limit, row, seconds, size, skipped

SHOWN_MS = 100.0
LARGE = 5_000_000
TIMES_THE_FILE = 1.5


def measure(quick: bool) -> list[Row]:
    rows = _provenance()
    if importlib.util.find_spec("PySide6") is None:
        return [*rows, skipped("values in the window", "PySide6 is not installed")]
    with tempfile.TemporaryDirectory(prefix="run-bench-") as name:
        folder = Path(name)
        return [*_large(folder, rounds=3 if quick else 7), *_visit(folder, quick=quick), *rows]


def _large(folder: Path, rounds: int) -> list[Row]:
    path = folder / "large.run.json"
    path.write_bytes(large_file())
    found: list[dict[str, Any]] = []
    for _round in range(rounds):
        found.append(run_child("child_values", "large", str(path), home=folder))
    rows = []
    for name in (each for each in found[0] if each not in ("begun", "warm")):
        samples = [each[name] for each in found]
        soonest = min(sample["seconds"] for sample in samples)
        worked = statistics.median(sample["worked"] for sample in samples)
        still = statistics.median(sample["still"] for sample in samples)
        # Others may have the processor: what counts is what we need of it.
        rows += [
            limit(f"5 MB of {name}, chosen to shown, processor", worked * 1e3, SHOWN_MS, "ms"),
            Row("  by the clock, at the soonest", seconds(soonest)),
            limit("  most of it at a stretch in the window's thread", still * 1e3, SHOWN_MS, "ms"),
        ]
    return rows


def _visit(folder: Path, *, quick: bool) -> list[Row]:
    path = folder / "texts.run.json"
    written = write_run(path, spans=2_000, value_bytes=5_000 if quick else 25_000)
    found = run_child("child_values", "visit", str(path), home=folder)
    what = f"{found['spans']:,} spans of {size(written)} of text read, one by one"
    more = found["most"] - found["empty"]
    return [
        Row(what, seconds(found["seconds"])),
        row("  memory beyond the empty window", size(more), more / written, TIMES_THE_FILE,
            of="file"),
        Row("  all memory, Qt's included", size(found["most"])),
    ]  # fmt: skip


def _provenance() -> list[Row]:
    from inspector.presentation.provenance import Provenance
    from inspector.runfile.load import load_run

    run = load_run(agent_file(3_333, seed=1), use_cache=False)
    asking = Provenance(run)
    llm = next(span for span in reversed(run.spans) if span.name == "llm")
    began = time.process_time()
    asking.where_from(llm.id, "inputs.messages[1]")
    first = time.process_time() - began
    began = time.process_time()
    answer = asking.where_from(llm.id, "inputs.messages[3]")
    again = time.process_time() - began
    assert answer.candidates
    return [
        limit(f"{len(run.spans):,} spans, where a value came from, processor", first, 2.0, "s"),
        limit("  asked again", again * 1e3, 50.0, "ms"),
    ]


def large_file() -> bytes:
    """Return a run of components, each with one large value; a small one comes first."""
    line = "The bed with the tomatoes is dry at noon. "
    records = [{"bed": number, "note": line, "moisture": number % 90} for number in range(60_000)]
    nested: dict[str, Any] = {f"bed {n}": {"log": [line] * 10, "dry": True} for n in range(11_000)}
    values = {
        "warm": "a few words",
        "text": f"{line}\n" * (LARGE // (len(line) + 1)),
        "one line": line * (LARGE // len(line)),
        "records": records,
        "fields": nested,
        "bytes": {"$": "bytes", "base64": b64encode(bytes(LARGE)).decode()},
    }
    spans: list[dict[str, Any]] = [
        {"id": "s1", "parent": None, "kind": "pipeline", "path": "", "start_ns": 0, "end_ns": 10**9}
    ]
    kept = {}
    for number, (name, value) in enumerate(values.items(), 2):
        kept[f"{number:032x}"] = value
        spans.append(
            {
                "id": f"s{number}", "parent": "s1", "kind": "component", "name": name,
                "path": f"{name}#1", "visit": 1, "status": "ok", "start_ns": number * 10**6,
                "end_ns": (number + 1) * 10**6, "inputs": {"value": {"$ref": f"{number:032x}"}},
            }
        )  # fmt: skip
    run = {"id": "01KB0000000000000000000001", "kind": "pipeline", "status": "completed"}
    return orjson.dumps(
        {"format": "haystack-run", "version": 1, "run": run, "spans": spans, "values": kept}
    )
