from typing import Any

from hayhooks import BasePipelineWrapper
from hayhooks.durable import DurableContext
from haystack.dataclasses import ChatMessage
from pydantic import BaseModel

from inspector.hayhooks.recorder import recorded
from tests.helpers.hayhooks_parts import approver_agent


class Task(BaseModel):
    task: str
    gate: str | None = None
    ledger: str | None = None


class PipelineWrapper(BasePipelineWrapper):
    durable_revision = "1"

    def setup(self) -> None:
        self.pipeline = approver_agent()

    @recorded(folder="recorded-runs")
    def run_durable(self, context: DurableContext, request: Task) -> dict[str, Any]:
        """Charge a customer, and record how."""
        context.state["gate"], context.state["ledger"] = request.gate, request.ledger
        outputs = context.run_agent(messages=[ChatMessage.from_user(request.task)])
        return {"answer": outputs["last_message"].text}
