"""What produced an answer, with digests that somebody can check without us."""

import json
import re
from hashlib import sha256

import pytest

from inspector.assets import asset
from inspector.export.audit import audit_page
from inspector.export.kinds import Options, export_run
from inspector.redaction.settings import Redaction
from inspector.runfile.load import load_run
from tests.export.examples import example
from tests.export.hostile_runs import HARMLESS, HIDDEN, HOSTILE, hostile_run
from tests.export.pages import Page


def page_of(name: str) -> Page:
    run = example(name)
    return Page(audit_page(run, Options(original=run)))


def test_it_says_which_llm_versions_prices_and_documents_made_the_answer() -> None:
    text = page_of("rag-answer").text
    for said in (
        "openai/gpt-4o-mini-2024-07-18", "haystack-ai", "3.4.1", "genai-prices", "2026-11-10",
        "watering-schedule", "My tomato bed is bone dry at noon", "Look at the day report first",
        "haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever",
        "0.15 for 1000000", '"top_k": 4', "Every record is as it was written.",
    ):  # fmt: skip
        assert said in text


@pytest.mark.parametrize("name", ["rag-answer", "agent-tools", "crash"])
def test_a_person_with_the_file_and_no_program_of_ours_can_check_the_digests(name: str) -> None:
    data = asset(f"examples/{name}.run.json").read_bytes()
    text = page_of(name).text
    tree = json.loads(data)
    assert tree["digest"] in text
    lines = {sha256(line.rstrip(b",")).hexdigest() for line in data.split(b"\n")}
    llms = [span for span in tree["spans"] if span["role"] == "llm" or span["kind"] == "llm"]
    for span in llms:
        (digest,) = re.findall(rf"\b{span['id']} ([0-9a-f]{{64}})", text)
        assert digest in lines


def test_a_document_is_known_by_the_digest_of_its_content() -> None:
    run = example("rag-answer")
    (found,) = [span.outputs["documents"] for span in run.spans if span.role == "retrieval"]
    text = page_of("rag-answer").text
    for document in found:
        assert sha256(document["content"].encode()).hexdigest()[:32] in text


def test_a_file_that_was_changed_is_called_that() -> None:
    data = asset("examples/rag-answer.run.json").read_bytes().replace(b"clogged", b"spotless")
    run = load_run(data)
    text = Page(audit_page(run, Options(original=run))).text
    assert "Every record is as it was written." not in text
    assert run.verify().message in text


def test_of_what_was_taken_out_no_digest_leaves() -> None:
    data = asset("examples/rag-answer.run.json").read_bytes()
    run = load_run(data.replace(b"a clogged screen", b"+1 202 555 0143 screen"))
    made = export_run(run, "audit", redact=Redaction())
    text = Page(made.main.decode()).text
    assert made.report is not None
    assert made.report.count
    assert run.parts.digest is not None
    assert run.parts.digest not in text
    assert "Digests are those of the redacted copy" in text
    assert "<phone:1> screen" in text
    whole = export_run(run, "audit", redact=None).main.decode()
    assert run.parts.digest in whole


def test_the_markup_does_not_depend_on_what_a_run_says() -> None:
    for name in ("rag-answer", "agent-tools", "crash"):
        texts = [audit_page(hostile_run(said, name), Options()) for said in (HOSTILE, HARMLESS)]
        assert not [sign for sign in HIDDEN if sign in texts[0]]
        hostile, harmless = (Page(text) for text in texts)
        assert hostile.shape() == harmless.shape()
        assert not hostile.named("script", "img")
        assert not hostile.others
