import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from inspector.assets import asset
from inspector.diff.compare import diff_runs
from inspector.diff.model import DecisionKind, TextDiff, TextPart
from inspector.export.comparison_html import comparison_html
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.export.pages import Page
from tests.helpers.drawn_runs import run_from_outline

BEFORE = load_run(asset("examples/rag-answer.run.json").read_bytes())
OTHER_PROMPT = load_run(asset("examples/rag-other-prompt.run.json").read_bytes())
OTHER_DOCUMENT = load_run(asset("examples/rag-other-document.run.json").read_bytes())
AGENT = load_run(asset("examples/agent-tools.run.json").read_bytes())
PAIRS = [(BEFORE, OTHER_PROMPT), (BEFORE, OTHER_DOCUMENT), (AGENT, AGENT), (BEFORE, AGENT)]


def page_of(left: PipelineRun, right: PipelineRun) -> str:
    return comparison_html(diff_runs(left, right), left, right)


@pytest.fixture(scope="module")
def prompts() -> Page:
    return Page(page_of(BEFORE, OTHER_PROMPT))


@pytest.fixture(scope="module")
def documents() -> Page:
    return Page(page_of(BEFORE, OTHER_DOCUMENT))


def test_the_verdict_is_what_is_read_first(prompts: Page) -> None:
    verdict = diff_runs(BEFORE, OTHER_PROMPT).verdict
    assert "The answer changed." in prompts.text.split("Left")[0]
    assert verdict.removeprefix("The answer changed. ") in prompts.text


def test_sections_follow_from_the_decisions_to_the_figures(documents: Page) -> None:
    keys = [each["id"] for each in documents.named("h2")]
    assert keys == [
        "why", "answer", "decisions", "details", "configuration", "spans", "values", "figures",
        "origin",
    ]  # fmt: skip


def test_both_answers_stand_side_by_side(prompts: Page) -> None:
    comparison = diff_runs(BEFORE, OTHER_PROMPT)
    assert comparison.answer.left is not None
    assert comparison.answer.right is not None
    assert comparison.answer.left in prompts.text
    assert comparison.answer.right in prompts.text


def test_words_that_changed_are_marked_on_their_side() -> None:
    text = page_of(BEFORE, OTHER_DOCUMENT)
    assert "<del>Rinse it under running water</del>" in text
    assert re.search(r"<ins>Since the 2026 edition[^<]*</ins>", text)


def test_documents_are_joined_by_lines_with_what_became_of_them(documents: Page) -> None:
    assert len(documents.named("path")) == 4
    assert "other content · score −0.4065" in documents.text


def test_noise_is_greyed_and_says_why(documents: Page) -> None:
    noisy = [each for each in documents.named("tr") if each.get("class") == "noise"]
    assert noisy
    assert "(expected: a time)" in documents.text


def test_runs_that_are_the_same_have_a_page_that_says_so() -> None:
    page = Page(page_of(AGENT, AGENT))
    assert "no decision differs" in page.text
    assert "All 19\u202fspans put in and out the same" in page.text
    assert not page.named("del", "ins")


def test_an_answer_that_flipped_shows_from_what_to_what() -> None:
    found = diff_runs(BEFORE, OTHER_DOCUMENT, extract="regex:(?i)two weeks|six weeks")
    text = comparison_html(found, BEFORE, OTHER_DOCUMENT)
    assert "<del>six</del> weeks" in text
    assert "<ins>two</ins> weeks" in text
    assert "flipped" in Page(text).text


def test_the_same_change_at_several_calls_is_told_once(tmp_path: Path) -> None:
    edited = tmp_path / "edited.run.json"
    source = asset("examples/agent-tools.run.json").read_text("utf-8")
    edited.write_text(source.replace("gpt-4o-mini", "gpt-4.1-mini"), "utf-8")
    page = Page(page_of(AGENT, load_run(edited)))
    assert page.text.count("In the same way at") == 1
    assert "not comparable [1]" in page.text
    assert page.text.count("Not comparable: another model: gpt-4.1-mini") == 1


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_nothing_is_fetched_and_nothing_runs(left: PipelineRun, right: PipelineRun) -> None:
    page = Page(page_of(left, right))
    names = {name for name, _ in page.elements}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    for name, attributes in page.elements:
        assert not {"src", "srcset", "style", "action", "xlink:href"} & set(attributes)
        assert not [each for each in attributes if each.startswith("on")]
        if "href" in attributes:
            assert (name, attributes["href"][0]) == ("a", "#")
    assert "url(" not in page.style
    assert "@import" not in page.style


def test_only_the_style_that_is_in_the_page_may_act(prompts: Page) -> None:
    digest = base64.b64encode(hashlib.sha256(prompts.style.encode()).digest()).decode()
    (policy,) = [each["content"] for each in prompts.named("meta") if "http-equiv" in each]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")
    assert prompts.style.isascii()


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_a_page_is_found_around_in_without_seeing_it(left: PipelineRun, right: PipelineRun) -> None:
    page = Page(page_of(left, right))
    assert page.named("html") == [{"lang": "en"}]
    assert len(page.named("h1")) == len(page.named("main")) == 1
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for name in ("href", "aria-labelledby"):
            assert attributes.get(name, "").removeprefix("#") in {"", *ids}
    levels = [int(name[1]) for name, _ in page.elements if re.fullmatch("h[1-6]", name)]
    assert all(below - above <= 1 for above, below in pairwise(levels))
    assert all(each["aria-label"] for each in page.named("table"))
    assert all(each.get("scope") for each in page.named("th"))
    assert all("role" in each for each in page.named("table", "tr", "th", "td"))


def test_the_same_comparison_gives_the_same_page() -> None:
    assert page_of(BEFORE, OTHER_PROMPT) == page_of(BEFORE, OTHER_PROMPT)


def test_a_page_of_a_thousand_spans_stays_small_and_says_what_it_leaves_out() -> None:
    def run(name: str) -> PipelineRun:
        lines = ["pipeline 0-100000"]
        for at in range(1_000):
            label = f"{name}{at}" if at % 4 == 0 else f"part{at}"
            lines.append(f"  {label} {at * 10}-{at * 10 + 9}")
        return run_from_outline("\n".join(lines))

    page = page_of(run("before"), run("after"))
    assert len(page) < 1_000_000
    assert re.search(r"more\s+spans? that differ are left out", page)


def test_texts_that_are_too_long_for_a_page_are_cut_and_it_says_so() -> None:
    comparison = diff_runs(BEFORE, OTHER_PROMPT)
    sides = (f"{word} of a manual that has no end, and goes on\n" * 40_000 for word in "ab")
    text = TextDiff(tuple(map(TextPart, ("left", "right"), sides)))
    decisions = tuple(
        replace(each, number=at, text=text, kind=DecisionKind.REPLY, path=f"llm#{at}")
        for at, each in enumerate([comparison.decisions[4]] * 50)
    )
    found = replace(comparison, decisions=decisions, answer=replace(comparison.answer, text=text))
    page = comparison_html(found, BEFORE, OTHER_PROMPT)
    assert len(page) < 2_000_000
    assert re.search("38\u202f50[01]\u202frows left out; --json has them", page)


def test_a_page_of_many_different_long_texts_can_still_be_opened() -> None:
    comparison = diff_runs(BEFORE, OTHER_PROMPT)
    decisions = tuple(
        replace(
            comparison.decisions[4], number=at, path=f"llm#{at}",
            text=TextDiff(tuple(TextPart(side, f"{side} {at} {'long ' * 150}\n" * 1_000)
                                for side in ("left", "right"))),
        )
        for at in range(50)
    )  # fmt: skip
    page = comparison_html(replace(comparison, decisions=decisions), BEFORE, OTHER_PROMPT)
    assert len(page) < 12_000_000
    assert len(Page(page).named("h3")) > 50
