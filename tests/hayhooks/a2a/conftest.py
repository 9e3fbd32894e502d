"""A server of A2A in this process, with agents that do what they are told."""

import pytest


@pytest.fixture(scope="module")
def clerk():
    """Return the one whose orders can be looked at."""
    pytest.importorskip("hayhooks", reason="there are no durable agents without hayhooks")
    pytest.importorskip("a2a", reason="there is no A2A without its SDK")
    from tests.hayhooks.a2a.clerk import Clerk

    made = Clerk()
    yield made
    made.let_go.set()


@pytest.fixture(scope="module")
def served(clerk):
    """Yield the address of a server with three agents: clerk, brief and private."""
    from inspector.hayhooks.a2a import following
    from tests.hayhooks.a2a.clerk import clerk_agent, private_agent
    from tests.helpers.a2a_server import served_here

    agents = [
        clerk_agent(clerk),
        clerk_agent(clerk, "brief", max_stream_chunks=4, max_nonterminal_executions=1),
        private_agent(clerk),
    ]
    with pytest.MonkeyPatch.context() as patch, served_here(agents, hosts=["127.0.0.1"]) as url:
        patch.setattr(following, "LOOK_S", 0.03)  # a quarter of a second is long for many tests
        yield url
        clerk.let_go.set()
