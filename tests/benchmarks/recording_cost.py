"""What recording adds to a run: beside nothing at all, LoggingTracer and OpenTelemetry.

Two figures for each. *On the caller's path*: the time from calling `run` to its return.
*To disk*: the processor time of the whole process until the file is written, which is what
a program with many runs pays. Modes take turns within each round, in random order.
"""

import gc
import importlib.util
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.benchmarks import workloads
from tests.benchmarks.ours import Idle, Recorded, TracerAlone
from tests.benchmarks.peers import Logging, Nothing, OpenTelemetry, Peer
from tests.benchmarks.report import MISSED, REACHED, Row, limit, row, seconds, skipped
from tests.benchmarks.workloads import Workload

HAS_OTEL = importlib.util.find_spec("opentelemetry.sdk") is not None
ROUND_S = 0.25  # how long one mode runs within one round


@dataclass(frozen=True, slots=True)
class Plan:
    """A workload, and what the recorder may cost on it."""

    make: Callable[[], Workload]
    may_add: float | None = None  # of the run's own time
    of_logging: float | None = None  # of what LoggingTracer adds
    of_otel: float | None = None  # of the processor time OpenTelemetry adds
    may_add_us: float | None = None  # on the caller's path, a component
    idle: bool = False


PLANS = (
    Plan(workloads.small_chain, may_add=0.15, of_logging=0.55, idle=True),
    Plan(workloads.ten_documents, may_add=0.18, of_logging=0.10, idle=True),
    Plan(workloads.thousand_documents, may_add=0.20, of_logging=0.08),
    Plan(workloads.small_rag, of_otel=1 / 3, may_add_us=5.0),
    Plan(workloads.rag_100, of_otel=1 / 10),
    Plan(workloads.agent_20, of_otel=1 / 10),
    Plan(workloads.agent_100, may_add=0.30, of_otel=1 / 25),
    Plan(workloads.async_8),
)


@dataclass(slots=True)
class Samples:
    """The figures of one mode over all rounds, per run and in seconds."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    @property
    def on_path(self) -> float:
        return statistics.median(self.wall)

    @property
    def to_disk(self) -> float:
        return statistics.median(self.processor)


def measure(quick: bool) -> list[Row]:
    rounds = 3 if quick else 9
    rows = [row for plan in PLANS for row in _plan(plan, rounds, ROUND_S / (2 if quick else 1))]
    if not HAS_OTEL:
        rows.append(skipped("OpenTelemetry", "opentelemetry-sdk is not installed"))
    return [*rows, *(skipped(name, "not installed, not measured") for name in missing_peers())]


def missing_peers() -> list[str]:
    """Name the recorders that people use and that this environment does not have."""
    peers = {
        "opentelemetry-haystack (our bridge stands in)": "haystack_integrations.tracing",
        "mlflow autolog": "mlflow",
        "langfuse-haystack": "langfuse",
        "openinference": "openinference",
    }
    return [name for name, module in peers.items() if not _is_there(module)]


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _plan(plan: Plan, rounds: int, budget_s: float) -> list[Row]:
    work = plan.make()
    modes: dict[str, Peer] = {
        "none": Nothing(),
        "none again": Nothing(),
        "recorded": Recorded(),
        "tracer alone": TracerAlone(),
        "LoggingTracer": Logging(),
    }
    if HAS_OTEL:
        modes["OpenTelemetry"] = OpenTelemetry()
    if plan.idle:
        modes["idle"] = Idle()
    samples = compare(work, modes, rounds, budget_s)
    return _rows(plan, work, samples)


def compare(
    work: Workload, modes: dict[str, Peer], rounds: int, budget_s: float
) -> dict[str, Samples]:
    """Run the workload under every mode, round after round, and gather the figures."""
    samples = {name: Samples() for name in modes}
    once = _time_once(work)
    runs = max(1, min(400, int(budget_s / once)))
    draw = random.Random(7)
    for _round in range(rounds):
        order = list(modes)
        draw.shuffle(order)
        for name in order:
            _measure_mode(work, modes[name], samples[name], runs)
    return samples


def _time_once(work: Workload) -> float:
    work.run()
    begun = time.perf_counter()
    work.run()
    return time.perf_counter() - begun


def _measure_mode(work: Workload, mode: Peer, samples: Samples, runs: int) -> None:
    mode.start(work.target)
    try:
        work.run()
        mode.finish_run()
        gc.collect()
        gc.disable()
        walls = []
        spent = time.process_time()
        for _number in range(runs):
            begun = time.perf_counter()
            work.run()
            walls.append(time.perf_counter() - begun)
        mode.finish_run()
        spent = time.process_time() - spent
    finally:
        gc.enable()
        mode.stop()
    samples.wall.append(statistics.median(walls))
    samples.processor.append(spent / runs)


def _rows(plan: Plan, work: Workload, samples: dict[str, Samples]) -> list[Row]:
    none = samples["none"]
    noise = samples["none again"].on_path / none.on_path
    rows = [Row(work.name, f"{seconds(none.on_path)} a run", f"noise {noise:.3f}")]

    def added(name: str) -> float:
        return samples[name].on_path - none.on_path

    def added_processor(name: str) -> float:
        return max(1e-9, samples[name].to_disk - none.to_disk)

    for name, sample in samples.items():
        if name in ("none", "none again"):
            continue
        goal = {"recorded": plan.may_add, "idle": 0.05}.get(name)
        rows.append(_cost(name, added(name), sample.on_path / none.on_path, work.calls, goal))
    if plan.of_logging is not None:
        ratio = added("recorded") / added("LoggingTracer")
        rows.append(row("  of what LoggingTracer adds", "", ratio, plan.of_logging, of="it"))
    if plan.may_add_us is not None:
        each = added("recorded") / work.calls * 1e6
        rows.append(limit("  on the caller's path, a component", each, plan.may_add_us, "us"))
    if plan.of_otel is not None and HAS_OTEL:
        ours, theirs = added_processor("recorded"), added_processor("OpenTelemetry")
        figure = f"{seconds(ours / work.calls)} of {seconds(theirs / work.calls)} a component"
        rows.append(
            row(
                "  processor, to disk, of OpenTelemetry",
                figure,
                ours / theirs,
                plan.of_otel,
                of="it",
            )
        )
    return rows


def _cost(name: str, added: float, ratio: float, calls: int, goal: float | None) -> Row:
    figure = f"{'+' if added >= 0 else '-'}{seconds(abs(added) / calls)} a component"
    if goal is None:
        return Row(f"  {name}", figure, f"{ratio:.3f} x none")
    verdict = REACHED if ratio - 1 <= goal else MISSED
    return Row(f"  {name}", figure, f"{ratio:.3f} x none", f"<= {1 + goal:.3g}", verdict)
