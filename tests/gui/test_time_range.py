import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.workspace.time_range import TimeRange


@pytest.fixture
def time_range(qapp: QApplication) -> TimeRange:
    return TimeRange()


def test_a_range_may_be_drawn_from_either_end(time_range: TimeRange) -> None:
    time_range.set(90, 10)
    assert time_range.bounds == (10, 90)


def test_setting_what_is_set_says_nothing(time_range: TimeRange, qtbot: QtBot) -> None:
    time_range.set(10, 90)
    with qtbot.assertNotEmitted(time_range.changed):
        time_range.set(10, 90)


def test_a_committed_range_is_where_leaving_comes_back_to(time_range: TimeRange) -> None:
    time_range.set(0, 100)
    time_range.commit()
    time_range.set(20, 30)
    time_range.pop()
    assert time_range.bounds == (0, 100)
    time_range.pop()
    assert time_range.bounds is None
    assert time_range.breadcrumbs == ()


def test_clearing_forgets_the_breadcrumbs(time_range: TimeRange) -> None:
    time_range.set(0, 100)
    time_range.commit()
    time_range.clear()
    assert (time_range.bounds, time_range.breadcrumbs) == (None, ())


def test_what_reaches_into_the_range_overlaps_it(time_range: TimeRange) -> None:
    assert time_range.overlaps(0, 1)
    time_range.set(10, 20)
    assert time_range.overlaps(0, 10)
    assert time_range.overlaps(15, None)
    assert time_range.overlaps(5, None)
    assert not time_range.overlaps(21, 30)
    assert not time_range.overlaps(0, 9)
