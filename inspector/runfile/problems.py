"""What could not be read of a file, gathered in words while the rest is read."""

from __future__ import annotations

from dataclasses import dataclass

_MOST = 200


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that could not be read, in words."""

    message: str
    where: str = ""
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class Problems:
    """Keeps the first of them and counts the rest: a file may be wrong in every line."""

    def __init__(self) -> None:
        self._found: dict[Problem, None] = {}
        self._more = 0

    def add(self, message: str, *, where: str = "", hint: str = "") -> None:
        """Say something once."""
        problem = Problem(message, where, hint)
        if problem in self._found:
            return
        if len(self._found) < _MOST:
            self._found[problem] = None
        else:
            self._more += 1

    def take(self, others: Problems) -> None:
        """Take over what was said elsewhere."""
        if others is self:
            return
        for problem in others._found:
            self.add(problem.message, where=problem.where, hint=problem.hint)
        self._more += others._more

    def found(self) -> tuple[Problem, ...]:
        """Return everything that was said."""
        rest = (Problem(f"There are {self._more:,} more problems of this sort."),)
        return (*self._found, *(rest if self._more else ()))

    def __bool__(self) -> bool:
        return bool(self._found)
