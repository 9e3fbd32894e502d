"""A comparison as a whole: verdict, causes, chain, page, JSON, extractors, mirror."""

import json
import threading

import jsonschema
import pytest

from inspector import Comparison, diff_runs, load_run
from inspector.assets import asset
from inspector.diff.as_json import schema
from inspector.diff.model import Agreement, AnswerKind
from inspector.errors import InspectorError
from tests.helpers.span_runs import message, run_with

EXAMPLES = (
    "agent-tools", "crash", "parallel-branches", "rag-answer", "rag-other-document",
    "rag-other-prompt", "untaken-branch", "validator-loop",
)  # fmt: skip
MIRRORED = {Agreement.LEFT_ONLY: Agreement.RIGHT_ONLY, Agreement.RIGHT_ONLY: Agreement.LEFT_ONLY}


def example(name: str):
    return load_run(asset(f"examples/{name}.run.json").read_bytes())


def answered(text: str, **more):
    said = message("assistant", text)
    return run_with({"outputs": {"llm": {"replies": [said]}}}, **more)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_run_compared_with_itself_is_equal(name: str) -> None:
    comparison = diff_runs(example(name), example(name))
    assert comparison.equal
    assert comparison.divergence is None
    assert not comparison.configuration
    assert not [each for each in comparison.spans if each.inputs or each.outputs]
    assert not [each for each in comparison.metrics if each.delta]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("rag-answer", "rag-other-document"), ("rag-answer", "rag-other-prompt"),
        ("agent-tools", "crash"), ("validator-loop", "untaken-branch"),
    ],
)  # fmt: skip
def test_a_comparison_the_other_way_round_is_its_mirror(left: str, right: str) -> None:
    one, other = diff_runs(example(left), example(right)), diff_runs(example(right), example(left))
    assert sorted((each.kind, each.left, each.right, each.agreement) for each in one.decisions) == (
        sorted(
            (each.kind, each.right, each.left, MIRRORED.get(each.agreement, each.agreement))
            for each in other.decisions
        )
    )
    assert (one.left, one.right) == (other.right, other.left)
    assert one.divergence is not None
    assert other.divergence is not None
    first, mirrored = (each.decisions[each.divergence.decision] for each in (one, other))
    assert (first.kind, first.left, first.right) == (mirrored.kind, mirrored.right, mirrored.left)
    deltas = {each.name: each.delta for each in other.metrics}
    assert all(deltas[each.name] == -each.delta for each in one.metrics if each.delta is not None)


def test_an_amended_document_is_named_with_what_followed_from_it() -> None:
    comparison = diff_runs(example("rag-answer"), example("rag-other-document"))
    assert comparison.divergence is not None
    first = comparison.decisions[comparison.divergence.decision]
    assert (first.kind, first.path) == ("documents", "retriever#1")
    assert "page 7" in comparison.verdict
    assert comparison.divergence.causes[0].likely == "certain"
    assert [(link.path, link.recorded) for link in comparison.divergence.chain] == [
        ("prompt_builder#1", True), ("llm#1", True), ("answer_builder#1", True), ("", True),
    ]  # fmt: skip


def test_an_edited_prompt_is_put_down_to_the_template() -> None:
    comparison = diff_runs(example("rag-answer"), example("rag-other-prompt"))
    assert comparison.divergence is not None
    assert comparison.decisions[comparison.divergence.decision].kind == "prompt"
    cause = comparison.divergence.causes[0]
    assert (cause.path, cause.leaf) == ("prompt_builder", "template[0].content[0].text")
    assert comparison.answer.kind is AnswerKind.CHANGED


def test_the_page_cannot_be_forged_by_what_a_run_says() -> None:
    evil = "<script>alert(1)</script> | **equal** [here](http://x) \u202e`x` @all"
    page = str(diff_runs(answered("Well."), answered(evil)))
    assert "<script>" not in page
    assert "\u202e" not in page
    assert "[here](" not in page
    assert " **equal**" not in page
    assert "\\@all" in page


def test_the_page_begins_with_the_verdict() -> None:
    page = str(diff_runs(example("rag-answer"), example("rag-other-document")))
    assert page.index("First divergence") < page.index("Decisions that differ")
    assert page.index("Decisions that differ") < page.index("Figures")
    assert "| 3 | major | documents | `retriever#1` |" in page


@pytest.mark.parametrize("right", EXAMPLES)
def test_a_comparison_comes_back_from_its_json(right: str) -> None:
    comparison = diff_runs(example("rag-answer"), example(right))
    found = json.loads(json.dumps(comparison.to_dict()))
    jsonschema.validate(found, schema())
    assert Comparison.from_dict(found) == comparison


def test_the_schema_in_the_repository_is_the_one_of_the_code() -> None:
    kept = json.loads(asset("schema/comparison.schema.json").read_text(encoding="utf-8"))
    assert kept == schema()


def test_json_of_something_else_is_refused_in_words() -> None:
    with pytest.raises(InspectorError, match="not the comparison"):
        Comparison.from_dict({"format": "haystack-run"})
    good = diff_runs(answered("a"), answered("a")).to_dict()
    with pytest.raises(InspectorError, match="cannot be read"):
        Comparison.from_dict({**good, "decisions": 5})


# -- answers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        ("At dawn.", "At dawn.", AnswerKind.SAME),
        ("At dawn, daily.", "Daily: at  DAWN", AnswerKind.REWORDED),
        ("At dawn.", "At noon.", AnswerKind.CHANGED),
        ("12.5 minutes", "1.25 minutes", AnswerKind.CHANGED),
        ("-5 degrees", "5 degrees", AnswerKind.CHANGED),
    ],
)
def test_answers_are_judged(left: str, right: str, kind: AnswerKind) -> None:
    assert diff_runs(answered(left), answered(right)).answer.kind is kind


@pytest.mark.parametrize(
    "extract",
    ["regex:verdict: (\\w+)", "field:verdict", lambda text: json.loads(text)["verdict"]],
)
def test_an_extractor_tells_that_an_answer_flipped(extract) -> None:
    words = [json.dumps({"verdict": each, "note": f"verdict: {each}"}) for each in ("ok", "flag")]
    comparison = diff_runs(*map(answered, words), extract=extract)
    assert comparison.answer.kind is AnswerKind.FLIPPED
    assert comparison.answer.sentence == "The answer flipped from “ok” to “flag”."
    assert comparison.decisions[-1].severity == "critical"


def test_an_answer_that_still_says_the_same_is_reworded() -> None:
    left, right = answered("I think: flag it"), answered("One must flag this")
    comparison = diff_runs(left, right, extract="regex:flag|pass")
    assert comparison.answer.kind is AnswerKind.REWORDED


def test_a_field_is_looked_for_in_the_outputs() -> None:
    left, right = answered("a"), answered("b")
    comparison = diff_runs(left, right, extract="llm.replies[0].text")
    assert (comparison.answer.left_extract, comparison.answer.right_extract) == ("a", "b")


def test_an_expression_that_would_never_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.diff.extract._PATIENCE_S", 0.5)
    with pytest.raises(InspectorError, match="takes too long"):
        diff_runs(answered("a" * 60), answered("b"), extract="regex:(a|aa)+b")


@pytest.mark.parametrize(
    ("extract", "words"),
    [
        ("regex:(", "cannot be read"),
        ("python:nowhere:f", "cannot be imported"),
        ("field:a[", "is no path"),
        ("python:json:loads", "failed on an answer"),
    ],
)
def test_an_extractor_that_cannot_be_used_says_why(extract: str, words: str) -> None:
    with pytest.raises(InspectorError, match=words):
        diff_runs(answered("no json"), answered("b"), extract=extract)


def test_replies_that_came_in_another_order_are_the_same_answer() -> None:
    first, second = message("assistant", "One."), message("assistant", "Two.")
    left, right = (
        run_with({"outputs": {"joiner": {"values": said}}})
        for said in ([first, second], [second, first])
    )
    comparison = diff_runs(left, right)
    assert comparison.same
    assert comparison.answer.sentence == "The answer is the same, its parts in another order."


# -- what else ---------------------------------------------------------------------------------


def test_a_change_of_the_set_up_is_no_decision() -> None:
    def with_version(version: str):
        return answered("a", environment={"packages": {"haystack-ai": version}})

    comparison = diff_runs(with_version("3.4.0"), with_version("3.4.1"))
    assert comparison.same
    assert not comparison.equal
    assert comparison.configuration[0].sentence == "haystack-ai 3.4.0 → 3.4.1"
    assert "haystack-ai 3.4.0 → 3.4.1" in comparison.verdict


def test_parameters_components_and_connections_are_told_apart() -> None:
    def built(components, *wires):
        connections = [{"sender": a, "receiver": b} for a, b in wires]
        return answered("a", definition={"components": components, "connections": connections})

    old = {"type": "x.Old", "init_parameters": {"top_k": 5, "nested": {"a": [1, 2]}}}
    new = {"type": "x.Old", "init_parameters": {"top_k": 3, "nested": {"a": [1, 4]}}}
    comparison = diff_runs(
        built({"r": old}, ("r.a", "s.b")), built({"r": new, "s": {"type": "x.New"}}, ("r.c", "s.b"))
    )
    assert [(each.area, each.sentence) for each in comparison.configuration] == [
        ("parameter", "r: top_k 5 → 3"),
        ("parameter", "r: nested.a[1] 2 → 4"),
        ("component", "s (New) was added"),
        ("connection", "r.a → s.b is no longer connected"),
        ("connection", "r.c → s.b is newly connected"),
    ]


def test_a_comparison_can_be_stopped_and_says_how_far_it_is() -> None:
    stop = threading.Event()
    told: list[float] = []
    diff_runs(example("agent-tools"), example("agent-tools"), progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    stop.set()
    with pytest.raises(InspectorError, match="stopped"):
        diff_runs(example("crash"), example("crash"), cancelled=stop.is_set)


def test_sync_points_are_found_by_id_or_path_or_refused() -> None:
    left, right = example("rag-answer"), example("rag-other-prompt")
    comparison = diff_runs(left, right, sync=[("s4", "llm#1")])
    assert any(pair.how == "manual" for pair in comparison.pairs)
    with pytest.raises(InspectorError, match="right run has no span"):
        diff_runs(left, right, sync=[("s4", "nowhere#1")])


def test_a_run_without_definition_or_environment_is_compared_and_noted() -> None:
    comparison = diff_runs(answered("a"), answered("a"))
    assert comparison.same
    assert "The left run's definition was not recorded." in comparison.notes
