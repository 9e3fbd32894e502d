from typing import Any

from hayhooks import BasePipelineWrapper
from hayhooks.durable import DurableContext
from pydantic import BaseModel, Field

from tests.helpers.hayhooks_parts import rag_pipeline


class Question(BaseModel):
    question: str = Field(min_length=1, description="What you want to know")
    chunks: int = Field(default=8, ge=1, le=5000)
    delay_s: float = 0.0
    gate: str | None = None
    hold_after: int = 3
    ledger: str | None = None


class PipelineWrapper(BasePipelineWrapper):
    durable_revision = "1"

    def setup(self) -> None:
        self.pipeline = rag_pipeline()

    def run_durable(self, context: DurableContext, request: Question) -> dict[str, Any]:
        """Answer a question from two documents, saving the work before the LLM."""
        context.report_progress_sync("started", metadata={"attempt": context.attempt})
        llm = request.model_dump(include={"chunks", "delay_s", "gate", "hold_after", "ledger"})
        data = {
            "retriever": {"query": request.question, "ledger": request.ledger},
            "prompt": {"question": request.question},
            "llm": llm,
        }
        outputs = context.run_pipeline(data, checkpoint_at="llm")
        return {"answer": outputs["llm"]["replies"][0], "attempt": context.attempt}
