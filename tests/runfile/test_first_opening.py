"""The sample run opens and says what happened in it."""

from pathlib import Path

from inspector.runfile.load import load_run

SAMPLE = Path(__file__).parents[1] / "data" / "runs" / "sample-1.run.json"


def test_the_sample_opens_with_every_span_under_its_parent():
    run = load_run(SAMPLE)
    assert [(span.depth, span.name) for span in run.spans][:3] == [
        (0, "support"),
        (1, "retriever"),
        (1, "builder"),
    ]
    assert run.problems == ()


def test_a_list_written_as_additions_reads_as_one_list():
    call = load_run(SAMPLE).at("agent#1/step1/llm")
    assert [m["role"] for m in call.inputs["messages"]] == [
        "system", "user", "assistant", "tool", "tool",
    ]  # fmt: skip
