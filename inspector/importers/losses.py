"""What an importer could not take over, in sentences and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.runfile.problems import Problems

_MOST = 50


class Losses:
    """Gathers what is said of a file while it is read.

    Three sorts: what the format never holds (`lose`), parts that cannot be read and were
    skipped (`skip`), and what was read although it was wrong (`problem`).
    """

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._lost: dict[str, str] = {}
        self._skipped: dict[str, list[Any]] = {}

    def lose(self, what: str, why: str) -> None:
        """Say what is not in the file, and why."""
        if len(self._lost) < _MOST:
            self._lost.setdefault(what, why)

    def skip(self, what: str, why: str = "", count: int = 1) -> None:
        """Count parts that were left out; the first of each sort says why."""
        found = self._skipped.setdefault(what, [0, why])
        found[0] += count

    def problem(self, message: str, where: str = "", hint: str = "") -> None:
        """Say what was wrong with a part that was read."""
        self._problems.add(message, where=where, hint=hint)

    def tell(self) -> None:
        """Put what was skipped among the problems of the file."""
        for what, (count, why) in self._skipped.items():
            reason = f": {why}" if why else ""
            self._problems.add(f"Left out: {count:,} × {what}{reason}.")

    @property
    def not_recorded(self) -> list[dict[str, str]]:
        """What the file does not hold, as it stands in a run header."""
        return [{"what": what, "why": why} for what, why in self._lost.items()]

    @property
    def sentences(self) -> list[str]:
        """What the file does not hold, a sentence each."""
        return [f"{what}: {why}" for what, why in self._lost.items()]

    @property
    def skipped(self) -> list[dict[str, Any]]:
        """What was left out, counted."""
        return [
            {"what": what, "count": count, **({"why": why} if why else {})}
            for what, (count, why) in self._skipped.items()
        ]
