"""Each family of decisions, with runs that differ in it and in nothing else."""

from typing import Any

from inspector import diff_runs
from inspector.diff.model import Agreement, Comparison, Decision, Severity
from inspector.runfile.model import PipelineRun
from tests.helpers.span_runs import call, message, run_with

ROUTER = {
    "components": {
        "router": {"type": "x.ConditionalRouter", "outputs": {"short": "str", "long": "str"}},
        "brief": {"type": "x.Brief", "inputs": {"text": "str"}, "outputs": {"text": "str"}},
    },
    "connections": [{"sender": "router.short", "receiver": "brief.text"}],
}


def decision(comparison: Comparison, kind: str) -> Decision:
    found = [each for each in comparison.decisions if each.kind == kind]
    assert found, [str(each.kind) for each in comparison.decisions]
    return found[0]


def differing(comparison: Comparison) -> list[str]:
    return [str(each.kind) for each in comparison.decisions if each.differs]


def routed(**outputs: str) -> PipelineRun:
    return run_with(
        {"outputs": {"brief": {"text": "well"}}},
        {"name": "router", "role": "routing", "path": "router#1", "outputs": outputs},
        topology=ROUTER,
    )


def test_another_route_is_critical_and_says_what_was_not_taken() -> None:
    found = decision(diff_runs(routed(short="hello"), routed(long="hello")), "route")
    assert (found.agreement, found.severity) == (Agreement.DIFFERS, Severity.CRITICAL)
    assert (found.left, found.right) == ("short (not long)", "long (not short)")
    assert found.title == "router took long instead of short"


def test_any_component_with_outputs_left_out_chose_a_route() -> None:
    def chosen(**outputs: str) -> PipelineRun:
        part = {"name": "router", "role": "other", "path": "router#1", "outputs": outputs}
        return run_with({}, part, topology=ROUTER)

    comparison = diff_runs(chosen(short="a", long="b"), chosen(short="a"))
    assert differing(comparison) == ["route"]


def test_a_component_that_ran_although_its_route_was_not_taken_is_told() -> None:
    ran = {"name": "brief", "role": "other", "path": "brief#1", "outputs": {"text": "well"}}
    router = {"name": "router", "role": "routing", "path": "router#1", "outputs": {"long": "x"}}
    left = run_with({}, router, topology=ROUTER)
    right = run_with({}, router, ran, topology=ROUTER)
    found = decision(diff_runs(left, right), "untaken")
    assert (found.agreement, found.severity) == (Agreement.RIGHT_ONLY, Severity.CRITICAL)
    assert "router.short" in found.title


def test_outputs_that_one_side_did_not_record_are_unknown_and_no_other_route() -> None:
    part = {"name": "router", "role": "routing", "path": "router#1"}
    right = run_with({}, part, topology=ROUTER)
    comparison = diff_runs(routed(short="hello"), right)
    assert decision(comparison, "route").agreement is Agreement.UNKNOWN
    assert "route" not in differing(comparison)


def test_a_joiner_says_from_whom_it_took_its_value() -> None:
    topology = {
        "components": {},
        "connections": [
            {"sender": "first.out", "receiver": "joiner.value"},
            {"sender": "second.out", "receiver": "joiner.value"},
        ],
    }

    def joined(sender: str) -> PipelineRun:
        part = {
            "name": "joiner", "role": "joining", "path": "joiner#1",
            "senders": {"value": [sender]}, "outputs": {"value": "x"},
        }  # fmt: skip
        return run_with({}, part, topology=topology)

    found = decision(diff_runs(joined("first"), joined("second")), "route")
    assert (found.left, found.right) == ("first", "second")


def judged(outputs: dict[str, Any], role: str = "validation") -> PipelineRun:
    return run_with({}, {"name": "check", "role": role, "path": "check#1", "outputs": outputs})


def test_another_verdict_of_a_validator_is_critical() -> None:
    wrong = {"validation_error": [message("user", "The name is missing.")]}
    found = decision(diff_runs(judged({"validated": []} | {"validated": ["x"]}), judged(wrong)),
                     "validator")  # fmt: skip
    assert found.severity is Severity.CRITICAL
    assert found.left == "validated"
    assert "The name is missing." in found.right


def test_the_same_verdict_for_another_reason_is_minor() -> None:
    first, second = (
        {"validation_error": [message("user", why)]} for why in ("No name.", "No week.")
    )
    found = decision(diff_runs(judged(first), judged(second)), "validator")
    assert found.severity is Severity.MINOR
    assert found.text is not None
    assert found.text.right == "No week."


def test_a_guard_of_ones_own_is_known_by_its_verdict() -> None:
    left, right = judged({"allowed": True}, "other"), judged({"allowed": False}, "other")
    assert differing(diff_runs(left, right))[0] == "validator"


def asked(answer: str = "At dawn.", **more: Any) -> PipelineRun:
    part = {
        "name": "llm", "role": "llm", "path": "llm#1", "type": "x.Generator",
        "inputs": {"messages": [message("user", more.pop("prompt", "When?"))]},
        "outputs": {"replies": [message("assistant", answer)]},
        "llm": {"name": more.pop("model", "gpt-a")},
        "usage": {"input_tokens": 10, "output_tokens": 2},
    }  # fmt: skip
    return run_with({"outputs": {"llm": {"replies": [message("assistant", answer)]}}}, part, **more)


def test_another_model_makes_figures_that_cannot_be_compared() -> None:
    comparison = diff_runs(asked(), asked(model="gpt-b"))
    assert decision(comparison, "llm").severity is Severity.MAJOR
    tokens = next(each for each in comparison.metrics if each.name == "input tokens")
    assert tokens.delta is None
    assert tokens.not_comparable is not None
    assert "gpt-b" in tokens.not_comparable


def test_another_machine_makes_times_that_cannot_be_compared() -> None:
    left, right = (asked(environment={"platform": name, "python": "3.11"}) for name in ("a", "b"))
    comparison = diff_runs(left, right)
    duration = next(each for each in comparison.metrics if each.name == "duration")
    assert duration.not_comparable == "another machine: b instead of a"
    assert comparison.same
    assert not comparison.equal


def test_a_figure_that_is_not_known_is_not_zero() -> None:
    comparison = diff_runs(asked(), run_with({}))
    tokens = next(each for each in comparison.metrics if each.name == "input tokens")
    assert tokens.left == 10
    assert tokens.right is None
    assert tokens.delta is None


def test_the_reply_that_is_the_answer_is_told_once() -> None:
    assert differing(diff_runs(asked("At dawn."), asked("At noon."))) == ["answer"]


def turn(step: int, *tools: tuple[str, dict[str, Any], Any], base: int = 2) -> list[dict[str, Any]]:
    first = base + step * (2 + len(tools))
    calls = [call(f"call_{step}{n}", name, **given) for n, (name, given, _) in enumerate(tools)]
    spans: list[dict[str, Any]] = [
        {"id": f"s{first}", "kind": "step", "name": f"step {step}", "path": f"step{step}"},
        {
            "id": f"s{first + 1}", "parent": f"s{first}", "kind": "llm", "name": "llm",
            "role": "llm", "path": f"step{step}/llm",
            "inputs": {"messages": [message("user", "go")]},
            "outputs": {"replies": [message("assistant", *calls)]},
        },
    ]  # fmt: skip
    spans += [
        {
            "id": f"s{first + 2 + n}", "parent": f"s{first}", "kind": "tool", "name": name,
            "role": "tool", "path": f"step{step}/tool:{name}[{n}]",
            "tool_call": {"index": n, "id": f"call_{step}{n}"},
            "arguments": given, "outputs": said,
        }
        for n, (name, given, said) in enumerate(tools)
    ]  # fmt: skip
    return spans


def agent(*spans: dict[str, Any], why: str = "text") -> PipelineRun:
    top = {"kind": "agent", "role": "agent", "outputs": {"exit_reason": why}}
    return run_with(top, *spans, kind="agent")


def test_other_arguments_name_the_argument() -> None:
    left = agent(*turn(0, ("read", {"bed": "leek"}, "dry")))
    right = agent(*turn(0, ("read", {"bed": "chard"}, "dry")))
    comparison = diff_runs(left, right)
    found = decision(comparison, "arguments")
    assert (found.left, found.right) == ('bed="leek"', 'bed="chard"')
    assert comparison.divergence is not None
    assert comparison.divergence.decision == found.number


def test_a_tool_that_fails_on_one_side_is_critical() -> None:
    (step, llm, tool) = turn(0, ("read", {"bed": "leek"}, "dry"))
    failed = {
        **tool, "status": "failed", "error": {"type": "x.ProbeError", "message": "F12"},
        "outputs": {"error": "F12"},
    }  # fmt: skip
    found = decision(diff_runs(agent(step, llm, tool), agent(step, llm, failed)), "result")
    assert found.severity is Severity.CRITICAL
    assert "ProbeError: F12" in found.title


def test_another_exit_reason_is_told() -> None:
    comparison = diff_runs(agent(), agent(why="max_agent_steps"))
    found = decision(comparison, "exit")
    assert (found.left, found.right) == ("text", "max_agent_steps")


def test_a_turn_more_says_what_was_called_in_it() -> None:
    first = turn(0, ("read", {"bed": "leek"}, "dry"))
    second = turn(1, ("read", {"bed": "chard"}, "wet"))
    found = decision(diff_runs(agent(*first), agent(*first, *second)), "retry")
    assert found.agreement is Agreement.RIGHT_ONLY
    assert 'read(bed="chard")' in found.title
    assert (found.left, found.right) == ("1 turn", "2 turns")


def test_ids_that_a_provider_made_up_decide_nothing() -> None:
    (step, llm, tool) = turn(0, ("read", {"bed": "leek"}, "dry"))
    other = {
        **llm,
        "outputs": {"replies": [message("assistant", call("call_zz9", "read", bed="leek"))]},
    }
    again = {**tool, "tool_call": {"index": 0, "id": "call_zz9"}}
    comparison = diff_runs(agent(step, llm, tool), agent(step, other, again))
    assert comparison.equal, comparison.verdict


def test_what_failed_says_what_began_it() -> None:
    error = {
        "type": "PipelineRuntimeError", "message": "The following component failed",
        "cause": {"type": "builtins.ValueError", "message": "no bed"},
    }  # fmt: skip
    part = {"name": "plan", "path": "plan#1"}
    left = run_with({"outputs": {"plan": {"text": "12 minutes"}}}, part)
    right = run_with(
        {"status": "failed", "error": error}, {**part, "status": "failed", "error": error},
        status="failed",
    )  # fmt: skip
    comparison = diff_runs(left, right)
    found = decision(comparison, "failure")
    assert "ValueError: no bed" in found.title
    assert found.path == "plan#1"
    assert decision(comparison, "answer").agreement is Agreement.LEFT_ONLY


def test_the_user_says_what_does_not_count() -> None:
    left, right = (
        run_with({"inputs": {"a": {"session": name}}}, {"inputs": {"session": name}})
        for name in ("red", "blue")
    )
    assert differing(diff_runs(left, right)) == ["input"]
    assert differing(diff_runs(left, right, ignore=["session"])) == []
