"""Runs are cut as far as they still replay STRICT, on stubs and on live pipelines."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("haystack", reason="what is left of a run is replayed")

from haystack.core.errors import PipelineRuntimeError

from inspector import PipelineRecorder, record_run
from inspector.assets import asset
from inspector.errors import InspectorError
from inspector.export.shrink import Progress, Shrunk, shrink
from inspector.export.shrink_draft import draft_of, made_to_fit
from inspector.export.shrink_keep import keep_by_default, keep_named
from inspector.export.shrink_walk import Without
from inspector.presentation.decided import decided
from inspector.redaction.settings import Redaction
from inspector.replay.api import replay_run
from inspector.replay.mode import ReplayError
from inspector.replay.trials import Trials, TrialsStoppedError
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.export import shrink_targets
from tests.export.examples import example
from tests.export.hostile_runs import HOSTILE, hostile_run
from tests.export.shrunk import new_words

pytestmark = [pytest.mark.haystack, pytest.mark.timeout(200)]

ROOT = Path(__file__).parents[2]
TARGETS = "tests.export.shrink_targets"
QUESTION = {"shelf": {"query": "Which beds are dry, and what is to be done about them today?"}}


@pytest.fixture(scope="module")
def stubs() -> Iterator[Trials]:
    with Trials() as trials:
        yield trials


@pytest.fixture(scope="module")
def routed() -> PipelineRun:
    return record_run(shrink_targets.routed(), QUESTION, redact=Redaction())[1]


@pytest.fixture(scope="module")
def failed() -> PipelineRun:
    recorder = PipelineRecorder()
    with pytest.raises(PipelineRuntimeError):
        record_run(shrink_targets.failing(), QUESTION, recorder=recorder)
    return recorder.runs[-1]


def cut(run: PipelineRun, name: str, trials: Trials) -> Shrunk:
    keep = keep_named(run, name) if name else keep_by_default(run)
    found = shrink(run, [keep], trials)
    assert found.is_smallest
    assert found.run.verify().state == "ok"
    assert keep.holds(found.run)
    return found


# -- the bundled runs, on stubs --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "choice", "most"),
    [
        ("crash", "failure", 3_000),
        ("rag-answer", "answer", 5_500),
        ("rag-answer", "documents/retriever#1", 4_200),
        ("untaken-branch", "route/router#1", 2_700),
    ],
)
def test_a_bundled_run_becomes_a_few_kilobytes_that_replay(
    stubs: Trials, name: str, choice: str, most: int
) -> None:
    found = cut(example(name), choice, stubs)
    assert len(found.data) < most
    assert stubs.attempt(found.data).fits
    assert not new_words(asset(f"examples/{name}.run.json").read_bytes(), found.data)


def test_an_agent_keeps_the_call_that_failed_and_little_else(stubs: Trials) -> None:
    run = example("agent-tools")
    choice = "tool/assistant#1/step0/tool:read_sensor[1]"
    found = cut(run, choice, stubs)
    assert len(found.data) < 10_000
    assert found.size_before > 100_000
    tools = [span for span in found.run.spans if span.kind == "tool"]
    assert [span.path for span in tools] == ["assistant#1/step0/tool:read_sensor[0]"]
    assert found.places == {choice: tools[0].path}
    assert decided(found.run)[tools[0].path] == "read_sensor(bed=“peppers”) failed"
    assert stubs.attempt(found.data).fits
    assert found.cut["turns"] == 2
    assert found.cut["calls"] == 2


def test_a_loop_keeps_one_round_and_what_the_validator_was_given(stubs: Trials) -> None:
    found = cut(example("validator-loop"), "route/validator#2", stubs)
    assert list(found.places.values()) == ["validator#1"]
    text = "two"
    assert f'\\"every_weeks\\": \\"{text}\\"'.encode() in found.data


def test_what_failed_keeps_what_it_was_given(stubs: Trials) -> None:
    found = cut(example("crash"), "failure", stubs)
    assert [span.path for span in found.run.spans] == ["", "planner#1"]
    assert b"- strawberries: 9 minutes" in found.data
    assert found.run.error is not None
    assert "strawberries" in found.run.error.message
    assert cut(example("crash"), "", stubs).data == found.data  # each time the same
    again = cut(found.run, "failure", stubs)  # no single thing can go any more
    assert again.cut == {}
    assert again.data == found.data


def test_what_an_interrupt_leaves_replays_as_well(stubs: Trials) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.tries == 4:
            raise KeyboardInterrupt

    run = example("crash")
    keep = keep_by_default(run)
    found = shrink(run, [keep], stubs, progress=interrupt)
    assert found.ended == "interrupted"
    assert len(found.data) < found.size_before
    assert keep.holds(found.run)
    assert stubs.attempt(found.data).fits
    assert len(cut(found.run, "failure", stubs).data) < len(found.data)


def test_what_nobody_wants_to_know_any_more_is_not_tried() -> None:
    data = asset("examples/crash.run.json").read_bytes()
    with Trials(cancelled=lambda: True) as trials, pytest.raises(TrialsStoppedError):
        trials.attempt(data)


# -- live pipelines --------------------------------------------------------------------------


def test_a_live_router_keeps_as_many_documents_as_it_needs_and_its_prompt_follows(
    routed: PipelineRun,
) -> None:
    with Trials(f"{TARGETS}:routed", directory=ROOT) as live:
        found = cut(routed, "route/router#1", live)
        shelf = found.run.at("shelf#1")
        assert shelf is not None
        documents = shelf.outputs["documents"]
        assert len(documents) == 3
        assert {document["content"] for document in documents} == {"…"}
        replay_run(shrink_targets.routed(), found.run)  # STRICT
        assert found.run.topology == routed.topology
        assert found.run.definition == routed.definition

        # Not one of them can go, and before there were six.
        for document in documents:
            gone = Without(items=[("documents", document["id"])])
            short = draft_of(found.run).with_values(gone)
            loose = live.attempt(short.data(), loosely=True)
            if loose.run is not None:
                assert "many" not in decided(load_run(made_to_fit(short, loose.run).data()))
            else:
                assert not live.attempt(short.data()).fits

    teller = found.run.at("teller#1")
    assert teller is not None
    text = teller.inputs["messages"][0]["content"][0]["text"]
    assert b"ada@" not in found.data  # which the live pipeline says
    rest = "\n3 pages:\n" + "…\n" * 3
    assert re.fullmatch(rf"You know the manual; else ask <email:\d>\.{rest}", text)


def test_a_live_pipeline_goes_on_failing(failed: PipelineRun) -> None:
    with Trials(f"{TARGETS}:failing", directory=ROOT) as live:
        found = cut(failed, "", live)
    assert len(found.data) < found.size_before * 0.7
    with pytest.raises(PipelineRuntimeError, match="no such bed: - strawberries"):
        replay_run(shrink_targets.failing(), found.run)
    # Its definition is what a live pipeline is compared with.
    assert found.run.definition == failed.definition


# -- what cannot be cut ----------------------------------------------------------------------


def test_a_run_that_does_not_replay_is_not_cut(routed: PipelineRun) -> None:
    with (
        Trials(f"{TARGETS}:failing", directory=ROOT) as other,
        pytest.raises(InspectorError, match="does not replay as it was recorded"),
    ):
        shrink(routed, [keep_by_default(routed)], other)


def test_a_target_that_is_not_there_is_said() -> None:
    run = example("crash")
    with (
        Trials(f"{TARGETS}:nothing", directory=ROOT) as none,
        pytest.raises(ReplayError, match="nothing"),
    ):
        shrink(run, [keep_by_default(run)], none)


def test_a_strangers_run_that_says_hostile_things_is_cut_or_refused_in_words(
    stubs: Trials,
) -> None:
    run = hostile_run(HOSTILE, "crash")
    try:
        found = shrink(run, [keep_by_default(run)], stubs)
    except InspectorError as error:
        assert "replay" in str(error) or "shows" in str(error)  # noqa: PT017
    else:
        assert found.run.verify().state == "ok"
    assert stubs.attempt(asset("examples/crash.run.json").read_bytes()).fits


def test_a_template_that_never_ends_is_ended() -> None:
    data = asset("examples/rag-answer.run.json").read_text("utf-8")
    loops = "".join(f"{{% for a{at} in range(90000) %}}" for at in range(4))
    ends = "{% endfor %}" * 4
    start = data.index('"template":[')
    text = data.index('"text":"', start) + len('"text":"')
    run = load_run((data[:text] + loops + ends + data[text:]).encode())
    with (
        Trials(try_s=0.5) as trials,
        pytest.raises(InspectorError, match="took too long for one try"),
    ):
        shrink(run, [keep_by_default(run)], trials)
