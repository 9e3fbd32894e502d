"""Pairs of runs that differ by one planted cause, and whether a comparison names it.

with OpenAIServer() as server:
    for pair in planted_pairs(server, seed=1):
        print(pair.name, judge(pair, diff_runs(pair.left, pair.right)))
"""

import asyncio
import json
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from haystack.components.agents import Agent

from inspector import PipelineRun, load_run, recording
from inspector.diff.model import Comparison
from inspector.runfile.save import to_bytes
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.planted_causes import CAUSES, Expected
from tests.helpers.planted_search import SEARCH_CAUSES, SearchWorld
from tests.helpers.planted_worlds import World


@dataclass(frozen=True)
class Pair:
    """Two recorded runs, and what was planted in the right one."""

    name: str
    seed: int
    left: PipelineRun
    right: PipelineRun
    expected: Expected

    def __str__(self) -> str:
        return f"{self.name} (seed {self.seed})"


def planted_pairs(server: OpenAIServer, seed: int, *, only: str = "") -> Iterator[Pair]:
    """Yield one pair for each cause; `only` names the causes to take."""
    for kind, cause in (*CAUSES, *SEARCH_CAUSES):
        name = f"{kind.__name__}.{cause.__name__}"
        if only and only not in name:
            continue
        draw = random.Random(zlib.crc32(f"{name}/{seed}".encode()))
        world = kind.drawn(draw)
        planted = cause(world, draw)
        left = _recorded(server, planted.baseline or world)
        right = _recorded(server, planted.world, asynchronous=planted.asynchronous)
        if planted.edit:
            right = _edited(right, planted.edit)
        yield Pair(name, seed, left, right, planted.expected)


def judge(pair: Pair, comparison: Comparison) -> str:
    """Return what is wrong with what a comparison says of a pair; nothing where it is right."""
    expected, divergence = pair.expected, comparison.divergence
    if expected.equal:
        return "" if comparison.equal else f"not equal: {comparison.verdict}"
    if not expected.kinds:
        if divergence is not None or not comparison.same:
            return f"decisions differ: {comparison.verdict}"
        said = " ".join(change.sentence for change in comparison.configuration)
        return _unless_named(expected.words, said)
    if divergence is None:
        return f"no divergence: {comparison.verdict}"
    decision = next(each for each in comparison.decisions if each.number == divergence.decision)
    if decision.kind not in expected.kinds:
        return f"{decision.kind} at {decision.path!r} came first: {decision.title}"
    if expected.path not in decision.path:
        return f"found at {decision.path!r}, not at {expected.path!r}: {decision.title}"
    causes = " ".join(f"{cause.sentence} {cause.leaf}" for cause in divergence.causes)
    said = f"{divergence.sentence} {decision.title} {decision.left} {decision.right} {causes}"
    return _unless_named(expected.words, said)


def _unless_named(words: tuple[str, ...], said: str) -> str:
    if not words or any(word in said for word in words):
        return ""
    return f"names none of {', '.join(words)}: {said[:300]}"


def _recorded(
    server: OpenAIServer, world: World | SearchWorld, *, asynchronous: bool = False
) -> PipelineRun:
    server.script = world.script
    target, data = world.build(server)
    with recording() as recorder:
        try:
            if asynchronous:
                asyncio.run(_run_async(target, data))
            elif isinstance(target, Agent):
                target.run(**data)
            else:
                target.run(data)
        except Exception:
            pass
    (run,) = recorder.runs
    return load_run(to_bytes(run))


async def _run_async(target: Any, data: dict[str, Any]) -> None:
    if isinstance(target, Agent):
        await target.run_async(**data)
    else:
        await target.run_async(data)


def _edited(run: PipelineRun, packages: dict[str, str]) -> PipelineRun:
    """Return the run as if other versions of packages had been there."""
    tree = json.loads(to_bytes(run))
    tree["run"]["environment"]["packages"].update(packages)
    return load_run(json.dumps(tree).encode())
