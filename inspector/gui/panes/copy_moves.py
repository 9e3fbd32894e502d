"""Puts what is looked at on the clipboard, in the shape that is asked for."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject
from PySide6.QtGui import QGuiApplication

from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_run import OpenRun

if TYPE_CHECKING:
    from inspector.gui.panes.run_window import RunWindow
    from inspector.gui.widgets.span_card_picture import CardPicture
    from inspector.presentation.links import Link
    from inspector.presentation.span_card import SpanCard
    from inspector.runfile.model import PipelineRun, Span

# A text and what it is, such as "the prompt"; no text where there is nothing to copy.
_Copy = tuple[str, str]
_TASK = "copy"


class CopyMoves(QObject):
    """What menus, keys and the palette can copy of the run in front.

    Values are decoded and written beside the window; the status line says what was copied,
    or that there is nothing of the sort.
    """

    def __init__(self, current: Callable[[], "RunWindow | None"], parent: QObject) -> None:
        super().__init__(parent)
        self._current = current

    def link(self) -> None:
        """Copy a link to the selected span and field."""
        from inspector.presentation.links import link_text

        self._copy_link(link_text, "The link")

    def command(self) -> None:
        """Copy the command that opens the window there."""
        from inspector.presentation.links import command_line

        self._copy_link(command_line, "The command")

    def summary(self) -> None:
        """Copy what the run did, as Markdown for an issue."""
        if (window := self._current()) is None:
            return
        open_run = window.open_run
        run, at = open_run.run, open_run.selection.span_id
        found = open_run.findings.found
        priced = open_run.pricing.priced

        def write(cancelled: Cancelled) -> _Copy:
            from inspector.findings import check
            from inspector.presentation.copies import issue_summary
            from inspector.presentation.verdict import verdict, with_estimate, with_findings

            findings = check(run, cancelled=cancelled) if found is None else found
            judged = with_findings(verdict(run), findings)
            if priced is not None:
                judged = with_estimate(judged, priced.estimate)
            return issue_summary(run, judged, findings, at), "The summary"

        self._write(window, write, "")

    def prompt(self) -> None:
        """Copy what the selected LLM was sent."""

        def write(run: "PipelineRun", span: "Span") -> _Copy:
            from inspector.presentation.copies import prompt_of

            return prompt_of(run, span), "The prompt"

        self._of_span(write, "This span sent no prompt.")

    def tool_call(self) -> None:
        """Copy the selected tool call, or those that the selected LLM asked for."""

        def write(_run: "PipelineRun", span: "Span") -> _Copy:
            from inspector.presentation.copies import tool_calls_of

            return tool_calls_of(span), "The tool call"

        self._of_span(write, "This span is no tool call and asked for none.")

    def value(self) -> None:
        """Copy the value that is looked at as JSON."""
        if (window := self._current()) is None:
            return
        field = window.open_run.selection.field

        def write(run: "PipelineRun", span: "Span") -> _Copy:
            from inspector.presentation.copies import value_json

            text, path = value_json(run, span, field)
            return text, path

        self._of_span(write, "This span recorded no value.")

    def test(self) -> None:
        """Copy a test that replays the run."""
        if (window := self._current()) is None:
            return
        run, path = window.open_run.run, window.open_run.path

        def write(_cancelled: Cancelled) -> _Copy:
            from inspector.presentation.copies import replay_test

            return replay_test(run, path.name if path else "a.run.json"), "The test"

        self._write(window, write, "")

    def picture(self) -> None:
        """Copy a picture of the timeline as it is seen."""
        if (window := self._current()) is None:
            return
        QGuiApplication.clipboard().setPixmap(window.timeline_picture())
        window.say("The picture is on the clipboard.")

    def card(self) -> None:
        """Copy a picture of the selected span, for programs that draw and for those that write."""

        def put(window: "RunWindow", picture: "CardPicture") -> None:
            mime = QMimeData()
            mime.setImageData(picture.image())
            mime.setData("image/svg+xml", picture.svg())
            QGuiApplication.clipboard().setMimeData(mime)
            window.say("The picture is on the clipboard, as PNG and as SVG.")

        self._draw(put)

    def save_card(self) -> None:
        """Ask where to save a picture of the selected span."""

        def ask(window: "RunWindow", picture: "CardPicture") -> None:
            from inspector.gui.dialogs.save_picture import ask_where_to_save, write_whole

            def write(path: Path) -> None:
                drawn = picture.png() if path.suffix.lower() == ".png" else picture.svg()
                wrong = write_whole(path, drawn)
                window.say(f"Cannot save {path.name}: {wrong}" if wrong else f"Saved {path.name}.")

            ask_where_to_save(window, f"{_file_stem(picture.title)}.svg", write)

        self._draw(ask)

    def _draw(self, use: "Callable[[RunWindow, CardPicture], None]") -> None:
        """Have the card of the selected span worded beside the window, and draw it."""
        if (window := self._current()) is None:
            return
        span = _selected(window.open_run)
        if span is None:
            window.say("No span is selected.")
            return
        run = window.open_run.run

        def word(_cancelled: Cancelled) -> "SpanCard":
            from inspector.presentation.span_card import span_card

            return span_card(run, span)

        def draw(card: "SpanCard") -> None:
            from inspector.gui.widgets.span_card_picture import CardPicture

            use(window, CardPicture(card))

        window.open_run.tasks.start(
            word, done=draw, failed=lambda error: _failed(window, error), key=_TASK
        )

    def _copy_link(self, written: "Callable[[Link], str]", what: str) -> None:
        from inspector.presentation.links import Link

        if (window := self._current()) is None:
            return
        open_run = window.open_run
        if open_run.path is None:
            window.say("This run came from no file, so that nothing can lead to it.")
            return
        selection = open_run.selection
        link = Link(open_run.path, selection.span_id, selection.field)
        _put(window, (written(link), what), "")

    def _of_span(self, write: "Callable[[PipelineRun, Span], _Copy]", nothing: str) -> None:
        if (window := self._current()) is None:
            return
        span = _selected(window.open_run)
        if span is None:
            window.say("No span is selected.")
            return
        run = window.open_run.run
        self._write(window, lambda _cancelled: write(run, span), nothing)

    def _write(
        self, window: "RunWindow", write: Callable[[Cancelled], _Copy], nothing: str
    ) -> None:
        window.open_run.tasks.start(
            write,
            done=lambda copy: _put(window, copy, nothing),
            failed=lambda error: _failed(window, error),
            key=_TASK,
        )


def _failed(window: "RunWindow", error: Exception) -> None:
    window.say("That could not be copied.")
    raise error


def _file_stem(title: str) -> str:
    return re.sub(r"\W+", "-", title).strip("-")[:60] or "span"


def _put(window: "RunWindow", copy: _Copy, nothing: str) -> None:
    text, what = copy
    if not text:
        window.say(nothing)
        return
    QGuiApplication.clipboard().setText(text)
    window.say(f"{what} is on the clipboard.")


def _selected(open_run: OpenRun) -> "Span | None":
    row = open_run.run.table.row_of(open_run.selection.span_id or "")
    return None if row is None else open_run.run.spans[row]
