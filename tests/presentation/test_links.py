import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import InspectorError
from inspector.presentation.links import Link, command_line, is_link, link_text, parsed_link

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="paths here are those of POSIX")
NAMES = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\"), min_size=1
)


def test_a_link_reads_like_what_it_says() -> None:
    link = Link(Path("/runs/a.run.json"), "s14", "outputs.replies[0]")
    assert link_text(link) == "run-inspector:///runs/a.run.json?at=s14&field=outputs.replies[0]"


@posix_only
@given(folder=NAMES, at=st.none() | NAMES, field=st.none() | NAMES)
def test_a_link_leads_where_it_was_made(folder: str, at: str | None, field: str | None) -> None:
    link = Link(Path("/runs") / folder.strip(".").join("ab"), at, field)
    text = link_text(link)
    assert is_link(text)
    assert parsed_link(f"  {text}\n") == link


@posix_only
@given(name=NAMES, field=NAMES)
def test_the_command_line_survives_a_shell(name: str, field: str) -> None:
    link = Link(Path("/runs") / f"a{name}b", "s14", field)
    said = shlex.split(command_line(link))
    assert said == ["run-inspector", str(link.path), "--at", "s14", "--field", field]


@pytest.mark.parametrize(
    "text",
    [
        "run-inspector://host/share/a.run.json",
        "run-inspector:////host/share/a.run.json",
        "run-inspector:///%5C%5Chost/a.run.json",
        "run-inspector:///%2Fhost/a.run.json",
        "run-inspector://[::1/a",
        "run-inspector:",
        "run-inspector:///a%00b",
        "run-inspector:relative.run.json",
        "run-inspector:///a.run.json\nrun-inspector:///b.run.json",
        "https://example.org/a.run.json",
    ],
)
def test_a_link_that_leads_elsewhere_is_refused(text: str) -> None:
    with pytest.raises(InspectorError) as caught:
        parsed_link(text)
    assert "run-inspector:///" in caught.value.hint
