"""Writes run files of any size, following FORMAT.md and none of the product's code."""

import base64
import hashlib
import random
from pathlib import Path
from typing import Any

import orjson

_WORDS = (
    *("bed", "valve", "screen", "probe", "dawn", "noon", "tomato", "basil", "pepper", "vent"),
    *("roof", "pump", "filter", "barrel", "straw", "mulch", "lamp", "controller", "report"),
    *("minutes", "litres", "dry", "wet", "warm", "cold", "schedule", "bus", "plug", "wake"),
)


def write_run(path: Path, *, spans: int, value_bytes: int = 2300, seed: int = 1) -> int:
    """Write a run of `spans` component visits with two values each; return its size."""
    draw = random.Random(seed)
    text = " ".join(draw.choices(_WORDS, k=60_000))
    heads = bytearray()
    lines: list[bytes] = []

    def record(tree: Any) -> bytes:
        data = orjson.dumps(tree)
        heads.extend(hashlib.sha256(data).digest()[:8])
        return data

    def value(number: int) -> bytes:
        start = draw.randrange(len(text) - value_bytes)
        said = f"{number} {text[start : start + value_bytes]}"
        message = {"$": "chat_message", "role": "user", "content": [{"text": said}]}
        return orjson.dumps({"messages": [message]})

    header = record(_header(spans))
    values = [value(number) for number in range(spans * 2)]
    names = [hashlib.sha256(data).hexdigest()[:32] for data in values]
    root = {"id": "s1", "parent": None, "kind": "pipeline", "operation": "haystack.pipeline.run"}
    lines.append(record({**root, "path": "", "start_ns": 0, "end_ns": spans * 2000}))
    for number in range(spans):
        lines.append(record(_span(number, names[2 * number], names[2 * number + 1])))
    heads += b"".join(bytes.fromhex(name[:16]) for name in names)
    with path.open("wb") as file:
        file.write(b'{"format":"haystack-run","version":1,"run":%b,\n"spans":[\n' % header)
        file.write(b",\n".join(lines))
        file.write(b'\n],\n"values":{\n')
        body = (
            b'"%b":%b' % (name.encode(), data) for name, data in zip(names, values, strict=True)
        )
        file.write(b",\n".join(body))
        digests = base64.b64encode(heads)
        whole = hashlib.sha256(heads).hexdigest().encode()
        file.write(b'\n},\n"record_digests":"%b",\n"digest":"sha256:%b"}\n' % (digests, whole))
    return path.stat().st_size


def _header(spans: int) -> dict[str, Any]:
    return {
        "id": "01KB0000000000000000000000",
        "kind": "pipeline",
        "name": "big",
        "mode": "sync",
        "status": "completed",
        "started_at": "2026-11-01T08:00:00.000000Z",
        "utc_offset_s": 0,
        "duration_ns": spans * 2000,
    }


def _span(number: int, given: str, answered: str) -> dict[str, Any]:
    name = f"stage{number % 7}"
    visit = number // 7 + 1
    return {
        "id": f"s{number + 2}",
        "parent": "s1",
        "kind": "component",
        "operation": "haystack.component.run",
        "name": name,
        "type": f"shop.components.Stage{number % 7}",
        "role": "llm" if number % 7 == 3 else "other",
        "path": f"{name}#{visit}",
        "visit": visit,
        "start_ns": number * 2000,
        "end_ns": number * 2000 + 1900,
        "status": "ok",
        "senders": {"messages": [f"stage{(number - 1) % 7}"]},
        "inputs": {"messages": {"$ref": given}},
        "outputs": {"$ref": answered},
    }
