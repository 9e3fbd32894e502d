import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.ticks import axis_ticks, round_step

S = 1_000_000_000


def words(start_ns: float, end_ns: float, most: int = 6) -> list[str]:
    return [
        tick.words.replace("\u202f", " ")
        for tick in axis_ticks(start_ns, end_ns, most)
        if tick.words
    ]


axes = st.tuples(st.integers(0, 10**15), st.integers(1, 10**15)).map(
    lambda pair: (float(pair[0]), float(sum(pair)))
)


@given(axes, st.integers(1, 40))
def test_marks_are_always_in_order_and_on_the_axis(axis: tuple[float, float], most: int) -> None:
    start, end = axis
    times = [tick.at_ns for tick in axis_ticks(start, end, most)]
    assert times == sorted(set(times))
    assert all(start <= at <= end for at in times)


@given(axes, st.integers(1, 40))
def test_there_are_never_more_words_than_there_is_room_for(
    axis: tuple[float, float], most: int
) -> None:
    assert sum(bool(tick.words) for tick in axis_ticks(*axis, most)) <= most + 1


@given(axes, st.integers(1, 40))
def test_two_marks_never_read_the_same(axis: tuple[float, float], most: int) -> None:
    said = [tick.words for tick in axis_ticks(*axis, most) if tick.words]
    assert len(said) == len(set(said))


@given(st.floats(0.1, 1e16))
def test_a_round_step_is_never_smaller_than_asked(least: float) -> None:
    assert round_step(least) >= least


@pytest.mark.parametrize(
    ("start_ns", "end_ns", "said"),
    [
        (0, 1.2 * S, ["0 s", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1.0 s", "1.2 s"]),
        (0, 5e6, ["0 ms", "1 ms", "2 ms", "3 ms", "4 ms", "5 ms"]),
        (0, 600 * S, ["0 s", "2 min", "4 min", "6 min", "8 min", "10 min"]),
        (730 * S, 770 * S, [f"12 min {s} s" for s in (10, 20, 30, 40, 50)]),
        (123.4 * S, 123.5 * S, [f"123.4{digit} s" for digit in (0, 2, 4, 6, 8)] + ["123.50 s"]),
    ],
)  # fmt: skip
def test_marks_stand_at_round_times_in_one_unit(
    start_ns: int, end_ns: int, said: list[str]
) -> None:
    assert words(start_ns, end_ns) == said


def test_an_axis_of_no_length_has_no_marks() -> None:
    assert axis_ticks(5, 5, 8) == []
    assert axis_ticks(0, 10, 0) == []
