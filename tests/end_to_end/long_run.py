"""A run that takes a while, recorded in a process of its own so that it can be killed.

    python -m tests.end_to_end.long_run SERVER_URL FOLDER

It says on standard output, a line each, what has happened and when, by the clock that all
processes of a machine share. Those lines are the independent log.
"""

import json
import os
import sys
import time
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import tool

from inspector import recording


def say(what: str, text: str) -> None:
    line = json.dumps({"at_ns": time.monotonic_ns(), "what": what, "text": text})
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def on_chunk(chunk: Any) -> None:
    if chunk.content:
        say("chunk", chunk.content)


@tool
def look_up(topic: str) -> str:
    """Look a topic up."""
    say("tool", topic)
    return f"About {topic}: {'well watered ' * 40}"


def main(url: str, folder: str) -> None:
    generator = OpenAIChatGenerator(api_base_url=url, streaming_callback=on_chunk)
    agent = Agent(chat_generator=generator, tools=[look_up], max_agent_steps=1000)
    pipeline = Pipeline(metadata={"name": "long"})
    pipeline.add_component("agent", agent)
    with recording(directory=folder):
        say("begin", "")
        pipeline.run({"agent": {"messages": [ChatMessage.from_user("Look everything up.")]}})


if __name__ == "__main__":
    main(*sys.argv[1:])
