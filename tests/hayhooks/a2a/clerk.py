"""Durable agents without Haystack, which do what they are told: `say 3`, `ask`, `fail`, `hold`."""

import threading
from typing import Annotated

from fastapi import Header, HTTPException
from hayhooks.durable import (
    DurableContext,
    DurableDeployment,
    MemoryExecutionStore,
    RuntimeConfig,
    StoreConfig,
)
from pydantic import BaseModel

from inspector.hayhooks.a2a.app import ServedAgent

CONFIG = RuntimeConfig(
    worker_concurrency=4,
    poll_interval_seconds=0.1,
    maintenance_interval_seconds=0.5,
    retry_base_delay_seconds=0.01,
    shutdown_grace_seconds=0.5,
)
SIZE = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}


class Order(BaseModel):
    prompt: str
    tone: str = "plain"


class Clerk:
    """One agent; `let_go` ends what is told to hold."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.seen: list[Order] = []

    def run(self, context: DurableContext, order: Order) -> dict[str, object]:
        self.seen.append(order)
        word, _, rest = order.prompt.partition(" ")
        answer = context.resume_input
        if word == "fail":
            raise ValueError(rest)
        if word == "ask" and answer is None:
            context.suspend_sync({"message": "What size?", "expected_input_schema": SIZE})
        if word == "wonder" and answer is None:
            context.suspend_sync({"kind": "free", "message": "What do you think?"})
        if word == "insist":
            given = [*context.state.get("given", []), answer] if answer is not None else []
            if len(given) < 2:
                asked = {"message": f"Answer {len(given) + 1}?"}
                context.suspend_sync(asked, update={"given": given})
            return {"answer": " and ".join(map(str, given))}
        if word == "retry":
            context.stream_chunk_sync(f"from attempt {context.attempt}; ")
            if context.attempt == 1:
                context.retry_sync("once more")
        if word == "hold":
            while not self.let_go.wait(0.02):
                context.check_cancelled_sync()
        if word == "say":
            for number in range(int(rest)):
                context.stream_chunk_sync({"content": f"{number} ", "tool_calls": None})
            context.stream_chunk_sync({"type": "recorder.span", "id": "s1"})
            context.report_progress_sync("said it", metadata={"words": int(rest)})
        return {"answer": f"{word}: {answer}" if answer is not None else word, "tone": order.tone}


def clerk_agent(clerk: Clerk, name: str = "clerk", **limits: int) -> ServedAgent:
    """Return the clerk as an agent anybody may ask."""
    config = StoreConfig(monitoring_enabled=True, **limits)
    store = MemoryExecutionStore(name, config=config)
    deployment = DurableDeployment(name, "7", store, Order, clerk.run, config=CONFIG)
    return ServedAgent(deployment, description="Does what it is told.")


def private_agent(clerk: Clerk) -> ServedAgent:
    """Return the clerk as an agent that everybody has for themselves."""

    def owner(x_user: Annotated[str | None, Header()] = None) -> str:
        if not x_user:
            raise HTTPException(401, "Say who you are in X-User")
        return x_user

    agent = clerk_agent(clerk, "private")
    return ServedAgent(agent.deployment, owner=owner)
