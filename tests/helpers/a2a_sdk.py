"""The A2A SDK's own client, as a conformant stranger uses it."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.helpers import new_data_part, new_text_part
from a2a.types import Message, Role, SendMessageRequest, StreamResponse, TaskState


@asynccontextmanager
async def sdk_client(
    url: str, *, streaming: bool = True, headers: dict[str, str] | None = None
) -> AsyncIterator[Client]:
    """Yield a client of the agent whose card is there."""
    # There is no TLS on loopback, and what it trusts takes long to read.
    options = {"timeout": 60, "trust_env": False, "verify": False, "headers": headers}
    async with httpx.AsyncClient(**options) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        factory = ClientFactory(ClientConfig(httpx_client=http, streaming=streaming))
        yield factory.create(card)


def saying(
    text: str | None = None,
    *,
    data: Any = None,
    task: str = "",
    context: str = "",
    message_id: str = "",
) -> SendMessageRequest:
    """Return a message to send."""
    parts = [new_text_part(text)] if text is not None else [new_data_part(data)]
    return SendMessageRequest(
        message=Message(
            message_id=message_id or uuid.uuid4().hex,
            role=Role.ROLE_USER,
            parts=parts,
            task_id=task,
            context_id=context,
        )
    )


def state_in(event: StreamResponse) -> str:
    """Return the state that an event tells; empty where it tells none."""
    kind = event.WhichOneof("payload")
    if kind == "task":
        return word(event.task.status.state)
    return word(event.status_update.status.state) if kind == "status_update" else ""


def word(state: TaskState) -> str:
    return TaskState.Name(state).removeprefix("TASK_STATE_").lower()


async def told(events: AsyncIterator[StreamResponse]) -> list[StreamResponse]:
    return [event async for event in events]


async def happened(what: Callable[[], bool]) -> None:
    """Return once something is so."""
    async with asyncio.timeout(60):
        while not what():
            await asyncio.sleep(0.02)
