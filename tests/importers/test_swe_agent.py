"""Trajectories of SWE-agent and mini-SWE-agent, of old and new versions."""

import json

import pytest

from inspector import load_run, load_runs
from inspector.errors import RunFileError
from tests.importers.files import FOREIGN, drawn, import_note, total_tokens
from tests.importers.made_trajectories import swe, swe_file

MINI = FOREIGN / "swe_agent" / "mini_2.4.6.traj.json"


def test_each_step_is_a_call_and_a_command():
    run = load_run(swe_file())
    assert import_note(run)["format"] == "swe-agent"
    assert drawn(run) == "swe-agent(m1 find_file m1 submit)"
    call, tool = run.spans[1:3]
    assert call.llm == {"name": "m1", "provider": "maker"}
    assert call.outputs["replies"][0]["content"] == [{"text": "I look."}]
    assert [each["role"] for each in call.inputs["messages"]] == ["system", "user"]
    assert (tool.inputs, tool.outputs) == ({"command": "find_file gauge.py"}, "Found 1")
    assert tool.tags["execution_time"] == 0.28
    assert tool.tags["state"] == {"open_file": "n/a", "working_dir": "/quay"}
    assert run.name == "quay"
    assert (run.status, run.outputs["submission"]) == ("completed", "diff --git")
    assert run.inputs["messages"][0]["content"] == [{"text": "Mend the gauge."}]


def test_what_a_trajectory_does_not_hold_is_said():
    run = load_run(swe_file())
    assert (run.duration_ns, total_tokens(run)) == (None, None)
    sums = next(each for each in run.not_recorded if each["what"] == "tokens of each call")
    assert "tokens_sent 90" in sums["why"]
    assert any(each["what"] == "times" for each in run.not_recorded)
    assert run.roots[0].tags["model_stats"]["api_calls"] == 2


def test_a_state_that_old_versions_wrote_as_text_is_read():
    tree = swe()
    tree["trajectory"][0]["state"] = '{"open_file": "n/a"}\n'
    assert load_run(swe_file(tree)).spans[2].tags["state"] == {"open_file": "n/a"}


@pytest.mark.parametrize(
    ("status", "ended"),
    [("submitted (exit_cost)", "completed"), ("exit_error", "failed"), (None, "incomplete"),
     ("exit_environment_error", "failed"), ("LimitsExceeded", "completed")],
)  # fmt: skip
def test_how_a_trajectory_ended_is_read(status, ended):
    tree = swe()
    tree["info"]["exit_status"] = status
    run = load_run(swe_file(tree))
    assert run.status == ended
    assert (run.roots[0].error is not None) == (ended == "failed")


def test_a_demonstration_is_told_by_its_messages():
    function = {"name": "open", "arguments": '{"path": "a.py"}'}
    history = [
        {"role": "system", "content": "You repair.", "agent": "main"},
        {"role": "user", "content": "Mend it.", "message_type": "observation"},
        {"role": "assistant", "content": "I open.", "action": "open a.py",
         "tool_calls": [{"id": "c", "type": "function", "function": function}]},
        {"role": "tool", "content": "1:x", "tool_call_ids": ["c"]},
        {"role": "assistant", "content": "I run.", "action": "python a.py"},
        {"role": "user", "content": "8.2"},
    ]  # fmt: skip
    run = load_run(json.dumps({"history": history}).encode())
    assert drawn(run) == "swe-agent(model open model bash)"
    assert (run.spans[2].inputs, run.spans[2].outputs) == ({"path": "a.py"}, "1:x")
    assert (run.spans[4].inputs, run.spans[4].outputs) == ({"command": "python a.py"}, "8.2")


def test_mini_swe_agent_says_when_and_what_commands_returned():
    run = load_run(MINI)
    tool = run.spans[4]
    assert (tool.inputs, tool.outputs, tool.tags) == (
        {"command": "false"}, "", {"returncode": 1},
    )  # fmt: skip
    assert run.outputs["submission"] == "low\n"
    assert run.roots[0].tags["exit_status"] == "Submitted"


def test_mini_swe_agents_calls_of_tools_and_tokens_are_read():
    usage = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25,
             "prompt_tokens_details": {"cached_tokens": 8}}  # fmt: skip
    calls = [{"id": f"c{n}", "type": "function",
              "function": {"name": "bash", "arguments": json.dumps({"command": f"echo {n}"})}}
             for n in (1, 2)]  # fmt: skip
    extra = {"response": {"model": "m1", "usage": usage}, "timestamp": 1796005439.5, "cost": 0.1}
    messages = [
        {"role": "user", "content": "tide?"},
        {"role": "assistant", "content": "", "tool_calls": calls, "extra": extra},
        {"role": "tool", "tool_call_id": "c2", "content": "2", "extra": {"timestamp": 1796005441}},
        {"role": "tool", "tool_call_id": "c1", "content": "1",
         "extra": {"timestamp": 1796005440, "exception_info": "timed out"}},
    ]  # fmt: skip
    tree = {"messages": messages, "info": {"exit_status": "Submitted", "model_stats": {}},
            "trajectory_format": "mini-swe-agent-1.1"}  # fmt: skip
    run = load_run(json.dumps(tree).encode())
    assert drawn(run) == "mini-swe-agent(m1 bash bash)"
    assert (total_tokens(run), run.usage["cached_tokens"]) == (25, 8)
    one, two = run.spans[2:]
    assert (two.outputs, two.duration_ns) == ("2", 1_500_000_000)
    assert (one.status, one.error.message) == ("failed", "timed out")


def test_items_of_the_responses_api_are_one_reply():
    output = [{"type": "message", "role": "assistant",
               "content": [{"type": "output_text", "text": "I look."}]},
              {"type": "function_call", "call_id": "c", "name": "bash",
               "arguments": '{"command": "ls"}'}]  # fmt: skip
    reply = {"object": "response", "output": output, "model": "m1",
             "usage": {"input_tokens": 4, "output_tokens": 3, "total_tokens": 7}}  # fmt: skip
    messages = [{"role": "user", "content": "tide?"}, reply,
                {"type": "function_call_output", "call_id": "c", "output": "a.txt"}]  # fmt: skip
    tree = {"messages": messages, "trajectory_format": "mini-swe-agent-1.1", "info": {}}
    run = load_run(json.dumps(tree).encode())
    assert drawn(run) == "mini-swe-agent(m1 bash)"
    assert total_tokens(run) == 7
    assert run.spans[2].status == "ok"


def test_steps_that_are_none_are_counted_and_a_file_without_any_is_refused():
    tree = swe()
    tree["trajectory"].append(7)
    assert import_note(load_run(swe_file(tree)))["skipped"][0]["count"] == 1
    with pytest.raises(RunFileError, match="without a step"):
        load_run(json.dumps({"trajectory_format": "mini-swe-agent-1", "messages": []}).encode())


def test_saving_and_opening_again_keeps_every_span(tmp_path):
    run = load_run(MINI)
    run.save(tmp_path / "a.run.json")
    again = load_run(tmp_path / "a.run.json")
    assert [span.raw for span in again.spans] == [span.raw for span in run.spans]


def test_what_one_trajectory_lacks_no_other_lacks():
    mini = json.loads(MINI.read_text())
    one, two = load_runs("\n".join(map(json.dumps, (swe(), mini))).encode())
    lacking = [[each["what"] for each in run.not_recorded] for run in (one, two)]
    assert ("times" in lacking[0], "times" in lacking[1]) == (True, False)
