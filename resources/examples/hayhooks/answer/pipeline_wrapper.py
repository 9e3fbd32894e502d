"""A durable pipeline: finds documents, writes an answer word by word, and needs no network.

What was found is kept before the answer is written. Kill the server meanwhile and start it
again: the search is not repeated, the answer is written anew, and a watcher sees both attempts.
"""

import time
from typing import Any

from hayhooks import BasePipelineWrapper
from hayhooks.durable import DurableContext, durable_streaming_callback
from haystack import Document, Pipeline, component
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import StreamingChunk
from haystack.document_stores.in_memory import InMemoryDocumentStore
from pydantic import BaseModel, Field

from inspector.hayhooks.recorder import recorded

LEAFLET = {
    "opening-hours": "The greenhouse is open from 9 to 17 on weekdays, and to 13 on Saturdays.",
    "watering": "Ferns are watered every second day, cacti once in two weeks.",
    "tickets": "A ticket costs 6 euros; children come in for free.",
}
PROMPT = """Answer from these notes alone.
{% for document in documents %}{{ document.content }}
{% endfor %}
Question: {{ question }}"""


class Question(BaseModel):
    question: str = Field(
        default="When is the greenhouse open?", min_length=1, description="What you want to know"
    )
    seconds_per_word: float = Field(
        default=0.2, ge=0, le=10, description="How slowly the answer is written"
    )


class Answer(BaseModel):
    answer: str
    attempt: int


@component
class Writer:
    """Stands in for a language model: says the best note, one word at a time."""

    @component.output_types(replies=list[str], meta=list[dict[str, Any]])
    def run(self, prompt: str, seconds_per_word: float = 0.0) -> dict[str, Any]:
        notes = [
            line for line in prompt.splitlines()[1:] if line and not line.startswith("Question")
        ]
        answer = notes[0] if notes else "The notes do not say."
        words = answer.split()
        for word in words:
            durable_streaming_callback(StreamingChunk(content=f"{word} "))
            time.sleep(seconds_per_word)
        usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": len(words)}
        return {"replies": [answer], "meta": [{"model": "example-writer", "usage": usage}]}


def greenhouse() -> Pipeline:
    store = InMemoryDocumentStore()
    store.write_documents([Document(id=name, content=text) for name, text in LEAFLET.items()])
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=2))
    pipeline.add_component("prompt", PromptBuilder(PROMPT, required_variables="*"))
    pipeline.add_component("llm", Writer())
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "llm.prompt")
    return pipeline


@recorded  # each attempt, in the folder that RUN_INSPECTOR_HAYHOOKS_RUNS names
class PipelineWrapper(BasePipelineWrapper):
    durable_revision = "1"

    def setup(self) -> None:
        self.pipeline = greenhouse()

    def run_durable(self, context: DurableContext, request: Question) -> Answer:
        """Answer a question about the greenhouse, word by word."""
        context.report_progress_sync("Looking into the notes")
        outputs = context.run_pipeline(
            {
                "retriever": {"query": request.question},
                "prompt": {"question": request.question},
                "llm": {"seconds_per_word": request.seconds_per_word},
            },
            checkpoint_at="llm",
        )
        return Answer(answer=outputs["llm"]["replies"][0], attempt=context.attempt)
