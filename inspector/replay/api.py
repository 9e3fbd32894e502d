"""`replay_run`, `replay_run_async` and `Replayer`: how a person replays."""

from __future__ import annotations

import asyncio
import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.recording.api import arguments_for
from inspector.recording.described import Description, Descriptions
from inspector.recording.targets import target_of
from inspector.recording.walk import Walk, components_of
from inspector.replay.answers import taken_classes
from inspector.replay.failure import ReplayDriftError
from inspector.replay.mode import ReplayError, ReplayMode, Terms, mode_of
from inspector.replay.opening import Opened
from inspector.replay.outcome import Outcome, compare_construction
from inspector.replay.overrides import with_inputs
from inspector.replay.policy import Policy
from inspector.replay.revive import CannotReviveError, Reviver
from inspector.replay.session import ReplaySession
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from decimal import Decimal

    from inspector.recording.targets import Target
    from inspector.recording.walk import Found
    from inspector.redaction.project import Redact
    from inspector.replay.extend import News
    from inspector.replay.gate import Gate
    from inspector.replay.overrides import Overrides
    from inspector.replay.policy import Treat
    from inspector.replay.streams import ReplayedStream
    from inspector.runfile.drift import Drift, DriftReport

__all__ = ["ReplayDriftError", "ReplayMode", "Replayer", "replay_run", "replay_run_async"]


class Replayer:
    """Replays one recorded run on a pipeline, an agent or a component, any number of times.

    Args:
        target: What runs.
        run: The recorded run, or its file.
        mode: `ReplayMode.STRICT` stops at the first drift, `DRIFT_OK` runs drifted calls live
            where `allow_live` says so, `RECORD_NEW` also adds them to the file.
        allow_live: Whether a drifted call may run live. It may cost money.
        live_budget: How many calls may run live at most.
        live_budget_usd: How much they may cost at most; what has no known price is not run.
        verify_retrieval: Run retrievers of remote stores live and compare what they find.
        pace: `"at once"`, or `"recorded"` to stream as fast as it was recorded.
        overrides: What is to be different this time.
        treat: What to do with single components, by path, name or class.
        gate: Is asked before and after each call.
        add_new: Whether RECORD_NEW adds what is new to the file by itself. Otherwise `news`
            says what it would be, and `add_new()` adds it.
        live_from: The path of a recorded call: what is before it is answered, and it and all
            that follows runs live. `DRIFT_OK` with `allow_live` only.
        redact: For a recording that was redacted: the terms and the salt that it was redacted
            with, which no file says; those of the project unless given.
        run_options: Further arguments for `run`.

    """

    def __init__(
        self, target: Any, run: PipelineRun | str | Path, *,
        mode: ReplayMode | str = ReplayMode.STRICT, allow_live: bool = False,
        live_budget: int | None = None, live_budget_usd: Decimal | None = None,
        verify_retrieval: bool = False, pace: str = "at once", overrides: Overrides | None = None,
        treat: Treat | None = None, gate: Gate | None = None, add_new: bool = True,
        live_from: str = "", redact: Redact = None, **run_options: Any,
    ) -> None:  # fmt: skip
        self._target: Target = _changed(target_of(target), overrides)
        self._run = run if isinstance(run, PipelineRun) else load_run(run)
        self._file = self._run.origin if isinstance(run, PipelineRun) else Path(run)
        mode = mode_of(mode)
        if mode is ReplayMode.RECORD_NEW and self._file is None:
            raise ReplayError(
                "This recording is in no file that could be extended.",
                hint="Save it first, and replay the file.",
            )
        self._terms = Terms(
            mode=mode, allow_live=allow_live, live_budget=live_budget,
            live_budget_usd=live_budget_usd, verify_retrieval=verify_retrieval, pace=pace,
            overrides=overrides, treat=treat, gate=gate, add_new=add_new, live_from=live_from,
            redact=redact, run_options=run_options,
        )  # fmt: skip
        self._policy = Policy(treat)
        self._outcome: Outcome | None = None
        self._descriptions = Descriptions()
        self._found: tuple[Found, ...] = ()
        self._toolsets: tuple[Any, ...] = ()
        self._compared: tuple[Description | None, tuple[Drift, ...]] = (None, ())
        self.result: Any = None
        """What the last replay returned."""

    @property
    def recorded(self) -> PipelineRun:
        """The recorded run that is replayed."""
        return self._run

    @property
    def run(self) -> PipelineRun:
        """The last replay as a run of its own."""
        return self._last().run()

    @property
    def report(self) -> DriftReport:
        """What the last replay found."""
        return self._last().report()

    @property
    def news(self) -> News:
        """What the last replay would add to the recording's file, or has added."""
        return self._last().news()

    def add_new(self) -> PipelineRun:
        """Add what is new in the last replay to the file, and return the recording with it.

        Raises:
            RunFileError: The file cannot be read or written; it is as it was.

        """
        self._run = self._last().add_new()
        return self._run

    def _last(self) -> Outcome:
        if self._outcome is None:
            raise ReplayError("Nothing was replayed yet.", hint="Call play() first.")
        return self._outcome

    def play(self, data: Any = None) -> Any:
        """Replay, and return what the target returned.

        Args:
            data: What to run with; the recorded inputs unless given.

        Raises:
            ReplayDriftError: The live target is not the recorded one any more.
            ReplayError: The recording does not hold what to run with.

        """
        session, outcome, args, kwargs = self._prepare(data)
        opened = self._opened(session, kwargs or args, "sync")
        outcome.opened = opened
        try:
            with opened:
                self.result = self._target.instance.run(*args, **kwargs)
                opened.take(self.result)
        except BaseException as error:
            if (instead := outcome.ended_by(error)) is not error:
                raise instead from error.__cause__
            self._run = outcome.extended or self._run
            raise
        outcome.ended()
        self._run = outcome.extended or self._run
        return self.result

    async def play_async(self, data: Any = None) -> Any:
        """Do with `run_async` what `play` does; what has no `run_async` runs in a thread."""
        instance = self._target.instance

        async def run_async(*args: Any, **kwargs: Any) -> Any:
            # Looked up only now: the replay stands in front of it while it goes on.
            if callable(method := getattr(instance, "run_async", None)):
                return await method(*args, **kwargs)
            return await asyncio.to_thread(instance.run, *args, **kwargs)

        return await self.play_through(run_async, data)

    def stream(self, data: Any = None, **options: Any) -> ReplayedStream:
        """Do with `Pipeline.stream` what `play` does, and take what that takes.

        Go through it with `async for`; a drift is raised there. Then it has `result`, `run`
        and `report`.
        """
        from inspector.replay.streams import replay_stream

        return replay_stream(self, self._target.instance, data, options)

    def partials(self, data: Any = None, **options: Any) -> AsyncIterator[dict[str, Any]]:
        """Do with `Pipeline.run_async_generator` what `play` does: yields partial outputs."""
        from inspector.replay.streams import replay_partials

        return replay_partials(self, self._target.instance, data, options)

    async def play_through(
        self, run_async: Callable[..., Awaitable[Any]], data: Any = None, **options: Any
    ) -> Any:
        """Replay whatever `run_async` makes of the target, such as a stream of it.

        Args:
            run_async: Is called as the target's own `run_async` would be.
            data: What to run with; the recorded inputs unless given.
            options: Further arguments for this time.

        """
        session, outcome, args, kwargs = self._prepare(data, options)
        opened = self._opened(session, kwargs or args, "async")
        outcome.opened = opened
        try:
            with opened:
                self.result = await run_async(*args, **kwargs)
                opened.take(self.result)
        except BaseException as error:
            if (instead := outcome.ended_by(error)) is not error:
                raise instead from error.__cause__
            self._run = outcome.extended or self._run
            raise
        outcome.ended()
        self._run = outcome.extended or self._run
        return self.result

    def _prepare(
        self, data: Any, more: Mapping[str, Any] | None = None
    ) -> tuple[ReplaySession, Outcome, tuple[Any, ...], dict[str, Any]]:
        if data is None:
            data = self.recorded_data()
        if self._terms.overrides is not None:
            data = with_inputs(data, self._terms.overrides.inputs)
        session = ReplaySession(self._run, self._terms, self._policy)
        if self._target.kind != "pipeline":
            session.twins.met.add(self._target.name)  # made otherwise from the start
        outcome = self._outcome = Outcome(session, self._target, self._file)
        options = {**self._terms.run_options, **(more or {})}
        args, kwargs = arguments_for(self._target, data, options)
        return session, outcome, args, kwargs

    def _opened(self, session: ReplaySession, inputs: Any, mode: str) -> Opened:
        # Described anew each time, or a change of the target would not be seen.
        description = self._descriptions.of(target_of(self._target.instance))
        if description is not self._compared[0]:
            drifts = compare_construction(self._run, description, self._policy, self._terms.redact)
            self._compared = (description, drifts)
            # Walked again only when the target has changed, as its description would.
            walk = Walk()
            self._found = tuple(walk.from_values([("", self._target.instance)]))
            self._toolsets = tuple(walk.toolsets)
        session.ledger.drifts += self._compared[1]
        return Opened(
            session, self._target, inputs, mode=mode, description=description, found=self._found,
            toolsets=self._toolsets,
        )  # fmt: skip

    def recorded_data(self) -> Any:
        """Return the recorded inputs as live objects, fresh each time."""
        tree = self._run.inputs
        if not isinstance(tree, dict):
            raise ReplayError(
                "The recording does not say what it was run with.", hint="Pass the data to replay."
            )
        if self._target.kind != "pipeline":
            # What was left open says nothing, and some of it cannot be passed.
            tree = {key: value for key, value in tree.items() if value is not None}
        try:
            try:
                return Reviver().value(tree)
            except CannotReviveError:
                parts = [part for _, part in components_of(self._target.instance)]
                known = taken_classes(parts or [self._target.instance])
                return Reviver(known).value(tree)
        except CannotReviveError as error:
            raise ReplayError(
                f"The recorded inputs cannot be made again. {error}",
                hint="Pass the data to replay.",
            ) from error


def _changed(target: Target, overrides: Overrides | None) -> Target:
    """Return an agent or a component made with other parameters, where that is wanted."""
    parameters = None if overrides is None else overrides.parameters.get(target.name)
    if not parameters or target.kind == "pipeline":
        return target
    from inspector.replay.twins import twin_of

    return target._replace(instance=twin_of(target.instance, parameters))


def replay_run(
    target: Any, run: PipelineRun | str | Path, data: Any = None, *, record: bool = False,
    **options: Any,
) -> Any:  # fmt: skip
    """Replay a recorded run and return its result; with `record`, also the replay as a run.

    Takes what `Replayer` takes.

    Raises:
        ReplayDriftError: The live target is not the recorded one any more.

    """
    replayer = Replayer(target, run, **options)
    result = replayer.play(_own_copy(data))
    return (result, replayer.run) if record else result


async def replay_run_async(
    target: Any, run: PipelineRun | str | Path, data: Any = None, *, record: bool = False,
    **options: Any,
) -> Any:  # fmt: skip
    """Do with `run_async` what `replay_run` does."""
    replayer = Replayer(target, run, **options)
    result = await replayer.play_async(_own_copy(data))
    return (result, await asyncio.to_thread(lambda: replayer.run)) if record else result


def _own_copy(data: Any) -> Any:
    """Copy the outer levels of the data: Haystack writes into what it is given."""
    if isinstance(data, dict):
        return {key: copy.copy(value) for key, value in data.items()}
    return data
