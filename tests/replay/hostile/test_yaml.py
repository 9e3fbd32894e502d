"""A pipeline YAML whose aliases unfold without an end is refused before it is loaded."""

from pathlib import Path

import pytest

from inspector.errors import InspectorError
from inspector.recording.finding import found_target
from inspector.recording.yaml_bounds import MOST_VALUES, unfolded_size


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [boom, boom]"]
    lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, levels)]
    return "\n".join(lines)


def test_aliases_of_aliases_are_counted_and_not_unfolded(tmp_path: Path) -> None:
    assert unfolded_size(bomb(60)) == MOST_VALUES + 1
    path = tmp_path / "bomb.yaml"
    path.write_text(bomb(60))
    with pytest.raises(InspectorError, match="its aliases stand for more than 1,000,000 values"):
        found_target(str(path))


def test_what_is_inside_of_itself_is_endless(tmp_path: Path) -> None:
    assert unfolded_size("a: &a [*a]") is None
    path = tmp_path / "loop.yaml"
    path.write_text("components: &a\n  b: *a\n")
    with pytest.raises(InspectorError, match="its aliases stand for"):
        found_target(str(path))


@pytest.mark.parametrize(("text", "size"), [("", 0), ("a: 1", 3), ("a: &x [1]\nb: *x", 7)])
def test_an_ordinary_file_is_counted_as_it_is(text: str, size: int) -> None:
    assert unfolded_size(text) == size


def test_a_pipeline_with_an_alias_still_loads(tmp_path: Path) -> None:
    from haystack import Pipeline
    from haystack.components.builders import PromptBuilder

    pipeline = Pipeline()
    pipeline.add_component("first", PromptBuilder("{{ a }}"))
    text = pipeline.dumps().replace("template: '{{ a }}'", "template: &t '{{ a }}'")
    assert "&t" in text
    path = tmp_path / "fine.yaml"
    path.write_text(text)
    assert found_target(str(path)).get_component("first").run(a=1) == {"prompt": "1"}
