"""Run files as text, so that a test can say exactly what stands in them."""

from __future__ import annotations

import base64
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

DATA = Path(__file__).parents[1] / "data" / "runs"
SAMPLE = DATA / "sample-1.run.json"
HEADER: dict[str, Any] = {"id": "01JDQ6Z3V4N8W2X5Y7A9B1C3D5", "kind": "pipeline", "name": "drawn",
                          "mode": "sync", "status": "completed"}  # fmt: skip


def compact(tree: Any) -> bytes:
    """Return JSON as the recorder writes it; what it never writes, as others would."""
    try:
        return orjson.dumps(tree)
    except orjson.JSONEncodeError:
        return json.dumps(tree, separators=(",", ":")).encode()


def span(number: int, parent: int | None = None, **fields: Any) -> dict[str, Any]:
    """Return a span that takes ten nanoseconds."""
    return {
        "id": f"s{number}",
        "parent": None if parent is None else f"s{parent}",
        "kind": "component",
        "operation": "haystack.component.run",
        "name": f"part{number}",
        "path": f"part{number}#1",
        "start_ns": 10 * number,
        "end_ns": 10 * number + 10,
        "status": "ok",
        **fields,
    }


def name_of(value: Any) -> str:
    """Return the digest that a value is kept under."""
    return sha256(orjson.dumps(value)).hexdigest()[:32]


def ref(value: Any) -> dict[str, str]:
    """Return a reference to a value."""
    return {"$ref": name_of(value)}


def by_name(*values: Any) -> dict[str, Any]:
    """Return values under their digests."""
    return {name_of(value): value for value in values}


def run_file(
    spans: Any = (),
    values: dict[str, Any] | None = None,
    header: Any = None,
    *,
    top: dict[str, Any] | None = None,
    first: dict[str, Any] | None = None,
) -> bytes:
    """Return a file as the recorder lays it out: one record a line."""
    header = HEADER if header is None else header
    values = {} if values is None else values
    records = [compact(header), *map(compact, spans), *map(compact, values.values())]
    heads = b"".join(sha256(record).digest()[:8] for record in records)
    begin = compact(first or {"format": "haystack-run", "version": 1})[:-1]
    extra = b"".join(
        compact(key) + b":" + compact(item) + b",\n" for key, item in (top or {}).items()
    )
    return b"".join(
        (
            begin, b',"run":', records[0], b",\n",
            b'"spans":[', _lines(map(compact, spans)), b"\n],\n",
            b'"values":{',
            _lines(compact(key) + b":" + compact(item) for key, item in values.items()),
            b"\n},\n", extra,
            b'"record_digests":"', base64.b64encode(heads), b'",\n',
            b'"digest":"sha256:', sha256(heads).hexdigest().encode(), b'"}\n',
        )
    )  # fmt: skip


def _lines(records: Any) -> bytes:
    return b"".join(b"\n" + record + b"," for record in records).removesuffix(b",")


def journal(*records: dict[str, Any], header: dict[str, Any] | None = None) -> bytes:
    """Return a journal: its first line, then the records."""
    first = {"record": "run", "format": "haystack-run", "version": 1,
             "run": {**HEADER, "status": "running"} if header is None else header}  # fmt: skip
    return b"".join(compact(record) + b"\n" for record in (first, *records))
