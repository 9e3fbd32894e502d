"""However a replay ends, there is a sentence, and the recording is as it was."""

import dataclasses
import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.gui.workspace.open_replay import ReplayState
from inspector.gui.workspace.replay_request import ReplayRequest
from inspector.replay.limits import Limits
from inspector.runfile.load import load_run
from tests.gui.replaying.conftest import DATA, Replaying

TARGET = "mischief:rag"
AS_IT_CAME = "The replay came out as recorded."
NOT_TO_THE_END = "The replay did not come to its end."

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the mischief is made by signals")


def made(mischief: Replaying, what: str, **more: object) -> None:
    mischief.ended(TARGET, environment={"MISCHIEF": what}, **more)


def test_a_replay_without_mischief_comes_out_as_recorded(mischief: Replaying) -> None:
    replay = mischief.ended(TARGET)
    window = mischief.window
    assert window.bar.sentence == AS_IT_CAME
    assert window.card.isHidden()
    assert "as recorded" in window.bar.counts
    assert replay.result().replay_of == load_run(mischief.path).id
    assert mischief.is_untouched()


@pytest.mark.parametrize(
    ("what", "detail", "hint"),
    [
        ("leave", "ended with exit code 7 before the replay did. It said last: I have had", ""),
        ("die", "was ended by SIGKILL. It said last: The roof comes", "when memory runs out"),
        ("fall_apart", "was ended by SIGSEGV", ""),
    ],
)
def test_a_worker_that_crashes_leaves_a_sentence(
    mischief: Replaying, what: str, detail: str, hint: str
) -> None:
    made(mischief, what)
    window = mischief.window
    assert window.bar.sentence == NOT_TO_THE_END
    assert window.card.isVisible()
    assert detail in window.card.message
    assert hint in window.card.hint
    assert mischief.is_untouched()


def test_what_the_pipeline_raised_is_named_with_its_words(mischief: Replaying) -> None:
    made(mischief, "stumble", mode="drift_ok")
    assert mischief.window.bar.sentence == NOT_TO_THE_END
    assert "The pipeline raised" in mischief.window.card.message
    assert "the valve is stuck" in mischief.window.card.message
    assert mischief.is_untouched()


def test_to_a_strict_replay_a_crash_that_was_not_recorded_is_a_difference(
    mischief: Replaying,
) -> None:
    made(mischief, "stumble")
    assert mischief.window.bar.sentence == "Stopped at the first difference."
    assert "mischief" in mischief.window.card.message


def test_what_was_printed_before_a_crash_is_shown_at_once(mischief: Replaying) -> None:
    made(mischief, "leave")
    window = mischief.window
    assert window.tabs.currentWidget() is window.printed
    assert "I have had enough." in window.printed.text


def test_a_worker_that_gives_no_sign_of_life_is_ended(mischief: Replaying) -> None:
    made(mischief, "freeze", timing={"silent_s": 2.0})
    assert "gave no sign of life for 2 seconds, and was ended" in mischief.window.card.message
    assert mischief.is_untouched()


def test_a_worker_that_does_not_stop_is_ended(mischief: Replaying) -> None:
    replay = mischief.start(
        TARGET, environment={"MISCHIEF": "dawdle"}, timing={"stop_s": 0.5}
    )  # fmt: skip
    mischief.wait_until(lambda: "thinking" in replay.last_words)
    QTest.keyClick(mischief.window, Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    assert mischief.window.bar.sentence.startswith("Stopping.")
    mischief.wait_for(replay, ReplayState.ENDED)
    assert "did not stop when it was told to, and was ended" in mischief.window.card.message


def test_stop_pressed_twice_ends_the_worker_at_once(mischief: Replaying) -> None:
    replay = mischief.start(TARGET, environment={"MISCHIEF": "dawdle"})
    mischief.wait_until(lambda: "thinking" in replay.last_words)
    stop = mischief.window.bar.command("stop")
    stop.click()
    assert stop.accessibleName() == "End the worker at once (Shift+F5)"
    stop.click()
    mischief.wait_for(replay, ReplayState.ENDED)
    assert mischief.window.card.message == "The worker of the replay was ended."
    assert mischief.is_untouched()


def test_what_a_worker_prints_is_shown_as_text_and_nothing_else(mischief: Replaying) -> None:
    made(mischief, "chatter")
    window = mischief.window
    assert window.bar.sentence == AS_IT_CAME
    assert "line 1999" in window.printed.text
    assert "red and done" in window.printed.text
    assert "\x1b" not in window.printed.text


def test_forty_megabytes_of_prints_leave_their_end(mischief: Replaying) -> None:
    made(mischief, "flood_prints")
    assert mischief.window.bar.sentence == AS_IT_CAME
    assert "the last of it" in mischief.window.printed.text
    assert len(mischief.window.printed.text) < 10_000


def test_a_flood_of_new_spans_is_shown_whole(mischief: Replaying) -> None:
    replay = mischief.ended(
        TARGET, environment={"MISCHIEF": "flood_events"}, mode="drift_ok"
    )  # fmt: skip
    assert replay.table is not None
    assert replay.table.new_count >= 12_000
    mischief.settle(replay)
    assert mischief.is_untouched()


def test_a_worker_with_four_gigabytes_does_not_weigh_on_the_window(mischief: Replaying) -> None:
    made(mischief, "hog")
    assert mischief.window.bar.sentence == AS_IT_CAME


def test_a_stranger_s_template_that_asks_for_four_gigabytes_gets_none(example: Replaying) -> None:
    text = example.before.decode()
    mark = '"system_prompt":"'
    assert text.count(mark) >= 1
    bomb = "{{ 'x' * 4294967296 }}"
    for each in (mark, mark.replace(":", ": ")):
        text = text.replace(each, f"{each}{bomb}")
    example.path.write_text(text, encoding="utf-8")
    example.use(example.path)
    example.ended(limits=Limits(memory_mb=1_024), mode="drift_ok")
    assert example.window.bar.sentence == NOT_TO_THE_END
    assert "MemoryError" in example.window.card.message
    assert example.is_untouched()


def test_a_module_that_cannot_be_imported_is_told(mischief: Replaying) -> None:
    mischief.project.write("broken", "raise RuntimeError('no key in the drawer')")
    mischief.ended("broken:rag")
    assert mischief.window.bar.sentence == "The replay could not begin."
    assert "broken cannot be imported" in mischief.window.card.message


def test_the_first_difference_stops_a_strict_replay_and_says_which(replaying: Replaying) -> None:
    replaying.record("rag", DATA)
    text = (replaying.project.folder / "garden.py").read_text()
    replaying.project.write("garden", text.replace("{{ query }}", "Q: {{ query }}"))
    replay = replaying.ended("garden:rag")
    window = replaying.window
    assert window.bar.sentence == "Stopped at the first difference."
    assert "llm" in window.card.message
    assert replay.table is not None
    span = replay.live.at("llm#1") if replay.live else None
    assert span is not None
    assert span.drifts
    assert replaying.program.workspace.comparisons == ()


def test_a_replay_that_goes_on_stops_where_nothing_answers(replaying: Replaying) -> None:
    replaying.record("rag", DATA)
    text = (replaying.project.folder / "garden.py").read_text()
    replaying.project.write("garden", text.replace("{{ query }}", "Q: {{ query }}"))
    replaying.ended("garden:rag", mode="drift_ok")
    assert replaying.window.bar.sentence == "Stopped where nothing answers."


def test_closing_a_tab_ends_its_worker(mischief: Replaying) -> None:
    replay = mischief.start(TARGET, environment={"MISCHIEF": "dawdle"})
    mischief.wait_until(lambda: "thinking" in replay.last_words)
    driver = mischief.program.replayer.driver_of(replay)
    assert driver is not None
    with mischief.qtbot.waitSignal(driver.over, timeout=30_000):
        mischief.program.workspace.remove(replay)
    assert mischief.program.replayer.driver_of(replay) is None


def test_what_a_replay_is_given_is_in_nothing_that_could_be_logged(
    mischief: Replaying, caplog: pytest.LogCaptureFixture
) -> None:
    key = "made-up-and-good-for-nothing"
    replay = mischief.ended(TARGET, environment={"MISCHIEF": "nothing", "OF_THE_SESSION": key})
    driver = mischief.program.replayer.driver_of(replay)
    for told in (repr(replay.request), repr(driver._order), caplog.text):  # type: ignore[union-attr]
        assert key not in told
    assert key.encode() not in replay.result().origin.read_bytes()  # type: ignore[union-attr]


def recorded_anew(replaying: Replaying) -> ReplayRequest:
    """Return a request of somebody whose recording was made anew after it was opened."""
    replaying.record("rag", DATA)
    request = replaying.request("garden:rag")
    other = {"retriever": {"query": "vents"}, "prompt": {"query": "And at night?"}}
    old = replaying.path.with_name("old.run.json")
    replaying.path.rename(old)
    replaying.record("rag", other)
    return request


def test_a_recording_that_was_made_anew_meanwhile_is_replayed_as_it_is_shown(
    replaying: Replaying,
) -> None:
    request = recorded_anew(replaying)
    replay = replaying.program.replayer.start(request)
    replaying.wait_for(replay, ReplayState.ENDED)
    assert replaying.window.bar.sentence == "The replay came out as recorded."
    assert "When do the vents open?" in str(replay.result().inputs)
    assert replaying.is_untouched()


def test_nothing_is_added_to_a_recording_that_was_made_anew_meanwhile(
    replaying: Replaying,
) -> None:
    request = recorded_anew(replaying)
    job = dataclasses.replace(request.job, mode="record_new", add_new=False)
    replay = replaying.program.replayer.start(request._replace(job=job))
    replaying.wait_for(replay, ReplayState.ENDED)
    assert "is another file than when it was opened" in replaying.window.card.message
    assert replaying.is_untouched()
