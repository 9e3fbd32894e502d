"""Templates rendered in a process of their own, also those that mean no good."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.assets import asset
from inspector.presentation.template_parts import template_texts
from inspector.presentation.what_if_places import template_places, variables_for
from inspector.replay.mode import ReplayError
from inspector.replay.preview import Previewer, PreviewStoppedError
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun


@pytest.fixture(scope="module")
def previewer() -> Iterator[Previewer]:
    made = Previewer(sys.executable)
    yield made
    made.close()


@pytest.fixture(scope="module")
def run() -> PipelineRun:
    return load_run(str(asset("examples/rag-answer.run.json")))


@pytest.fixture(scope="module")
def values(run: PipelineRun) -> dict[str, Any]:
    (place,) = template_places(run)
    return variables_for(run, place)[1]


def test_a_recorded_template_makes_the_recorded_prompt(
    previewer: Previewer, run: PipelineRun
) -> None:
    (place,) = template_places(run)
    span_id, given = variables_for(run, place)
    texts = [(each.role, each.text) for each in template_texts(place.recorded)]
    preview = previewer.render(texts, given)
    recorded = run.span(span_id or "").outputs["prompt"]
    assert [(each.role, each.text) for each in preview.texts] == [
        (message["role"], message["content"][0]["text"]) for message in recorded
    ]
    assert set(preview.used) == {"query", "documents"}
    assert not preview.error


def test_a_changed_template_is_made_of_the_recorded_documents(
    previewer: Previewer, values: dict[str, Any]
) -> None:
    text = "{{ documents | length }}: {{ documents[0].meta.page }} {{ nobody }}"
    preview = previewer.render([("user", text)], values)
    assert [each.text for each in preview.texts] == ["4: 4 "]
    assert set(preview.used) == {"documents", "nobody"}


def test_a_template_of_messages_in_one_text_is_shown_as_messages(previewer: Previewer) -> None:
    text = '{% message role="system" %}Be brief.{% endmessage %}'
    text += '{% message role="user" %}{{ query }}{% endmessage %}'
    preview = previewer.render([("", text)], {"query": "Why?"})
    assert [(each.role, each.text) for each in preview.texts] == [
        ("system", "Be brief."),
        ("user", "Why?"),
    ]


@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        ("one\ntwo {{ query", "end of print statement", 2),
        ("one\n\n{{ query.no.such }}", "no attribute 'no'", 3),
        ("{{ documents[0].__class__.__mro__ }}", "unsafe", 1),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "calls itself without an end", 1),
        ("{{ 'a' * 10000000000 }}", "more text than there may be memory for", 1),
    ],
)
def test_what_is_wrong_with_a_template_is_said_with_its_line(
    text: str, says: str, line: int, previewer: Previewer, values: dict[str, Any]
) -> None:
    preview = previewer.render([("system", "Fine."), ("user", text)], values)
    assert says in preview.error
    assert (preview.text, preview.line) == (1, line)


def test_a_template_that_never_ends_is_stopped_and_the_next_one_is_rendered() -> None:
    previewer = Previewer(sys.executable, render_s=0.5)
    bomb = "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}"
    try:
        assert "longer than 0.5 seconds" in previewer.render([("user", bomb)], {}).error
        assert previewer.render([("user", "Fine.")], {}).texts[0].text == "Fine."
    finally:
        previewer.close()


def test_a_very_long_text_is_handed_back_by_its_beginning(previewer: Previewer) -> None:
    preview = previewer.render([("user", "{{ a * 1000000 }}")], {"a": "abc"})
    (text,) = preview.texts
    assert text.length == 3_000_000
    assert len(text.text) == 100_000


def test_many_messages_are_handed_back_by_their_beginning_all_together(
    previewer: Previewer,
) -> None:
    text = (
        '{% for n in range(300) %}{% message role="user" %}{{ "a" * 1000 }}{% endmessage %}'
        "{% endfor %}"
    )
    preview = previewer.render([("", text)], {})
    assert len(preview.texts) == 200
    assert preview.more == 100
    assert sum(len(each.text) for each in preview.texts) == 100_000
    assert {each.length for each in preview.texts} == {1_000}


def test_values_that_are_too_large_are_refused_and_the_next_ones_are_rendered(
    previewer: Previewer,
) -> None:
    with pytest.raises(ReplayError, match="too large for a preview"):
        previewer.render([("user", "{{ a }}")], {"a": "x" * (64 * 1024 * 1024)})
    assert previewer.render([("user", "{{ a }}")], {"a": "b"}).texts[0].text == "b"


@pytest.mark.skipif(sys.platform == "win32", reason="the interpreter is a script of a shell")
@pytest.mark.parametrize(
    ("says", "words"),
    [
        ("yes '{\"messages\": [{}]}'", "said what cannot be read"),
        ("yes 'no message'", "said what cannot be read"),
        ("yes | tr -d '\\n'", "ended before it was done"),
        ("exit 1", "ended before it was done"),
    ],
)
def test_a_process_that_says_anything_else_is_ended_with_a_sentence(
    tmp_path: Path, says: str, words: str
) -> None:
    liar = tmp_path / "python"
    liar.write_text(f"#!/bin/sh\necho '{{}}'\nread question\n{says}\n")
    liar.chmod(0o700)
    previewer = Previewer(liar, render_s=60)
    with pytest.raises(ReplayError, match=words):
        previewer.render([("user", "a")], {})


def test_a_template_reaches_no_file_and_no_variable(
    previewer: Previewer, tmp_path: Path, values: dict[str, Any]
) -> None:
    # Haystack's byte streams read and write files, and a value may be one.
    aim = tmp_path / "written.txt"
    stream = {"$": "byte_stream", "data": {"$": "bytes", "base64": "YQ==", "size": 1}}
    text = "{{ stream.to_file(aim) }}{{ stream.from_file_path(aim) }}"
    preview = previewer.render([("user", text)], {"stream": stream, "aim": str(aim)})
    assert not aim.exists()
    assert preview.error or not preview.texts[0].text.strip("None")


def test_nobody_waits_for_a_preview_that_was_cancelled(values: dict[str, Any]) -> None:
    previewer = Previewer(sys.executable)
    with pytest.raises(PreviewStoppedError):
        previewer.render([("user", "{{ query }}")], values, lambda: True)
    previewer.close()
    with pytest.raises(PreviewStoppedError):
        previewer.render([("user", "{{ query }}")], values)


def test_an_interpreter_without_what_is_needed_is_told_of(tmp_path: Path) -> None:
    nothing = tmp_path / "python"
    with pytest.raises(ReplayError, match="cannot be started"):
        Previewer(nothing).render([("user", "a")], {})
