"""Reports: what they hold, as JSON and as text."""

import json

from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.drift_report import drift_report, drift_report_json, headline
from inspector.runfile.drift import Drift, DriftReport, bounded, first_difference_in_text
from tests.replay.report.trees import document, message

EDITED = Drift(
    kind="input", path="llm#1", visit=1, grade="major", leaf="messages[0].content[0].text",
    recorded="Answer briefly.\nWhere is the pump?", live="Answer at length.\nWhere is the pump?",
    candidate="llm#2", message="llm#1 is asked something else than was recorded.",
)  # fmt: skip
NOTE = Drift(kind="topology", path="prompt#1", visit=1, grade="note", message="Made otherwise.")
REPORT = DriftReport((EDITED, NOTE), 1, 2, 3, 4, ("retriever#1",))


def test_a_report_survives_json():
    assert DriftReport.from_dict(json.loads(json.dumps(REPORT.to_dict()))) == REPORT


def test_a_report_of_strangers_is_read_as_far_as_it_makes_sense():
    found = DriftReport.from_dict(
        {"drifts": [{"kind": 3, "visit": "x", "details": []}, 7], "live_calls": "many",
         "answered": True, "not_verified": [1, "a"]}
    )  # fmt: skip
    assert found == DriftReport((Drift("", "", 1, "major"),), not_verified=("a",))
    assert DriftReport.from_dict({"drifts": 1, "not_verified": None}) == DriftReport()


def test_notes_alone_leave_a_replay_the_same():
    assert not REPORT.same
    assert DriftReport((NOTE,)).same
    assert DriftReport(not_verified=("retriever#1",)).same


def test_what_was_not_said_is_absent():
    assert Drift("unused", "llm#1", 1, "minor").to_dict() == {
        "kind": "unused", "path": "llm#1", "visit": 1, "grade": "minor",
    }  # fmt: skip


def test_a_huge_value_makes_no_huge_report():
    deep: object = "end"
    for _ in range(100):
        deep = {"a": deep, "b": ["x" * 10_000] * 200}
    told = Drift("input", "llm#1", 1, "major", recorded=deep, live=list(range(100_000)))
    assert len(json.dumps(told.to_dict())) < 3_000_000
    assert len(bounded(list(range(1_000)))) == 51


def test_of_long_texts_the_part_is_kept_where_they_differ():
    text = "word " * 10_000
    found = Drift("input", "", 1, "major", recorded=f"{text}old", live=f"{text}new").to_dict()
    assert found["recorded"].endswith("old")
    assert found["live"].endswith("new")
    assert len(found["live"]) < 5_000


@given(st.text(max_size=30), st.text(max_size=30))
def test_the_first_difference_of_two_texts_is_found(one, other):
    at = first_difference_in_text(one, other)
    assert one[:at] == other[:at]
    assert one[at : at + 1] != other[at : at + 1] or one == other


def test_the_text_of_a_report_is_pasted_as_it_is():
    assert drift_report(REPORT, name="rag.run.json") == (
        "Replay of rag.run.json: input drift.\n"
        "2 calls answered from the recording, 3 run here,"
        " 4 run here and compared with what was found then, 1 live call.\n"
        "\n"
        "1. input drift at llm#1 (major)\n"
        "   llm#1 is asked something else than was recorded.\n"
        "   messages[0].content[0].text\n"
        "   - recorded, + now:\n"
        "   - Answer briefly.\n"
        "   + Answer at length.\n"
        "   nearest recorded call: llm#2\n"
        "\n"
        "2. topology drift at prompt#1 (note)\n"
        "   Made otherwise.\n"
        "\n"
        "Retrieval not verified: 1 call.\n"
        "   retriever#1: the recorded documents were served\n"
    )


def test_the_same_run_takes_two_lines():
    assert drift_report(DriftReport(answered=1)) == (
        "Replay: the same as recorded.\n1 call answered from the recording, none live.\n"
    )


def test_the_headline_counts_what_differs():
    twice = DriftReport((EDITED, EDITED, Drift("unused", "llm#2", 1, "minor"), NOTE))
    assert headline(twice) == "2 × input drift, unused recording"
    assert headline(DriftReport((NOTE,))) == "the same as recorded, with 1 note"


def test_every_kind_has_a_title():
    for kind, title in {
        "output": "output drift", "retrieval": "retrieval drift", "topology": "topology drift",
        "missing": "missing recording", "unused": "unused recording", "order": "order drift",
        "blocked network attempt": "blocked network attempt", "new kind": "new kind",
    }.items():  # fmt: skip
        assert headline(DriftReport((Drift(kind, "", 1, "major"),))) == title


def test_long_lines_are_shown_where_they_differ():
    told = Drift("input", "a#1", 1, "major", leaf="x", recorded="y " * 900 + "old",
                 live="y " * 900 + "new")  # fmt: skip
    text = drift_report(DriftReport((told,)))
    assert "old" in text
    assert "new" in text
    assert max(map(len, text.splitlines())) < 230


def test_values_of_haystack_are_told_in_words():
    told = Drift("retrieval", "r#1", 1, "major", leaf="documents[0]",
                 recorded=document("d1", "It runs at dawn."), live=message("Hello"))  # fmt: skip
    text = drift_report(DriftReport((told,)))
    assert "document d1: It runs at dawn." in text
    assert "user: Hello" in text


def test_what_else_differs_is_told_once():
    details = {
        "content": [{"leaf": "documents[0].content", "recorded": "a", "live": "b"}],
        "score": [{"leaf": f"documents[{n}].score", "recorded": 1, "live": 2} for n in range(20)],
    }
    told = Drift("retrieval", "r#1", 1, "major", leaf="documents[0].content", recorded="a",
                 live="b", details=details)  # fmt: skip
    text = drift_report(DriftReport((told,)))
    assert text.count("documents[0].content") == 1
    assert "score: documents[3].score: 1 → 2" in text
    assert "and 8 differences more" in text


def test_what_was_not_verified_says_why():
    why = Drift("retrieval not verified", "r#1", 1, "note", message="served, since it is empty")
    text = drift_report(DriftReport((why,), not_verified=("r#1", "r#1", "s#1")))
    assert text.startswith("Replay: the same as recorded.\n")
    assert text.endswith(
        "Retrieval not verified: 2 calls.\n"
        "   r#1: served, since it is empty\n"
        "   s#1: the recorded documents were served\n"
    )


def test_a_blocked_attempt_shows_its_stack():
    told = Drift("blocked network attempt", "", 1, "major", live="example.org:443",
                 details={"stack": "File a.py\n  connect()"})  # fmt: skip
    text = drift_report(DriftReport((told,)))
    assert "   stack:\n      File a.py\n        connect()\n" in text


def test_a_file_cannot_write_on_the_terminal():
    told = Drift("input", "a\x1b[2J#1", 1, "major", leaf="x\x1b[1m", recorded="\x1b]0;owned\x07",
                 live="ok\u202e", candidate="c\x1b", message="m\x1b",
                 details={"k\x1b": [{"leaf": "l\x1b", "recorded": "\x1b", "live": 1}]})  # fmt: skip
    text = drift_report(DriftReport((told,), not_verified=("r\x1b",)), name="n\x1b")
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text


def test_the_json_of_a_report_is_the_report_and_what_it_is_of():
    found = json.loads(drift_report_json(REPORT, recording="a.run.json"))
    assert found["recording"] == "a.run.json"
    assert found["drifts"][0]["leaf"] == EDITED.leaf
    assert found["same"] is False
