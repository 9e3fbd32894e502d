"""What a replay raises when the live pipeline is not the recorded one any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from haystack.core.errors import PipelineRuntimeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.runfile.drift import DriftReport
    from inspector.runfile.model import PipelineRun


class ReplayDriftError(PipelineRuntimeError):
    """The replay stopped at a drift; `report` says where, `run` is the replay so far.

    It is one of Haystack's own pipeline errors, so that a pipeline passes it on as it is.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(component_name=None, component_type=None, message=message)
        self.hint = hint
        self._tell: Callable[[], tuple[DriftReport, PipelineRun]] | None = None
        self._told: tuple[DriftReport, PipelineRun] | None = None

    def told_by(self, tell: Callable[[], tuple[DriftReport, PipelineRun]]) -> None:
        """Take what works the report and the run out when somebody asks for them."""
        self._tell = tell

    def _all(self) -> tuple[Any, Any]:
        if self._told is None and self._tell is not None:
            self._told = self._tell()
        return self._told or (None, None)

    @property
    def report(self) -> DriftReport:
        """Every drift that was found until here."""
        report: DriftReport = self._all()[0]
        return report

    @property
    def run(self) -> PipelineRun:
        """The replay as a run, as far as it went."""
        run: PipelineRun = self._all()[1]
        return run


class StoppedError(BaseException):
    """Somebody stopped the replay at a pause. No component may catch it."""


class BlockedError(BaseException):
    """A replay tried to reach out. No component may catch it and try again."""
