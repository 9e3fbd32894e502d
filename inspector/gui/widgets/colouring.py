"""Gives a text the colours of its language, a piece at a time and only where one looks."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from inspector.gui.tasks.runner import Cancelled, TaskRunner
from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.highlight import LONGEST, Stretch, inked


class Colouring(QObject):
    """Colours what is in sight of one `CodeEdit`, with words read on a worker thread.

    A text that is not too long is read as a whole. Of a longer one only the
    pieces in sight are, each from the beginning of a line.
    """

    def __init__(
        self, edit: CodeEdit, tasks: TaskRunner, failed: Callable[[Exception], None]
    ) -> None:
        super().__init__(edit)
        self._edit = edit
        self._tasks = tasks
        self._failed = failed
        self._language = ""
        self._asked_for: set[int] = set()

    @property
    def language(self) -> str:
        return self._language

    def speak(self, language: str) -> None:
        """Take the text for another language."""
        if language != self._language:
            self._language = language
            self._edit.clear_inks()
        self.forget()

    def forget(self) -> None:
        """Read again what was read: the text is another, or has become longer."""
        self._asked_for.clear()

    def look(self) -> None:
        """Colour what is in sight now."""
        self._edit.paint_inks()
        display = self._edit.display
        sight = self._edit.lines_in_sight()
        if not self._language or not display.source or not sight:
            return
        last = min(sight.stop, len(display)) - 1
        for piece in dict.fromkeys((self._piece(sight.start), self._piece(last))):
            if piece not in self._asked_for:
                self._asked_for.add(piece)
                self._read(piece)

    def _piece(self, line: int) -> int:
        """Return which piece of the text a line stands in."""
        display = self._edit.display
        if len(display.source) <= LONGEST:
            return 0
        return display.start(min(max(line, 0), len(display) - 1)) // (LONGEST // 2)

    def _lines_of(self, piece: int) -> tuple[int, int]:
        display = self._edit.display
        if len(display.source) <= LONGEST:
            return 0, len(display)
        size = LONGEST // 2
        # Not from the middle of a line, where a string would look like code.
        first = display.head_of(display.place(piece * size)[0])
        last, _ = display.place(min((piece + 1) * size, len(display.source)))
        return first, last + 1

    def _read(self, piece: int) -> None:
        display, language = self._edit.display, self._language
        first, stop = self._lines_of(piece)
        # A line may be as long as the whole text: what is read stays bounded.
        end = min(display.end(stop - 1), display.start(first) + LONGEST)
        text = display.source[display.start(first) : end]

        def read(cancelled: Cancelled) -> list[Stretch]:
            return inked(text, language, cancelled)

        def show(stretches: list[Stretch]) -> None:
            if self._edit.display is display and self._language == language:
                self._edit.set_inks(first, stretches)

        self._tasks.start(read, done=show, failed=self._failed, key=(self, piece))
