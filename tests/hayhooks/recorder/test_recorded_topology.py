"""What an agent is made of is the same whether Hayhooks has made it durable or not."""

import pytest

pytest.importorskip("hayhooks", reason="there are no durable agents without hayhooks")

from hayhooks.durable.haystack import HaystackDurableAdapter
from haystack.components.agents import Agent
from haystack.components.agents.state import State
from haystack.components.generators.chat import MockChatGenerator
from haystack.hooks import hook

from inspector.recording.topology import agent_of


@hook
def look(state: State) -> None:
    """Do nothing: it is a hook of the user's own."""


@pytest.mark.parametrize("hooks", [{}, {"before_llm": [look]}])
def test_the_hooks_that_save_checkpoints_are_none_of_the_agents_own(hooks):
    agent = Agent(chat_generator=MockChatGenerator("done"), hooks=hooks)
    plain = agent_of(agent)
    HaystackDurableAdapter(agent)
    assert set(agent.hooks) > {"before_run", "on_exit"}
    assert agent_of(agent) == plain
    assert list(plain.get("hooks", {})) == list(hooks)
