"""Any text of a run: to read, search and copy, however long it is."""

from collections.abc import Callable, Sequence
from functools import cached_property

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QTextCharFormat
from PySide6.QtWidgets import (
    QMenu,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.tasks.runner import Cancelled, Task, TaskRunner
from inspector.gui.widgets.code_edit import CodeEdit, Mark
from inspector.gui.widgets.colouring import Colouring
from inspector.gui.widgets.find_bar import FindBar
from inspector.gui.widgets.held_back import HeldBack
from inspector.gui.widgets.highlight import LANGUAGES
from inspector.gui.widgets.markdown_page import MarkdownPage
from inspector.gui.widgets.plain import Hairline, IconButton
from inspector.gui.widgets.viewer_head import ViewerHead
from inspector.presentation.long_text import (
    NO_MATCHES,
    DisplayText,
    Matches,
    find_all,
    match_words,
)
from inspector.presentation.value_text import (
    MOST_SHOWN,
    SHOWN_AT_ONCE,
    WrittenValue,
    plain_text,
)
from inspector.presentation.words import number_words, plural, sentence

Writer = Callable[[int], WrittenValue]
"""Writes the first so many characters of something."""

_AT_ONCE = 12_000  # characters written in a slot; the rest comes from a worker
_SEARCHED_AT_ONCE = 300_000
_MOST_MARKS = 500


class TextViewer(QWidget):
    """Read-only text with find, wrap, copy and colours by language.

    The beginning shows at once. What is longer is written, broken into lines and
    coloured on a worker thread.
    """

    escape_pressed = Signal()

    def __init__(
        self,
        tasks: TaskRunner,
        parent: QWidget | None = None,
        *,
        name: str = "Text",
        buttons: Sequence[QWidget] = (),
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._writer: Writer = lambda _limit: WrittenValue("", "")
        self._written = WrittenValue("", "", total=0)
        self._matches: Matches = NO_MATCHES
        self._current = -1
        self._marked: Sequence[tuple[int, int]] = ()
        self._writing: Task | None = None
        self._chosen_title = ""

        self._edit = CodeEdit(self)
        self._edit.setAccessibleName(name)
        self._edit.find_requested.connect(self.begin_find)
        self._edit.find_stepped.connect(self._step)
        self._edit.view_moved.connect(self._on_view_moved)
        self._edit.escape_pressed.connect(self._on_escape)
        self._colouring = Colouring(self._edit, tasks, self._on_failed)
        self._find = FindBar(self)
        self._find.hide()
        self._find.text_changed.connect(self._search)
        self._find.stepped.connect(self._step)
        self._find.closed.connect(self.end_find)
        self.setFocusProxy(self._edit)

        self._stack = QStackedLayout()
        self._stack.addWidget(self._edit)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._make_header(buttons))
        layout.addWidget(Hairline(self))
        layout.addWidget(self._find)
        layout.addLayout(self._stack, 1)
        self._notice = HeldBack(self.show_all, self)
        layout.addWidget(self._notice)
        theme.changes.changed.connect(self._on_view_moved)

    def _make_header(self, buttons: Sequence[QWidget]) -> QWidget:
        header = self._head = ViewerHead(self)
        self._languages = QToolButton(header)
        self._languages.setAutoRaise(True)
        self._languages.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._languages.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._languages.setToolTip("Language of the text")
        menu = QMenu(self._languages)
        for language, words in LANGUAGES.items():
            menu.addAction(words).setData(language)
        menu.triggered.connect(self._on_language_chosen)
        self._languages.setMenu(menu)
        self._wrap = IconButton("wrap", "Wrap long lines", self._on_wrap_pressed, checkable=True)
        self._wrap.setChecked(True)
        self._laid_out = IconButton(
            "layout", "Lay out as Markdown, without HTML and pictures", self._lay_out,
            checkable=True,
        )  # fmt: skip
        self._search_button = IconButton("search", "Find (Ctrl+F)", self.begin_find)
        self._copy = IconButton("copy", "Copy the whole text", self.copy_all)

        own = (self._languages, self._laid_out, self._wrap, self._search_button, self._copy)
        for button in (*buttons, *own):
            header.add_button(button)
        self._say_language()
        return header

    # What is shown

    def show_text(
        self,
        text: str,
        language: str | None = None,
        *,
        title: str = "",
        marks: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Show a text; `marks` are stretches of what is seen of it to point out."""

        def write(limit: int) -> WrittenValue:
            return plain_text(text, limit)

        self.show_written(write, title=title, language=language, marks=marks)

    def show_written(
        self,
        writer: Writer,
        *,
        title: str = "",
        language: str | None = None,
        marks: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Show what `writer` writes: its beginning now, the rest when a worker has it."""
        self._writer = writer
        self._written = writer(_AT_ONCE)
        self._chosen_title = title
        self._marked = marks
        self._matches, self._current = NO_MATCHES, -1
        self._edit.show_display(DisplayText(self._written.text))
        self._colouring.speak(self._written.language if language is None else language)
        self._say_language()
        self._after_writing()
        self._search_again()
        if self._writing is not None:
            self._writing.cancel()
        if not self._written.complete:
            self._write(SHOWN_AT_ONCE)

    def show_all(self) -> None:
        """Show what was held back for its length."""
        self._write(MOST_SHOWN)

    def clear(self) -> None:
        self.show_text("")

    @property
    def text(self) -> str:
        """The text as it is shown, long lines in one piece."""
        return self._edit.display.source

    @property
    def is_complete(self) -> bool:
        return self._written.complete

    def set_focus_on_text(self) -> None:
        self._edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def scroll_to(self, offset: int) -> None:
        self._edit.scroll_to(offset)

    def copy_all(self) -> None:
        """Put the whole text on the clipboard, also what is not shown."""
        if self._written.complete:
            QGuiApplication.clipboard().setText(self._written.text)
            return
        writer = self._writer

        def copy(written: WrittenValue) -> None:
            QGuiApplication.clipboard().setText(written.text)

        self._tasks.start(
            lambda _cancelled: writer(MOST_SHOWN),
            done=copy,
            failed=self._on_failed,
            key=(self, "copy"),
        )

    def _write(self, limit: int) -> None:
        writer = self._writer

        def write(_cancelled: Cancelled) -> tuple[WrittenValue, DisplayText]:
            written = writer(limit)
            return written, DisplayText(written.text)

        self._writing = self._tasks.start(
            write, done=self._on_written, failed=self._on_failed, key=(self, "write")
        )

    def _on_written(self, result: tuple[WrittenValue, DisplayText]) -> None:
        self._written, display = result
        self._colouring.forget()
        self._edit.extend_display(display)
        self._after_writing()
        self._search_again()
        if not self.is_finding:
            self._lay_out()

    def _on_failed(self, error: Exception) -> None:
        said = str(error) if isinstance(error, InspectorError) else type(error).__name__
        self._notice.say(f"The rest could not be shown: {said}", more=False)

    def _after_writing(self) -> None:
        written = self._written
        display = self._edit.display
        lines = display.number(len(display) - 1)
        size = written.total if written.total is not None else len(written.text)
        at_least = "" if written.complete or written.total is not None else "more than "
        facts = [self._chosen_title]
        if not self._is_dump:
            facts += [f"{at_least}{plural(size, 'character')}"]
            facts += [plural(lines, "line")] if lines > 1 and written.complete else []
        self._head.say(sentence(facts))
        self._notice.hide()
        if not written.complete and len(written.text) >= SHOWN_AT_ONCE:
            of = f" of {number_words(written.total)}" if written.total is not None else ""
            words = f"The first {number_words(len(written.text))}{of} characters."
            self._notice.say(words, more=len(written.text) < MOST_SHOWN)
        self._on_view_moved()

    # Colours

    def _say_language(self) -> None:
        words = LANGUAGES.get(self._colouring.language, self._colouring.language)
        self._languages.setText(words)
        self._languages.setAccessibleName(f"Language of the text: {words}")
        self._laid_out.setVisible(self._colouring.language == "markdown")
        self._edit.number_lines(not self._is_dump)
        self._on_wrap_pressed()
        self._lay_out()

    def _on_language_chosen(self, action: QAction) -> None:
        self._colouring.speak(action.data())
        self._say_language()
        self._colouring.look()

    def _on_view_moved(self) -> None:
        self._colouring.look()
        self._show_marks()

    # Markdown

    @cached_property
    def _page(self) -> MarkdownPage:
        page = MarkdownPage(self, name=self._edit.accessibleName())
        page.escape_pressed.connect(self._on_escape)
        self._stack.addWidget(page)
        return page

    @property
    def is_laid_out(self) -> bool:
        return self._stack.currentIndex() > 0

    def _lay_out(self) -> None:
        """Show a text in Markdown laid out, or as it was written."""
        wanted = self._laid_out.isChecked() and self._colouring.language == "markdown"
        if wanted:
            self._page.show_text(self._written.text)
            self._stack.setCurrentWidget(self._page)
        else:
            self._stack.setCurrentIndex(0)
        self._wrap.setEnabled(not wanted and not self._is_dump)

    @property
    def _is_dump(self) -> bool:
        """Whether these are bytes, whose lines belong in one piece and have numbers."""
        return self._colouring.language == "hex"

    # Finding

    def begin_find(self) -> None:
        """Open the line to search with."""
        # What is found is pointed out in the text as it was written.
        self._stack.setCurrentIndex(0)
        selected = self._edit.selected_text()
        self._find.begin(selected if selected and "\n" not in selected[:200] else "")
        self._search(self._find.text)

    def end_find(self) -> None:
        self._find.hide()
        self._matches, self._current = NO_MATCHES, -1
        self._show_marks()
        self.set_focus_on_text()

    @property
    def is_finding(self) -> bool:
        return self._find.isVisible()

    def _on_escape(self) -> None:
        if self.is_finding:
            self.end_find()
        else:
            self.escape_pressed.emit()

    def _search(self, needle: str) -> None:
        source = self._edit.display.source
        if len(source) <= _SEARCHED_AT_ONCE:
            self._on_found(find_all(source, needle))
            return
        self._tasks.start(
            lambda cancelled: find_all(source, needle, cancelled),
            done=self._on_found,
            failed=self._on_failed,
            key=(self, "find"),
        )

    def _search_again(self) -> None:
        if self.is_finding:
            self._search(self._find.text)

    def _on_found(self, matches: Matches) -> None:
        if matches.needle != self._find.text:
            return
        self._matches = matches
        self._current = matches.near(self._edit.caret_offset())
        if self._current >= 0:
            self._edit.scroll_to(matches.starts[self._current])
        self._say_matches()

    def _step(self, direction: int) -> None:
        if not self.is_finding:
            self.begin_find()
        if not self._matches:
            return
        self._current = (self._current + direction) % len(self._matches)
        self._edit.scroll_to(self._matches.starts[self._current])
        self._say_matches()

    def _say_matches(self) -> None:
        words = match_words(self._matches, self._current, all_shown=self._written.complete)
        self._find.say(words, found=bool(self._matches) or not self._matches.needle)
        self._show_marks()

    def _show_marks(self) -> None:
        display = self._edit.display
        sight = self._edit.lines_in_sight()
        first = display.start(min(sight.start, len(display) - 1))
        last = display.end(min(max(sight.stop, 1), len(display)) - 1)
        tokens = theme.current()
        pointed = QTextCharFormat()
        pointed.setBackground(tokens.match_ground)
        pointed.setFontUnderline(True)
        marks: list[Mark] = [
            (begin, end, pointed) for begin, end in self._marked if end > first and begin < last
        ][:_MOST_MARKS]
        found = QTextCharFormat()
        found.setBackground(tokens.match_ground)
        chosen = QTextCharFormat()
        chosen.setBackground(tokens.accent)
        chosen.setForeground(tokens.on_accent)
        for at in self._matches.within(first, last)[:_MOST_MARKS]:
            look = chosen if at == self._current else found
            marks.append((self._matches.starts[at], self._matches.ends[at], look))
        self._edit.show_marks(marks)

    def _on_wrap_pressed(self) -> None:
        wrap = CodeEdit.LineWrapMode
        wrapped = self._wrap.isChecked() and not self._is_dump
        self._edit.setLineWrapMode(wrap.WidgetWidth if wrapped else wrap.NoWrap)
        self._on_view_moved()
