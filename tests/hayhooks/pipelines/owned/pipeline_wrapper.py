from typing import Annotated, Any

from fastapi import Header, HTTPException
from hayhooks import BasePipelineWrapper
from hayhooks.durable import DurableContext
from pydantic import BaseModel

from tests.helpers.hayhooks_parts import rag_pipeline


class Question(BaseModel):
    question: str


class PipelineWrapper(BasePipelineWrapper):
    durable_revision = "1"

    def setup(self) -> None:
        self.pipeline = rag_pipeline()

    def durable_owner_id(self, x_owner: Annotated[str | None, Header()] = None) -> str:
        if not x_owner:
            raise HTTPException(status_code=401, detail="Say who you are in X-Owner")
        return x_owner

    def run_durable(self, context: DurableContext, request: Question) -> dict[str, Any]:
        """Answer who says in X-Owner who they are."""
        data = {"retriever": {"query": request.question}, "prompt": {"question": request.question}}
        return {"answer": context.run_pipeline(data)["llm"]["replies"][0]}
