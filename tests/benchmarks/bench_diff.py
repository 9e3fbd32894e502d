"""What it costs to find out which span of one run is which of another."""

import gc
import random
import statistics
import time
import tracemalloc
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any

from inspector.diff.align import align
from inspector.diff.sequences import matches
from inspector.runfile.load import load_run
from tests.benchmarks.made_runs import agent_file, flat_file
from tests.benchmarks.report import Row, limit, row, seconds

UNIQUE = 2**62


def measure(quick: bool) -> list[Row]:
    """Return the figures of sequences and of whole runs."""
    rounds = 3 if quick else 7
    rows = _sequences(10_000, rounds, (0.5, 0.1))
    if not quick:
        rows += _sequences(100_000, 3, (0.5, 0.05))
    rows += _memory(20_000 if quick else 100_000)
    return rows + _runs(rounds)


def _sequences(length: int, rounds: int, goals: tuple[float, float]) -> list[Row]:
    rows = []
    for share in (0.01, 0.1, 0.5):
        rows.append(_against_difflib(length, UNIQUE, share, rounds, goals[0]))
    # No more repetitions than difflib gets through in some ten seconds.
    kinds = length // 80
    rows.append(_against_difflib(length, kinds, 0.1, rounds, goals[1]))
    return rows


def _against_difflib(length: int, kinds: int, share: float, rounds: int, goal: float) -> Row:
    left, right = _edited(length, kinds, share)
    ours, theirs = [], []
    found: list[tuple[int, int]] = []
    blocks: Any = ()
    for _ in range(rounds):
        spent, found = _timed(lambda: matches(left, right))
        ours.append(spent)
        matcher = SequenceMatcher(None, left, right, autojunk=False)
        spent, blocks = _timed(matcher.get_matching_blocks)
        theirs.append(spent)
    fewer = sum(block.size for block in blocks) - len(found)
    kind = "each once" if kinds == UNIQUE else f"a loop of {kinds}"
    what = f"{length:,} items, {kind}, {share:.0%} edited"
    if fewer > 0:
        return Row(f"{what}: {fewer} matches fewer than difflib", "", verdict="missed")
    mine, peer = statistics.median(ours), statistics.median(theirs)
    return row(what, seconds(mine), mine / peer, goal, of="difflib")


def _memory(length: int) -> list[Row]:
    rows = []
    for kinds in (UNIQUE, 30):
        left, right = _edited(length, kinds, 0.1)
        tracemalloc.start()
        matches(left, right)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        kind = "each once" if kinds == UNIQUE else f"a loop of {kinds}"
        rows.append(limit(f"  memory for {length:,} items, {kind}", peak / 1e6, 100, "MB"))
    return rows


def _runs(rounds: int) -> list[Row]:
    draw = random.Random(5)
    edits = set(draw.sample(range(4_000), 200))
    agent = agent_file(3_300, seed=1)
    cases = {
        "two runs of 10 MB, 200 edits": (
            flat_file(4_000, size=1_200),
            flat_file(4_000, size=1_200, edited=edits),
        ),
        "10,000 spans, the same but for call ids": (agent, agent_file(3_300, seed=2)),
        "10,000 spans, one step more": (agent, agent_file(3_300, seed=1, extra=10)),
        "10,000 spans, 200 calls edited": (agent, agent_file(3_300, seed=1, edited=edits)),
        "10,000 spans, all equal": (flat_file(10_000, size=300),) * 2,
    }
    rows = []
    for what, (left, right) in cases.items():
        took = []
        for _ in range(rounds):
            # Read anew: what one comparison decoded must not serve the next.
            one, other = load_run(left, use_cache=False), load_run(right, use_cache=False)
            spent, _found = _timed(lambda one=one, other=other: align(one, other))  # type: ignore[misc]
            took.append(spent)
        rows.append(limit(f"aligned: {what}", statistics.median(took) * 1e3, 1_000, "ms"))
    return rows


def _edited(length: int, kinds: int, share: float) -> tuple[list[int], list[int]]:
    """Return a sequence, and the same with a share of it left out, put in or replaced."""
    draw = random.Random(length + kinds % 1_000)
    left = [draw.randrange(kinds) for _ in range(length)]
    right: list[int] = []
    for item in left:
        change = draw.randrange(3) if draw.random() < share else -1
        if change > 0:
            right.append(draw.randrange(kinds))
        if change in (-1, 1):
            right.append(item)
    return left, right


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    began = time.process_time()
    result = work()
    return time.process_time() - began, result
