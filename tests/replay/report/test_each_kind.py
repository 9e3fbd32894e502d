"""Each kind of drift, made on purpose: its path, its leaf, and what comes nearest."""

import socket

import pytest
from haystack import Document, Pipeline

from inspector import record_run
from inspector.presentation.drift_report import drift_report
from inspector.replay.api import Replayer
from inspector.replay.failure import ReplayDriftError
from inspector.runfile.drift import Drift, DriftReport
from inspector.runfile.model import PipelineRun
from tests.replay.report.parts import DATA, PAGES, TEMPLATE, Caller, OtherOracle, pages, pipeline

pytestmark = pytest.mark.haystack


@pytest.fixture(scope="module")
def run() -> PipelineRun:
    return record_run(pipeline(), DATA)[1]


LONGER = TEMPLATE.replace("Answer.", "Answer at length.")


def strictly(run: PipelineRun, target: Pipeline, **options: object) -> DriftReport:
    """Replay under STRICT and return the report, whether it raised or not."""
    replayer = Replayer(target, run, **options)  # type: ignore[arg-type]
    raised = None
    try:
        replayer.play()
    except ReplayDriftError as error:
        raised = error
    report = replayer.report
    assert report.same == (raised is None)
    assert raised is None or raised.report == report
    return report


def leniently(run: PipelineRun, target: Pipeline, **options: object) -> DriftReport:
    replayer = Replayer(target, run, mode="drift_ok", allow_live=True, **options)  # type: ignore[arg-type]
    replayer.play()
    return replayer.report


def the(report: DriftReport, kind: str, path: str) -> Drift:
    (found,) = [each for each in report.of_kind(kind) if each.path == path]
    return found


def kinds(report: DriftReport) -> set[str]:
    return {str(each.kind) for each in report.drifts if each.counts}


def test_the_recorded_pipeline_gives_no_finding(run):
    report = strictly(run, pipeline())
    assert report.drifts == ()
    assert (report.live_calls, report.verified, report.not_verified) == (0, 1, ())


def test_input(run):
    report = strictly(run, pipeline(template=LONGER))
    drift = the(report, "input", "oracle#1")
    assert drift.leaf == "prompt"
    assert drift.recorded.startswith("Answer.\nThe pump runs at dawn")
    assert drift.live.startswith("Answer at length.\nThe pump runs at dawn")
    assert (drift.candidate, drift.visit, drift.grade) == ("oracle#1", 1, "major")


def test_output(run):
    changed = pipeline()
    changed.get_component("clock").hour[0] = "dusk"
    report = leniently(run, changed)
    drift = the(report, "output", "clock#1")
    assert (drift.leaf, drift.recorded, drift.live) == ("hour", "noon", "dusk")
    assert (drift.candidate, drift.grade) == ("clock#1", "major")


AMENDED = pages(pump="The pump runs at dusk, and the pump is loud.")
ADDED = [*pages(), Document(id="pond", content="The pond has a pump, a pump for fish.")]
REMOVED = pages(pipe=None)
REORDERED = pages(pipe=PAGES["pump"], pump=PAGES["pipe"])


@pytest.mark.parametrize(
    ("documents", "severity"),
    [(AMENDED, "content"), (ADDED, "added"), (REMOVED, "removed")],
    ids=["amended", "added", "removed"],
)
def test_retrieval(run, documents, severity):
    report = strictly(run, pipeline(documents))
    drift = the(report, "retrieval", "retriever#1")
    assert (drift.visit, drift.candidate, drift.grade) == (1, "retriever#1", "major")
    assert severity in drift.details
    if severity == "content":
        assert (drift.leaf, drift.recorded, drift.live) == (
            "documents[0].content", PAGES["pump"], AMENDED[0].content,
        )  # fmt: skip
    elif severity == "added":
        assert drift.recorded is None
        assert drift.live["id"] == "pond"
    else:
        assert drift.recorded["id"] == "pipe"
        assert drift.live is None


def test_another_order_alone_is_retrieval_drift(run):
    changed = pipeline()
    retriever = changed.get_component("retriever")
    # The weights of words decide; other weights, another order of the same documents.
    store = retriever.document_store
    found = store.bm25_retrieval

    def turned(*args, **kwargs):
        return found(*args, **kwargs)[::-1]

    store.bm25_retrieval = turned
    drift = the(strictly(run, changed), "retrieval", "retriever#1")
    assert (drift.leaf, drift.grade) == ("documents[0]", "minor")
    assert (drift.recorded, drift.live) == ("pump", "vent")
    assert set(drift.details) == {"order"}


@pytest.mark.parametrize(
    "changed",
    [
        lambda: pipeline(template=LONGER),
        lambda: pipeline(hour="dusk"),
        lambda: pipeline(asks=("first",)),
        lambda: pipeline(asks=("second", "first")),
        lambda: pipeline(oracle=OtherOracle()),
    ],
    ids=["template", "clock", "fewer", "order", "class"],
)
def test_nothing_else_is_retrieval_drift(run, changed):
    report = leniently(run, changed())
    assert kinds(report)
    assert "retrieval" not in kinds(report)


def test_another_question_is_input_drift_and_no_retrieval_drift(run):
    replayer = Replayer(pipeline(), run)
    with pytest.raises(ReplayDriftError):
        replayer.play({"retriever": {"query": "vents"}})
    drift = the(replayer.report, "input", "retriever#1")
    assert (drift.leaf, drift.recorded, drift.live) == ("query", "pump", "vents")
    assert kinds(replayer.report) == {"input"}


@pytest.mark.parametrize("how", ["added", "removed", "retyped", "reconnected"])
def test_topology(run, how):
    changed = pipeline(oracle=OtherOracle() if how == "retyped" else None)
    if how == "added":
        changed.add_component("second_caller", Caller())
        changed.connect("oracle.reply", "second_caller.reply")
        path, leaf, then = "second_caller#1", "components.second_caller", None
    elif how == "removed":
        changed.remove_component("caller")
        path, leaf, then = "caller#1", "components.caller", "tests.replay.report.parts.Caller"
    elif how == "retyped":
        path, leaf = "oracle#1", "components.oracle.type"
        then = "tests.replay.report.parts.Oracle"
    else:
        changed.remove_component("caller")
        changed.add_component("caller", Caller())
        changed.connect("prompt.prompt", "caller.reply")
        path, leaf, then = "caller#1", "connections.caller.reply", "oracle.reply"
    drift = the(strictly(run, changed), "topology", path)
    assert (drift.leaf, drift.recorded or None, drift.grade) == (leaf, then, "major")


def test_missing(run):
    report = strictly(run, pipeline(asks=("first", "second", "third")))
    drift = the(report, "missing", "asker#1/inner:Oracle#3")
    assert drift.visit == 3
    assert drift.candidate == "asker#1/inner:Oracle#1"
    assert "asker#1/inner:Oracle#1 differs in prompt: “first” is now “third”" in drift.message


def test_missing_because_it_was_recorded_once_and_is_requested_twice(run):
    report = strictly(run, pipeline(asks=("first", "second", "second")))
    drift = the(report, "missing", "asker#1/inner:Oracle#3")
    assert drift.candidate == "asker#1/inner:Oracle#2"
    assert "recorded once, requested twice" in drift.message


def test_unused(run):
    report = strictly(run, pipeline(asks=("first",)))
    drift = the(report, "unused", "asker#1/inner:Oracle#2")
    assert (drift.visit, drift.candidate, drift.grade) == (2, "asker#1/inner:Oracle#2", "minor")


def test_order(run):
    report = leniently(run, pipeline(asks=("second", "first")))
    drift = the(report, "order", "asker#1/inner:Oracle#1")
    assert (drift.candidate, drift.grade) == ("asker#1/inner:Oracle#2", "minor")
    assert report.live_calls == 0


def test_a_store_that_cannot_be_asked_is_a_note(run):
    report = strictly(run, pipeline(documents=[]))
    (note,) = report.of_kind("retrieval not verified")
    assert (note.path, note.grade) == ("retriever#1", "note")
    assert report.not_verified == ("retriever#1",)
    assert report.same


def test_a_blocked_attempt_is_told_with_its_stack(run):
    with socket.create_server(("127.0.0.1", 0)) as server:
        changed = pipeline()
        changed.get_component("caller").port.append(server.getsockname()[1])
        report = strictly(run, changed)
    (drift,) = report.of_kind("blocked network attempt")
    assert drift.grade == "major"
    assert "in run" in drift.details["stack"]
    assert "parts.py" in drift.details["stack"]


def test_every_report_can_be_pasted_and_read_back(run):
    for changed in (
        pipeline(template=LONGER), pipeline(AMENDED), pipeline(documents=[]),
        pipeline(oracle=OtherOracle()), pipeline(asks=("first",)),
    ):  # fmt: skip
        report = strictly(run, changed)
        assert DriftReport.from_dict(report.to_dict()) == report
        text = drift_report(report)
        assert all(drift.path in text for drift in report.drifts)
