"""Opens spoilt copies of real run files until one gives a traceback or takes too long.

    python -m tests.fuzz.fuzz_load [--seconds 60] [--seed 0] [--keep DIRECTORY]

Each round has a seed of its own, which is printed when something is found:
`--seed N --rounds 1` repeats it. The tests run a few hundred rounds with fixed seeds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
import traceback
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.runfile.bounds import MIB, Limits
from inspector.runfile.load import load_run
from inspector.runfile.value import text_of, to_python

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.runfile.model import PipelineRun

DATA = Path(__file__).parents[1] / "data" / "runs"
LIMITS = Limits(unpacked_bytes=64 * MIB, held_bytes=MIB)
TOO_LONG_S = 20.0

TOKENS = (
    b"{", b"}", b"[", b"]", b'"', b":", b",", b"\\", b"\n", b"\r\n", b"\0", b"\xff",
    b"\xef\xbb\xbf",
    b"null", b"true", b"-1", b"1e999", b"NaN", b"9" * 400, b"0", b'""', b"{}", b"[]", b'{"a":1}',
    b'{"$ref":"', b'"$":"list","after":', b'"items":[', b'"parent":"s3"', b'"id":"s1"', b"\\ud800",
    b'"spans":[', b'"values":{', b'"run":', b'"version":2', b"[" * 3000, b'{"a":' * 3000,
    b'"start_ns":-5', b'"end_ns":99999999999999999999', b'"record":"start"', b"],\n", b"},\n",
)  # fmt: skip


def originals() -> list[bytes]:
    """Every run file of the tests, and the same as journals, in one line and laid out."""
    found = []
    for path in sorted(DATA.glob("*.run.json*")):
        text = path.read_bytes()
        if text.startswith((b"\x1f\x8b", b"\x28\xb5")):
            continue
        tree = json.loads(text)
        found += [
            text,
            json.dumps(tree, separators=(",", ":")).encode(),
            json.dumps(tree, indent=1).encode(),
        ]
        found.append(as_journal(tree))
    return found


def as_journal(tree: dict[str, Any]) -> bytes:
    """Return a run as the journal that it may have come from."""
    first = {"record": "run", "format": tree["format"], "version": 1, "run": tree["run"]}
    records: list[dict[str, Any]] = [first]
    records += [
        {"record": "value", "id": key, "value": item} for key, item in tree["values"].items()
    ]
    for each in tree["spans"]:
        begun = {key: item for key, item in each.items() if key not in {"end_ns", "outputs"}}
        records.append({"record": "start", "span": begun})
        records.append({"record": "chunk", "id": each["id"], "at_ns": 5, "chunk": {"content": "a"}})
    for each in reversed(tree["spans"]):
        fields = {"outputs": each.get("outputs")}
        records.append({"record": "end", "id": each["id"], "end_ns": each["end_ns"],
                        "status": each["status"], "fields": fields})  # fmt: skip
    records.append({"record": "finish", "fields": {"status": "completed"}})
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def mutated(random: Random) -> bytes:
    """Return a file with a few random wounds."""
    data = random.choice(_ORIGINALS)
    for _ in range(random.choice((1, 1, 2, 5))):
        data = random.choice(_WOUNDS)(data, random)
    if random.random() < 0.1:
        data = gzip.compress(data)
        if random.random() < 0.5:
            data = _flip(data, random)
    return data


def _flip(data: bytes, random: Random) -> bytes:
    if not data:
        return data
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << random.randrange(8))]) + data[place + 1 :]


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _drop(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data) + 1)
    return data[:place] + data[place + random.choice((1, 1, 10, 1000)) :]


def _insert(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data) + 1)
    return data[:place] + random.choice(TOKENS) + data[place:]


def _replace_token(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data) + 1)
    token = random.choice(TOKENS)
    return data[:place] + token + data[place + len(token) :]


def _repeat(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    end = min(len(data), start + random.choice((5, 50, 500)))
    return data[:end] + data[start:end] * random.choice((1, 2, 20)) + data[end:]


def _swap_lines(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _exchange_digests(data: bytes, random: Random) -> bytes:
    """Let references point elsewhere: at nothing, at themselves, in circles."""
    digests = sorted({data[at + 8 : at + 40] for at in _places(data, b'{"$ref":"')})
    if len(digests) < 2:
        return data
    return data.replace(
        b'{"$ref":"' + random.choice(digests), b'{"$ref":"' + random.choice(digests)
    )


def _places(data: bytes, wanted: bytes) -> list[int]:
    found, at = [], data.find(wanted)
    while at >= 0:
        found.append(at + 1)
        at = data.find(wanted, at + 1)
    return found


_WOUNDS: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flip, _cut, _drop, _insert, _insert, _replace_token, _repeat, _swap_lines, _exchange_digests,
)  # fmt: skip
_ORIGINALS = originals()


OF_A_RUN = (
    "id", "kind", "name", "mode", "status", "started_at", "duration_ns", "inputs", "outputs",
    "error", "topology", "definition", "environment", "usage", "cost_estimate", "not_recorded",
    "continues", "replay_of", "snapshot", "extensions", "timeline", "problems", "roots",
)  # fmt: skip
OF_A_SPAN = (
    "id", "parent_id", "kind", "operation", "name", "type", "role", "path", "visit", "step",
    "duration_ns", "status", "thread", "error", "usage", "llm", "senders", "receivers",
    "tool_call", "retrieval", "state_changes", "tags", "channels", "not_recorded", "extensions",
    "chunks", "raw", "problems",
)  # fmt: skip


def look_at_everything(run: PipelineRun) -> None:
    """Ask a run for all that a window or a command would ask it for."""
    for name in OF_A_RUN:
        getattr(run, name)
    for each in run.spans:
        for name in OF_A_SPAN:
            getattr(each, name)
        for tree in (each.inputs, each.outputs, each.arguments):
            to_python(tree)
            text_of(tree)
            written(tree)
        run.children(each)
        run.parent(each)
        assert run.span(each.id) == each
        assert run.at(each.path) is not None
    for digest in run.values.digests():
        written(run.values.get(digest))
        assert run.values.size(digest) == len(run.values.raw(digest))
    run.verify()


def written(tree: Any) -> bytes:
    """Return a tree as strict JSON in UTF-8: all that leaves the reader can be that."""
    return json.dumps(tree, ensure_ascii=False, allow_nan=False).encode()


def try_one(seed: int) -> str:
    """Return what went wrong in one round, or nothing."""
    data = mutated(Random(seed))
    begun = time.monotonic()
    try:
        look_at_everything(load_run(data, limits=LIMITS))
    except InspectorError as error:
        if "\n" in str(error) or not str(error).endswith("."):
            return f"No sentence: {error!r}"
    except Exception:
        return traceback.format_exc()
    took = time.monotonic() - begun
    return f"Took {took:.1f} s" if took > TOO_LONG_S else ""


def main(argv: list[str] | None = None) -> int:
    """Run rounds until the time is over; 1 when something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=sys.maxsize)
    parser.add_argument("--keep", type=Path, help="where to write what was found")
    args = parser.parse_args(argv)
    until = time.monotonic() + args.seconds
    seed, found = args.seed, 0
    while time.monotonic() < until and seed - args.seed < args.rounds:
        if wrong := try_one(seed):
            found += 1
            print(f"seed {seed}: {wrong}")
            if args.keep:
                (args.keep / f"{seed}.bin").write_bytes(mutated(Random(seed)))
        seed += 1
    print(f"{seed - args.seed} rounds, {found} found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
