"""What was chosen for a replay makes a job, or a sentence that says what is missing."""

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.presentation.replay_choice import (
    Remembered,
    ReplayChoice,
    Source,
    hindrance,
    job_of,
    pipeline_key,
)
from inspector.presentation.replay_manifest import made_of_words, promise_words
from inspector.replay.manifest import manifest_of
from inspector.replay.mode import ReplayMode
from inspector.replay.stub_plan import OFFERED
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.runfile.files import HEADER, run_file, span

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
RUN = load_run(EXAMPLES / "agent-tools.run.json")
MANIFEST = manifest_of(RUN)
OWN = ReplayChoice(target="greenhouse:build")
LLM = next(part.word for part in MANIFEST.parts if part.name == "llm")


def test_a_replay_of_ones_own_pipeline_runs_nothing_live() -> None:
    job = job_of(OWN, RUN, Path("a.run.json"), MANIFEST)
    assert (job.target, job.mode, job.stub) == ("greenhouse:build", "strict", False)
    assert (job.allow_live, job.treat, job.live_budget) == (False, {}, None)
    assert not job.add_new, "nothing is written before it was shown"


def test_a_budget_counts_only_where_something_runs_live() -> None:
    typed = replace(OWN, budget="5", usd="$ 0.50")
    assert job_of(typed, RUN, None, MANIFEST).live_budget is None
    live = replace(typed, mode=ReplayMode.DRIFT_OK, live=True, may_live=frozenset({LLM}))
    job = job_of(live, RUN, None, MANIFEST)
    assert (job.live_budget, job.live_budget_usd) == (5, "0.50")
    assert LLM not in job.treat
    assert set(job.treat.values()) == {"never_live"}


def test_what_a_file_describes_is_built_of_stubs_and_never_live() -> None:
    choice = ReplayChoice(
        source=Source.FILE, live=True, mode=ReplayMode.DRIFT_OK, budget="5", target="os:system",
        classes=OFFERED, agreed=True, may_live=frozenset({LLM}),
    )  # fmt: skip
    job = job_of(choice, RUN, None, MANIFEST)
    assert job.stub
    assert (job.target, job.allow_live, job.live_budget, job.treat) == ("", False, None, {})
    assert job.classes == tuple(sorted(OFFERED))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"target": ""}, "Name your pipeline"),
        ({"target": "a.b"}, "A target is package.module:attribute"),
        ({"source": Source.YAML}, "Choose the YAML file"),
        ({"source": Source.YAML, "yaml": "a.yml"}, ""),
        ({"source": Source.FILE}, "Tick that something may be built"),
        ({"source": Source.FILE, "agreed": True}, ""),
        ({"source": Source.FILE, "agreed": True, "live_from": "llm#1"}, "never runs live"),
        (
            {"source": Source.FILE, "agreed": True, "mode": ReplayMode.RECORD_NEW},
            "never runs live",
        ),
        ({"mode": ReplayMode.DRIFT_OK, "live": True, "budget": "x"}, "A budget of calls"),
        ({"mode": ReplayMode.DRIFT_OK, "live": True, "usd": "Infinity"}, "A budget in US"),
        ({"mode": ReplayMode.DRIFT_OK, "live": True, "budget": "0", "usd": "0"}, ""),
    ],
)
def test_what_stands_in_the_way_is_a_sentence(changes: dict[str, object], said: str) -> None:
    found = hindrance(replace(OWN, **changes), MANIFEST)  # type: ignore[arg-type]
    assert (said in found) if said else found == ""


def test_what_is_in_no_file_can_learn_nothing_new() -> None:
    choice = replace(OWN, mode=ReplayMode.RECORD_NEW)
    assert "Save the recording first" in hindrance(choice, MANIFEST, has_file=False)
    assert hindrance(choice, MANIFEST) == ""


def test_what_is_remembered_allows_nothing() -> None:
    choice = replace(
        OWN, live=True, mode=ReplayMode.RECORD_NEW, budget="5", agreed=True, python="/p",
        may_live=frozenset({LLM}), classes=OFFERED, verify=True,
    )  # fmt: skip
    kept = Remembered.of(choice)
    assert kept is not None
    again = kept.choice()
    assert (again.target, again.python, again.mode) == (OWN.target, "/p", ReplayMode.STRICT)
    assert not again.runs_live
    assert not again.agreed
    assert not again.verify
    assert not again.classes


def test_nothing_is_remembered_of_a_file_and_nothing_odd_is_believed() -> None:
    assert Remembered.of(ReplayChoice(source=Source.FILE, agreed=True)) is None
    odd = {"source": "file", "mode": "record_new", "target": "x" * 5_000, "agreed": "yes"}
    found = Remembered(odd).choice()
    assert (found.source, found.mode, found.target) == (Source.PYTHON, ReplayMode.STRICT, "")
    assert not found.agreed


def test_choices_are_kept_by_the_pipeline_and_not_by_the_file() -> None:
    same = load_run(EXAMPLES / "rag-answer.run.json")
    other = load_run(EXAMPLES / "rag-other-prompt.run.json")
    assert pipeline_key(same) == pipeline_key(other)
    assert pipeline_key(same) != pipeline_key(RUN)


def test_agents_that_run_by_themselves_are_told_apart_by_their_tools() -> None:
    def agent(*tools: str) -> PipelineRun:
        named = [{"type": "haystack.tools.tool.Tool", "name": each} for each in tools]
        component = {"type": "haystack.components.agents.agent.Agent", "agent": {"tools": named}}
        header = {**HEADER, "kind": "agent", "name": "Agent",
                  "topology": {"components": {"Agent": component}}}  # fmt: skip
        return load_run(run_file([span(1, kind="agent")], header=header))

    assert pipeline_key(agent("stock", "price")) == pipeline_key(agent("price", "stock"))
    assert pipeline_key(agent("stock", "price")) != pipeline_key(agent("helper"))


@pytest.mark.parametrize(
    ("mode", "live", "said"),
    [
        (ReplayMode.STRICT, False, "No model, no tool and no store is called"),
        (ReplayMode.DRIFT_OK, True, "may cost money, at most 3\u202fcalls"),
        (ReplayMode.RECORD_NEW, True, "Calls that were not recorded run live"),
    ],
)
def test_what_may_leave_is_one_sentence(mode: ReplayMode, live: bool, said: str) -> None:
    assert said in promise_words(mode, live=live, budget=3)


def test_no_limit_is_said() -> None:
    assert "without a limit" in promise_words(ReplayMode.DRIFT_OK, live=True)
    assert "without a limit" in promise_words(ReplayMode.DRIFT_OK, live=True, live_from="llm#1")


def test_a_definition_is_summed_up() -> None:
    assert made_of_words(MANIFEST) == (
        "As it was recorded, it is made of 3\u202fclasses and 4\u202ffunctions, and reads "
        "OPENAI_API_KEY."
    )
