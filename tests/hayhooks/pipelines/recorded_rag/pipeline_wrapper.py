from typing import Any

from hayhooks import BasePipelineWrapper
from hayhooks.durable import DurableContext
from pydantic import BaseModel

from inspector.hayhooks.recorder import recorded, recording_of
from tests.helpers.hayhooks_parts import rag_pipeline


class Question(BaseModel):
    question: str
    gate: str | None = None
    ledger: str | None = None


@recorded(folder="recorded-runs", live_spans=True)
class PipelineWrapper(BasePipelineWrapper):
    durable_revision = "1"

    def setup(self) -> None:
        self.pipeline = rag_pipeline()

    async def run_durable_async(self, context: DurableContext, request: Question) -> dict[str, Any]:
        """Answer a question, and record how."""
        data = {
            "retriever": {"query": request.question, "ledger": request.ledger},
            "prompt": {"question": request.question},
            "llm": {"gate": request.gate, "ledger": request.ledger},
        }
        outputs = await context.run_pipeline_async(data, checkpoint_at="llm")
        return {"answer": outputs["llm"]["replies"][0], "recording": recording_of(context)}
