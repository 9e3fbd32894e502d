"""Nothing that a run says becomes markup, whatever it says and wherever it says it."""

import dataclasses
import enum
import json
from importlib.resources.abc import Traversable
from typing import Any

import pytest

from inspector.assets import asset
from inspector.diff.compare import diff_runs
from inspector.diff.model import AnswerKind, AnswerVerdict, Comparison, TextDiff, TextPart
from inspector.export.comparison_html import comparison_html
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.export.pages import Page

LEFT = asset("examples/rag-answer.run.json")
RIGHT = asset("examples/rag-other-document.run.json")
HOSTILE = (
    "<script>alert(1)</script>\"' onload='alert(2)' x=\"><img src=x onerror=alert(3)>"
    "<svg/onload=alert(4)><!-- --></style></title></textarea></main><style>*{display:none}</style>"
    "]]><![CDATA[ <?php ?> &lt;b&gt; &#x3c;i&#x3e; &NotARef; javascript:alert(5) "
    "url(https://evil.example/) @import 'x'; \u202egnp.exe\u202c \u2066x\u2069 \u200f \x00\x1b[2J"
)
HIDDEN = "\x00\x1b\u202e\u202c\u2066\u2069\u200f"
# The same places to break at, the same length, and nothing to act on.
HARMLESS = "".join(sign if sign in " ./]_=" else "x" for sign in HOSTILE)


def told(value: Any, words: str, name: str = "") -> Any:
    """Return a value with every text in it replaced, but for words of our own."""
    if isinstance(value, enum.Enum):
        return value
    if isinstance(value, TextPart):
        return TextPart(value.kind, words)
    if isinstance(value, str):
        return value if name == "unit" else words
    if isinstance(value, tuple):
        return tuple(told(each, words) for each in value)
    if isinstance(value, list):
        return [told(each, words) for each in value]
    if isinstance(value, dict):
        return {words + str(at): told(each, words) for at, each in enumerate(value.values())}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(
            value,
            **{
                field.name: told(getattr(value, field.name), words, field.name)
                for field in dataclasses.fields(value)
            },
        )
    return value


def flipped(comparison: Comparison) -> Comparison:
    """Return a comparison with something in every field that a page has a place for."""
    text = TextDiff((TextPart("same", "a"), TextPart("left", "b"), TextPart("right", "c")), "note")
    answer = AnswerVerdict(AnswerKind.FLIPPED, "said", "a", "b", "one", "two", text)
    decisions = tuple(
        dataclasses.replace(each, text=text, changes=comparison.spans[0].inputs[:3])
        for each in comparison.decisions
    )
    metrics = tuple(dataclasses.replace(each, not_comparable="why") for each in comparison.metrics)
    return dataclasses.replace(
        comparison, answer=answer, decisions=decisions, metrics=metrics, notes=("note",)
    )


def run_saying(words: str, source: Traversable) -> PipelineRun:
    """Return a run whose names, versions and values say something."""
    lines = json.loads(source.read_text("utf-8"))
    for span in lines["spans"]:
        span["name"] = words
    lines["run"]["name"] = words
    lines["run"]["environment"] = {
        "python": words, "recorder": words, "packages": {"haystack-ai": words, words: words},
    }  # fmt: skip
    text = json.dumps(lines)
    return load_run(text.replace("screen", json.dumps(words)[1:-1]).encode())


@pytest.mark.parametrize("full", [False, True])
def test_the_markup_of_a_page_does_not_depend_on_what_a_run_says(full: bool) -> None:
    comparison = diff_runs(*(load_run(each.read_bytes()) for each in (LEFT, RIGHT)))
    if full:
        comparison = flipped(comparison)
    pages = []
    for words in (HOSTILE, HARMLESS):
        left, right = (run_saying(words, source) for source in (LEFT, RIGHT))
        pages.append(Page(comparison_html(told(comparison, words), left, right)))
    hostile, harmless = pages
    assert hostile.shape() == harmless.shape()
    assert hostile.style == harmless.style
    assert not hostile.others


def test_a_hostile_run_is_shown_to_the_letter_and_does_nothing() -> None:
    left, right = (run_saying(HOSTILE, source) for source in (LEFT, RIGHT))
    text = comparison_html(diff_runs(left, right), left, right)
    page = Page(text)
    assert not [sign for sign in HIDDEN if sign in text]
    assert "<script>alert(1)</script>" in page.text
    assert "⟨U+202E⟩gnp.exe" in page.text
    assert not page.named("script", "img", "textarea", "b", "i")
    assert len(page.named("style")) == 1
    assert not page.others
    for _, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "x")]
        for name in ("class", "id", "role", "href", "d"):
            assert "alert" not in attributes.get(name, "")
