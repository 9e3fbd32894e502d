import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.gui.models.roles import MATCH_ROLE, Match
from inspector.gui.widgets.timeline_found import found_scene
from inspector.gui.widgets.timeline_scene import QUIET, build_scene
from inspector.presentation.narrowing import with_parents
from tests.gui.search.conftest import Searcher
from tests.helpers.synthetic_tables import synthetic_table


def status_words(person: Searcher) -> str:
    return str(person.window._status.words.text())


def toggle(person: Searcher) -> None:
    QTest.mouseClick(person.bar.filter_button, Qt.MouseButton.LeftButton)
    person.settle()


def test_the_tree_marks_what_was_found(person: Searcher) -> None:
    person.ask("kind:tool status:failed")
    model = person.tree.model()
    found = {row for row in person.tree_rows() if marked(person, row) is Match.FOUND}
    assert found == set(person.found())
    index = model.index_of(person.found()[0])
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).endswith(", found")


def marked(person: Searcher, span_id: str) -> Match | None:
    return person.tree.model().index_of(span_id).data(MATCH_ROLE)


def test_the_filter_shows_only_what_was_found_and_what_is_around(person: Searcher) -> None:
    before = person.tree_rows()
    person.ask("kind:tool status:failed")
    toggle(person)
    (found,) = person.found()
    rows = person.tree_rows()
    assert rows[-1] == found
    assert len(rows) < len(before)
    assert all(marked(person, row) is Match.AROUND for row in rows[:-1])
    assert status_words(person) == "1 of 19\u202fspans · filter kind:tool status:failed"


def test_the_timeline_shows_only_that_too(person: Searcher) -> None:
    person.ask("kind:tool status:failed")
    canvas = person.window.timeline_canvas
    table = person.run.run.table
    toggle(person)
    shown = [row for row in range(len(table)) if canvas.shows(row)]
    kept = with_parents(table, person.search.matched or b"")
    assert shown == [row for row in range(len(table)) if kept[row]]
    toggle(person)
    assert all(canvas.shows(row) for row in range(len(table)))


def test_clearing_restores_branches_scroll_and_selection(person: Searcher) -> None:
    person.tree.collapse(person.tree.model().index_of("s5"))
    person.run.selection.select("s6")
    before = person.tree_rows()
    scroll = person.tree.verticalScrollBar().value()
    person.ask("kind:tool status:failed")
    toggle(person)
    assert person.run.selection.span_id == "s6"
    person.press(person.line, Qt.Key.Key_Escape)
    assert person.tree_rows() == before
    assert person.tree.verticalScrollBar().value() == scroll
    assert person.run.selection.span_id == "s6"
    assert person.tree.currentIndex() == person.tree.model().index_of("s6")
    assert status_words(person) == "19\u202fspans"


def test_emptying_the_line_shows_everything_though_the_filter_is_on(person: Searcher) -> None:
    before = person.tree_rows()
    person.ask("kind:tool status:failed")
    toggle(person)
    person.type("")
    assert person.tree_rows() == before
    assert status_words(person) == "19\u202fspans"


def test_a_filter_and_a_range_go_together(person: Searcher) -> None:
    person.ask("kind:llm")
    assert len(person.found()) == 4
    person.run.range.set(0, 1_000_000_000)
    person.settle()
    assert len(person.found()) == 1
    toggle(person)
    assert status_words(person).startswith("1 of 19\u202fspans · filter kind:llm · 0")
    person.run.range.clear()
    person.settle()
    assert len(person.found()) == 4


def test_words_are_looked_for_in_the_range_and_found_again_without_it(person: Searcher) -> None:
    person.ask("tomato")
    everywhere = person.found()
    person.run.range.set(0, 900_000_000)
    person.settle()
    inside = person.found()
    assert 0 < len(inside) < len(everywhere)
    person.run.range.clear()
    person.settle()
    assert person.found() == everywhere


def test_ctrl_shift_f_filters_from_the_keyboard(person: Searcher) -> None:
    person.ask("kind:llm")
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    person.press(person.line, Qt.Key.Key_F, held)
    assert person.search.is_filter
    assert person.bar.filter_button.isChecked()


@pytest.fixture
def masks() -> tuple[object, bytes]:
    table = synthetic_table(3_000)
    return table, bytes(int(row % 7 == 3) for row in range(len(table)))


def test_what_is_not_found_is_quiet_and_nothing_else_changes(masks: tuple) -> None:
    table, matched = masks
    scene = build_scene(table)
    found = found_scene(scene, matched, None)
    is_found = np.frombuffer(matched, bool)[scene.row]
    assert np.array_equal(found.shade[is_found], scene.shade[is_found])
    assert np.array_equal(found.shade[~is_found], scene.shade[~is_found] + QUIET)
    assert np.array_equal(found.start, scene.start)
    assert found.marked is not None
    assert sorted(found.marked.tolist()) == sorted(scene.start[is_found].tolist())


def test_a_filtered_scene_holds_what_was_kept_each_at_its_time(masks: tuple) -> None:
    table, matched = masks
    kept = with_parents(table, matched)
    scene = build_scene(table)
    alone = found_scene(scene, matched, kept)
    assert sorted(alone.row.tolist()) == [row for row in range(len(table)) if kept[row]]
    for row in alone.row.tolist():
        place = alone.place_of_row[row]
        assert alone.start[place] == table.start_ns[row]
        assert alone.holds(row)
    assert not any(alone.holds(row) for row in range(len(table)) if not kept[row])
    assert set(alone.lane.tolist()) == set(range(alone.lane_count))
    assert alone.lanes_of_whole == scene.lane_count
    for lane in range(alone.lane_count):
        first, last = alone.first[lane], alone.first[lane + 1]
        assert set(alone.lane[first:last].tolist()) == {lane}
