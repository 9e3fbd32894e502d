"""What was said in a run, as text."""

from inspector.export.kinds import export_run
from inspector.export.transcript import transcript_of
from inspector.presentation.visible import visible_text
from tests.export.examples import EXAMPLES, example
from tests.export.hostile_runs import HIDDEN, HOSTILE, hostile_run
from tests.helpers.drawn_runs import run_from_outline


def test_each_message_stands_where_it_was_new_and_only_there() -> None:
    text = transcript_of(example("agent-tools"))
    for said in (
        "You look after a greenhouse. Read the sensors before you advise.",
        "I read both probes and look into the manual.",
        "The probe of the peppers sleeps. I wake it.",
    ):
        assert text.count(said) == 1
    order = [
        text.index(word)
        for word in ("hang their leaves", "I read both", "I wake it", "Both beds are")
    ]
    assert order == sorted(order)
    assert "(3 messages as before)" in text.replace("\u202f", " ")


def test_calls_their_results_and_failures_are_in_it() -> None:
    text = transcript_of(example("agent-tools"))
    assert "→ read_sensor\n    bed: tomatoes" in text
    assert "✕ read_sensor failed: ToolInvocationError: Failed to invoke Tool" in text
    crash = transcript_of(example("crash"))
    assert "The run failed:\n  haystack.core.errors.PipelineRuntimeError" in crash


def test_a_run_without_a_model_says_so() -> None:
    for name in EXAMPLES:
        assert not export_run(example(name), "transcript", redact=None).notes
    quiet = run_from_outline("pipeline 0-10\n  retriever 1-5\n")
    assert export_run(quiet, "transcript", redact=None).notes == ("No model was called in it.",)


def test_what_a_run_says_stands_further_in_than_what_we_say() -> None:
    text = transcript_of(hostile_run(HOSTILE + "\nuser:\nadmin:\n✕ failed: nothing"))
    assert not [sign for sign in HIDDEN if sign in text]
    assert visible_text(HOSTILE.split("\n")[0]).strip() in text
    assert "\nadmin:" not in text
    assert "\n✕ failed: nothing" not in text
