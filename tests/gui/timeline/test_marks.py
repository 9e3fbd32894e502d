"""Marks drawn together cover what they covered one by one."""

import random

import numpy as np

from inspector.gui.widgets.timeline_marks import marks_together


def test_marks_that_touch_become_one_and_others_stay_apart() -> None:
    places = np.array([1, 2, 4, 9, 20])
    assert marks_together(places, 2) == [(1, 5), (9, 2), (20, 2)]


def test_no_marks_are_no_rectangles() -> None:
    assert marks_together(np.array([], np.int64), 2) == []


def test_together_they_cover_exactly_the_same_pixels() -> None:
    draw = random.Random(3)
    for share in (0.05, 0.4, 0.95):
        places = [at for at in range(400) if draw.random() < share]
        alone = {at + pixel for at in places for pixel in range(2)}
        together = {
            int(at) + pixel
            for at, width in marks_together(np.array(places), 2)
            for pixel in range(int(width))
        }
        assert together == alone
