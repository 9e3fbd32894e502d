from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolBar, QToolButton
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.controllers.play_controller import PlayController
from inspector.gui.settings import SettingsStore
from inspector.gui.widgets.speed_button import SpeedButton
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.workspace import Workspace
from inspector.presentation.playback import Speed
from inspector.runfile.model import PipelineRun
from tests.gui.stepping.conftest import Press

MS = 1_000_000
LEFT = Qt.MouseButton.LeftButton


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


class Playing:
    """A player of the looping run, whose time the test moves on."""

    def __init__(self, run: PipelineRun, settings: SettingsStore) -> None:
        self.clock = Clock()
        self.workspace = Workspace()
        self.open_run = OpenRun(run)
        self.workspace.add(self.open_run)
        self.player = PlayController(self.workspace, settings, clock_ns=self.clock)

    def go_on(self, ms: float) -> None:
        self.clock.now_ns += round(ms * MS)
        self.player.go_on()

    def is_on(self) -> bool:
        return self.player.is_playing

    @property
    def glowing(self) -> list[str]:
        moment = self.open_run.playhead.moment
        table = self.open_run.run.table
        return [] if moment is None else [table.name(row) for row in moment.glowing]

    @property
    def selected(self) -> str:
        row = self.open_run.run.table.row_of(self.open_run.selection.span_id or "")
        return "" if row is None else self.open_run.run.table.name(row)


@pytest.fixture
def playing(
    looping_run: PipelineRun, settings: SettingsStore, qapp: QApplication
) -> Iterator[Playing]:
    made = Playing(looping_run, settings)
    yield made
    made.workspace.remove(made.open_run)


def timers(of: PlayController) -> list[QTimer]:
    return [timer for timer in of.findChildren(QTimer) if timer.isActive()]


def test_what_runs_glows_and_what_began_last_is_selected(playing: Playing) -> None:
    playing.player.toggle()
    playing.go_on(60)  # of a run of 100 ms: at the second LLM call
    assert playing.glowing[-1] == "llm"
    playing.go_on(200)
    assert playing.selected == "prompt_builder"  # the last to begin


def test_it_stops_when_the_last_span_has_glown_and_leaves_no_timer(
    playing: Playing, qtbot: QtBot
) -> None:
    playing.player.toggle()
    playing.go_on(299)
    assert playing.is_on()
    with qtbot.waitSignal(playing.player.playing_changed):
        playing.go_on(2)
    assert not playing.is_on()
    assert timers(playing.player) == []
    assert playing.glowing == []


def test_stopping_stays_where_it_got_to_and_playing_goes_on_from_there(playing: Playing) -> None:
    playing.open_run.selection.select("s4")
    playing.player.toggle()
    playing.go_on(1)
    here = playing.selected
    playing.player.toggle()
    assert playing.selected == here
    playing.player.toggle()
    moment = playing.open_run.playhead.moment
    assert moment is not None
    row = playing.open_run.run.table.row_of(playing.open_run.selection.span_id or "")
    assert row is not None
    assert moment.at_ns == playing.open_run.run.table.start_ns[row]


def test_history_holds_where_playing_began_and_ended_and_nothing_between(
    playing: Playing,
) -> None:
    selection = playing.open_run.selection
    selection.select("s1")
    playing.player.toggle()
    playing.player.set_speed(Speed.HALF)
    for _ in range(30):
        playing.go_on(250)
    end = selection.span_id
    assert end != "s1"
    selection.back()
    assert selection.span_id == "s1"
    selection.forward()
    assert selection.span_id == end


def test_a_run_plays_twice_as_fast_at_twice_the_speed(playing: Playing) -> None:
    playing.player.toggle()
    playing.player.set_speed(Speed.DOUBLE)
    playing.go_on(20)
    moment = playing.open_run.playhead.moment
    assert moment is not None
    assert moment.at_ns == 40 * MS


def test_fitting_takes_ten_seconds(playing: Playing) -> None:
    playing.player.set_speed(Speed.FIT)
    playing.player.toggle()
    playing.go_on(5_000)
    moment = playing.open_run.playhead.moment
    assert moment is not None
    assert moment.at_ns == 50 * MS
    playing.go_on(5_201)
    assert not playing.player.is_playing


def test_with_reduced_motion_nothing_moves_more_than_five_times_a_second(
    playing: Playing, settings: SettingsStore
) -> None:
    playing.player.toggle()
    assert timers(playing.player)[0].interval() < 50
    playing.player.stop()
    settings.update(reduce_motion=True)
    playing.player.toggle()
    assert timers(playing.player)[0].interval() >= 200


def test_a_range_is_played_and_no_more(playing: Playing) -> None:
    playing.open_run.range.set(50 * MS, 80 * MS)
    playing.player.toggle()
    moment = playing.open_run.playhead.moment
    assert moment is not None
    assert moment.at_ns == 50 * MS
    playing.go_on(231)
    assert not playing.player.is_playing
    assert playing.selected == "search"


def test_choosing_a_span_meanwhile_goes_on_from_there(playing: Playing) -> None:
    playing.player.toggle()
    playing.go_on(5)
    search = playing.open_run.run.table
    row = next(row for row in range(len(search)) if search.name(row) == "search")
    playing.open_run.selection.select(search.id(row))
    playing.go_on(1)
    moment = playing.open_run.playhead.moment
    assert moment is not None
    assert moment.at_ns == search.start_ns[row] + 1 * MS


def test_closing_the_run_or_leaving_its_tab_stops_playing(playing: Playing) -> None:
    playing.player.toggle()
    playing.workspace.make_current(None)
    assert not playing.player.is_playing
    playing.workspace.make_current(playing.open_run)
    playing.player.toggle()
    playing.workspace.remove(playing.open_run)
    assert timers(playing.player) == []
    playing.workspace.add(OpenRun(playing.open_run.run))


def player_of(program: Program) -> PlayController:
    return next(one for one in program.others if isinstance(one, PlayController))


def test_space_plays_and_escape_stops(
    opened: Program, press: Press, settle: Callable[[Program], None], qtbot: QtBot
) -> None:
    player = player_of(opened)
    player.set_speed(Speed.FIT)  # far from over when the key comes
    press(Qt.Key.Key_Space)
    stop = opened.content.action("stop")
    assert (player.is_playing, stop.isEnabled()) == (True, True)
    press(Qt.Key.Key_Escape)
    assert (player.is_playing, stop.isEnabled()) == (False, False)
    assert timers(player) == []


def test_space_still_presses_the_button_that_has_the_focus(opened: Program) -> None:
    bar = opened.window.findChild(QToolBar)
    assert isinstance(bar, QToolBar)
    button = bar.widgetForAction(opened.content.action("next"))
    assert isinstance(button, QToolButton)
    opened.window.activateWindow()
    button.setFocus()
    open_run = opened.workspace.current
    assert open_run is not None
    before = open_run.selection.span_id
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert not player_of(opened).is_playing
    assert open_run.selection.span_id != before


def test_the_speed_is_chosen_on_the_toolbar(opened: Program, qtbot: QtBot) -> None:
    speed = opened.window.findChild(SpeedButton)
    assert isinstance(speed, SpeedButton)
    player = player_of(opened)
    QTest.mouseClick(speed, LEFT)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    ten = next(action for action in menu.actions() if action.text() == str(Speed.TEN))
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(ten).center() + QPoint(0, 0))
    assert player.speed is Speed.TEN
    assert speed.text() == "10×"
    opened.content.action("slower").trigger()
    assert speed.text() == "2×"
