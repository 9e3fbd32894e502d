"""How often the first divergence of two runs names what was planted, with seeds nobody has seen."""

import contextlib
import io
import random
from collections import Counter

from inspector.diff.compare import diff_runs
from tests.benchmarks.report import MISSED, REACHED, Row
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.planted import judge, planted_pairs

LEAST = 0.95


def measure(quick: bool) -> list[Row]:
    """Return the share of planted causes that were named, and those that were not."""
    fresh = random.SystemRandom()
    seeds = [fresh.randrange(1_000, 10**9) for _ in range(2 if quick else 10)]
    pairs, missed = 0, Counter[str]()
    # Haystack says on the terminal what fails, and some of it is meant to.
    with OpenAIServer() as server, contextlib.redirect_stderr(io.StringIO()):
        for seed in seeds:
            for pair in planted_pairs(server, seed):
                pairs += 1
                if judge(pair, diff_runs(pair.left, pair.right)):
                    missed[str(pair)] += 1
    named = 1 - missed.total() / pairs
    verdict = REACHED if named >= LEAST else MISSED
    goal = f">= {LEAST:.0%}"
    found = [Row(f"planted causes named, of {pairs} pairs", f"{named:.1%}", "", goal, verdict)]
    return found + [Row(f"   missed: {name}", "") for name in sorted(missed)]
