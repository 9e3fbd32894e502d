"""The page of a run: all of it is there, and nothing of it acts."""

import json
import re
from typing import Any

import pytest

from inspector.assets import asset
from inspector.export.kinds import Options, export_run
from inspector.export.run_html import run_page
from inspector.presentation.visible import visible_text
from inspector.redaction.settings import Redaction
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.export.hostile_runs import HARMLESS, HIDDEN, HOSTILE, hostile_run
from tests.export.pages import Page
from tests.helpers.drawn_runs import run_from_outline

EXAMPLES = [
    "agent-tools", "crash", "parallel-branches", "rag-answer", "untaken-branch", "validator-loop",
]  # fmt: skip


def example(name: str) -> PipelineRun:
    return load_run(asset(f"examples/{name}.run.json").read_bytes())


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    parsed: dict[str, Any] = json.loads(found[1])
    return parsed


def said_in(page: str) -> str:
    return "\n".join(data_of(page)["texts"])


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_span_of_a_run_is_on_its_page(name: str) -> None:
    run = example(name)
    data = data_of(run_page(run)[0])
    texts = data["texts"]
    assert [texts[each[0]] for each in data["spans"]] == [span.id for span in run.spans]
    assert sorted(data["order"]) == list(range(len(run.spans)))
    for row, span in enumerate(run.spans):
        parent = data["parents"][row]
        assert (run.spans[parent].id if parent >= 0 else None) == span.parent_id
        assert data["starts"][row] == span.start_ns


def test_messages_documents_inputs_and_errors_are_on_the_page() -> None:
    agent = said_in(run_page(example("agent-tools"))[0])
    assert "You look after a greenhouse. Read the sensors before you advise." in agent
    assert "F12: the probe of bed 'peppers' does not answer." in agent
    assert "Traceback (most recent call last)" in agent
    rag = said_in(run_page(example("rag-answer"))[0])
    assert "A clogged screen halves the flow long before it stops it" in rag
    assert "My tomato bed is bone dry at noon" in rag


def test_a_text_that_stands_in_many_spans_is_in_the_page_once() -> None:
    page, _ = run_page(example("agent-tools"))
    assert page.count("I read both probes and look into the manual.") == 1


def test_the_same_run_gives_the_same_bytes() -> None:
    assert run_page(example("agent-tools")) == run_page(example("agent-tools"))


def test_what_there_is_no_room_for_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.export.run_html_data._PAGE", 2_000)
    page, left_out = run_page(example("agent-tools"))
    assert "did not fit into this page" in left_out
    assert left_out in Page(page).text
    assert "that the page has no room for" in said_in(page)


def test_a_page_of_ten_thousand_spans_is_complete() -> None:
    steps = "\n".join(f"    llm {at}-{at + 1}" for at in range(10_000))
    run = run_from_outline(f"pipeline 0-10000\n  agent 0-10000\n{steps}\n")
    data = data_of(run_page(run)[0])
    assert len(data["spans"]) == len(data["details"]) == 10_002


def test_only_our_own_script_and_style_may_act() -> None:
    page = run_page(example("rag-answer"))[0]
    (policy,) = [
        each["content"] for each in Page(page).named("meta")
        if each.get("http-equiv") == "Content-Security-Policy"
    ]  # fmt: skip
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "http" not in policy
    script = asset("export/run.js").read_text("utf-8")
    assert f"<script>{script}</script>" in page
    assert page.count("<script") == 2


def test_our_script_makes_text_and_fetches_nothing() -> None:
    script = asset("export/run.js").read_text("utf-8")
    for word in (
        "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "fetch",
        "XMLHttp", "WebSocket", "import(", "createContextualFragment", "setAttribute(\"on",
        ".src", ".href", "postMessage", "localStorage", "cookie",
    ):  # fmt: skip
        assert word not in script
    assert "</script" not in script


@pytest.mark.parametrize("name", ["agent-tools", "rag-answer", "crash"])
def test_the_markup_of_a_page_does_not_depend_on_what_a_run_says(name: str) -> None:
    pages = [run_page(hostile_run(words, name))[0] for words in (HOSTILE, HARMLESS)]
    hostile, harmless = (Page(page) for page in pages)
    assert hostile.shape() == harmless.shape()
    assert hostile.style == harmless.style
    assert not hostile.others


def test_a_hostile_run_is_shown_to_the_letter_and_does_nothing() -> None:
    page = run_page(hostile_run())[0]
    assert not [sign for sign in HIDDEN if sign in page]
    data = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    assert not set("<>&") & set(data[1])
    assert visible_text(HOSTILE) in said_in(page)
    for _, attributes in Page(page).elements:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "href")]


def test_what_the_rules_find_is_not_in_the_page() -> None:
    run = hostile_run("Write to ada.lovelace@example.com or call")
    made = export_run(run, "html", redact=Redaction())
    assert b"ada.lovelace@" not in made.main
    assert b"\\u003cemail:1\\u003e" in made.main
    assert made.report is not None
    assert made.report.count
    whole = export_run(run, "html", redact=None, options=Options(name="whole"))
    assert b"ada.lovelace@" in whole.files["whole.html"]


def test_the_colours_of_kinds_are_those_of_dots_only() -> None:
    """A turn of a tool has that class, too, and is no green field."""
    style = asset("export/run.css").read_text("utf-8")
    kinds = "pipeline|component|retrieval|llm|tool|agent|step|hook"
    assert re.search(rf"\.dot\.({kinds}) \{{ background", style)
    assert not re.search(rf"(?<![\w.])\.({kinds})\s*\{{", style)
