"""What an example is before it is recorded, and what all of them are built from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage

from tests.helpers.openai_script import Script

USAGE_IN_STREAMS = {"stream_options": {"include_usage": True}}
ROUTE_TYPE = list[ChatMessage]


@dataclass(frozen=True)
class Scene:
    """One example before it is recorded.

    The script says what the local OpenAI answers and how long it thinks about it, so that
    the timelines look like timelines.
    """

    name: str
    title: str
    shows: str
    place: int  # in the list of examples
    build: Callable[[], Any]
    data: Callable[[], dict[str, Any]]
    script: Script
    streamed: bool = False
    fails: bool = False


def show_chunk(chunk: Any) -> None:
    """Receive the chunks of a stream, as a chat window would."""


def chat_llm(
    *, stream: bool = False, callback: Any = show_chunk, model: str = "gpt-4o-mini"
) -> OpenAIChatGenerator:
    """Return the generator of a scene; one that streams also asks for its usage."""
    return OpenAIChatGenerator(
        model=model,
        max_retries=0,
        streaming_callback=callback if stream else None,
        generation_kwargs={"temperature": 0.2, **(USAGE_IN_STREAMS if stream else {})},
    )


def prompt_from(text: str, system: str = "", required: Any = "*") -> ChatPromptBuilder:
    template = [ChatMessage.from_system(system)] if system else []
    return ChatPromptBuilder([*template, ChatMessage.from_user(text)], required_variables=required)
