"""A run as text for an issue: true, complete enough, and inert."""

import re

import pytest

from inspector.assets import asset
from inspector.export.kinds import Options, export_run
from inspector.export.markdown import markdown
from inspector.redaction.settings import Redaction
from inspector.runfile.load import load_run
from tests.export.examples import example
from tests.export.hostile_runs import HIDDEN, HOSTILE, hostile_run

# A sign behind a backslash, or code in a line, whichever comes first.
_INERT = re.compile(r"\\[!-/:-@\[-`{-~]|(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")


def outside_of_code(text: str) -> str:
    """Return what a site reads as Markdown: no blocks and no spans of code."""
    kept, fence = [], ""
    for line in text.split("\n"):
        if fence:
            fence = "" if line.strip() == fence else fence
        elif found := re.match(r"(`{3,})text$", line):
            fence = found[1]
        else:
            kept.append(_INERT.sub("", line))
    assert not fence, "every block is closed"
    return "\n".join(kept)


def test_a_maintainer_reads_the_verdict_the_error_and_the_versions() -> None:
    text = markdown(example("crash"), Options())
    assert text.startswith("### `watering_plan` failed after 749 ms\n".replace(" ms", "\u202fms"))
    assert "Error: The answer plans water for bed 'strawberries', which is unknown." in text
    assert "How much water do the tomatoes, the peppers" in text
    assert "| Haystack | `3.4.1` |" in text
    assert "| `retriever#1` | `found watering-schedule, night-light` |" in text
    assert "file `sha256:" in text


def test_the_answer_and_the_decisions_stand_in_it() -> None:
    text = markdown(example("agent-tools"), Options())
    assert "Both beds are too dry: tomatoes at 31 %" in text
    assert "`assistant#1/agent#1` | `ended: text after 4 steps`" in text


def test_it_says_how_to_open_the_file_but_not_where_it_lies(tmp_path) -> None:
    place = tmp_path / "secret-folder" / "agent.run.json"
    place.parent.mkdir()
    place.write_bytes(asset("examples/agent-tools.run.json").read_bytes())
    made = export_run(load_run(place), "markdown", redact=Redaction())
    assert b"run-inspector agent.run.json" in made.main
    assert b"secret-folder" not in made.main
    assert b"this text is redacted" in made.main


@pytest.mark.parametrize("name", ["agent-tools", "crash", "rag-answer"])
def test_what_a_run_says_acts_nowhere(name: str) -> None:
    text = markdown(hostile_run(HOSTILE, name), Options())
    assert not [sign for sign in HIDDEN if sign in text]
    rest = outside_of_code(text)
    tags = {"<details>", "</details>", "<summary>", "</summary>"}
    assert set(re.findall(r"<[^>]*>", rest)) <= tags
    assert rest.count("<") <= len(tags)
    assert not re.search(r"@\w", rest)
    assert "://" not in rest
    said = re.sub(r"^\*\*[A-Z][a-z]+\*\*$", "", rest, flags=re.MULTILINE)
    assert not set("[]*_~`") & set(said)
    heads = [line for line in rest.split("\n") if line.startswith("#")]
    assert len(heads) == 1


def test_a_text_for_an_issue_is_short_enough_for_one() -> None:
    assert len(markdown(hostile_run(HOSTILE * 200), Options())) < 65_536
