"""A window that stands where there is no Haystack says so when something is to be replayed."""

import sys
from importlib.util import find_spec

import pytest

from inspector.assets import asset
from inspector.replay.host import Worker
from inspector.replay.limits import Limits
from inspector.replay.protocol import Job

pytestmark = pytest.mark.skipif(
    find_spec("haystack") is not None, reason="there is Haystack here, which would replay"
)


@pytest.mark.parametrize("limits", [None, Limits()])
def test_a_replay_without_haystack_is_refused_in_words(limits: Limits | None) -> None:
    job = Job(target="", run=str(asset("examples/agent-tools.run.json")), stub=True)
    with Worker(job, python=sys.executable, limits=limits) as worker:
        last = list(worker.events())[-1]
    assert last["outcome"] == "could_not"
    assert last["error"]["message"].startswith("Replaying needs Haystack, which is not installed")
    assert last["error"]["hint"] == "Choose the Python of the pipeline's project."
