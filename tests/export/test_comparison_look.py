"""The colours of a page can be told apart on their grounds."""

import re

import pytest

from inspector.assets import asset

STYLE = asset("export/comparison.css").read_text("utf-8")
ROOTS = re.findall(r":root \{([^}]*)\}", STYLE)
GROUNDS = ("window", "panel")
INKS = ("text", "secondary", "accent", "failed", "changed", "same")
MARKED = [
    ("text", "removed"), ("text", "added"), ("text", "removed-word"), ("text", "added-word"),
    ("failed", "removed"), ("same", "added"),
]  # fmt: skip


def colours(root: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9A-F]{6})", root))


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_there_is_a_look_for_light_for_dark_and_for_paper() -> None:
    assert len(ROOTS) == 3
    assert all(colours(root).keys() == colours(ROOTS[0]).keys() for root in ROOTS)


@pytest.mark.parametrize("root", ROOTS, ids=["light", "dark", "paper"])
def test_words_stand_out_from_what_they_stand_on(root: str) -> None:
    tones = colours(root)
    pairs = [(ink, ground) for ink in INKS for ground in GROUNDS] + MARKED
    assert {
        pair: round(contrast(tones[pair[0]], tones[pair[1]]), 2)
        for pair in pairs
        if contrast(tones[pair[0]], tones[pair[1]]) < 4.5
    } == {}


@pytest.mark.parametrize("root", ROOTS, ids=["light", "dark", "paper"])
def test_lines_of_documents_stand_out_from_what_they_stand_on(root: str) -> None:
    tones = colours(root)
    assert contrast(tones["outline"], tones["panel"]) >= 3


def test_marks_do_without_colour() -> None:
    assert re.search(r"del, ins \{ text-decoration: underline", STYLE)
