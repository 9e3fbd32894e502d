"""Runs of pipelines as large as a test wants them, with the topology that belongs to them."""

import random
from typing import Any

import orjson

from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun

_ROLES = ("retrieval", "embedding", "ranking", "prompt", "llm", "joining", "conversion", "other")
_MS = 1_000_000


def component(
    type_: str = "house.Part",
    role: str = "other",
    inputs: tuple[str, ...] = ("value",),
    outputs: tuple[str, ...] = ("value",),
    **more: Any,
) -> dict[str, Any]:
    """Return what a topology says of a component."""
    return {
        "type": type_,
        "role": role,
        "inputs": dict.fromkeys(inputs, "list[haystack.dataclasses.document.Document]"),
        "outputs": dict.fromkeys(outputs, "str"),
        **more,
    }


def topology(components: dict[str, Any], *connections: str) -> dict[str, Any]:
    """Return a topology; a connection is written `sender.out receiver.in`."""
    pairs = [one.split() for one in connections]
    return {
        "components": components,
        "connections": [{"sender": sender, "receiver": receiver} for sender, receiver in pairs],
    }


def run_of(built: dict[str, Any] | None, spans: list[dict[str, Any]], **header: Any) -> PipelineRun:
    """Return a run of a pipeline. Of a span, what it lacks is made up from its place."""
    made = []
    for place, span in enumerate(spans):
        start = span.get("start_ns", place * _MS)
        made.append(
            {
                "id": f"s{place + 1}",
                "parent": "s1" if place else None,
                "operation": "haystack.component.run",
                "kind": "component" if place else "pipeline",
                "path": f"{span['name']}#1" if place else "",
                "visit": 1,
                "status": "ok",
                "start_ns": start,
                "end_ns": start + _MS // 2 if place else len(spans) * _MS,
                **span,
            }
        )
    head = {
        "id": "01JDQ6Z3V4N8W2X5Y7A9B1C3D5",
        "kind": "pipeline",
        "name": "made",
        "status": "completed",
        "started_at": "2026-11-20T14:00:00Z",
        "duration_ns": len(spans) * _MS,
        **({} if built is None else {"topology": built}),
        **header,
    }
    parts = [
        b'{"format":"haystack-run","version":1,"run":' + orjson.dumps(head) + b',\n"spans":[',
        b",\n".join(orjson.dumps(span) for span in made),
        b'],\n"values":{\n}}',
    ]
    return load_run(b"\n".join(parts), use_cache=False)


def large_run(count: int, seed: int = 5) -> PipelineRun:
    """Return a run of a pipeline of `count` components: branches, joins, ways back, a failure."""
    dice = random.Random(seed)
    names = [f"{_ROLES[n % len(_ROLES)]}_{n}" for n in range(count)]
    components = {
        name: component(f"house.{_ROLES[n % len(_ROLES)].title()}Part", _ROLES[n % len(_ROLES)])
        for n, name in enumerate(names)
    }
    pairs = []
    for n in range(1, count):
        senders = {max(0, n - 1 - int(dice.expovariate(1 / 3)))}
        if dice.random() < 0.25:
            senders.add(max(0, n - 1 - int(dice.expovariate(1 / 5))))
        pairs += [(sender, n) for sender in sorted(senders)]
        if n > 6 and dice.random() < 0.03:
            pairs.append((n, n - dice.randint(1, 5)))
    ran = [dice.random() < 0.85 for _ in names]
    spans: list[dict[str, Any]] = [{"name": "made", "role": "pipeline"}]
    for n, name in enumerate(names):
        if not ran[n]:
            continue
        came = [names[a] for a, b in pairs if b == n and a < n and ran[a]]
        spans.append(
            {
                "name": name,
                "role": _ROLES[n % len(_ROLES)],
                "status": "failed" if n == count // 2 else "ok",
                "inputs": {"value": n},
                "outputs": {"value": n},
                "senders": {"value": came},
            }
        )
    connections = [f"{names[a]}.value {names[b]}.value" for a, b in pairs]
    return run_of(topology(components, *connections), spans)
