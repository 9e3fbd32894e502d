from itertools import pairwise

import pytest

from inspector.gui import theme
from inspector.gui.widgets.graph_cards import dimmed, ground_at
from tests.gui.test_theme import KINDS, contrast

SCHEMES = {"light": theme.LIGHT, "dark": theme.DARK}


@pytest.mark.parametrize("depth", range(8))
@pytest.mark.parametrize("scheme", SCHEMES)
def test_words_and_lines_can_be_told_from_the_ground_of_every_frame(
    scheme: str, depth: int
) -> None:
    tokens = SCHEMES[scheme]
    ground = ground_at(tokens, depth)
    for ink in (tokens.text, tokens.secondary, tokens.accent, tokens.failed, tokens.changed):
        assert contrast(ink, ground) >= 4.5
    for mark in (tokens.pipeline, *(getattr(tokens, kind) for kind in KINDS)):
        assert contrast(mark, ground) >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_edge_of_what_did_not_run_can_be_seen(scheme: str) -> None:
    tokens = SCHEMES[scheme]
    for depth in range(4):
        assert contrast(dimmed(tokens), ground_at(tokens, depth)) >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_words_on_a_failed_card_can_be_read(scheme: str) -> None:
    tokens = SCHEMES[scheme]
    for ink in (tokens.failed, tokens.secondary):
        assert contrast(ink, tokens.failed_ground) >= 4.5


def test_frames_inside_of_each_other_have_different_grounds() -> None:
    for tokens in SCHEMES.values():
        grounds = [ground_at(tokens, depth).name() for depth in range(6)]
        assert all(one != other for one, other in pairwise(grounds))
