"""A durable agent that looks an order up, and waits for your approval before it refunds.

It waits as long as you like, over restarts of the server. Answer it with `approved`; refuse, and
the agent writes that to the customer. It needs no network and no model.
"""

import re
import time
from collections.abc import Callable
from typing import Annotated, Any

from hayhooks import BasePipelineWrapper
from hayhooks.durable import DurableContext, current_durable_context, durable_streaming_callback
from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, StreamingChunk, ToolCall
from haystack.tools import Tool, tool
from pydantic import BaseModel, Field

from inspector.hayhooks.recorder import recorded

ORDERS = {"4711": ("a fern in a blue pot", 24), "4712": ("two cacti", 15)}
SECONDS_PER_WORD = 0.1


class Complaint(BaseModel):
    complaint: str = Field(
        default="Order 4711 arrived broken, I want my money back.",
        min_length=1,
        description="In the customer's words; orders 4711 and 4712 are known",
    )


class Approval(BaseModel):
    approved: bool = Field(description="Whether the money may be paid back")
    note: str = Field(default="", description="What the customer should be told about it")


class Settled(BaseModel):
    reply: str
    refunded: int
    attempt: int


@component
class Clerk:
    """Stands in for a language model: what it does next follows from the messages alone."""

    @component.output_types(replies=list[ChatMessage])
    def run(
        self,
        messages: list[ChatMessage],
        tools: list[Tool] | None = None,
        streaming_callback: Callable[[StreamingChunk], None] | None = None,
        generation_kwargs: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        complaint = next(message.text or "" for message in messages if message.is_from("user"))
        results = [found for message in messages for found in message.tool_call_results]
        said = {found.origin.tool_name: str(found.result) for found in results}
        number = re.search(r"\d{4}", complaint)
        text, calls = None, []
        if number and "find_order" not in said:
            calls = [ToolCall("find_order", {"order": number[0]}, id="find")]
        elif "costs" in said.get("find_order", "") and "refund" not in said:
            amount = int(re.findall(r"\d+", said["find_order"])[-1])
            calls = [ToolCall("refund", {"order": number[0], "amount": amount}, id="refund")]
        else:
            text = f"Dear customer, {said.get('refund') or 'which order do you mean?'}"
            for word in text.split():
                durable_streaming_callback(StreamingChunk(content=f"{word} "))
                time.sleep(SECONDS_PER_WORD)
        meta = {"model": "example-clerk", "usage": {"prompt_tokens": 20, "completion_tokens": 8}}
        return {"replies": [ChatMessage.from_assistant(text, tool_calls=calls, meta=meta)]}


@tool
def find_order(order: Annotated[str, "its number"]) -> str:
    """Look up what was ordered and what it cost."""
    if order not in ORDERS:
        return f"There is no order {order}."
    what, euros = ORDERS[order]
    return f"Order {order}: {what}; it costs {euros}"


@tool
def refund(order: Annotated[str, "its number"], amount: Annotated[int, "in euros"]) -> str:
    """Pay money back, once a person has approved it."""
    context = current_durable_context()
    if context is None:
        return "nothing can be paid back here."
    if "decision" not in context.state:
        context.suspend_sync(
            {
                "kind": "approval",
                "message": f"May I pay {amount} euros back for order {order}?",
                "expected_input_schema": Approval.model_json_schema(),
            }
        )
    decision = Approval.model_validate(context.state["decision"])
    if not decision.approved:
        return f"we cannot pay order {order} back. {decision.note}".strip()
    # A tool may run twice when its worker is killed. What must be done once carries the
    # execution's id to whoever does it, who then knows that it was asked before.
    context.state["refunded"] = amount
    return f"we have paid {amount} euros back for order {order}. {decision.note}".strip()


@recorded  # each attempt, in the folder that RUN_INSPECTOR_HAYHOOKS_RUNS names
class PipelineWrapper(BasePipelineWrapper):
    durable_revision = "1"
    durable_resume_model = Approval

    def setup(self) -> None:
        self.pipeline = Agent(
            chat_generator=Clerk(),
            tools=[find_order, refund],
            system_prompt="You answer complaints. Ask before you pay.",
            max_agent_steps=8,
        )

    def run_durable(self, context: DurableContext, request: Complaint) -> Settled:
        """Settle a complaint, and ask a person before any money is paid back."""
        # It can be read once, and the agent takes it for itself when it begins.
        if (decision := context.resume_input) is not None:
            context.state["decision"] = decision
        outputs = context.run_agent(messages=[ChatMessage.from_user(request.complaint)])
        reply = outputs["last_message"].text or ""
        return Settled(
            reply=reply, refunded=context.state.get("refunded", 0), attempt=context.attempt
        )
