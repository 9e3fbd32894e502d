"""What an open run is estimated to have cost, by the prices that a person chose."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.errors import InspectorError
from inspector.gui.tasks.runner import Cancelled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.gui.workspace.open_run import OpenRun
    from inspector.presentation.cost_pictures import CostInTime
    from inspector.presentation.cost_table import CostTable
    from inspector.runfile.estimate import CostEstimate
    from inspector.runfile.model import PipelineRun


class PriceChoice(NamedTuple):
    """Whose prices, and of which day."""

    path: Path | None = None  # a list of the user's; None takes those that came along
    only: bool = False  # nothing from elsewhere for what is not in that list
    as_of: str = "run"  # or "today"


class Priced(NamedTuple):
    """An estimate, and all that is shown of it."""

    estimate: "CostEstimate"
    tokens: int | None  # of all calls that reported any
    tables: "Mapping[str, CostTable]"  # by what is added up
    course: "CostInTime"


class RunPricing(QObject):
    """Holds the estimate of one open run. Nothing is worked out until somebody asks."""

    changed = Signal()  # another estimate, choice or failure; or work began
    chosen = Signal(object)  # PriceChoice, that a person made and that can be used

    def __init__(self, open_run: "OpenRun") -> None:
        super().__init__(open_run)
        self._open_run = open_run
        self._choice = self._last_good = PriceChoice()
        self._priced: Priced | None = None
        self._priced_run: PipelineRun | None = None  # or being priced
        self._failure: tuple[str, str] = ("", "")
        self._is_busy = False
        self._is_wanted = False
        self._is_news = False  # a person chose, and it is not known yet whether that can be used
        self._in_time: Priced | None = None  # what of it is in the time that is looked at
        open_run.run_changed.connect(self._on_run_changed)
        open_run.range.changed.connect(self._narrow)

    @property
    def choice(self) -> PriceChoice:
        return self._choice

    @property
    def priced(self) -> Priced | None:
        """The latest estimate; None until there is one."""
        return self._priced

    @property
    def shown(self) -> Priced | None:
        """The same for the time that is looked at: all of it while that is the whole run."""
        return self._priced if self._open_run.range.bounds is None else self._in_time

    @property
    def failure(self) -> tuple[str, str]:
        """Why the last choice could not be used, and what to do about it."""
        return self._failure

    @property
    def is_busy(self) -> bool:
        return self._is_busy

    def begin_with(self, choice: PriceChoice) -> None:
        """Price the run in this way until a person chooses another."""
        if self._priced_run is None:
            self._choice = choice

    def choose(self, choice: PriceChoice) -> None:
        """Price the run in another way. A list that cannot be used changes nothing."""
        if choice == self._choice and not self._failure[0]:
            return
        self._choice = choice
        self._failure = ("", "")
        self._is_news = True
        self._start()

    def ask(self) -> None:
        """Price the run, now and whenever there is more of it; `changed` tells."""
        self._is_wanted = True
        if not self._is_busy and self._priced_run is not self._open_run.run:
            self._start()

    def _start(self) -> None:
        run, choice = self._open_run.run, self._choice
        self._is_wanted = True
        self._is_busy = True
        self._priced_run = run

        def price(_cancelled: Cancelled) -> Priced:
            from inspector.cost.estimating import estimate
            from inspector.cost.prices import load_prices

            prices = load_prices(choice.path, only=choice.only)
            return _priced(run, estimate(run, prices, as_of=choice.as_of))

        self._open_run.tasks.start(
            price, done=self._on_priced, failed=self._on_failed, key="prices"
        )
        self.changed.emit()

    def _on_priced(self, priced: Priced) -> None:
        self._priced = priced
        self._last_good = self._choice
        if self._is_news:
            self._is_news = False
            self.chosen.emit(self._choice)
        self._in_time = None
        self._narrow()
        self._settle()

    def _narrow(self) -> None:
        """Add up what is in the time that is looked at."""
        run, priced, bounds = self._open_run.run, self._priced, self._open_run.range.bounds
        if priced is None or bounds is None:
            if priced is not None:
                self.changed.emit()
            return

        def work(_cancelled: Cancelled) -> Priced:
            from inspector.presentation.in_time import estimate_in_time

            return _priced(run, estimate_in_time(run.table, priced.estimate, bounds))

        self._open_run.tasks.start(
            work, done=self._on_narrowed, failed=_raise, key="prices in time"
        )

    def _on_narrowed(self, narrowed: Priced) -> None:
        self._in_time = narrowed
        self.changed.emit()

    def _on_failed(self, error: Exception) -> None:
        hint = error.hint if isinstance(error, InspectorError) else ""
        self._failure = (str(error), hint or "")
        self._is_news = False
        is_first = self._priced is None and self._choice != self._last_good
        self._choice = self._last_good
        if is_first:
            # A list of earlier is gone: the run is priced all the same, and the failure said.
            self._start()
        else:
            self._settle()

    def _settle(self) -> None:
        self._is_busy = False
        self.changed.emit()
        if self._is_wanted:
            self.ask()  # there may be more of the run by now

    def _on_run_changed(self) -> None:
        if self._is_wanted:
            self.ask()


def _raise(error: Exception) -> None:
    raise error


def _priced(run: "PipelineRun", made: "CostEstimate") -> Priced:
    from inspector.presentation.cost_pictures import cost_in_time
    from inspector.presentation.cost_table import GROUPINGS, cost_table

    tokens = _tokens(run, made)
    return Priced(
        estimate=made,
        tokens=sum(tokens.values()) if tokens else None,
        tables={by: cost_table(made, by, tokens=tokens) for by in GROUPINGS},
        course=cost_in_time(run, made, tokens),
    )


def _tokens(run: "PipelineRun", made: "CostEstimate") -> dict[str, int]:
    from inspector.presentation.outline import total_tokens

    found = {}
    for call in made.calls:
        usage = run.span(call.span_id).usage
        total = None if usage is None else total_tokens(usage)
        if total is not None:
            found[call.span_id] = total
    return found
