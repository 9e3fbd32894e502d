"""Round marks for a time axis."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor

from inspector.presentation.words import THIN, number_words

_SECOND = 1_000_000_000
# Above a minute, round means round on a clock.
_CLOCK_STEPS_S = (60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400)
_CLOCK_PARTS = {60: 4, 120: 4, 300: 5, 600: 5, 900: 3, 1_800: 6, 3_600: 4, 7_200: 4, 10_800: 3,
                21_600: 6, 43_200: 4, 86_400: 4}  # fmt: skip
_UNITS = (("ns", 1), ("µs", 1_000), ("ms", 1_000_000), ("s", _SECOND))
_MOST_TICKS = 1_000


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on the axis; those without words are the small ones between."""

    at_ns: int
    words: str = ""


def axis_ticks(start_ns: float, end_ns: float, most: int) -> list[Tick]:
    """Return marks at round times between `start_ns` and `end_ns`.

    Args:
        start_ns: Where the axis begins.
        end_ns: Where it ends.
        most: How many marks with words there is room for.

    """
    length = end_ns - start_ns
    if length <= 0 or most < 1:
        return []
    step = round_step(length / most)
    small = max(1, step // _parts(step))
    number = ceil(start_ns / small)
    last = min(floor(end_ns / small), number + _MOST_TICKS)
    ticks = []
    for place in range(number, last + 1):
        at_ns = place * small
        ticks.append(
            Tick(at_ns, tick_words(at_ns, step, last * small) if at_ns % step == 0 else "")
        )
    return ticks


def round_step(least_ns: float) -> int:
    """Return the smallest round stretch of time that is at least `least_ns`."""
    if least_ns <= 1:
        return 1
    power = 1
    while power <= _SECOND * 10:
        for factor in (1, 2, 5):
            step = power * factor
            if step >= least_ns and step <= 30 * _SECOND:
                return step
        power *= 10
    for step_s in (30, *_CLOCK_STEPS_S):
        if step_s * _SECOND >= least_ns:
            return step_s * _SECOND
    day = 86_400 * _SECOND
    days = 1
    while days * day < least_ns:
        days *= 2
    return days * day


def tick_words(at_ns: int, step_ns: int, until_ns: int) -> str:
    """Return a time to the precision of the axis it stands on: `1.25 s`, `2 min 30 s`.

    All marks of one axis have the same unit and as many decimals, so that
    they can be compared at a glance.

    Args:
        at_ns: The time to write.
        step_ns: How far apart the marks are.
        until_ns: The last mark of the axis, which decides on the unit.

    """
    if step_ns >= 30 * _SECOND or (step_ns >= _SECOND and until_ns >= 120 * _SECOND):
        return _clock_words(at_ns // _SECOND)
    unit, size = _unit_for(step_ns, until_ns)
    decimals = 0
    while at_ns and step_ns * 10**decimals % size:
        decimals += 1
    whole, rest = divmod(at_ns, size)
    written = number_words(whole)
    if decimals:
        written += f".{rest * 10**decimals // size:0{decimals}d}"
    return f"{written}{THIN}{unit}"


def _unit_for(step_ns: int, until_ns: int) -> tuple[str, int]:
    """Return the largest unit in which a step has at most one decimal.

    Far from zero a larger one is taken: 12 345 678 µs says less than 12.345678 s.
    """
    chosen = _UNITS[0]
    for unit in _UNITS:
        if step_ns * 10 >= unit[1] or until_ns >= 10_000 * chosen[1]:
            chosen = unit
    return chosen


def _clock_words(whole_s: int) -> str:
    if whole_s == 0:
        return f"0{THIN}s"
    hours, rest_s = divmod(whole_s, 3_600)
    minutes, seconds = divmod(rest_s, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (seconds, "s")]
    return " ".join(f"{number}{THIN}{unit}" for number, unit in parts if number)


def _parts(step_ns: int) -> int:
    """Into how many round parts a step falls."""
    step_s, rest = divmod(step_ns, _SECOND)
    if not rest and step_s in _CLOCK_PARTS:
        return _CLOCK_PARTS[step_s]
    if not rest and step_s == 30:
        return 3
    lead = int(str(step_ns)[0])
    return {1: 5, 2: 4}.get(lead, 5)
