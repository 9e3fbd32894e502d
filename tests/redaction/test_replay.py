# ruff: noqa: E501 - runs and cases in a line each
"""Redacted recordings replay: live values are redacted by the rules in the file first."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("haystack", reason="replays run Haystack's pipelines")

from haystack import Document, Pipeline, component
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage, StreamingChunk
from haystack.document_stores.in_memory import InMemoryDocumentStore

from inspector import Redaction, ReplayDriftError, load_run, record_run, redact_run
from inspector.redaction.likeness import pairs, without_numbers
from inspector.redaction.placeholders import Placeholders
from inspector.replay.api import Replayer
from tests.helpers.openai_server import KEY_VARIABLE
from tests.helpers.secret_world import AT, credentials

FOLDER = Path(__file__).parents[2] / "resources" / "examples"
NAMES = sorted(path.name.removesuffix(".run.json") for path in FOLDER.glob("*.run.json"))
SALT = "a salt that the whole team knows"
# Words that stand all over the bundled runs: in prompts, documents, answers, tool calls.
# None of them is a key of JSON that a live component reads: that would be another program.
TERMS = ("pump", "valve", "water", "manual", "moisture", "sensor", "greenhouse", "tomato", "the")
REDACTIONS = {
    "numbered": Redaction(terms=TERMS, rules={"number": "[0-9]+ (?:litres|minutes|percent|%)"}, environment=False),
    "salted": Redaction(terms=TERMS, salt=SALT, environment=False),
}  # fmt: skip
MAIL = f"jo.doe{AT}example.org"
OTHER = f"kim{AT}example.org"
TOKEN = next(case.secret for case in credentials() if case.kind == "anthropic")


@pytest.fixture(scope="module")
def scenes() -> Iterator[dict[str, Any]]:
    """Yield the scenes, made as they were when the examples were recorded."""
    before = set(sys.modules)
    sys.path.insert(0, str(FOLDER))
    try:
        from desk_scenes import DESK_SCENES  # type: ignore[import-not-found]
        from manual_scenes import MANUAL_SCENES  # type: ignore[import-not-found]

        yield {scene.name: scene for scene in (*MANUAL_SCENES, *DESK_SCENES)}
    finally:
        sys.path.remove(str(FOLDER))
        for name in {"desk_scenes", "manual_scenes", "greenhouse", "scene"} - before:
            sys.modules.pop(name, None)


@pytest.mark.parametrize("form", REDACTIONS)
@pytest.mark.parametrize("name", NAMES)
def test_a_redacted_example_replays_strict(name, form, scenes, monkeypatch):
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    scene = scenes[name]
    redaction = REDACTIONS[form]
    copy, report = redact_run(load_run(FOLDER / f"{name}.run.json"), redaction)
    assert report.count >= 10
    replayer = Replayer(scene.build(), copy, redact=redaction)
    if scene.fails:
        with pytest.raises(Exception, match="failed to run"):
            replayer.play()
    else:
        replayer.play()
    assert [drift.message for drift in replayer.report.drifts if drift.grade != "note"] == []
    assert replayer.report.live_calls == 0
    assert replayer.report.answered > 0


@component
class Model:
    """A model that answers from what it is asked, and streams."""

    def __init__(self, says: str = "I wrote it down"):
        self.says = says

    @component.output_types(replies=list[ChatMessage])
    def run(self, prompt: str, streaming_callback: Any = None) -> dict[str, Any]:
        text = f"{self.says}: {prompt[-60:]}"
        for at in range(0, len(text), 4):
            if streaming_callback:
                streaming_callback(StreamingChunk(content=text[at : at + 4]))
        return {"replies": [ChatMessage.from_assistant(text)]}


def build(
    template: str = "Docs: {% for d in documents %}{{ d.content }} {% endfor %} Asked by {{ who }}",
) -> Pipeline:
    store = InMemoryDocumentStore()
    store.write_documents([
        Document(content=f"The pump is looked after by {OTHER}, day and night."),
        Document(content=f"The key {TOKEN} opens the pump house; ask {MAIL}."),
    ])  # fmt: skip
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store))
    pipeline.add_component("prompt", PromptBuilder(template, required_variables="*"))
    pipeline.add_component("model", Model())
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "model.prompt")
    return pipeline


def data(who: str = MAIL) -> dict[str, Any]:
    return {"retriever": {"query": "pump"}, "prompt": {"who": who}}


RULES = [Redaction(environment=False), Redaction(environment=False, salt=SALT)]


@pytest.fixture(params=RULES, ids=["numbered", "salted"])
def redaction(request, monkeypatch):
    if request.param.salt is not None:
        monkeypatch.setenv("RUN_INSPECTOR_SALT", SALT)
    return request.param


@pytest.fixture
def recorded(redaction):
    _, run = record_run(build(), data(), redact=redaction)
    return run


def test_live_secrets_are_those_of_the_recording(recorded):
    assert MAIL not in str(recorded.spans[0].inputs)
    replayer = Replayer(build(), recorded)
    replayer.play(data())
    assert replayer.report.drifts == ()
    assert replayer.report.live_calls == 0


def test_the_run_of_such_a_replay_holds_no_secret_either(recorded, tmp_path):
    replayer = Replayer(build(), recorded)
    replayer.play(data())
    replayer.run.save(tmp_path / "again.run.json")
    text = (tmp_path / "again.run.json").read_text()
    for secret in (MAIL, OTHER, TOKEN):
        assert secret not in text
    assert replayer.run.header["redacted"]["names"] == "names not checked"


def test_the_recorded_inputs_replay_as_they_are(recorded):
    replayer = Replayer(build(), recorded)
    replayer.play()
    assert replayer.report.live_calls == 0
    assert [drift for drift in replayer.report.drifts if drift.grade != "note"] == []


def test_another_secret_is_another_one(recorded):
    """The caller is somebody else now, who stands in a document already."""
    with pytest.raises(ReplayDriftError):
        Replayer(build(), recorded).play(data(OTHER))


def test_an_edited_template_is_still_a_drift(recorded):
    with pytest.raises(ReplayDriftError):
        Replayer(build("Dokumente: {{ documents | length }} von {{ who }}"), recorded).play(data())


def test_a_copy_of_a_plain_recording_replays_with_live_secrets(redaction):
    _, run = record_run(build(), data(), redact=False)
    copy, _ = redact_run(run, redaction)
    replayer = Replayer(build(), copy)
    replayer.play(data())
    assert replayer.report.drifts == ()


def test_without_the_salt_placeholders_are_told_apart_by_where_they_stand(monkeypatch):
    monkeypatch.delenv("RUN_INSPECTOR_SALT", raising=False)
    _, run = record_run(build(), data(), redact=Redaction(environment=False, salt=SALT))
    replayer = Replayer(build(), run)
    replayer.play(data())
    assert replayer.report.drifts == ()


def test_terms_and_fields_come_from_the_caller_and_the_file():
    rules = Redaction(terms=["pump"], fields=["inputs.who"], environment=False)
    _, run = record_run(build(), data(), redact=rules)
    assert run.at("prompt#1").inputs["who"].startswith("<field:")
    replayer = Replayer(build(), run, redact=rules)
    replayer.play()
    assert [drift for drift in replayer.report.drifts if drift.grade != "note"] == []


def test_numbers_agree_one_to_one_or_not_at_all():
    numbers = Placeholders(taken={"email": 2})
    one, two = numbers.of("email", b"one"), numbers.of("email", b"two")
    assert (one, two) == ("<email:3>", "<email:4>")
    assert not numbers.agree([(one, "<email:1>"), (two, "<email:1>")])
    assert numbers.of("email", b"one") == one  # all or nothing
    assert numbers.agree([(one, "<email:1>"), (one, "<email:1>"), ("<email:2>", "<email:2>")])
    assert numbers.of("email", b"one") == "<email:1>"
    assert not numbers.agree([(two, "<email:1>")])
    assert not numbers.agree([("<email:1>", "<email:2>")])
    assert not numbers.agree([("<email:8>", "<email:9>")])
    assert numbers.agree([(two, "<email:2>")])
    assert numbers.of("email", b"two") == "<email:2>"
    assert not numbers.agree([(numbers.of("phone", b"3"), "<email:9>")])


def test_places_are_alike_but_for_their_numbers():
    mine = {"a": ["x <email:3> y <email:4>", 1], "b": "<email:3>", "c": "only mine"}
    theirs = {"a": ["x <email:1> y <email:2>", 1], "b": "other <email:1>"}
    assert sorted(pairs(mine, theirs)) == [("<email:3>", "<email:1>"), ("<email:4>", "<email:2>")]
    assert without_numbers("a <b> <email:12> <no one>") == "a <b> <email> <no one>"


def test_what_is_added_to_a_redacted_recording_is_redacted_too(redaction, tmp_path):
    file = tmp_path / "a.run.json"
    record_run(build(), data(), redact=redaction)[1].save(file)
    other = build(
        "Only asked by {{ who }}, about {{ documents | length }} documents, never " + OTHER
    )
    Replayer(other, file, mode="record_new").play(data())
    text = file.read_text()
    assert "Only asked by" in text
    for secret in (MAIL, OTHER, TOKEN):
        assert secret not in text
    again = Replayer(other, file)
    again.play(data())
    assert again.report.live_calls == 0
