"""What the fixtures of the pytest plugin give out: the recording of one test, and its replay."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from inspector.replay.api import Replayer
    from inspector.runfile.drift import DriftReport
    from inspector.runfile.model import PipelineRun


class Replayed:
    """The recording of one test, to be replayed on whatever the test builds.

    Afterwards `result` is what the target returned, `run` the replay as a run, and `report`
    what it found.
    """

    def __init__(
        self, path: Path, *, record: str, update: bool, require_verified: bool,
        options: dict[str, Any],
    ) -> None:  # fmt: skip
        self.path = path
        self.result: Any = None
        self.notes: list[str] = []
        self.finding: str | None = None
        self.called = False
        self._record = record
        self._update = update
        self._require_verified = require_verified
        self._options = options
        self._replayer: Replayer | None = None
        self._recorded: PipelineRun | None = None
        self._updates: list[Replayer] = []

    @property
    def recorded(self) -> PipelineRun | None:
        """The new recording, where one was made."""
        return self._recorded

    @property
    def run(self) -> PipelineRun:
        """The replay as a run of its own; the new recording, where one was made."""
        if self._replayer is None and self._recorded is not None:
            return self._recorded
        return self._played().run

    @property
    def report(self) -> DriftReport:
        """What the replay found."""
        if self._replayer is None and self._recorded is not None:
            from inspector.runfile.drift import DriftReport

            return DriftReport()
        return self._played().report

    @property
    def decisions(self) -> dict[str, str]:
        """What the replay decided, by the path of the span: tools, documents, routes, endings."""
        from inspector.presentation.decided import decided

        return decided(self.run)

    @property
    def answer(self) -> str | None:
        """What the replay answered, as text; None where it came to no answer."""
        from inspector.diff.answer import answer_of

        return answer_of(self.run)

    def __call__(self, target: Any, data: Any = None, **options: Any) -> Any:
        """Replay the recording on a pipeline, an agent or a component.

        Args:
            target: What runs.
            data: What to run it with; the recorded inputs unless given.
            options: What `Replayer` takes.

        """
        self.called = True
        if self._is_to_be_recorded():
            return self._recorded_anew(target, data, options)
        replayer = self._prepared(target, options)
        try:
            self.result = replayer.play(data)
        except BaseException as error:
            self._fail_for(error, replayer)
            raise
        self._look(replayer)
        return self.result

    async def play_async(self, target: Any, data: Any = None, **options: Any) -> Any:
        """Do with `run_async` what calling this does."""
        self.called = True
        if self._is_to_be_recorded():
            return await self._recorded_anew_async(target, data, options)
        replayer = self._prepared(target, options)
        try:
            self.result = result = await replayer.play_async(data)
        except BaseException as error:
            self._fail_for(error, replayer)
            raise
        self._look(replayer)
        return result

    # -- replaying -----------------------------------------------------------------------

    def _played(self) -> Replayer:
        if self._replayer is None:
            raise failure("Nothing was replayed yet: call replayed(pipeline) first.")
        return self._replayer

    def _is_updated(self) -> bool:
        return self._update and self._recorded is None

    def _prepared(self, target: Any, options: dict[str, Any]) -> Replayer:
        from inspector.replay.api import Replayer

        # A test that replays twice has one recording, also while that is being made.
        run = self._recorded or loaded(self.path)
        settings = {**self._options, **options}
        _check_mode(settings)
        if self._is_updated():
            # What is new is kept when the test has passed, and not before.
            settings |= {"mode": "record_new", "add_new": False}
        self._replayer = Replayer(target, run, **settings)
        return self._replayer

    def _fail_for(self, error: BaseException, replayer: Replayer) -> None:
        """Turn a drift into a failure that no test catches by accident."""
        from inspector.replay.failure import ReplayDriftError
        from inspector.replay.mode import ReplayError

        if isinstance(error, ReplayDriftError):
            self.finding = self._told(replayer, error)
            raise failure(self.finding) from None
        if isinstance(error, ReplayError):
            # It could not be replayed. A test that catches this has checked nothing.
            self.finding = f"{error}\n{error.hint}".rstrip()
        elif self._is_updated():
            self._updates.append(replayer)
        elif not replayer.report.same:
            # Whatever it raised, it did so after it had left the recording.
            self.finding = self._told(replayer)

    def _look(self, replayer: Replayer) -> None:
        """Look at what a replay found that went on to its end."""
        report = replayer.report
        if self._is_updated():
            self._updates.append(replayer)
        elif not report.same:
            self.finding = self._told(replayer)
        elif report.not_verified:
            paths = ", ".join(dict.fromkeys(report.not_verified))
            if self._require_verified:
                self.finding = self._told(replayer)
            self.notes.append(f"retrieval not verified: {paths}")

    def _told(self, replayer: Replayer, error: BaseException | None = None) -> str:
        from inspector.presentation.drift_report import drift_report

        lines = [drift_report(replayer.report, name=self.path.name, error=error)]
        lines += [f"Of {self.path.name}: {each}" for each in replayer.recorded.problems[:5]]
        if hint := getattr(error, "hint", ""):
            lines.append(hint)
        lines.append(
            "A recording holds one run, and this test replays it with something else than it"
            " recorded."
            if self._recorded is not None
            else "If this is as it should be: pytest --inspector-update runs live what is new and"
            " adds it to the recording, --inspector-record=all records anew."
        )
        return "\n".join(lines)

    # -- recording -----------------------------------------------------------------------

    def _is_to_be_recorded(self) -> bool:
        if self._recorded is not None:
            return False
        if self._record == "all":
            return True
        return self._record == "new" and not self.path.exists()

    def _recorded_anew(self, target: Any, data: Any, options: dict[str, Any]) -> Any:
        from inspector.recording.api import record_run
        from inspector.recording.recorder import PipelineRecorder

        data, options = self._for_run(target, data, options)
        recorder = PipelineRecorder()
        try:
            self.result, _ = record_run(target, data, recorder=recorder, **options)
        finally:
            self._take(recorder)
        return self.result

    async def _recorded_anew_async(self, target: Any, data: Any, options: dict[str, Any]) -> Any:
        from inspector.recording.api import record_run_async
        from inspector.recording.recorder import PipelineRecorder

        data, options = self._for_run(target, data, options)
        recorder = PipelineRecorder()
        try:
            self.result, _ = await record_run_async(target, data, recorder=recorder, **options)
        finally:
            self._take(recorder)
        return self.result

    def _for_run(self, target: Any, data: Any, options: dict[str, Any]) -> tuple[Any, Any]:
        """Return what to record with: the data, and the options that are none of a replay.

        Whatever stands in the way is said before anything runs live.
        """
        from inspect import signature

        from inspector.replay.api import Replayer

        if (said := _in_the_way(self.path)) is not None:
            raise failure(f"Nothing can be recorded as {self.path}: {said}.")
        given = {**self._options, **options}
        _check_mode(given)
        ours = signature(Replayer).parameters
        kept = {name: value for name, value in given.items() if name not in ours}
        return self._data(target, data), kept

    def _data(self, target: Any, data: Any) -> Any:
        if data is not None:
            return data
        if not self.path.is_file():
            raise failure(
                f"There is nothing to record {self.path.name} with: no recording to take the"
                " inputs from, and the test passes none."
                "\nPass them, as in replayed(pipeline, {'retriever': {'query': '...'}})."
            )
        from inspector.replay.api import Replayer

        return Replayer(target, loaded(self.path)).recorded_data()

    def _take(self, recorder: Any) -> None:
        if runs := recorder.runs:
            self._recorded = runs[-1]

    def keep(self) -> None:
        """Write what was recorded, now that the test is content with it."""
        from inspector.errors import InspectorError

        try:
            if self._recorded is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._recorded.save(self.path)
                self.notes.append(f"recorded: {self.path.name}")
            extended = [_was_extended(replayer) for replayer in self._updates]
            if any(extended):
                self.notes.append(f"updated: {self.path.name}")
        except InspectorError as error:
            raise failure(f"{error}\n{error.hint}".rstrip()) from None
        except OSError as error:
            raise failure(f"{self.path.name} cannot be written: {error}.") from None


class Awaited:
    """Stands in for a recording that is not there (yet), and says so to whoever looks."""

    def __init__(self, path: Path, replayed: Any) -> None:
        self._path = path
        self._replayed = replayed

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.look(), name)

    def look(self) -> PipelineRun:
        """Return the run, or fail the test."""
        replayed: Replayed | None = self._replayed()
        if replayed is not None and replayed.recorded is not None:
            return replayed.recorded
        return loaded(self._path)


def loaded(path: Path) -> PipelineRun:
    """Return the run of a file, or fail the test with what is wrong with it."""
    from inspector.errors import InspectorError
    from inspector.runfile.load import load_run

    if not path.exists():
        raise failure(
            f"Missing recording: there is no {path}.\n"
            "pytest --inspector-record=new makes it, by running live once."
        )
    if not path.is_file():
        raise failure(f"{path} is no recording: it is no ordinary file.")
    try:
        return load_run(path)
    except InspectorError as error:
        raise failure(f"{error}\n{error.hint}".rstrip()) from None


def failure(words: str) -> BaseException:
    """Return what fails a test with these words, and no traceback of ours."""
    return pytest.fail.Exception(words, pytrace=False)


def file_name(parts: Iterable[str]) -> str:
    """Return a name for a file that no other test has, on any file system.

    What a file name should not hold is replaced, and a digest of the whole is added then.
    """
    from hashlib import blake2b

    whole = "-".join(parts)
    name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in whole)
    name = name.encode("ascii", "replace").decode().replace("?", "_")
    short = name[:_LONGEST_NAME].rstrip("_.")
    if short == whole:
        return short
    return f"{short}-{blake2b(whole.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


_LONGEST_NAME = 120


def _check_mode(options: dict[str, Any]) -> None:
    from inspector.replay.mode import ReplayMode

    mode = options.get("mode", ReplayMode.STRICT)
    if mode not in list(ReplayMode):
        raise failure(f"There is no mode {mode!r}; there are {', '.join(ReplayMode)}.")


def _in_the_way(path: Path) -> str | None:
    """Say why no file can be written there, if that can be known before."""
    if path.exists() and not path.is_file():
        return "it is no ordinary file"
    above = next((each for each in path.parents if each.exists()), None)
    if above is None or not above.is_dir():
        return f"{above} is no directory"
    return None if os.access(above, os.W_OK) else f"nothing may be written into {above}"


def _was_extended(replayer: Replayer) -> bool:
    new = bool(replayer.news.calls)
    if new:
        replayer.add_new()
    return new
