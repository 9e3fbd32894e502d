"""`open` starts the window, or says in a sentence why there can be none."""

import sys

import pytest

from tests.cli.commands import SAMPLE, called, program

NO_DISPLAY = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="there is always a display")
@pytest.mark.parametrize("arguments", [("open", SAMPLE), (SAMPLE,), ("-",), ()])
def test_without_a_display_there_is_a_sentence(arguments):
    pytest.importorskip("PySide6", reason="asks about the display only when there is a window")
    answer = program(*arguments, env=NO_DISPLAY)
    assert answer.code == 2
    assert answer.err.startswith("run-inspector: There is no display to show a window on.\n")
    assert "run-inspector show" in answer.err


@pytest.mark.parametrize("files", [(), (SAMPLE,), (SAMPLE, "-")])
def test_fewer_than_two_files_are_not_compared(capsys, files):
    answer = called(capsys, "open", *files, "--compare")
    assert answer.code == 2
    assert answer.err.startswith("run-inspector: Two files or more are compared.\n")


def test_without_the_extra_there_is_a_sentence(capsys, monkeypatch):
    monkeypatch.setattr("inspector.cli.open_window.find_spec", lambda name: None)
    answer = called(capsys, SAMPLE)
    assert answer.code == 2
    assert answer.err == (
        "run-inspector: The window needs PySide6, which is not installed.\n"
        '  Install it with: pip install "haystack-run-inspector[gui]"\n'
    )


def test_qt_that_cannot_be_loaded_is_a_sentence(capsys, monkeypatch):
    pytest.importorskip("PySide6", reason="stands for a Qt that lacks a library")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setitem(sys.modules, "inspector.gui.app", None)
    answer = called(capsys, "open", SAMPLE)
    assert answer.code == 2
    assert answer.err.startswith("run-inspector: The window cannot start: ")
    assert "run-inspector doctor" in answer.err


@pytest.mark.parametrize("address", ["https://github.com/a/b/issues/7", "HTTP://example.org/x"])
def test_a_web_address_is_not_opened_and_how_to_fetch_is_said(capsys, address):
    answer = called(capsys, address)
    assert answer.code == 2
    assert "run-inspector fetch URL" in answer.err
