"""What the pipelines of the Hayhooks tests are made of: deterministic, and held up at a gate.

A gate is a file: who is told of one stops there until somebody makes it. A ledger is a file
too: who does something that should be done once adds a line to it, such as
`charge 3f2a… 1 4711`: what, the execution, its attempt, the process.
"""

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from hayhooks.durable import current_durable_context, durable_streaming_callback
from haystack import Document, component
from haystack.components.agents import Agent
from haystack.components.builders import PromptBuilder
from haystack.core.pipeline import Pipeline
from haystack.dataclasses import ChatMessage, StreamingChunk, ToolCall
from haystack.tools import Tool, tool

_LONGEST_WAIT_S = 60.0


def write_down(ledger: str | None, what: str) -> None:
    """Add to the ledger that this was done, in which attempt of which execution and process."""
    if not ledger:
        return
    context = current_durable_context()
    where = f"{context.execution_id} {context.attempt}" if context else "- 0"
    with Path(ledger).open("a", encoding="utf-8") as lines:
        lines.write(f"{what} {where} {os.getpid()}\n")


def stand_at(gate: str | None) -> None:
    """Wait until the gate is there."""
    until = time.monotonic() + _LONGEST_WAIT_S
    while gate and not Path(gate).exists() and time.monotonic() < until:
        time.sleep(0.01)


@component
class Library:
    """Finds the same two documents for everybody."""

    @component.output_types(documents=list[Document])
    def run(self, query: str, ledger: str | None = None) -> dict[str, Any]:
        write_down(ledger, "retriever")
        return {
            "documents": [
                Document(id="d1", content=f"All about {query}.", score=0.9),
                Document(id="d2", content="Something else.", score=0.4),
            ]
        }


@component
class SlowLLM:
    """Streams `chunks` pieces, `delay_s` apart, and stands at the gate after `hold_after`."""

    @component.output_types(replies=list[str], meta=list[dict[str, Any]])
    def run(
        self,
        prompt: str,
        chunks: int = 8,
        delay_s: float = 0.0,
        gate: str | None = None,
        hold_after: int = 3,
        ledger: str | None = None,
    ) -> dict[str, Any]:
        write_down(ledger, "llm")
        words = [f"word{number} " for number in range(chunks)]
        for number, word in enumerate(words):
            if number == hold_after:
                stand_at(gate)
            durable_streaming_callback(StreamingChunk(content=word, index=0))
            time.sleep(delay_s)
        usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": chunks}
        return {"replies": ["".join(words)], "meta": [{"model": "slow-1", "usage": usage}]}


def rag_pipeline() -> Pipeline:
    """Return retriever, prompt and llm in a row."""
    pipeline = Pipeline()
    pipeline.add_component("retriever", Library())
    pipeline.add_component(
        "prompt",
        PromptBuilder(
            "{% for document in documents %}{{ document.content }} {% endfor %}{{ question }}",
            required_variables=["documents", "question"],
        ),
    )
    pipeline.add_component("llm", SlowLLM())
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "llm.prompt")
    return pipeline


@component
class ScriptedChat:
    """Calls look_up as often as the task says (`steps=2`), then charge (`charge=20`), and answers.

    What it says next depends on the messages alone, so a resumed agent goes on as it would have.
    """

    def __init__(self, streaming_callback: Callable[[StreamingChunk], None] | None = None) -> None:
        self.streaming_callback = streaming_callback

    @component.output_types(replies=list[ChatMessage])
    def run(
        self,
        messages: list[ChatMessage],
        tools: list[Tool] | None = None,
        streaming_callback: Callable[[StreamingChunk], None] | None = None,
        generation_kwargs: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        task = next(message.text or "" for message in messages if message.is_from("user"))
        done = sum(len(message.tool_call_results) for message in messages)
        steps, amount, delay = (_number(task, name) for name in ("steps", "charge", "delay_ms"))
        time.sleep(delay / 1000)
        if done < steps:
            calls = [ToolCall("look_up", {"what": f"fact {done}"}, id=f"call_{done}")]
        elif done == steps and amount:
            calls = [ToolCall("charge", {"amount": amount}, id=f"call_{done}")]
        else:
            calls = []
        text = None if calls else f"Done after {done} calls."
        if text and (said := streaming_callback or self.streaming_callback):
            for word in text.split():
                said(StreamingChunk(content=f"{word} "))
        reply = ChatMessage.from_assistant(
            text,
            tool_calls=calls,
            meta={"model": "scripted-1", "usage": {"prompt_tokens": 10, "completion_tokens": 5}},
        )
        return {"replies": [reply]}


def _number(task: str, name: str) -> int:
    found = re.search(rf"{name}=(\d+)", task)
    return int(found[1]) if found else 0


@tool
def look_up(what: Annotated[str, "what to look up"]) -> str:
    """Look something up."""
    return f"{what} is so."


@tool
def charge(amount: Annotated[int, "how much"]) -> str:
    """Charge the customer, once somebody has approved it."""
    context = current_durable_context()
    if context is None:
        return f"charged {amount}"
    state = context.state
    if state.get("ask") and "decision" not in state:
        context.suspend_sync(
            {
                "kind": "approval",
                "message": f"May I charge {amount}?",
                "expected_input_schema": state["ask"],
            }
        )
    decision = state.get("decision")
    if isinstance(decision, dict) and not decision.get("approved"):
        return "The customer was not charged: it was not approved."
    write_down(state.get("ledger"), "charge")
    stand_at(state.get("gate"))
    return f"charged {amount}"


def approver_agent() -> Agent:
    """Return an agent with the two tools."""
    return Agent(
        chat_generator=ScriptedChat(streaming_callback=durable_streaming_callback),
        tools=[look_up, charge],
        system_prompt="You are careful.",
        max_agent_steps=60,
    )
