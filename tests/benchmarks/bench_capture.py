"""What encoding and writing alone add to a run, without the recorder's own tracer.

    python -m tests.benchmarks.bench_capture [rounds]

A tracer of forty lines hands Haystack's tags to `Capture` and `RunWriter`. Traced and
untraced runs alternate in random order; times are CPU seconds of the whole process, so
the writer's thread is counted, and a run counts until its file is written.
"""

import gc
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from pathlib import Path
from typing import Any

from haystack import tracing
from haystack.tracing import Span, Tracer

from inspector.recording.capture import Capture
from inspector.runfile.journal import RunWriter
from tests.benchmarks import workloads
from tests.benchmarks.workloads import Workload

CURRENT: ContextVar[Any] = ContextVar("bench_span", default=None)


class TracedSpan(Span):
    """Hands every tag to the capture at once; inputs of components by reference."""

    def __init__(self, run: "TracedRun", number: int) -> None:
        self.run = run
        self.id = f"s{number}"
        self.fields: dict[str, Any] = {}

    def set_tag(self, key: str, value: Any) -> None:
        self.fields[key.rpartition(".")[2]] = self.run.capture.at_once(value)

    def set_content_tag(self, key: str, value: Any) -> None:
        started = time.perf_counter_ns()
        if key == "haystack.component.input":
            self.run.writer.update(self.id, {"inputs": self.run.capture.memo(value)})
        else:
            self.fields[key.rpartition(".")[2]] = self.run.capture.at_once(value)
        self.run.capture_ns += time.perf_counter_ns() - started


class TracedRun(Tracer):
    """One recording."""

    def __init__(self, target: Path | None) -> None:
        self.capture = Capture()
        self.capture_ns = 0
        header = {"id": "01J", "kind": "pipeline", "name": "bench", "status": "running"}
        self.writer = RunWriter(header, target=target)
        self.zero = time.perf_counter_ns()
        self.count = 0

    @contextmanager
    def trace(
        self, operation_name: str, tags: dict[str, Any] | None = None, parent_span: Any = None
    ) -> Iterator[Span]:
        self.count += 1
        span = TracedSpan(self, self.count)
        parent = parent_span or CURRENT.get()
        tags = tags or {}
        self.writer.start(
            {
                "id": span.id,
                "parent": parent and parent.id,
                "kind": "component",
                "operation": operation_name,
                "name": tags.get("haystack.component.name", ""),
                "type": tags.get("haystack.component.fully_qualified_type", ""),
                "path": "",
                "visit": 1,
                "start_ns": time.perf_counter_ns() - self.zero,
            }
        )
        token = CURRENT.set(span)
        try:
            yield span
        finally:
            CURRENT.reset(token)
            self.writer.end(span.id, time.perf_counter_ns() - self.zero, "ok", span.fields)

    def current_span(self) -> Span | None:
        found: Span | None = CURRENT.get()
        return found


def recorded(run: Callable[[], Any], target: Path | None) -> TracedRun:
    traced = TracedRun(target)
    tracing.enable_tracing(traced)
    try:
        run()
    finally:
        tracing.disable_tracing()
        traced.writer.finish({"status": "completed"})
    return traced


def measure(work: Workload, rounds: int, folder: Path) -> None:
    numbers = count()

    def target() -> Path:
        # A file of its own for each run: replacing one makes the disk write at once.
        return folder / f"{next(numbers)}.run.json"

    plain: list[float] = []
    traced: list[float] = []
    captured: list[float] = []
    work.run()
    recorded(work.run, target()).writer.wait(60)
    size = (folder / "0.run.json").stat().st_size
    # Single small runs are shorter than what the clock tells apart.
    started = time.process_time()
    work.run()
    batch = max(1, int(0.1 / max(1e-5, time.process_time() - started)))
    for _ in range(rounds):
        for kind in random.sample(("plain", "traced"), 2):
            gc.collect()
            started = time.process_time()
            for _ in range(batch):
                if kind == "plain":
                    work.run()
                else:
                    last = recorded(work.run, target())
                    captured.append(last.capture_ns)
            if kind == "traced":
                last.writer.wait(60)
            (plain if kind == "plain" else traced).append((time.process_time() - started) / batch)
    # On a machine that others use too, the best of many rounds is what tells the least lies.
    base, with_us = min(plain), min(traced)
    median = statistics.median(one / two for one, two in zip(traced, plain, strict=True))
    added_us = (with_us - base) / work.calls * 1e6
    capture_us = min(captured) / 1e3 / work.calls
    print(
        f"{work.name:42} {base * 1e3:9.3f} ms  +{added_us:8.1f} us a call"
        f"  ratio {with_us / base:.3f} (median {median:.3f})"
        f"  capture {capture_us:7.1f} us a call  {size / 1e3:9.1f} kB",
        flush=True,
    )


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    makers = [
        workloads.small_chain,
        workloads.ten_documents,
        workloads.thousand_documents,
        workloads.small_rag,
        workloads.rag_100,
        lambda: workloads.agent(20),
        lambda: workloads.agent(100),
    ]
    # In memory where that can be: what a busy disk takes for a new name is not ours.
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        for number, make in enumerate(makers):
            (runs := Path(folder, str(number))).mkdir()
            measure(make(), rounds, runs)


if __name__ == "__main__":
    main()
