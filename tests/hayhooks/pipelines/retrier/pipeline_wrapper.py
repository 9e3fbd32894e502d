from typing import Any

from hayhooks import BasePipelineWrapper
from hayhooks.durable import DurableContext
from pydantic import BaseModel

from tests.helpers.hayhooks_parts import rag_pipeline


class Attempts(BaseModel):
    failures: int = 1
    fails: bool = False


class PipelineWrapper(BasePipelineWrapper):
    durable_revision = "1"

    def setup(self) -> None:
        self.pipeline = rag_pipeline()

    def run_durable(self, context: DurableContext, request: Attempts) -> dict[str, Any]:
        """Ask for another attempt as often as told, then answer, or fail for good."""
        if request.fails:
            raise LookupError("these words stay on the server")
        context.stream_chunk_sync({"attempt": context.attempt})
        if context.attempt <= request.failures:
            context.retry_sync("not yet", delay=0.05)
        return {"attempts": context.attempt}
