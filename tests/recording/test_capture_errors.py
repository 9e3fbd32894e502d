"""Exceptions are told with their causes, and nothing of the host is kept alive by that."""

import gc
import weakref
from typing import Any

import pytest

from inspector.recording.capture import Capture
from tests.writing.writing import a_run, span


def told(error: BaseException) -> dict[str, Any]:
    tree = Capture().error(error)
    with a_run() as writer:
        writer.start(span(error=tree))
        writer.end("s1", 2_000, "failed", {})
    run = writer.load()
    found: dict[str, Any] = run.resolve(run.spans[0].raw["error"])
    return found


def raised(function: Any) -> BaseException:
    try:
        function()
    except BaseException as error:
        return error
    raise AssertionError("it did not raise")


class StatusError(Exception):
    def __init__(self, message: str, status_code: int) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.response = object()


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def test_an_error_tells_its_type_message_attributes_and_ancestors():
    error = told(raised(lambda: (_ for _ in ()).throw(StatusError("no key", 401))))
    assert error["type"].endswith(".StatusError")
    assert error["message"] == "no key"
    assert error["attributes"] == {"status_code": 401}
    assert error["mro"][1:] == ["Exception", "BaseException"]


def test_the_traceback_reads_as_python_prints_it():
    def dig() -> None:
        raise KeyError("root")

    lines = told(raised(dig))["traceback"].splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-2].endswith("in dig")
    assert lines[-1].strip() == 'raise KeyError("root")'


def test_a_long_traceback_keeps_its_ends():
    def fall(depth: int) -> None:
        if depth:
            fall(depth - 1)
        raise ValueError("deep")

    text = told(raised(lambda: fall(400)))["traceback"]
    assert text.count("in fall") < 200
    assert "frames left out" in text
    assert "in raised" in text.splitlines()[1]


def test_causes_and_contexts_are_told_until_one_is_met_again():
    def chained() -> None:
        try:
            try:
                raise KeyError("first")
            except KeyError as error:
                raise ValueError("second") from error
        except ValueError:
            raise RuntimeError("third")  # noqa: B904 - the context is what is tested

    error = told(raised(chained))
    assert error["context"]["message"] == "second"
    assert error["context"]["cause"]["message"] == "'first'"
    circle = ValueError("circle")
    circle.__cause__ = KeyError("other")
    circle.__cause__.__cause__ = circle
    assert "cause" not in told(circle)["cause"]


def test_a_suppressed_context_is_not_told():
    def suppressed() -> None:
        try:
            raise KeyError("hidden")
        except KeyError:
            raise ValueError("shown") from None

    assert set(told(raised(suppressed))) == {"type", "message", "traceback", "mro"}


def test_a_very_long_chain_ends():
    error: BaseException = ValueError("0")
    for number in range(200):
        error, cause = ValueError(str(number)), error
        error.__cause__ = cause
    depth, node = 0, told(error)
    while "cause" in node:
        node, depth = node["cause"], depth + 1
    assert 10 <= depth <= 30


def test_a_group_tells_what_is_in_it():
    group = ExceptionGroup("several", [ValueError("a"), KeyError("b")])
    assert [part["message"] for part in told(group)["exceptions"]] == ["a", "'b'"]


@pytest.mark.parametrize("error", [MuteError(), KeyboardInterrupt(), SystemExit(3)])
def test_odd_exceptions_are_told(error):
    assert told(error)["type"]


def test_a_very_long_message_is_cut():
    assert len(Capture().error(ValueError("x" * 10**6))["message"].tree) < 200_000


def test_an_error_that_was_told_keeps_nothing_alive():
    class Local:
        pass

    def fail(seen: list[Any]) -> None:
        local = Local()
        seen.append(weakref.ref(local))
        raise ValueError("bad")

    seen: list[Any] = []
    capture = Capture()
    error = raised(lambda: fail(seen))
    tree = capture.error(error)
    del error
    gc.collect()
    assert seen[0]() is None
    assert tree["message"] == "bad"
