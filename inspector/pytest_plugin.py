"""Recorded runs as tests: a marker names the recording, `replayed` replays it.

The test fails when the pipeline does something else than was recorded, when an answer was
recorded that nobody asked for, and when there is no recording; each time with the report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from inspector.replay.api import Replayer
    from inspector.runfile.drift import DriftReport
    from inspector.runfile.model import PipelineRun

_MARK = "recorded_run"
_SECTION = "Run Inspector"
_MARK_HELP = (
    "recorded_run(path, mode='strict', require_verified=False): the run file, beside the test's"
    " file, that `recorded` and `replayed` are about"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our options, all of them under one prefix."""
    group = parser.getgroup("inspector", "recorded Haystack runs")
    group.addoption(
        "--inspector-record",
        choices=("none", "new", "all"),
        default="none",
        help="record runs by running live: none (a missing recording fails its test), new (those"
        " that are missing), all (every one anew)",
    )
    group.addoption(
        "--inspector-update",
        action="store_true",
        help="run live what the recordings have no answer to, and add it to them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", _MARK_HELP)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say so when tests may run live."""
    record, update = config.getoption("inspector_record"), config.getoption("inspector_update")
    if record == "none" and not update:
        return None
    told = [f"records {record}"] if record != "none" else []
    return f"inspector: {', '.join([*told, *(['updates recordings'] if update else [])])}"


@pytest.fixture
def inspector_recording(request: pytest.FixtureRequest) -> Path:
    """Where the recording of this test is: the marker's path, from the file of the test.

    Without a marker, `recordings/<file>-<test>.run.json`. Override it to keep them elsewhere.
    """
    here = request.path.parent
    mark = request.node.get_closest_marker(_MARK)
    if mark is not None and (mark.args or "path" in mark.kwargs):
        named: str | Path = mark.args[0] if mark.args else mark.kwargs["path"]
        return here / named
    name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in request.node.name)
    return here / "recordings" / f"{request.path.stem}-{name}.run.json"


@pytest.fixture(name="recorded")
def inspector_recorded(inspector_recording: Path, request: pytest.FixtureRequest) -> PipelineRun:
    """Return the recorded run of this test."""
    if inspector_recording.is_file() and request.config.getoption("inspector_record") != "all":
        return _loaded(inspector_recording)
    # Stands in for the run until `replayed` has recorded it, and fails the test otherwise.
    found: Any = _Awaited(inspector_recording, request.node)
    return found  # type: ignore[no-any-return]  # pytest's fixtures are untyped


@pytest.fixture(name="replayed")
def inspector_replayed(
    inspector_recording: Path, request: pytest.FixtureRequest
) -> Iterator[Replayed]:
    """Call it with what is to be replayed; it returns what that returned."""
    mark = request.node.get_closest_marker(_MARK)
    kwargs = {} if mark is None else dict(mark.kwargs)
    kwargs.pop("path", None)
    replayed = Replayed(
        inspector_recording,
        record=request.config.getoption("inspector_record"),
        update=request.config.getoption("inspector_update"),
        require_verified=bool(kwargs.pop("require_verified", False)),
        options=kwargs,
    )
    request.node.stash[_KEY] = replayed
    yield replayed
    del request.node.stash[_KEY]


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
        self._record = record
        self._update = update
        self._require_verified = require_verified
        self._options = options
        self._replayer: Replayer | None = None
        self._recorded: PipelineRun | None = None

    @property
    def recorded(self) -> PipelineRun | None:
        """The new recording, where one was made."""
        return self._recorded

    @property
    def run(self) -> PipelineRun:
        """The replay as a run of its own; the new recording, where one was made."""
        return self._recorded or self._played().run

    @property
    def report(self) -> DriftReport:
        """What the replay found."""
        if self._recorded is not None:
            from inspector.runfile.drift import DriftReport

            return DriftReport()
        return self._played().report

    def __call__(self, target: Any, data: Any = None, **options: Any) -> Any:
        """Replay the recording on a pipeline, an agent or a component.

        Args:
            target: What runs.
            data: What to run it with; the recorded inputs unless given.
            options: What `Replayer` takes.

        """
        if self._is_to_be_recorded():
            return self._recorded_anew(target, data, options)
        with self._turn():
            replayer = self._prepared(target, options)
            try:
                self.result = replayer.play(data)
            except BaseException as error:
                self._fail_for(error)
                raise
            self._look()
        return self.result

    async def play_async(self, target: Any, data: Any = None, **options: Any) -> Any:
        """Do with `run_async` what calling this does."""
        if self._is_to_be_recorded():
            return await self._recorded_anew_async(target, data, options)
        with self._turn():
            replayer = self._prepared(target, options)
            try:
                self.result = await replayer.play_async(data)
            except BaseException as error:
                self._fail_for(error)
                raise
            self._look()
        return self.result

    # -- replaying -----------------------------------------------------------------------

    def _turn(self) -> AbstractContextManager[None]:
        from contextlib import nullcontext

        from inspector.runfile.turns import Turn

        # One process at a time extends a recording, however many run tests.
        wanted = self._update and self.path.is_file()
        return Turn(self.path.parent) if wanted else nullcontext()

    def _played(self) -> Replayer:
        if self._replayer is None:
            raise _failure("Nothing was replayed yet: call replayed(pipeline) first.")
        return self._replayer

    def _prepared(self, target: Any, options: dict[str, Any]) -> Replayer:
        from inspector.replay.api import Replayer

        if not self.path.is_file():
            raise _failure(_missing(self.path))
        settings = {**self._options, **options}
        if self._update:
            settings["mode"] = "record_new"
        self._recorded = None
        self._replayer = Replayer(
            target, self.path if self._update else _loaded(self.path), **settings
        )
        return self._replayer

    def _fail_for(self, error: BaseException) -> None:
        """Turn a drift into a failure that no test catches by accident."""
        from inspector.replay.failure import ReplayDriftError

        if isinstance(error, ReplayDriftError):
            self.finding = self._told(error)
            raise _failure(self.finding) from None
        if not self.report.same:
            # Whatever it raised, it did so after it had left the recording.
            self.finding = self._told()

    def _look(self) -> None:
        """Look at what a replay found that went on to its end."""
        report = self.report
        if self._update:
            if report.drifts:
                self.notes.append(f"updated: {self.path.name}")
            return
        if not report.same:
            self.finding = self._told()
        elif report.not_verified:
            paths = ", ".join(dict.fromkeys(report.not_verified))
            if self._require_verified:
                self.finding = self._told()
            self.notes.append(f"retrieval not verified: {paths}")

    def _told(self, error: BaseException | None = None) -> str:
        from inspector.presentation.drift_report import drift_report

        lines = [drift_report(self.report, name=self.path.name, error=error)]
        if hint := getattr(error, "hint", ""):
            lines.append(hint)
        lines.append(
            "If this is as it should be: pytest --inspector-update runs live what is new and adds"
            " it to the recording, --inspector-record=all records anew."
        )
        return "\n".join(lines)

    # -- recording -----------------------------------------------------------------------

    def _is_to_be_recorded(self) -> bool:
        if self._record == "all":
            return True
        return self._record == "new" and not self.path.is_file()

    def _recorded_anew(self, target: Any, data: Any, options: dict[str, Any]) -> Any:
        from inspector.recording.api import record_run
        from inspector.recording.recorder import PipelineRecorder

        recorder = PipelineRecorder()
        try:
            self.result, _ = record_run(
                target, self._data(target, data), recorder=recorder, **self._for_run(options)
            )
        finally:
            self._take(recorder)
        return self.result

    async def _recorded_anew_async(self, target: Any, data: Any, options: dict[str, Any]) -> Any:
        from inspector.recording.api import record_run_async
        from inspector.recording.recorder import PipelineRecorder

        recorder = PipelineRecorder()
        try:
            self.result, _ = await record_run_async(
                target, self._data(target, data), recorder=recorder, **self._for_run(options)
            )
        finally:
            self._take(recorder)
        return self.result

    def _for_run(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the options that are none of a replay, and go on to what runs."""
        from inspect import signature

        from inspector.replay.api import Replayer

        given = {**self._options, **options}
        ours = signature(Replayer).parameters
        return {name: value for name, value in given.items() if name not in ours}

    def _data(self, target: Any, data: Any) -> Any:
        if data is not None:
            return data
        if not self.path.is_file():
            raise _failure(
                f"There is nothing to record {self.path.name} with: no recording to take the"
                " inputs from, and the test passes none."
                "\nPass them, as in replayed(pipeline, {'retriever': {'query': '...'}})."
            )
        from inspector.replay.api import Replayer

        return Replayer(target, _loaded(self.path)).recorded_data()

    def _take(self, recorder: Any) -> None:
        if runs := recorder.runs:
            self._recorded = runs[-1]

    def keep(self) -> None:
        """Write what was recorded, now that the test is content with it."""
        if self._recorded is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._recorded.save(self.path)
            self.notes.append(f"recorded: {self.path.name}")


class _Awaited:
    """Stands in for a recording that is not there (yet), and says so to whoever looks."""

    def __init__(self, path: Path, node: pytest.Item) -> None:
        self._path = path
        self._node = node

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.look(), name)

    def look(self) -> PipelineRun:
        """Return the run, or fail the test."""
        replayed = self._node.stash.get(_KEY, None)
        if replayed is not None and replayed.recorded is not None:
            return replayed.recorded
        if not self._path.is_file():
            raise _failure(_missing(self._path))
        return _loaded(self._path)


_KEY = pytest.StashKey[Replayed]()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Fail a test whose recording is missing, or whose replay was not the recording."""
    replayed = pyfuncitem.stash.get(_KEY, None)
    recorded = pyfuncitem.funcargs.get("recorded")
    if replayed is None and isinstance(recorded, _Awaited):
        recorded.look()
    try:
        result = yield
        if replayed is not None:
            if replayed.finding is not None:
                raise _failure(replayed.finding)
            replayed.keep()
    finally:
        if replayed is not None and replayed.notes:
            pyfuncitem.add_report_section("call", _SECTION, "\n".join(replayed.notes))
    return result


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """List what was recorded, and what was served without a look at its store."""
    told: list[str] = []
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, ()):
            for title, text in getattr(report, "sections", ()):
                if title == f"Captured {_SECTION} call":
                    told += [f"{report.nodeid}: {line}" for line in text.splitlines()]
    if told:
        terminalreporter.section(_SECTION, sep="-")
        for line in told:
            terminalreporter.line(line)


def _loaded(path: Path) -> PipelineRun:
    from inspector.errors import InspectorError
    from inspector.runfile.load import load_run

    try:
        return load_run(path)
    except InspectorError as error:
        raise _failure(f"{error}\n{error.hint}".rstrip()) from None


def _missing(path: Path) -> str:
    return (
        f"Missing recording: there is no {path}.\n"
        "pytest --inspector-record=new makes it, by running live once."
    )


def _failure(words: str) -> BaseException:
    return pytest.fail.Exception(words, pytrace=False)
