"""What stands in files of calls, Zipkin traces and logs, as read off the files by hand."""

from __future__ import annotations

from tests.importers.table import AGENT, JEAN, OI_AGENT, OI_RAG, RAG, TOOLS, Expected

CALLS: dict[str, list[Expected]] = {
    # Its exporter cut every value after 128 characters, and with them Haystack's tokens.
    "zipkin_json/haystack_rag.zipkin.json": [
        Expected(RAG, 4, None, 99_294_000, said="Where does Jean live?")
    ],
    "zipkin_json/haystack_agent.zipkin.json": [
        Expected(AGENT, 8, None, 54_776_000, said="weather")
    ],
    "zipkin_json/openinference_rag.zipkin.json": [
        Expected(OI_RAG, 4, 51, 331_827_000, said="Where does Jean live?")
    ],
    "zipkin_json/openinference_agent.zipkin.json": [
        Expected(OI_AGENT, 5, 85, 119_586_000, said="weather bot")
    ],
    "haystack_logging_tracer/logging_tracer_rag.log": [Expected(RAG, 4, 42, None, said=JEAN)],
    "haystack_logging_tracer/logging_tracer_rag_ansi.log": [Expected(RAG, 4, 42, None, said=JEAN)],
    "haystack_logging_tracer/logging_tracer_error.log": [
        Expected(RAG, 4, None, None, ("", "llm#1"), "failed", "SERVER_ERROR")
    ],
    "openai_chat_log/openai_chat_pairs.jsonl": [
        # 26 + 106 + 154 + a failure + 17 + 26
        Expected(
            "gpt-4o-mini gpt-4o-mini o4-mini gpt-4o-mini gpt-4o-mini gpt-4o-mini",
            6, 329, None, ("gpt-4o-mini#3",), said="Jean lives i",
        )
    ],
    "openai_chat_log/openai_chat_response_only.json": [
        Expected("gpt-4o-mini-2025-01-01", 1, 106, None, said="Lisbon")
    ],
    "openai_chat_log/openai_chat_stream.sse.txt": [
        Expected("gpt-4o-mini-2025-01-01", 1, 35, None, said="Zürich 🌧️ naïve — 東京")
    ],
    "openai_chat_log/hayhooks_chat_stream.sse.txt": [Expected("qa", 1, None, None, said=JEAN)],
    # 6 + 102 + 14 + 28 tokens; from …34.813286 to …34.924280
    "pydantic_ai/pydantic_ai_all_messages.json": [
        Expected(
            "agent(gpt-4o-mini-2025-01-01 weather weather weather gpt-4o-mini-2025-01-01)",
            6, 150, 110_994_000, said=TOOLS,
        )
    ],
    # Two replies: 100 + 50 cached + 20, and 100 + 50 cached + 7; from …01 to …04
    "odd/claude_same_message_id_3_lines.jsonl": [
        Expected(
            "agent(claude-x Bash Read claude-x)", 5, 327, 3_000_000_000,
            status="incomplete", said="Let me look",
        )
    ],
    "vcr_cassette/haystack_agent_tools.yaml": [
        Expected("gpt-4o-mini gpt-4o-mini", 2, 145, None, said=TOOLS)  # 106 + 39
    ],
    "vcr_cassette/haystack_chat_default_leaks_key.yaml": [
        Expected("gpt-4o-mini", 1, 26, None, said=JEAN)
    ],
    "vcr_cassette/haystack_chat_filtered.yaml": [Expected("gpt-4o-mini", 1, 26, None, said=JEAN)],
    "vcr_cassette/haystack_error_500.yaml": [
        Expected("gpt-4o-mini", 1, None, None, ("",), "failed", "SERVER_ERROR")
    ],
    "vcr_cassette/haystack_stream.yaml": [
        Expected("gpt-4o-mini", 1, 36, None, said="Zürich 🌧️ naïve — 東京")
    ],
    "openai_batch/openai_batch_input.jsonl": [
        Expected(
            "request-0 request-1 request-2 request-3 request-4 request-5",
            6, None, None, status="incomplete", said="SERVER_ERROR",
        )
    ],
}  # fmt: skip
