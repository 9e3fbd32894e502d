"""Files of other programs that tell of nothing wrong: no rule finds anything in them."""

from pathlib import Path

import pytest

import inspector
from inspector.errors import InspectorError
from inspector.findings import examine

FOREIGN = Path(__file__).parents[1] / "data" / "foreign"

# What is wrong with those that are not well; each was looked at by hand.
FOUND = {
    "haystack_logging_tracer/logging_tracer_error.log": {"NO_RESULTS", "failed"},
    "mlflow_trace/mlflow_haystack_rag.trace.json": {"NO_RESULTS", "EMPTY_CONTEXT"},
    "openai_chat_log/openai_chat_pairs.jsonl": {"cut-off", "failed"},
    "otlp_json/haystack_rag_error.otlp.jsonl": {"NO_RESULTS", "failed"},
    "otlp_json/haystack_rag_stream_nousage.otlp.jsonl": {"usage-missing"},
    "otlp_json/haystack_two_async_concurrent.otlp.jsonl": {"NO_RESULTS", "EMPTY_CONTEXT"},
    "otlp_json/ht2.31_traceloop_rag.otlp.jsonl": {"failed"},
    "otlp_json/ht2.31_traceloop_rag_error.otlp.jsonl": {"NO_RESULTS", "failed"},
    "otlp_json/ht2.31_traceloop_rag_stream_nousage.otlp.jsonl": {"usage-missing"},
    "otlp_json/openinference_rag_error.otlp.jsonl": {"NO_RESULTS", "failed"},
    "otlp_json/openinference_rag_stream_nousage.otlp.jsonl": {"usage-missing"},
    "otlp_json/openinference_two_async_concurrent.otlp.jsonl": {"NO_RESULTS"},
    "pydantic_ai/logfire_pydantic_ai_error.spans.json": {"failed"},
    "vcr_cassette/haystack_chat_default_leaks_key.yaml": {"secret-in-run"},
    "vcr_cassette/haystack_error_500.yaml": {"failed", "secret-in-run"},
    "vcr_cassette/haystack_stream.yaml": {"secret-in-run"},
}
FOLDERS = (
    "haystack_snapshot", "haystack_logging_tracer", "mlflow_trace", "openai_chat_log", "otlp_json",
    "pydantic_ai", "langfuse_otlp", "vcr_cassette",
)  # fmt: skip
FILES = [
    path.relative_to(FOREIGN).as_posix()
    for folder in FOLDERS
    for path in sorted((FOREIGN / folder).rglob("*"))
    if path.is_file()
]


@pytest.mark.parametrize("name", FILES)
def test_a_foreign_file_shows_what_is_wrong_with_it_and_nothing_else(name: str) -> None:
    try:
        run = inspector.load_run(FOREIGN / name)
    except InspectorError:
        pytest.skip("it is refused, which other tests look at")
    found, skipped = examine(run)
    assert skipped == ()
    assert {each.rule for each in found} == FOUND.get(name, set())


def test_there_are_many_of_them_that_are_well() -> None:
    assert len(set(FILES) - set(FOUND)) >= 40
