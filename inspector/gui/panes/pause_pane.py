"""What a replay holds: the value, the messages and the agent's state there, and how it goes on."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.held_calls import HeldCalls
from inspector.gui.widgets.held_editor import HeldEditor
from inspector.gui.widgets.labels import ElidedWords, Icon, Words
from inspector.gui.widgets.plain import Hairline, LinkButton, PanelGround
from inspector.gui.widgets.tab_bar import QuietTabBar
from inspector.gui.widgets.value_view import ValueView
from inspector.gui.workspace.open_replay import OpenReplay, ReplayFocus, ReplayState
from inspector.presentation.held_edits import HeldEdits
from inspector.presentation.held_value import (
    Edit,
    about_words,
    differs_from_recorded,
    messages_of,
    place_words,
    recorded_value,
    state_nodes,
    title_words,
    value_nodes,
    value_title,
)
from inspector.presentation.transcript import EMPTY, Transcript
from inspector.presentation.value_paths import ABSENT

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from inspector.gui.tasks.runner import Cancelled
    from inspector.gui.widgets.chat_view import ChatView
    from inspector.presentation.live_replay import HeldCall, Refusal

_RUNNING = (
    "Nothing is held. F6 pauses at the next call; F9 sets a breakpoint before the selected one. "
    "What a held call is given, its messages and its agent's state are shown here."
)
_ENDED = "The replay is over, and nothing is held any more."
_STAYS = "The call stays: what is written for it cannot be used."
_NO_STATE = "This call is not inside an agent, so there is no state."
_NO_MESSAGES = "There are no messages here: neither in the value nor in the state of an agent."
_VALUE, _MESSAGES, _STATE = range(3)


class _Seen(NamedTuple):
    """What a worker has found out about a held call."""

    messages: Transcript = EMPTY
    is_other: bool = False  # whether the recording has something else there
    recorded: Any = None  # what that is, where it could take its place


class PausePane(QWidget):
    """Shows one of the calls that are held, lets it be edited, and lets it go.

    Knows one `OpenReplay` and nobody else. The tab that was chosen stays from pause to pause.
    """

    def __init__(self, replay: OpenReplay, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._replay = replay
        self._call: HeldCall | None = None
        self._edits = HeldEdits()
        self._seen = _Seen()
        self._filled: set[int] = set()  # tabs whose values are shown
        self._held = HeldCalls()
        self._title = ElidedWords("", strong=True)
        self._place = ElidedWords("", step=-1, colour="secondary")
        self._about = Words("", step=-1, colour="secondary", wrap=True)
        self._edited = Words("≠ edited", colour="changed")
        self._edit = LinkButton("Edit…", self.begin_edit)
        self._edit.setToolTip("Let the call go on with another value (Ctrl+E)")
        self._reset = LinkButton("Put back", self.reset)
        self._reset.setToolTip("Let the call go on with what it came with (Ctrl+Shift+Backspace)")
        self._editor = HeldEditor()
        self._value = ValueView(replay.tasks, "Held value", self, asks=False)
        self._state = ValueView(replay.tasks, "State of the agent", self, asks=False)
        self._no_messages = EmptyWords(self, words=_NO_MESSAGES)
        self._empty = EmptyWords(self, words=_RUNNING)
        self._bar = QuietTabBar(self)
        self._bar.setAccessibleName("What is shown of the held call")
        for title in ("Value", "Messages", "State"):
            self._bar.addTab(title)
        self._lay_out()

        self._bar.currentChanged.connect(self._show_page)
        self._held.chosen.connect(replay.choose)
        self._held.let_go.connect(replay.go_on)
        self._editor.used.connect(self._on_used)
        self._editor.left.connect(self._end_edit)
        replay.held_changed.connect(self._on_held_changed)
        replay.chosen_changed.connect(self._show)
        replay.selection.changed.connect(self._on_selected)
        replay.state_changed.connect(lambda _state: self._show())
        replay.value_refused.connect(self._on_refused)
        replay.ask_first(self._use_what_is_written)
        self._show()

    # What tests and menus ask for

    @property
    def call(self) -> "HeldCall | None":
        """The held call that is shown."""
        return self._call

    @property
    def editor(self) -> HeldEditor:
        return self._editor

    @property
    def held(self) -> HeldCalls:
        return self._held

    @property
    def bar(self) -> QuietTabBar:
        return self._bar

    @property
    def value_view(self) -> ValueView:
        return self._value

    @property
    def state_view(self) -> ValueView:
        return self._state

    @property
    def edit_button(self) -> LinkButton:
        return self._edit

    @property
    def reset_button(self) -> LinkButton:
        return self._reset

    @property
    def words(self) -> str:
        """What is said of the call that is shown, or why there is none."""
        if self._call is None:
            return self._empty.accessibleName()
        return f"{self._title.text()}: {self._place.text()}. {self._about.text()}"

    @property
    def is_editing(self) -> bool:
        return self._pages.currentWidget() is self._editor

    @cached_property
    def chat(self) -> "ChatView":
        """The messages at the pause."""
        from inspector.gui.widgets.chat_view import ChatView

        view = ChatView(self._replay.tasks, self)
        self._pages.addWidget(view)
        return view

    def begin_edit(self) -> None:
        """Let a person write what the call goes on with."""
        call = self._call
        if call is None or not call.can_edit:
            return
        try:
            self._editor.begin(call, self._edits.value_of(call), self._seen.recorded)
        except InspectorError as error:
            self._about.setText(f"{error} {error.hint}".strip())
            return
        self._pages.setCurrentWidget(self._editor)
        self._editor.setFocus()
        self._say_of(call)

    def reset(self) -> None:
        """Have the call go on with what it came with."""
        if self._call is not None and self._call.edited:
            self._end_edit()
            self._replay.reset_value(self._call.pause)

    def let_go(self) -> None:
        """Let the call that is shown go on, and no other."""
        if self._call is not None:
            self._replay.go_on(self._call.pause)

    def step_to_call(self, by: int) -> None:
        """Look at the next of the held calls, or at the one before."""
        pauses = [call.pause for call in self._replay.held]
        if self._call is not None and pauses:
            at = pauses.index(self._call.pause) if self._call.pause in pauses else 0
            self._replay.choose(pauses[(at + by) % len(pauses)])

    # What is shown

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(theme.GROUP_GAP_PX, theme.GAP_PX, theme.GAP_PX, theme.GRID_PX)
        head.setSpacing(theme.GAP_PX)
        head.addWidget(Icon("paused", colour="accent"))
        head.addWidget(self._title)
        head.addWidget(self._edited)
        head.addStretch(1)
        head.addWidget(self._reset)
        head.addWidget(self._edit)
        about = QVBoxLayout()
        about.setSpacing(2)
        indent = theme.GROUP_GAP_PX + theme.ICON_PX + theme.GAP_PX
        about.setContentsMargins(indent, 0, theme.GAP_PX, theme.GRID_PX)
        about.addWidget(self._place)
        about.addWidget(self._about)
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        for page in (self._value, self._state, self._no_messages, self._editor):
            self._pages.addWidget(page)
        ground = QWidget()
        PanelGround(ground)
        column = QVBoxLayout(ground)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._held)
        self._line = Hairline()
        column.addWidget(self._line)
        column.addLayout(head)
        column.addLayout(about)
        column.addWidget(self._bar)
        column.addWidget(Hairline())
        column.addWidget(pages, 1)
        self._whole = QStackedLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.addWidget(self._empty)
        self._whole.addWidget(ground)
        self.setFocusProxy(self._value)

    def resizeEvent(self, event: "QResizeEvent") -> None:
        super().resizeEvent(event)
        self._bar.fit_into(self.width())

    def _on_held_changed(self) -> None:
        self._edits.keep_only({call.pause for call in self._replay.held})
        self._show()

    def _show(self) -> None:
        replay, held = self._replay, self._replay.held
        ended = replay.state is ReplayState.ENDED
        chosen = replay.chosen
        call = next((each for each in held if each.pause == chosen), held[0] if held else None)
        answered = [each.pause for each in held if self._edits.take_answer(each)]
        if call is None:
            self._call = None
            self._end_edit()
            self._empty.say(_ENDED if ended else _RUNNING)
            self._whole.setCurrentIndex(0)
            return
        self._held.show_calls([self._as_shown(each) for each in held], call.pause)
        self._make_room()
        before, self._call = self._call, call
        if before == call and self._whole.currentIndex() == 1:
            return
        is_other = before is None or before.pause != call.pause
        if is_other or call.pause in answered:
            self._end_edit()
        if is_other:
            self._seen = _Seen()
        self._say_of(call)
        self._show_values(call)
        self._whole.setCurrentIndex(1)

    def _make_room(self) -> None:
        """Leave an editor the room of the list: the title says which call it is of."""
        others = len(self._replay.held) > 1 and not self.is_editing
        self._held.setVisible(others)
        self._line.setVisible(others)

    def _say_of(self, call: "HeldCall") -> None:
        self._make_room()
        self._title.setText(title_words(call))
        self._place.setText(place_words(call))
        about = about_words(call, self._why(call), is_other=self._seen.is_other)
        self._about.setText(f"{about[:1].upper()}{about[1:]}")
        self._edited.setVisible(call.edited)
        self._reset.setVisible(call.edited)
        self._edit.setVisible(call.can_edit and not self.is_editing)
        self._bar.setTabText(_VALUE, value_title(call))
        self._bar.setVisible(not self.is_editing)

    def _as_shown(self, call: "HeldCall") -> "HeldCall":
        return call._replace(values=self._edits.value_of(call))

    def _why(self, call: "HeldCall") -> str:
        """Return which breakpoint holds a call, in words; a step needs none."""
        specs = (self._replay.breakpoints.at(key) for key in call.because)
        return next((spec.place_words for spec in specs if spec is not None), "")

    def _on_selected(self, focus: ReplayFocus) -> None:
        """Look at the held call whose span is chosen in the tree or on the timeline."""
        held = (call for call in self._replay.held if call.span_id == focus.span_id)
        if focus.span_id and (call := next(held, None)) is not None:
            self._replay.choose(call.pause)

    def _show_values(self, call: "HeldCall") -> None:
        value, live = self._edits.value_of(call), self._replay.live
        self._filled.clear()
        self._show_page(self._bar.currentIndex())

        def look(_cancelled: "Cancelled") -> _Seen:
            found = messages_of(call, value)
            differs = live is not None and differs_from_recorded(live, call)
            recorded = recorded_value(live, call) if differs and live else ABSENT
            return _Seen(found, differs, None if recorded is ABSENT else recorded)

        self._replay.tasks.start(
            look, done=self._on_seen, failed=self._on_failed, key=(self, "seen")
        )

    def _on_seen(self, seen: _Seen) -> None:
        self._seen = seen
        if self._call is not None:
            self._say_of(self._call)
        self._filled.discard(_MESSAGES)
        self._show_page(self._bar.currentIndex())

    def _on_failed(self, error: Exception) -> None:
        self._about.setText("The messages at this pause cannot be shown.")
        raise error

    def _show_page(self, place: int) -> None:
        if self.is_editing:
            return
        if place == _MESSAGES:
            page: QWidget = self.chat if self._seen.messages else self._no_messages
        else:
            page = self._state if place == _STATE else self._value
        if page is not self._no_messages:
            self._fill(place)
        self._pages.setCurrentWidget(page)
        self.setFocusProxy(page)

    def _fill(self, place: int) -> None:
        """Show values where one looks, and not before: large ones take their time."""
        call = self._call
        if call is None or place in self._filled:
            return
        self._filled.add(place)
        if place == _MESSAGES:
            self.chat.show_transcript(self._seen.messages)
        elif place == _STATE:
            self._state.show_nodes(state_nodes(call), _NO_STATE)
        else:
            self._value.show_nodes(value_nodes(call, self._edits.value_of(call)))

    # Editing

    def _on_used(self, edit: Edit) -> None:
        call = self._call
        if call is None:
            return
        if edit.is_nothing:
            if self._edits.is_other(call):
                self._replay.reset_value(call.pause)
            else:
                self._end_edit()
            return
        self._edits.ask(call.pause, edit)
        more = {"merge": True, "without": edit.without} if edit.merge else {}
        self._replay.set_value(edit.value, call.pause, **more)

    def _use_what_is_written(self, pause: int | None) -> bool:
        """Have a value used that was written for a call which is let go now; False if it is none.

        What is no value stays in the editor, and the call stays with it.
        """
        if self._call is None or not self.is_editing or pause not in (None, self._call.pause):
            return True
        if (edit := self._editor.check()) is None:
            self._replay.refused.emit(f"{_STAYS} {self._editor.told}", "")
            return False
        self._on_used(edit)
        return True

    def _end_edit(self) -> None:
        if not self.is_editing:
            return
        had_focus = self._editor.edit.hasFocus() or self._editor.isAncestorOf(
            self.focusWidget() or self
        )
        self._pages.setCurrentWidget(self._value)
        self._show_page(self._bar.currentIndex())
        if self._call is not None:
            self._say_of(self._call)
        if had_focus:
            self.setFocus()

    def _on_refused(self, refusal: "Refusal") -> None:
        self._edits.refuse(refusal.pause)
        if self._call is not None and self._call.pause == refusal.pause:
            self._editor.refuse(f"{refusal.message} {refusal.hint}".strip())
