"""The timeline of a replay: the recording's time, its ghost, and what is new in it."""

import numpy as np

from inspector.gui.widgets.replay_scene import build_ghost, painted
from inspector.gui.widgets.timeline_scene import QUIET, SHADES, Hatch
from inspector.presentation.live_replay import Match
from inspector.presentation.replay_table import STATE_OF, Newcomer, Snapshot
from inspector.runfile.model import PipelineRun
from tests.helpers.drawn_runs import run_from_outline

MS = 1_000_000
OUTLINE = """
pipeline 0-100
  agent 0-60
    llm 0-20
    search:tool 20-60
  answer 60-100
"""
AGENT, LLM, SEARCH, ANSWER = 1, 2, 3, 4


class New:
    """Stands where a span of a replay does: a name, and how long it took."""

    def __init__(self, name: str, kind: str = "tool") -> None:
        self.id, self.name, self.kind, self.status = name, name, kind, "ok"
        self.start_ns, self.end_ns = 0, 10 * MS


def run() -> PipelineRun:
    return run_from_outline(OUTLINE)


def arranged(*newcomers: Newcomer) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return start, end and lane of each row."""
    recording = run()
    snapshot = Snapshot(
        recording,
        tuple(New(f"new {place}") for place in range(len(newcomers))),  # type: ignore[misc]
        tuple(one.parent for one in newcomers),
        tuple(one.at_ns for one in newcomers),
        1,
    )
    table = snapshot.table()
    ghost = build_ghost(table, 5, newcomers, {}, recording.duration_ns)
    place = ghost.scene.place_of_row
    return ghost.scene.start[place], ghost.scene.end[place], ghost.scene.lane[place]


def test_without_anything_new_everything_stands_where_the_recording_has_it() -> None:
    start, end, _lane = arranged()
    assert (start // MS).tolist() == [0, 0, 0, 20, 60]
    assert (end // MS).tolist() == [100, 60, 20, 60, 100]


def test_what_is_new_opens_a_gap_where_it_came() -> None:
    start, end, lane = arranged(Newcomer(AGENT, 20 * MS, 10 * MS))
    assert (start // MS).tolist() == [0, 0, 0, 30, 70, 20]
    assert (end // MS).tolist() == [110, 70, 20, 70, 110, 30]
    assert lane[LLM] == lane[5], "it follows on the call before it, in the same lane"


def test_what_comes_at_one_moment_follows_each_other() -> None:
    start, end, _lane = arranged(
        Newcomer(AGENT, 20 * MS, 10 * MS), Newcomer(AGENT, 20 * MS, 5 * MS)
    )
    assert (start[5:] // MS).tolist() == [20, 30]
    assert (end[5:] // MS).tolist() == [30, 35]
    assert start[SEARCH] // MS == 35


def test_what_is_inside_of_something_new_lies_in_it() -> None:
    start, end, _lane = arranged(
        Newcomer(AGENT, 20 * MS, 4 * MS), Newcomer(5, 0, 3 * MS), Newcomer(5, 0, 3 * MS)
    )
    assert (start[5:] // MS).tolist() == [20, 20, 23]
    assert (end[5:] // MS).tolist() == [26, 23, 26]


def test_a_state_is_a_colour_and_a_pattern_and_the_rest_stays_pale() -> None:
    recording = run()
    ghost = build_ghost(recording.table, 5, [], {}, recording.duration_ns)
    states = bytearray(5)
    for row, match in ((AGENT, Match.AROUND), (LLM, Match.LIVE), (SEARCH, Match.DRIFTED)):
        states[row] = STATE_OF[match]
    scene = painted(ghost, states, (SEARCH,))
    place = scene.place_of_row
    assert SHADES[int(scene.shade[place[LLM]])] == ("live", "")
    assert SHADES[int(scene.shade[place[SEARCH]])] == ("drifted", "")
    assert int(scene.shade[place[AGENT]]) == QUIET + SHADES.index(("drifted", ""))
    assert int(scene.shade[place[ANSWER]]) >= QUIET
    assert scene.hatched is not None
    assert scene.hatched[Hatch.DOTTED].tolist() == [int(place[LLM])]
    assert scene.hatched[Hatch.FALLING].tolist() == [int(place[SEARCH])]
    assert scene.hatched[Hatch.AROUND].tolist() == [int(place[AGENT])]
    assert scene.failed.tolist() == [int(place[SEARCH])]
    again = painted(ghost, bytearray(5), ())
    assert (again.shade >= QUIET).all(), "the ghost itself was not written into"
