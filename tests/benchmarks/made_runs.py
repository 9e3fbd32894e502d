"""Run files for comparisons: an agent with a growing conversation, and a long flat pipeline."""

import hashlib
import random
from collections.abc import Collection
from typing import Any

import orjson

from tests.helpers.span_runs import call, message, result

_REFERRED = 200  # bytes; what is longer stands in the file once


class _File:
    """Spans and values as the recorder would write them."""

    def __init__(self) -> None:
        self._spans: list[bytes] = []
        self._values: dict[str, bytes] = {}

    def span(self, kind: str, name: str, parent: str | None, path: str, **more: Any) -> str:
        """Add a span and return its id."""
        number = len(self._spans) + 1
        times = {"start_ns": number * 2_000, "end_ns": number * 2_000 + 1_900}
        self._spans.append(
            orjson.dumps(
                {
                    "id": f"s{number}", "parent": parent, "kind": kind,
                    "operation": f"haystack.{kind}.run", "name": name, "type": f"made.{name}",
                    "role": kind, "path": path, "visit": 1, "status": "ok", **times, **more,
                }
            )
        )  # fmt: skip
        return f"s{number}"

    def kept(self, tree: Any) -> Any:
        """Return the reference to a long value, a short one itself."""
        data = orjson.dumps(tree)
        return tree if len(data) <= _REFERRED else self.referred(tree)

    def referred(self, tree: Any) -> dict[str, str]:
        """Return the reference to a value."""
        data = orjson.dumps(tree)
        digest = hashlib.sha256(data).hexdigest()[:32]
        self._values[digest] = data
        return {"$ref": digest}

    def bytes(self) -> bytes:
        """Return the whole file."""
        header = {"id": "01KB0000000000000000000000", "kind": "agent", "status": "completed"}
        values = (b'"%b":%b' % (name.encode(), data) for name, data in self._values.items())
        return b'{"format":"haystack-run","version":1,"run":%b,\n"spans":[\n%b\n],\n%b\n}}\n' % (
            orjson.dumps(header),
            b",\n".join(self._spans),
            b'"values":{\n' + b",\n".join(values),
        )


def agent_file(steps: int, *, seed: int, edited: Collection[int] = (), extra: int = -1) -> bytes:
    """Return an agent of three spans a step; every call has an id of its own, drawn by `seed`.

    Args:
        steps: How many steps it takes.
        seed: What the ids of tool calls are drawn by.
        edited: The steps that look something else up.
        extra: Before which step it takes one more.

    """
    file, draw = _File(), random.Random(seed)
    topics = [f"topic {step}{' again' if step in edited else ''}" for step in range(steps)]
    if extra >= 0:
        topics.insert(extra, "one more")
    agent = file.span("agent", "agent", None, "")
    news: list[Any] = [message("user", "Look after the greenhouse. " * 20)]
    before: dict[str, str] | None = None
    for number, topic in enumerate(topics):
        step = file.span("step", "step", agent, f"step{number}", step=number)
        items = [file.kept(each) for each in news]
        whole = items if before is None else {"$": "list", "after": before, "items": items}
        before = file.referred(whole)
        call_id = f"call_{draw.getrandbits(64):016x}"
        reply = message("assistant", call(call_id, "search", topic=topic))
        file.span(
            "llm", "llm", step, f"step{number}/llm",
            inputs={"messages": before}, outputs={"replies": [file.kept(reply)]},
        )  # fmt: skip
        said = file.kept(f"All about {topic}. " * 20)
        file.span(
            "tool", "search", step, f"step{number}/tool:search[0]",
            inputs={"topic": topic}, outputs=said, tool_call={"id": call_id, "index": 0},
        )  # fmt: skip
        news = [reply, result(call_id, "search", said)]
    return file.bytes()


def flat_file(spans: int, *, size: int, edited: Collection[int] = ()) -> bytes:
    """Return seven components in turn, with two values of `size` bytes each."""
    file = _File()
    root = file.span("pipeline", "flat", None, "")
    text = "The bed with the tomatoes is dry at noon. " * (size // 40)
    for number in range(spans):
        name, visit = f"stage{number % 7}", number // 7 + 1
        asked = f"{number} {text}{'And the peppers?' if number in edited else ''}"
        file.span(
            "component", name, root, f"{name}#{visit}", visit=visit,
            inputs={"text": file.kept(asked)}, outputs=file.kept({"text": f"{number}: {text}"}),
        )  # fmt: skip
    return file.bytes()
