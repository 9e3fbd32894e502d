from collections.abc import Iterator
from typing import Any

from hayhooks import BasePipelineWrapper
from haystack import Pipeline


class PipelineWrapper(BasePipelineWrapper):
    def setup(self) -> None:
        self.pipeline = Pipeline()

    def run_chat_completion(
        self, model: str, messages: list[dict[str, Any]], body: dict[str, Any]
    ) -> Iterator[str]:
        """Say it again, word by word."""
        said = messages[-1]["content"]
        if said == "fail":
            raise ValueError("the parrot is tired")
        yield from (f"{word} " for word in said.split())
