"""A run as a picture."""

import xml.etree.ElementTree as ET

import pytest

from inspector.errors import InspectorError
from inspector.export.card import card
from inspector.presentation.visible import visible_text
from tests.export.examples import EXAMPLES, example
from tests.export.hostile_runs import HARMLESS, HIDDEN, HOSTILE, hostile_run

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def words(svg: str) -> str:
    return " ".join(each.text or "" for each in drawn(svg).iter(f"{SVG}text"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_card_is_a_picture_of_the_run(name: str) -> None:
    run = example(name)
    svg = card(run)
    assert run.name in words(svg)
    assert "Asked" in words(svg)
    assert f"Haystack {run.environment['packages']['haystack-ai']}" in words(svg)
    bars = list(drawn(svg).iter(f"{SVG}rect"))
    assert len(bars) >= len(run.spans) / 3


def test_everything_on_a_card_lies_within_it() -> None:
    for name in EXAMPLES:
        root = drawn(card(example(name)))
        width, height = float(root.get("width", 0)), float(root.get("height", 0))
        for each in root.iter():
            if each.tag in (f"{SVG}rect", f"{SVG}text"):
                x, y = float(each.get("x", 0)), float(each.get("y", 0))
                assert 0 <= x <= x + float(each.get("width", 0)) <= width
                assert 0 <= y <= y + float(each.get("height", 0)) <= height


def test_a_card_of_a_span_says_what_it_was_given_and_why_it_failed() -> None:
    svg = card(example("agent-tools"), "assistant#1/step0/tool:read_sensor[1]")
    assert "peppers" in words(svg)
    assert "F12: the probe of bed" in words(svg)
    with pytest.raises(InspectorError, match="no span 'nothing'"):
        card(example("agent-tools"), "nothing")


def test_nothing_on_a_card_runs_or_is_fetched_whatever_the_run_says() -> None:
    shapes = []
    for said in (HOSTILE, HARMLESS):
        svg = card(hostile_run(said, "crash"))
        assert not [sign for sign in HIDDEN if sign in svg]
        assert "http" not in svg.replace("http://www.w3.org/2000/svg", "").replace(
            "https://evil", ""
        )
        root = drawn(svg)
        assert {each.tag for each in root.iter()} <= {
            f"{SVG}{tag}" for tag in ("svg", "title", "style", "rect", "text")
        }
        shapes.append({name for each in root.iter() for name in each.attrib})
    assert shapes[0] == shapes[1]
    assert visible_text(HOSTILE)[:40] in words(card(hostile_run(HOSTILE, "crash")))


def test_signs_that_no_xml_may_hold_are_replaced() -> None:
    svg = card(hostile_run("a\ufffeb\uffffc\x0be"))
    assert "a\ufffdb\ufffdc" in words(svg)


def test_a_card_for_others_to_draw_has_no_style() -> None:
    assert "<style>" in card(example("crash"))
    assert "<style>" not in card(example("crash"), schemes=False)
