"""What can be changed at a place, what a change means for a replay, and how it is said."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.assets import asset
from inspector.presentation.change_list import change_rows, change_texts
from inspector.presentation.edited_documents import EditedDocuments, row_of, title_words
from inspector.presentation.template_parts import (
    TemplateText,
    problem_of,
    template_texts,
    with_texts,
)
from inspector.presentation.what_if import (
    Change,
    ChangeKind,
    change_words,
    difference_words,
    overrides_of,
)
from inspector.presentation.what_if_places import (
    Form,
    Place,
    answer_place,
    fault_of,
    input_places,
    menu_words,
    parameter_places,
    place_of,
    places_at,
    template_places,
)
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun


def example(name: str) -> PipelineRun:
    return load_run(Path(str(asset(f"examples/{name}.run.json"))))


@pytest.fixture(scope="module")
def rag() -> PipelineRun:
    return example("rag-answer")


@pytest.fixture(scope="module")
def agent() -> PipelineRun:
    return example("agent-tools")


def menu(run: PipelineRun, path: str, value: str = "") -> list[str]:
    span = run.at(path)
    assert span is not None
    return [menu_words(place) for place in places_at(run, span, value)]


def answer(run: PipelineRun, path: str) -> Place:
    span = run.at(path)
    assert span is not None
    place = answer_place(span)
    assert place is not None
    return place


def test_at_an_llm_its_answer_and_the_template_of_its_prompt_can_be_changed(
    rag: PipelineRun,
) -> None:
    assert menu(rag, "llm#1") == [
        "Change the answer of llm#1…",
        "Change the template of prompt_builder…",
    ]


def test_at_a_value_what_made_it_comes_first(rag: PipelineRun) -> None:
    assert menu(rag, "llm#1", "inputs.messages[0]")[0] == "Change the template of prompt_builder…"
    assert menu(rag, "prompt_builder#1", "inputs.documents[2]")[0] == (
        "Change the documents of retriever#1…"
    )
    assert menu(rag, "retriever#1", "inputs.query")[0] == "Change the input query of retriever…"


def test_a_document_that_was_pointed_at_is_the_one_that_is_shown(rag: PipelineRun) -> None:
    span = rag.at("retriever#1")
    assert span is not None
    (place, *_rest) = places_at(rag, span, "outputs.documents[2].content")
    assert place.form is Form.DOCUMENTS
    assert row_of(place.focus) == 2


def test_an_agent_offers_its_prompt_its_model_and_the_results_of_its_tools(
    agent: PipelineRun,
) -> None:
    path = "assistant#1/step0/tool:read_sensor[0]"
    assert menu(agent, path)[0] == f"Change the result of {path}…"
    assert "Change the system prompt of assistant…" in menu(agent, path)
    span = agent.at("assistant#1/step0/llm")
    assert span is not None
    names = [place.name for place in parameter_places(agent, span)]
    assert "chat_generator.model" in names
    assert not [name for name in names if "api_key" in name]


def test_a_call_that_failed_can_be_given_a_result(agent: PipelineRun) -> None:
    place = answer(agent, "assistant#1/step0/tool:read_sensor[1]")
    assert place.recorded is None
    assert not fault_of(agent, place, "55 %")


def test_components_inside_others_go_by_the_names_on_the_way() -> None:
    run = example("untaken-branch")
    assert [place.at for place in template_places(run)] == [
        "front_desk",
        "technician/prompt_builder",
        "technician/agent",
    ]


def test_changes_are_handed_to_a_replay_as_it_takes_them(rag: PipelineRun) -> None:
    model = Change(ChangeKind.PARAMETER, "assistant", "chat_generator.model", "a", "b")
    steps = Change(ChangeKind.PARAMETER, "assistant", "max_agent_steps", 5, 2)
    query = next(each for each in input_places(rag) if each.at == "retriever").changed("Why?")
    alone = Change(ChangeKind.INPUT, "", "query", "a", "b")
    said = answer(rag, "llm#1").changed({"replies": []})
    assert overrides_of([model, steps, query, alone, said]) == {
        "parameters": {"assistant": {"chat_generator.model": "b", "max_agent_steps": 2}},
        "inputs": {"retriever": {"query": "Why?"}, "query": "b"},
        "answers": {"llm#1": {"replies": []}},
    }
    assert overrides_of([]) == {}


def test_a_template_is_taken_apart_and_put_together_as_it_was(rag: PipelineRun) -> None:
    (place,) = template_places(rag)
    texts = template_texts(place.recorded)
    assert [each.role for each in texts] == ["system", "user"]
    assert with_texts(place.recorded, texts) == place.recorded
    changed = with_texts(place.recorded, [texts[0]._replace(text="Be brief."), texts[1]])
    assert changed[0]["content"] == [{"text": "Be brief."}]
    assert changed[1] == place.recorded[1]
    assert difference_words(place.changed(changed)).endswith("→ “Be brief.”")


def test_messages_of_a_template_come_and_go(rag: PipelineRun) -> None:
    (place,) = template_places(rag)
    system, user = template_texts(place.recorded)
    more = with_texts(place.recorded, [system, TemplateText("user", "One more."), user])
    assert [message["role"] for message in more] == ["system", "user", "user"]
    assert difference_words(place.changed(more)) == "3\u202fmessages instead of 2"
    fewer = with_texts(place.recorded, [user])
    assert fewer == place.recorded[1:]
    titles = [each.title for each in change_texts(place.changed(more))]
    assert titles == ["2 user"]


def test_a_template_keeps_the_pictures_that_stand_in_it() -> None:
    picture = {"image": {"mime_type": "image/png"}}
    template = [{"role": "user", "meta": {}, "content": [{"text": "a"}, picture, {"text": "b"}]}]
    (text,) = template_texts(template)
    assert text.text == "a\nb"
    (message,) = with_texts(template, [text._replace(text="c")])
    assert message["content"] == [{"text": "c"}, picture]


def test_what_is_no_template_is_said(rag: PipelineRun) -> None:
    (place,) = template_places(rag)
    system, user = template_texts(place.recorded)
    assert problem_of(place.recorded, []) == "A template needs at least one message."
    assert problem_of(place.recorded, [system, user._replace(text=" ")]).startswith("Message 2")
    assert problem_of(place.recorded, [user._replace(role="narrator")]).endswith("assistant.")
    assert problem_of(place.recorded, [system, user]) == ""


def documents(rag: PipelineRun) -> tuple[Place, EditedDocuments]:
    place = answer(rag, "retriever#1")
    return place, EditedDocuments.of(place.recorded, place.recorded)


def test_documents_are_taken_out_added_moved_and_scored(rag: PipelineRun) -> None:
    place, edited = documents(rag)
    ids = [each["id"] for each in edited.documents]
    changed = edited.without(0).moved(2, 0).changed(1, "score", 9.5).with_new(0)
    value = changed.value()
    assert [each["id"] for each in value["documents"]] == [ids[3], "what-if-1", ids[1], ids[2]]
    assert value["documents"][2]["score"] == 9.5
    assert title_words(changed) == "4 documents · 1 removed · 1 added"
    words = change_words(place.changed(value))
    assert words.startswith("Documents of retriever#1: document 1 (")
    for part in ("removed", "added", "in another order", "score of document 3"):
        assert part in words
    assert place.recorded["documents"][0]["id"] == ids[0], "the recording stays as it is"


def test_a_list_without_documents_still_is_a_list_of_them(rag: PipelineRun) -> None:
    place, edited = documents(rag)
    for _ in range(4):
        edited = edited.without(0)
    assert edited.value()["documents"] == []
    again = EditedDocuments.of(edited.value(), place.recorded)
    assert again.documents == ()
    assert place_of(place.changed(edited.value())).form is Form.DOCUMENTS
    assert not fault_of(rag, place, edited.value())


@given(
    st.lists(st.tuples(st.sampled_from("romn"), st.integers(0, 5), st.integers(0, 5)), max_size=12)
)
def test_whatever_is_done_to_documents_every_id_stands_there_once(
    steps: list[tuple[str, int, int]],
) -> None:
    recorded = {"documents": [{"$": "document", "id": str(n), "content": "x"} for n in range(3)]}
    edited = EditedDocuments.of(recorded, recorded)
    for what, at, to in steps:
        if what == "n":
            edited = edited.with_new(min(at, len(edited.documents) - 1))
        elif at < len(edited.documents):
            edited = edited.without(at) if what == "r" else edited.moved(at, to)
    ids = [each["id"] for each in edited.documents]
    assert len(set(ids)) == len(ids)
    assert len(edited.rows()) == len(ids)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("one two three", "one 2 three", "“two” → “2”"),
        ("a help.", "a help.\nIn French.", "added “In French.”"),
        ("same start", "same", "removed “start”"),
        (4, 2, "4 → 2"),
        ({"text": "dry"}, {"text": "wet"}, "“dry” → “wet”"),
    ],
)
def test_a_difference_is_said_briefly(before: Any, after: Any, words: str) -> None:
    change = Change(ChangeKind.ANSWER, "step0/tool:look_up[0]", "", before, after)
    assert difference_words(change) == words
    assert change_words(change).startswith("Result of step0/tool:look_up[0]: ")


def test_every_change_can_be_heard(rag: PipelineRun) -> None:
    changes = [each.changed("Why?") for each in input_places(rag)]
    spoken = [row.spoken for row in change_rows(changes)]
    assert spoken[0].startswith("Input query of retriever, ")
