"""Recorded runs as tests: a marker names the recording, `replayed` replays it.

The test fails when the pipeline does something else than was recorded, when an answer was
recorded that nobody asked for, and when there is no recording; each time with the report.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from inspector.pytest_replayed import Awaited, Replayed, failure, file_name, loaded

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from inspector.runfile.model import PipelineRun

_MARK = "recorded_run"
_SECTION = "Run Inspector"
_FIXTURES = {"recorded", "replayed", "inspector_recording"}
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

    Without a marker, `recordings/<file>-<class>-<test>.run.json`. Override it to keep them
    elsewhere.
    """
    here = request.path.parent
    mark = request.node.get_closest_marker(_MARK)
    if mark is not None and (named := _named(mark)):
        return here / _path(named)
    classes = [each.name for each in request.node.listchain() if isinstance(each, pytest.Class)]
    name = file_name([request.path.stem, *classes, request.node.name])
    return here / "recordings" / f"{name}.run.json"


def _named(mark: pytest.Mark) -> list[Any]:
    return [*mark.args, *(value for name, value in mark.kwargs.items() if name == "path")]


def _path(named: list[Any]) -> str | os.PathLike[str]:
    """Return the path that a marker names; there is one, or the test fails."""
    if len(named) > 1:
        raise failure(f"recorded_run takes one path, and not {', '.join(map(repr, named))}.")
    path: Any = named[0]
    if isinstance(path, (str, os.PathLike)) and str(path) and "\0" not in str(path):
        return path
    raise failure(f"recorded_run takes the path of a run file, and not {path!r}.")


@pytest.fixture(name="recorded")
def inspector_recorded(inspector_recording: Path, request: pytest.FixtureRequest) -> PipelineRun:
    """Return the recorded run of this test."""
    if inspector_recording.exists() and request.config.getoption("inspector_record") != "all":
        return loaded(inspector_recording)
    # Stands in for the run until `replayed` has recorded it, and fails the test otherwise.
    node = request.node
    found: Any = Awaited(inspector_recording, lambda: node.stash.get(_KEY, None))
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


_KEY = pytest.StashKey[Replayed]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fail a test whose recording is missing, or whose replay was not the recording."""
    replayed = item.stash.get(_KEY, None)
    recorded = getattr(item, "funcargs", {}).get("recorded")
    if replayed is None and isinstance(recorded, Awaited):
        recorded.look()
    try:
        result = yield
        # The tests of `unittest` keep what they raised, and raise nothing.
        if not getattr(item, "_excinfo", None):
            _look_at(item, replayed)
    finally:
        if replayed is not None and replayed.notes:
            item.add_report_section("call", _SECTION, "\n".join(replayed.notes))
    return result


def _look_at(item: pytest.Item, replayed: Replayed | None) -> None:
    """Look at a test that has passed: whether it replayed what it was to replay."""
    if replayed is not None:
        if replayed.finding is not None:
            raise failure(replayed.finding)
        if not replayed.called and item.get_closest_marker(_MARK) is not None:
            raise failure("Nothing was replayed: the test takes `replayed` and does not call it.")
        replayed.keep()
        return
    marked = any(mark.name == _MARK for mark in item.own_markers)
    if marked and not _FIXTURES & set(getattr(item, "fixturenames", _FIXTURES)):
        raise failure(
            "Nothing was replayed: the test is marked recorded_run and takes neither `replayed`"
            " nor `recorded`."
        )


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
