"""What of a run can be cut, wherever it stands, and what that leaves; without a replay."""

import json
from typing import Any

import pytest

from inspector.assets import asset
from inspector.diff.answer import answer_of
from inspector.errors import InspectorError
from inspector.export.shrink import Progress, shrink
from inspector.export.shrink_draft import draft_of
from inspector.export.shrink_keep import (
    choices,
    keep_answer,
    keep_by_default,
    keep_divergence,
    keep_failure,
    keep_finding,
    keep_named,
)
from inspector.export.shrink_spans import turns, without_spans
from inspector.export.shrink_walk import Found, Without, item_key, pieces, without_pieces
from inspector.presentation.decided import decided
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from inspector.runfile.value import is_document, is_message
from tests.export.examples import EXAMPLES, example
from tests.export.shrunk import new_words

ODD = "route-not-taken"


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_run_that_was_taken_to_pieces_is_still_that_run(name: str) -> None:
    run = example(name)
    again = load_run(draft_of(run).data())
    assert again.verify().state == "ok"
    assert [span.raw for span in again.spans] == [span.raw for span in run.spans]
    assert [span.outputs for span in again.spans] == [span.outputs for span in run.spans]
    assert again.header == run.header


def nodes(tree: Any) -> list[Any]:
    """Return a tree and all that is in it."""
    found = [tree]
    inner = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    for each in inner:
        found += nodes(each)
    return found


def test_a_document_is_cut_wherever_it_stands() -> None:
    draft = draft_of(example("rag-answer"))
    short = draft.with_values(Without(items=[("documents", "valve-screen")]))
    run = load_run(short.data())
    found = [node for span in run.spans for tree in (span.inputs, span.outputs)
             for node in nodes(tree) if is_document(node)]  # fmt: skip
    assert {node["id"] for node in found} == {"watering-schedule", "error-f12", "pump-filter"}
    assert "valve-screen" in {node["id"] for span in example("rag-answer").spans
                              for node in nodes(span.inputs) if is_document(node)}  # fmt: skip


def test_a_message_is_cut_out_of_every_history_that_goes_on_from_it() -> None:
    run = example("agent-tools")
    draft = draft_of(run)
    found = Found()
    draft.with_values(found)
    gone = [key for key in found.items if key[0] == "messages"][1]
    short = load_run(draft.with_values(Without(items=[gone])).data())
    before = [histories(span.inputs) for span in run.spans if span.kind == "llm"]
    after = [histories(span.inputs) for span in short.spans if span.kind == "llm"]
    assert len(before) == 4
    assert [len(each) for each in after] == [len(each) - 1 for each in before]
    assert all(message in one for one, other in zip(before, after, strict=True)
               for message in other)  # fmt: skip


def histories(tree: Any) -> list[Any]:
    return [node for node in nodes(tree) if is_message(node)]


def test_steps_that_follow_one_that_was_cut_out_are_counted_anew() -> None:
    draft = draft_of(example("agent-tools"))
    step = next(span["id"] for span in draft.spans if span.get("step") == 1)
    left = without_spans(draft, [step], as_if_never=True)
    steps = [span for span in left.spans if span["kind"] == "step"]
    assert [(span["path"], span["step"], span["name"]) for span in steps] == [
        (f"assistant#1/step{at}", at, f"step {at}") for at in range(3)
    ]
    assert "assistant#1/step1/tool:plan_chore[1]" in [span["path"] for span in left.spans]


def test_calls_and_rounds_that_follow_are_counted_anew_too() -> None:
    draft = draft_of(example("agent-tools"))
    first = next(str(span["id"]) for span in draft.spans
                 if span["path"].endswith("step0/tool:read_sensor[0]"))  # fmt: skip
    left = without_spans(draft, [first], as_if_never=True)
    calls = [span for span in left.spans if "step0/tool:" in span["path"]]
    assert [span["path"].rpartition("tool:")[2] for span in calls] == [
        "read_sensor[0]", "search_manual[1]",
    ]  # fmt: skip
    assert [span["tool_call"]["index"] for span in calls] == [0, 1]

    loop = draft_of(example("validator-loop"))
    second = list(turns(loop))[1]
    left = without_spans(loop, second, as_if_never=True)
    visits = [span["path"] for span in left.spans if span["name"] in ("llm", "validator")]
    assert visits == ["llm#1", "validator#1", "llm#2", "validator#2"]


def test_a_text_comes_apart_into_sentences_and_words_and_loses_some() -> None:
    text = "One is here for long. Two is longer than one. Three is there.\nFour ends it."
    assert "".join(pieces(text)) == text
    assert len(pieces(text)) == 4
    assert without_pieces(text, [1, 2]) == "One is here for long. …Four ends it."
    assert without_pieces(text, range(4)) == "…"
    words = "word " * 40
    assert "".join(pieces(words)) == words
    assert 1 < len(pieces(words)) <= 16
    assert len(pieces("x" * 100)) == 2
    assert pieces("short") == ["short"]


def test_what_is_shown_can_be_chosen_by_name() -> None:
    names = [choice.name for choice in choices(example("agent-tools"))]
    assert names[:2] == ["answer", "ending/assistant#1/agent#1"]
    assert "tool/assistant#1/step0/tool:read_sensor[1]" in names
    assert "finding/retried" in names
    for name in ("crash", "agent-tools", "rag-answer", "validator-loop"):
        run = example(name)
        for choice in choices(run):
            keep = keep_named(run, choice.name)
            assert keep.holds(run)
            assert keep.name == choice.name
    assert keep_by_default(example("crash")).name == "failure"
    assert keep_by_default(example("rag-answer")).name == "answer"
    plain = keep_named(example("crash"), "retriever#1")
    assert plain.name == "documents/retriever#1"


@pytest.mark.parametrize("name", ["tool/nowhere", "", "finding/nonsense", "finding/cut-off"])
def test_what_is_not_there_cannot_be_chosen(name: str) -> None:
    with pytest.raises(InspectorError, match=r"shows nothing called|no rule|finds nothing"):
        keep_named(example("crash"), name)


def test_only_a_run_that_failed_has_a_failure_and_only_one_that_answered_an_answer() -> None:
    with pytest.raises(InspectorError, match="did not fail"):
        keep_failure(example("rag-answer"))
    with pytest.raises(InspectorError, match="gave no answer"):
        keep_answer(example("crash"))
    run = example("rag-answer")
    with pytest.raises(InspectorError, match="decided the same"):
        keep_divergence(run, run)


def shrunk_to_finding(run: PipelineRun, **more: Any) -> Any:
    return shrink(run, [keep_finding(run, ODD)], None, **more)


def test_a_finding_is_kept_without_a_replay_and_the_run_is_left_as_it_was() -> None:
    data = asset("examples/untaken-branch.run.json").read_bytes()
    run = load_run(data)
    found = shrunk_to_finding(run)
    assert keep_finding(run, ODD).holds(found.run)
    assert found.run.verify().state == "ok"
    assert found.is_smallest
    assert len(found.data) * 4 < found.size_before
    assert len(found.run.spans) < len(run.spans)
    said = found.run.header["extensions"]["inspector"]["shrunk"]
    assert said["kept"] == [f"finding/{ODD}"]
    assert said["cut"] == dict(sorted(found.cut.items()))
    assert "components" in said["cut"]
    assert any("cut out of the run" in note["why"] for note in found.run.not_recorded)
    assert not new_words(data, found.data)
    assert load_run(data).header == run.header
    assert shrunk_to_finding(load_run(data)).data == found.data


def test_what_is_smallest_is_left_as_it_is() -> None:
    small = shrunk_to_finding(example("untaken-branch"))
    again = shrunk_to_finding(small.run)
    assert again.cut == {}
    assert again.data == small.data
    assert again.is_smallest


def test_an_interrupt_leaves_the_smallest_so_far() -> None:
    sizes: list[int] = []

    def interrupt(progress: Progress) -> None:
        sizes.append(progress.size)
        if len(set(sizes)) == 3:
            raise KeyboardInterrupt

    run = example("untaken-branch")
    found = shrunk_to_finding(run, progress=interrupt)
    assert found.ended == "interrupted"
    assert not found.is_smallest
    assert sizes[-1] < len(found.data) < found.size_before  # and what it says of itself
    assert keep_finding(run, ODD).holds(found.run)


@pytest.mark.parametrize(("more", "ended"), [({"most_tries": 2}, "tries"), ({"most_s": 0}, "time")])
def test_it_ends_after_as_many_tries_and_as_long_as_was_said(
    more: dict[str, Any], ended: str
) -> None:
    found = shrunk_to_finding(example("untaken-branch"), **more)
    assert found.ended == ended
    assert found.tries <= 2
    assert keep_finding(example("untaken-branch"), ODD).holds(found.run)


def test_the_first_decision_that_differs_stays_the_first() -> None:
    run, other = example("rag-answer"), example("rag-other-document")
    keep = keep_divergence(run, other)
    found = shrink(run, [keep], None)
    assert keep.holds(found.run)
    assert len(found.data) < found.size_before / 4


def test_references_that_go_round_and_long_ladders_of_them_end() -> None:
    tree = json.loads(asset("examples/untaken-branch.run.json").read_text("utf-8"))
    values = tree["values"]
    values["round"] = [{"$ref": "round"}, "round and round it goes, and never does it end"]
    values["step0"] = ["a text that is long enough to be cut out of all of them"] * 2
    for at in range(60):
        values[f"step{at + 1}"] = [{"$ref": f"step{at}"}, {"$ref": f"step{at}"}]
    tree["spans"][1]["outputs"] = {"ladder": {"$ref": "step60"}, "round": {"$ref": "round"}}
    run = load_run(json.dumps(tree).encode())
    found = shrunk_to_finding(run)
    assert found.is_smallest
    assert b"step6" not in found.data


def nested(depth: int) -> PipelineRun:
    tree = json.loads(asset("examples/untaken-branch.run.json").read_text("utf-8"))
    tree["spans"][1]["outputs"] = "HERE"
    text = "at the bottom stands a text that is long enough to be cut"
    deep = "[" * depth + json.dumps(text) + "]" * depth
    return load_run(json.dumps(tree).replace('"HERE"', deep).encode())


@pytest.mark.parametrize("depth", [100, 240])
def test_what_is_nested_deeply_is_cut_as_well(depth: int) -> None:
    run = nested(depth)
    found = shrunk_to_finding(run)
    assert keep_finding(run, ODD).holds(found.run)
    assert b"at the bottom" not in found.data


def test_what_is_nested_too_deeply_is_said() -> None:
    run = nested(600)
    with pytest.raises(InspectorError, match="nested too deeply to be cut"):
        shrunk_to_finding(run)


def test_an_item_is_known_by_what_it_is() -> None:
    document = {"$": "document", "id": "a", "content": "x", "score": 1.0}
    assert item_key(document) == item_key({**document, "score": 2.0}) == ("documents", "a")
    assert item_key({"$": "tool", "name": "search"}) == ("tools", "search")
    assert item_key(1.5) == item_key(None) == ("", "")
    assert item_key("a")[0] == "items"


def test_decisions_and_answer_do_not_change_by_taking_a_run_to_pieces() -> None:
    run = example("agent-tools")
    again = load_run(draft_of(run).data())
    assert decided(again) == decided(run)
    assert answer_of(again) == answer_of(run)
