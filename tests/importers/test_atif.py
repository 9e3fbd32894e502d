"""Trajectories in ATIF: steps, results by their calls, subagents, what is told in other files."""

import json

import pytest

from inspector import load_run, load_runs
from inspector.errors import RunFileError
from tests.importers.files import drawn, import_note, total_tokens
from tests.importers.made_trajectories import atif, atif_file, atif_steps, call, observed, step


def test_a_trajectory_is_an_agent_with_its_calls_and_tools():
    run = load_run(atif_file())
    assert import_note(run)["format"] == "atif"
    assert import_note(run)["version"] == "ATIF-v1.7"
    assert drawn(run) == "pilot(m1 tide tide m2)"
    first, brest, atlantis, last = run.spans[1:]
    assert (brest.inputs, brest.outputs) == ({"harbour": "Brest"}, "noon")
    assert (atlantis.status, atlantis.error.message) == ("failed", "no such harbour")
    assert (first.llm, last.llm["provider"]) == ({"name": "m1", "provider": "maker"}, "other")
    parts = first.outputs["replies"][0]["content"]
    assert parts[0] == {"reasoning": {"text": "two harbours"}}
    assert parts[2]["tool_call"]["arguments"] == {"harbour": "Brest"}
    assert [each["role"] for each in first.inputs["messages"]] == ["system", "user"]
    assert [each["role"] for each in last.inputs["messages"]] == ["tool", "tool"]
    assert run.inputs["messages"][0]["content"] == [{"text": "When is the tide low?"}]
    assert run.duration_ns == 3_000_000_000
    assert "one time" in first.not_recorded["end_ns"]
    assert any("likelihoods" in each for each in import_note(run)["losses"])


def test_tokens_count_once_and_sums_do_not_count():
    run = load_run(atif_file())
    assert total_tokens(run) == 59
    assert run.usage["cached_tokens"] == 8
    assert run.spans[1].usage.reasoning_tokens == 2
    assert run.spans[1].tags["cost_usd"] == 0.5
    assert "logprobs" not in run.spans[1].usage.raw


@pytest.mark.parametrize("version", ["1.0", "1.2", "1.4", "1.5", "1.8", "1.11"])
def test_every_version_is_told_by_its_content(version):
    run = load_run(atif_file(version=version))
    assert drawn(run) == "pilot(m1 tide tide m2)"
    tree = {key: value for key, value in atif().items() if key != "schema_version"}
    assert import_note(load_run(json.dumps(tree).encode()))["format"] == "atif"


def delegating(ref):
    result = {"source_call_id": "d", "content": "noon", "subagent_trajectory_ref": ref}
    return [step(1, "user", "tide?"), step(2, "agent", "You ask.", tool_calls=[call("d", "ask")],
                                           observation=observed(result))]  # fmt: skip


def test_a_subagent_in_the_file_hangs_under_what_asked_it():
    inner = {**atif(trajectory_id="t2"), "agent": {"name": "mate", "model_name": "m1"}}
    steps = delegating([{"trajectory_id": "t2"}])
    run = load_run(atif_file(steps=steps, subagent_trajectories=[inner]))
    assert drawn(run) == "pilot(m1 ask(mate(m1 tide tide m2)))"
    assert total_tokens(run) == 59
    # Before, subagents stood beside it and were called by their sessions.
    steps = delegating([{"session_id": "s2", "trajectory_path": "mate.json"}])
    files = [atif(steps=steps, version="1.4"), {**inner, "session_id": "s2"}]
    for data in (json.dumps(files), "\n".join(map(json.dumps, files))):
        runs = load_runs(data.encode())
        assert [drawn(run) for run in runs] == ["pilot(m1 ask(mate(m1 tide tide m2)))"]


def test_a_subagent_elsewhere_and_what_came_next_are_said():
    steps = delegating({"session_id": "s2", "trajectory_path": "mate.json"})
    run = load_run(atif_file(steps=steps, continued_trajectory_ref="next.json"))
    losses = import_note(run)["losses"]
    assert "what a subagent did: it stands in mate.json" in losses
    assert "what came next: it goes on in next.json" in losses


def test_subagents_that_refer_to_each_other_end():
    one = atif(steps=delegating([{"trajectory_id": "t2"}]), trajectory_id="t1")
    two = atif(steps=delegating([{"trajectory_id": "t1"}]), trajectory_id="t2")
    assert len(load_run(json.dumps([one, two]).encode()).spans) == 6


def test_steps_that_were_copied_do_not_count_again():
    steps = atif_steps()
    steps[2]["is_copied_context"] = True
    run = load_run(atif_file(steps=steps))
    assert drawn(run) == "pilot(m2)"
    assert total_tokens(run) == 34
    assert any("copied from an earlier" in each for each in import_note(run)["losses"])


def test_a_step_without_a_call_of_a_model_is_none():
    steps = atif_steps()
    steps[2] |= {"llm_call_count": 0, "metrics": None}
    assert drawn(load_run(atif_file(steps=steps))) == "pilot(tide tide m2)"


def test_results_that_belong_to_no_call_are_shown():
    steps = [step(1, "system", "", observation=observed({"content": "reset"})),
             step(2, "agent", "ls", observation=observed({"content": "a.txt"})),
             step(3, "agent", "?", tool_calls=[call("x")], observation=observed({"content": "b"})),
             step(4, "agent", "!", tool_calls=[call("y")])]  # fmt: skip
    run = load_run(atif_file(steps=steps))
    assert drawn(run) == "pilot(observation m1 observation m1 tide m1 tide)"
    assert run.spans[5].outputs == "b"
    assert (run.spans[7].status, run.spans[7].not_recorded["outputs"]) == (
        "unfinished", "no step holds its result",
    )  # fmt: skip


def test_a_trajectory_without_times_or_tokens_says_so():
    steps = [{key: value for key, value in each.items() if key not in ("timestamp", "metrics")}
             for each in atif_steps()]  # fmt: skip
    run = load_run(atif_file(steps=steps))
    assert (run.duration_ns, total_tokens(run)) == (None, None)
    assert "tokens" in run.spans[1].not_recorded["usage"]
    assert run.roots[0].tags["final_metrics"]["total_prompt_tokens"] == 50


def test_broken_steps_are_counted_and_a_file_without_any_is_refused():
    run = load_run(atif_file(steps=[*atif_steps(), 7, None]))
    assert import_note(run)["skipped"][0]["count"] == 2
    with pytest.raises(RunFileError, match="without a step"):
        load_run(json.dumps({"schema_version": "ATIF-v1.2", "steps": None}).encode())


def test_saving_and_opening_again_keeps_every_span(tmp_path):
    run = load_run(atif_file())
    run.save(tmp_path / "a.run.json")
    again = load_run(tmp_path / "a.run.json")
    assert [span.raw for span in again.spans] == [span.raw for span in run.spans]
