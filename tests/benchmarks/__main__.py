"""Measure what the recorder, the reader and the window cost, and print it in one table.

    python -m tests.benchmarks [--quick] [name...]

Everything is compared with something measured in the same rounds, because absolute times
say more about the machine than about us.
"""

import argparse
import os
import sys
import time

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from tests.benchmarks import (
    bench_diff,
    bench_diff_runs,
    bench_diff_text,
    bench_executions,
    bench_findings,
    bench_redaction,
    bench_replay,
    bench_search,
    bench_stepping,
    bench_timeline,
    bench_values,
    file_size,
    opening,
    planted_causes,
    recording_cost,
    replay_window,
    window,
)
from tests.benchmarks.report import MISSED, Benchmark, Row, table

BENCHMARKS: dict[str, Benchmark] = {
    "recording": recording_cost.measure,
    "size": file_size.measure,
    "opening": opening.measure,
    "window": window.measure,
    "timeline": bench_timeline.measure,
    "search": bench_search.measure,
    "stepping": bench_stepping.measure,
    "values": bench_values.measure,
    "redaction": bench_redaction.measure,
    "findings": bench_findings.measure,
    "replay": bench_replay.measure,
    "replay-window": replay_window.measure,
    "diff": lambda quick: [
        row
        for part in (bench_diff, bench_diff_text, bench_diff_runs)
        for row in part.measure(quick)
    ],
    "executions": bench_executions.measure,
    "causes": planted_causes.measure,
}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="a minute's run, wider spreads")
    args = parser.parse_args(arguments)
    unknown = set(args.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"There is no benchmark {', '.join(sorted(unknown))}.")
    rows: list[Row] = []
    for name in args.names or BENCHMARKS:
        begun = time.monotonic()
        found = BENCHMARKS[name](args.quick)
        sys.stderr.write(f"{name}: {time.monotonic() - begun:.0f} s\n")
        rows += [Row(f"-- {name} --", ""), *found]
    sys.stdout.write(table(rows) + "\n")
    missed = sum(item.verdict == MISSED for item in rows)
    sys.stdout.write(f"\n{missed} goals missed.\n" if missed else "\nEvery goal is reached.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
