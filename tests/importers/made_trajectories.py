"""Trajectories of agents, made by hand: ATIF, SWE-agent and mini-SWE-agent."""

from __future__ import annotations

import json


def step(number, source, message, **fields):
    return {"step_id": number, "source": source, "message": message,
            "timestamp": f"2026-01-01T00:00:{number:02}Z", **fields}  # fmt: skip


def call(id_, name="tide", **arguments):
    return {"tool_call_id": id_, "function_name": name, "arguments": arguments}


def observed(*results):
    return {"results": list(results)}


def metrics(given, answered, cached=0, **fields):
    return {"prompt_tokens": given, "completion_tokens": answered, "cached_tokens": cached,
            **fields}  # fmt: skip


def atif_steps():
    return [
        step(1, "system", "You help sailors."),
        step(2, "user", "When is the tide low?"),
        step(3, "agent", "I look.", reasoning_content="two harbours",
             tool_calls=[call("c1", harbour="Brest"), call("c2", harbour="Atlantis")],
             observation=observed({"source_call_id": "c2", "content": "no such harbour",
                                   "extra": {"is_error": True}},
                                  {"source_call_id": "c1", "content": "noon"}),
             metrics=metrics(20, 5, 8, cost_usd=0.5, extra={"reasoning_tokens": 2},
                             logprobs=[-0.1])),
        step(4, "agent", "At noon.", model_name="other/m2", metrics=metrics(30, 4)),
    ]  # fmt: skip


def atif(steps=None, version="1.7", **fields):
    return {"schema_version": f"ATIF-v{version}", "session_id": "s1",
            "agent": {"name": "pilot", "version": "1.0", "model_name": "maker/m1"},
            "steps": atif_steps() if steps is None else steps,
            "final_metrics": {"total_prompt_tokens": 50, "total_completion_tokens": 9},
            **fields}  # fmt: skip


def atif_file(**fields):
    return json.dumps(atif(**fields)).encode()


def swe_step(action, observation, said, **fields):
    return {"action": action, "observation": observation, "response": said, "thought": said,
            **fields}  # fmt: skip


def swe():
    """Return a trajectory as SWE-agent 1.x writes them."""
    state = {"open_file": "n/a", "working_dir": "/quay"}
    history = [{"role": "system", "content": "You repair.", "agent": "main"},
               {"role": "user", "content": "Mend the gauge."}]  # fmt: skip
    return {
        "environment": "quay",
        "trajectory": [
            swe_step("find_file gauge.py", "Found 1", "I look.", execution_time=0.28, state=state,
                     query=history),
            swe_step("submit", "diff --git", "Done.", state=state),
        ],
        "history": history,
        "info": {"exit_status": "submitted", "submission": "diff --git",
                 "model_stats": {"instance_cost": 0.1, "tokens_sent": 90, "tokens_received": 7,
                                 "api_calls": 2}},
        "replay_config": json.dumps({"agent": {"model": {"name": "maker/m1"}}}),
    }  # fmt: skip


def swe_file(tree=None):
    return json.dumps(tree or swe()).encode()
