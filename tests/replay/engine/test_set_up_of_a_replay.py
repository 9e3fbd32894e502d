"""What was different in a replay stands in the run it leaves, and is named as the cause."""

import json

import pytest
from haystack.dataclasses import ChatMessage

from inspector.diff.compare import diff_runs
from inspector.replay.api import ReplayDriftError, Replayer
from inspector.replay.overrides import Overrides
from inspector.replay.set_up import with_twins
from inspector.runfile.model import PipelineRun
from tests.helpers import agents, pipelines
from tests.helpers.pipelines import Case
from tests.replay.engine.conftest import Offline

BRIEFLY = [ChatMessage.from_user("Briefly: {{ query }}")]


def replayed(case: Case, run: PipelineRun, overrides: Overrides) -> PipelineRun:
    """Return what a replay leaves that stops where the recording has no answer."""
    replayer = Replayer(case.target, run, mode="drift_ok", overrides=overrides)
    with pytest.raises(ReplayDriftError):
        replayer.play()
    return replayer.run


def test_a_replay_with_another_template_says_so_in_its_set_up(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    overrides = Overrides(parameters={"prompt_builder": {"template": BRIEFLY}})
    left = replayed(case, run, overrides)
    assert left.definition is not None
    assert run.definition is not None
    components = {**left.definition["components"]}
    assert "Briefly: {{ query }}" in json.dumps(components.pop("prompt_builder"))
    assert components == {
        name: entry
        for name, entry in run.definition["components"].items()
        if name != "prompt_builder"
    }
    found = diff_runs(run, left)
    assert found.divergence is not None
    assert found.divergence.causes[0].path == "prompt_builder"
    assert "template" in found.divergence.causes[0].leaf


@pytest.mark.parametrize("inside", ["/", "/pipeline/"])
def test_a_part_inside_another_is_found_by_the_names_on_the_way_to_it(
    offline: Offline, inside: str
) -> None:
    case = pipelines.super_component(offline.server)
    _result, run = offline.record(case)
    inner = next(span for span in run.spans if span.name == "prompt_builder")
    outer, _pipeline, name = (each.partition("#")[0] for each in inner.path.split("/"))
    overrides = Overrides(parameters={f"{outer}{inside}{name}": {"template": BRIEFLY}})
    left = replayed(case, run, overrides)
    assert "Briefly: {{ query }}" in json.dumps(left.definition)
    assert "Briefly: {{ query }}" not in json.dumps(run.definition)


def test_a_set_up_without_such_a_part_stays_as_it_is() -> None:
    definition = {"components": {"llm": {"type": "a.B"}}, "connections": []}
    assert with_twins(definition, {"prompt": object(), "llm/prompt": object()}) == definition


def test_a_result_that_was_edited_is_the_cause_of_what_follows(offline: Offline) -> None:
    case = agents.three_tools(offline.server)
    _result, run = offline.record(case)
    said = {"step0/tool:look_up[0]": {"text": "About nothing at all."}}
    found = diff_runs(run, replayed(case, run, Overrides(answers=said)))
    assert found.divergence is not None
    (cause, *_others) = found.divergence.causes
    assert cause.sentence == "what look_up gave back was edited by hand in the replay"
    assert (cause.likely, cause.path) == ("certain", "step0/tool:look_up[0]")
