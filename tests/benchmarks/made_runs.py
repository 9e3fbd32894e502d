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
        self._late: dict[str, dict[str, Any]] = {}
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
                    "role": "agent" if kind == "step" else kind, "path": path,
                    "visit": 1, "status": "ok", **times, **more,
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

    def continued(self, before: dict[str, str] | None, news: list[Any]) -> dict[str, str]:
        """Return the reference to a conversation that goes on with some messages."""
        items = [self.kept(each) for each in news]
        return self.referred(
            items if before is None else {"$": "list", "after": before, "items": items}
        )

    def ended(self, span: str, **more: Any) -> None:
        """Add to a span what is known only when it is over."""
        self._late[span] = more

    def bytes(self, **more: Any) -> bytes:
        """Return the whole file; the header has these fields besides its own."""
        header = {
            "id": "01KB0000000000000000000000", "kind": "agent", "status": "completed",
            "started_at": "2026-11-20T14:00:00Z", "duration_ns": 2_000 * len(self._spans), **more,
        }  # fmt: skip
        for span, fields in self._late.items():
            at = int(span[1:]) - 1
            self._spans[at] = orjson.dumps({**orjson.loads(self._spans[at]), **fields})
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
    asked = message("user", "Look after the greenhouse. " * 20)
    tools = [file.kept({"$": "tool", "name": "search", "description": "Looks things up. " * 20})]
    agent = file.span("agent", "agent", None, "", inputs={"messages": [file.kept(asked)]})
    news: list[Any] = [asked]
    before: dict[str, str] | None = None
    for number, topic in enumerate(topics):
        step = file.span("step", "step", agent, f"step{number}", step=number)
        before = file.continued(before, news)
        call_id = f"call_{draw.getrandbits(64):016x}"
        reply = message("assistant", call(call_id, "search", topic=topic))
        file.span(
            "llm", "llm", step, f"step{number}/llm",
            inputs={"messages": before, "tools": tools}, outputs={"replies": [file.kept(reply)]},
            llm={"name": "a-model", "finish_reason": "tool_calls", "provider": "made"},
            usage={"input_tokens": 100 + number, "output_tokens": 20}, channels={"type": "wrapper"},
        )  # fmt: skip
        said = file.kept(f"All about {topic}. " * 20)
        file.span(
            "tool", "search", step, f"step{number}/tool:search[0]",
            inputs={"topic": topic}, outputs=said, tool_call={"id": call_id, "index": 0},
        )  # fmt: skip
        news = [reply, result(call_id, "search", said)]
    answer = message("assistant", f"All {len(topics)} beds are looked after. " * 5)
    outputs = {"messages": file.continued(before, [*news, answer]), "exit_reason": "text",
               "last_message": file.kept(answer), "step_count": len(topics)}  # fmt: skip
    file.ended(agent, outputs=outputs)
    return file.bytes(outputs=outputs)


def flat_file(
    spans: int, *, size: int, edited: Collection[int] = (), extra: int = -1, names: int = 7
) -> bytes:
    """Return a loop of components, with two values of `size` bytes each.

    Args:
        spans: How many spans there are below the pipeline.
        size: How long what goes in and comes out is, in bytes.
        edited: The spans that are asked something else, and say something else.
        extra: Before which span the loop turns once more.
        names: Of how many components the loop is.

    """
    file = _File()
    root = file.span("pipeline", "flat", None, "", inputs={"question": "Who is dry?"})
    text = "The bed with the tomatoes is dry at noon. " * (size // 40)
    order: list[str] = [str(number) for number in range(spans)]
    if extra >= 0:
        order[extra:extra] = [f"once more {number}" for number in range(names)]
    said = ""
    for number, word in enumerate(order):
        name, visit = f"stage{number % names}", number // names + 1
        also = "And the peppers?" if word.isdigit() and int(word) in edited else ""
        said = f"{word}: {text}{also}"
        file.span(
            "component", name, root, f"{name}#{visit}", visit=visit,
            inputs={"text": file.kept(f"{word} {text}{also}")}, outputs={"text": file.kept(said)},
            senders={"text": [f"stage{(number - 1) % names}"]} if number else None,
        )  # fmt: skip
    outputs = {f"stage{(len(order) - 1) % names}": {"text": file.kept(said)}}
    file.ended(root, outputs=outputs)
    return file.bytes(outputs=outputs)


def prompt_file(prompt: str) -> bytes:
    """Return one LLM that is sent one long prompt."""
    file = _File()
    root = file.span("pipeline", "asking", None, "", inputs={"llm": {"top_k": 3}})
    replies = {"replies": [message("assistant", "The tomatoes.")]}
    file.span(
        "component", "llm", root, "llm#1", role="llm", outputs=replies,
        inputs={"messages": [file.kept(message("user", prompt))]},
    )  # fmt: skip
    file.ended(root, outputs={"llm": replies})
    return file.bytes(outputs={"llm": replies})
