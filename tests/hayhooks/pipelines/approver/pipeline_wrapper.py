from typing import Any

from hayhooks import BasePipelineWrapper
from hayhooks.durable import DurableContext
from haystack.dataclasses import ChatMessage
from pydantic import BaseModel, Field

from tests.helpers.hayhooks_parts import approver_agent


class Task(BaseModel):
    task: str = Field(default="Settle the bill. steps=1 charge=20", description="What to do")
    ask: bool = True
    gate: str | None = None
    ledger: str | None = None


class Approval(BaseModel):
    approved: bool
    note: str = ""


class PipelineWrapper(BasePipelineWrapper):
    durable_revision = "1"
    durable_resume_model = Approval

    def setup(self) -> None:
        self.pipeline = approver_agent()

    def run_durable(self, context: DurableContext, request: Task) -> dict[str, Any]:
        """Settle a bill, and ask before anybody is charged."""
        state = context.state
        state["gate"], state["ledger"] = request.gate, request.ledger
        if request.ask:
            state["ask"] = Approval.model_json_schema()
        # Haystack's adapter would use it up when the agent begins.
        if (answer := context.resume_input) is not None:
            state["decision"] = answer
        outputs = context.run_agent(messages=[ChatMessage.from_user(request.task)])
        return {"answer": outputs["last_message"].text, "attempt": context.attempt}
