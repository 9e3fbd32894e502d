"""How often each server is asked: soon while all is well, later and later while it is away."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_SEEN_S = 2.0
_UNSEEN_S = 15.0
_LONGEST_S = 60.0
_SHARE = 5.0  # of the time that a question takes, so many times as much is left between two


@dataclass(slots=True)
class _Turn:
    asked_at: float = float("-inf")
    least_s: float = 0.0
    failures: int = 0
    is_hurried: bool = True


class Pace:
    """Knows whose turn it is."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._turns: dict[str, _Turn] = {}

    def hurry(self, name: str) -> None:
        """Have a server asked as soon as it can be."""
        self._turn(name).is_hurried = True

    def keep_only(self, names: Iterable[str]) -> None:
        """Forget servers that are not known any more."""
        kept = set(names)
        self._turns = {name: turn for name, turn in self._turns.items() if name in kept}

    def is_due(self, name: str, *, is_seen: bool) -> bool:
        """Say whether a server is to be asked now; then it counts as asked."""
        turn = self._turn(name)
        usual = _SEEN_S if is_seen else _UNSEEN_S
        wait = max(usual, turn.least_s, min(_LONGEST_S, _SEEN_S * 2.0 ** min(turn.failures, 8)))
        if turn.failures == 0:
            wait = max(usual, turn.least_s)
        if not turn.is_hurried and self._clock() - turn.asked_at < wait:
            return False
        turn.asked_at, turn.is_hurried = self._clock(), False
        return True

    def answered(
        self, name: str, took_s: float, retry_after_s: float | None, *, is_well: bool
    ) -> None:
        """Take note of how a question went, and how long it took."""
        turn = self._turn(name)
        turn.failures = 0 if is_well else turn.failures + 1
        turn.least_s = min(_LONGEST_S, max(_SHARE * took_s, retry_after_s or 0.0))
        turn.asked_at = self._clock()

    def _turn(self, name: str) -> _Turn:
        return self._turns.setdefault(name, _Turn())
