"""`replay` says what is different, and its exit code says whether anything is."""

import json
import shutil
from pathlib import Path

import pytest

from inspector import record_run
from inspector.recording.recorder import PipelineRecorder
from inspector.runfile.drift import DriftReport
from inspector.runfile.load import load_run
from tests.cli.commands import called, program
from tests.replay.report import plans

pytestmark = pytest.mark.haystack
PLANS = "tests.replay.report.plans"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    path = tmp_path_factory.mktemp("recorded") / "parts.run.json"
    record_run(plans.same(), plans.DATA)[1].save(path)
    return path


@pytest.fixture
def file(kept, tmp_path):
    return Path(shutil.copy(kept, tmp_path))


@pytest.fixture
def failed_file(tmp_path):
    recorder = PipelineRecorder()
    with pytest.raises(Exception, match="no luck"):
        record_run(plans.failing(), {"part": {"text": "luck"}}, recorder=recorder)
    recorder.runs[-1].save(tmp_path / "failed.run.json")
    return tmp_path / "failed.run.json"


def test_the_same_pipeline_is_the_same(file):
    answer = program("replay", file, "--pipeline", f"{PLANS}:same")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(
        "Replay of parts.run.json: the same as recorded.\n3 calls answered"
    )


def test_a_drift_is_told_and_found(file, capsys):
    answer = called(capsys, "replay", file, "--pipeline", f"{PLANS}:longer")
    assert answer.code == 1
    assert "input drift at oracle#1 (major)" in answer.out
    assert "- Answer.\n" in answer.out
    assert "+ Answer at length.\n" in answer.out
    assert "Traceback" not in answer.err


def test_the_report_is_json_for_programs(file, capsys):
    answer = called(capsys, "replay", file, "--pipeline", f"{PLANS}:longer", "--json")
    told = json.loads(answer.out)
    assert (answer.code, told["same"], told["mode"]) == (1, False, "strict")
    assert told["ended_as_recorded"] is False
    assert told["error"]["type"] == "ReplayDriftError"
    assert "oracle#1" in {drift.path for drift in DriftReport.from_dict(told).of_kind("input")}


def test_a_lenient_replay_lists_everything_it_met(file, capsys):
    answer = called(
        capsys, "replay", file, "--pipeline", f"{PLANS}:amended", "--mode", "drift-ok",
        "--allow-live", "--live-budget", "1",
    )  # fmt: skip
    assert answer.code == 1
    assert "retrieval drift at retriever#1 (major)" in answer.out
    assert "input drift at oracle#1 (major)" in answer.out
    assert "1 live call." in answer.out


def test_a_budget_that_is_spent_stops_the_replay(file, capsys):
    answer = called(
        capsys, "replay", file, "--pipeline", f"{PLANS}:longer", "--mode", "drift-ok",
        "--allow-live", "--live-budget", "0",
    )  # fmt: skip
    assert answer.code == 1
    assert "none live" in answer.out


def test_what_is_new_is_added_to_the_file(file, capsys):
    arguments = ("replay", file, "--pipeline", f"{PLANS}:longer")
    assert called(capsys, *arguments, "--mode", "record-new").code in {0, 1}
    assert called(capsys, *arguments).code == 0
    assert called(capsys, "replay", file, "--pipeline", f"{PLANS}:same").code == 0


def test_a_store_that_was_not_asked_is_a_warning(file, capsys):
    arguments = ("replay", file, "--pipeline", f"{PLANS}:empty")
    answer = called(capsys, *arguments)
    assert answer.code == 0
    assert "Retrieval not verified: 1 call.\n   retriever#1: " in answer.out
    assert "warning: retrieval not verified (1)" in answer.err
    assert called(capsys, *arguments, "--require-verified").code == 1


def test_other_data_is_input_drift(file, capsys, tmp_path):
    data = tmp_path / "data.json"
    data.write_text(json.dumps({"retriever": {"query": "vents"}}))
    answer = called(capsys, "replay", file, "--pipeline", f"{PLANS}:same", "--data", data)
    assert answer.code == 1
    assert "input drift at retriever#1 (major)" in answer.out
    assert "query\n   - recorded: pump\n   + now:      vents" in answer.out


def test_the_replay_is_kept_as_a_run_that_knows_what_it_replays(file, capsys, tmp_path):
    output = tmp_path / "replay.run.json"
    answer = called(capsys, "replay", file, "--pipeline", f"{PLANS}:longer", "-o", output)
    assert answer.code == 1
    run = load_run(output)
    assert run.replay_of == load_run(file).id
    assert "Answer at length." in output.read_text()
    assert run.header["findings"]


def test_a_replay_may_be_asynchronous(file, capsys):
    assert called(capsys, "replay", file, "--pipeline", f"{PLANS}:same", "--async").code == 0


def test_the_run_may_come_from_standard_input(file):
    answer = program("replay", "-", "--pipeline", f"{PLANS}:same", sent=file.read_bytes())
    assert answer.code == 0
    assert answer.out.startswith("Replay of standard input: the same as recorded.")


def test_a_run_that_fails_as_recorded_is_the_same(failed_file, capsys):
    answer = called(capsys, "replay", failed_file, "--pipeline", f"{PLANS}:failing", "--json")
    assert answer.code == 0
    assert json.loads(answer.out)["ended_as_recorded"] is True


def test_a_run_that_does_not_fail_any_more_is_another_one(failed_file, capsys):
    answer = called(capsys, "replay", failed_file, "--pipeline", f"{PLANS}:mended")
    assert answer.code == 1
    assert "output drift at part#1" in answer.out


def test_a_pipeline_that_fails_now_is_found_with_its_traceback(tmp_path, capsys):
    file = tmp_path / "mended.run.json"
    record_run(plans.mended(), {"part": {"text": "luck"}})[1].save(file)
    answer = called(capsys, "replay", file, "--pipeline", f"{PLANS}:failing")
    assert answer.code == 1
    assert "ValueError: no luck" in answer.out + answer.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "A replay needs the pipeline that was recorded."),
        (("--pipeline", "tests.no_such:thing"), "There is no module tests.no_such"),
        (("--pipeline", f"{PLANS}:PAGES"), "cannot be run: its type is"),
        (("--pipeline", f"{PLANS}:same", "--live-budget", "1"), "needs --allow-live"),
        (("--pipeline", f"{PLANS}:same", "--data", "gone.json"), "gone.json cannot be read"),
        (("--pipeline", f"{PLANS}:same", "-o", "no/such/dir/x.json"), "There is no directory"),
    ],
)
def test_what_cannot_be_done_is_said(file, capsys, arguments, words):
    answer = called(capsys, "replay", file, *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert words in answer.err


@pytest.mark.parametrize(
    "arguments",
    [("--mode", "lax"), ("--live-budget", "-1"), ("--live-budget", "x"),
     ("--live-budget-usd", "NaN"), ("--live-budget-usd", "-1"), ("--live-budget-usd", "x")],
)  # fmt: skip
def test_a_wrong_option_is_refused(file, capsys, arguments):
    assert called(capsys, "replay", file, "--pipeline", f"{PLANS}:same", *arguments).code == 2


def test_a_file_that_is_no_run_cannot_be_replayed(tmp_path, capsys):
    file = tmp_path / "no.run.json"
    file.write_text("{}")
    assert called(capsys, "replay", file, "--pipeline", f"{PLANS}:same").code == 2


def test_standard_input_cannot_be_two_things(capsys):
    arguments = ("replay", "-", "--pipeline", f"{PLANS}:same")
    assert called(capsys, *arguments, "--data", "-").code == 2
    answer = called(capsys, *arguments, "--mode", "record-new")
    assert (answer.code, "Name the file." in answer.err) == (2, True)
