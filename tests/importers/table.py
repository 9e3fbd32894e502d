"""What stands in the foreign files, as read off the files themselves, by hand.

A tree is written as `parent(child child)`, in start order, by the names that people know: those of
components and tools. Snapshots have no times; what they show are visits.
"""

from __future__ import annotations

from typing import NamedTuple


class Expected(NamedTuple):
    """One run of a file.

    Args:
        tree: Names of the spans, nested.
        spans: How many there are.
        tokens: The total that calls report; None where none does.
        duration_ns: From the first start to the last end; None where there are no times.
        failed: Paths of the spans that failed.
        status: How the run ended.
        said: A text that stands somewhere in its outputs or inputs.

    """

    tree: str
    spans: int
    tokens: int | None
    duration_ns: int | None
    failed: tuple[str, ...] = ()
    status: str = "completed"
    said: str = ""


RAG = "pipeline(retriever prompt_builder llm)"
AGENT = "pipeline(agent(agent(step 0(llm weather) step 1(llm))))"
ALONE = "agent(step 0(llm weather) step 1(llm))"
OI_RAG = "pipeline(InMemoryBM25Retriever ChatPromptBuilder OpenAIChatGenerator)"
OI_AGENT = "pipeline(Agent(ChatPromptBuilder OpenAIChatGenerator OpenAIChatGenerator))"
OI_ASYNC = "pipeline(pipeline(InMemoryBM25Retriever ChatPromptBuilder OpenAIChatGenerator))"
TL_RAG = "haystack_pipeline(pipeline(retriever prompt_builder llm(haystack.openai.chat)))"
ML_AGENT = "pipeline(agent(agent(step 0(llm weather weather weather) step 1(llm))))"
JEAN = "Jean lives in Paris, according to the documents."
TOOLS = "Based on the tool results: Berlin: 21C"

TRACES: dict[str, list[Expected]] = {
    "otlp_json/haystack_rag.otlp.jsonl": [Expected(RAG, 4, 51, 99_294_447, said=JEAN)],
    "otlp_json/haystack_rag.msgtojson.json": [Expected(RAG, 4, 51, 99_294_447, said=JEAN)],
    "otlp_json/haystack_agent.otlp.jsonl": [Expected(AGENT, 8, 85, 54_776_158, said=TOOLS)],
    "otlp_json/haystack_agent.msgtojson.json": [Expected(AGENT, 8, 85, 54_776_158, said=TOOLS)],
    "otlp_json/haystack_agent_standalone.otlp.jsonl": [
        Expected(ALONE, 6, 79, 47_445_134, said=TOOLS)
    ],
    "otlp_json/haystack_rag_error.otlp.jsonl": [
        Expected(RAG, 4, None, 11_880_820, ("", "llm#1"), "failed", "SERVER_ERROR")
    ],
    "otlp_json/haystack_rag_no_content.otlp.jsonl": [Expected(RAG, 4, None, 25_093_757)],
    "otlp_json/haystack_rag_stream_nousage.otlp.jsonl": [Expected(RAG, 4, None, 32_869_995)],
    "otlp_json/haystack_rag_stream_usage.otlp.jsonl": [Expected(RAG, 4, 51, 123_610_323)],
    "otlp_json/haystack_two_async_concurrent.otlp.jsonl": [
        Expected(RAG, 4, 28, 120_817_448, said="Q one"),
        Expected(RAG, 4, 28, 98_200_956, said="Q two"),
    ],
    "otlp_json/hs2.31_openinference_agent.otlp.jsonl": [
        Expected(
            "pipeline(pipeline(agent(Agent(agent(chat_generator(OpenAIChatGenerator) "
            "tool_invoker(ToolInvoker) chat_generator(OpenAIChatGenerator))))))",
            11, 85, 76_750_812, said=TOOLS,
        )
    ],
    "otlp_json/ht2.31_traceloop_agent.otlp.jsonl": [
        Expected(
            "haystack_pipeline(pipeline(agent(agent(chat_generator(haystack.openai.chat) "
            "tool_invoker chat_generator(haystack.openai.chat)))))",
            9, 85, 59_536_889, said=TOOLS,
        )
    ],
    "otlp_json/ht2.31_traceloop_agent_standalone.otlp.jsonl": [
        Expected(
            "agent(chat_generator(haystack.openai.chat) tool_invoker "
            "chat_generator(haystack.openai.chat))",
            6, 79, 52_861_473, said=TOOLS,
        )
    ],
    "otlp_json/ht2.31_traceloop_rag.otlp.jsonl": [
        Expected("tracing.auto_enable", 1, None, 14_105_969, ("",), "failed"),
        Expected("tracing.auto_enable", 1, None, 298_605),
        Expected(TL_RAG, 6, 51, 311_915_057, said=JEAN),
    ],
    "otlp_json/ht2.31_traceloop_rag_error.otlp.jsonl": [
        Expected(
            TL_RAG, 6, None, 20_788_956,
            ("", "pipeline#1", "pipeline#1/llm#1", "pipeline#1/llm#1/haystack.openai.chat#1"),
            "failed",
        )
    ],
    "otlp_json/ht2.31_traceloop_rag_stream_nousage.otlp.jsonl": [
        Expected(TL_RAG, 6, None, 34_680_476)
    ],
    "otlp_json/ht2.31_traceloop_rag_stream_usage.otlp.jsonl": [
        Expected(TL_RAG, 6, 51, 34_809_457)
    ],
    "otlp_json/openinference_agent.otlp.jsonl": [
        Expected(OI_AGENT, 5, 85, 119_586_277, said=TOOLS)
    ],
    "otlp_json/openinference_agent.msgtojson.json": [
        Expected(OI_AGENT, 5, 85, 119_586_277, said=TOOLS)
    ],
    "otlp_json/openinference_agent_standalone.otlp.jsonl": [
        Expected("Agent(OpenAIChatGenerator OpenAIChatGenerator)", 3, 79, 71_212_252)
    ],
    "otlp_json/openinference_rag.otlp.jsonl": [Expected(OI_RAG, 4, 51, 331_827_161, said=JEAN)],
    "otlp_json/openinference_rag.msgtojson.json": [
        Expected(OI_RAG, 4, 51, 331_827_161, said=JEAN)
    ],
    "otlp_json/openinference_rag_error.otlp.jsonl": [
        Expected(OI_RAG, 4, None, 81_790_344, ("", "OpenAIChatGenerator#1"), "failed")
    ],
    "otlp_json/openinference_rag_stream_nousage.otlp.jsonl": [
        Expected(OI_RAG, 4, None, 58_898_446)
    ],
    "otlp_json/openinference_rag_stream_usage.otlp.jsonl": [Expected(OI_RAG, 4, 51, 61_610_166)],
    "otlp_json/openinference_two_async_concurrent.otlp.jsonl": [
        Expected(OI_ASYNC, 5, 28, 105_221_296),
        Expected(OI_ASYNC, 5, 28, 76_378_929),
    ],
    "langfuse_otlp/langfuse_otlp_agent.jsonl": [
        Expected(
            "pipeline(agent(agent(step 0(llm weather weather weather) step 1(llm))) tracer)",
            11, 145, 64_481_183, said="Berlin: 21C; Lisbon: 21C; Oslo: 21C",
        )
    ],
    "langfuse_otlp/langfuse_otlp_chat.jsonl": [
        Expected("pipeline(prompt_builder tracer llm)", 4, 30, 100_356_460)
    ],
    "odd/otlp_duplicate_span.json": [Expected(RAG, 4, 51, 99_294_447, said=JEAN)],
    "odd/otlp_empty_anyvalue.json": [
        Expected(
            "pipeline(haystack.component.run haystack.component.run haystack.component.run)",
            4, None, 99_294_447,
        )
    ],
    "odd/otlp_gzipped.otlp.jsonl.gz": [Expected(RAG, 4, 51, 99_294_447, said=JEAN)],
    "odd/otlp_missing_root.json": [
        Expected("retriever prompt_builder llm", 3, 51, 98_854_531, status="incomplete", said=JEAN)
    ],
    "odd/otlp_numeric_times.json": [Expected(RAG, 4, 51, 99_294_334, said=JEAN)],
    "odd/otlp_old_instrumentationLibrarySpans.json": [
        Expected(RAG, 4, 51, 99_294_447, said=JEAN)
    ],
    "odd/otlp_self_parent.json": [Expected(RAG, 4, 51, 99_294_447, said=JEAN)],
    "odd/tempo_v2_trace_wrapper.json": [Expected(RAG, 4, 51, 99_294_447, said=JEAN)],
    "odd/jsonl_last_line_cut.otlp.jsonl": [Expected(RAG, 4, 51, 99_294_447, said=JEAN)],
    "otel_console/haystack_agent.console.txt": [Expected(AGENT, 8, 85, 54_776_000, said=TOOLS)],
    "otel_console/haystack_rag.console.txt": [Expected(RAG, 4, 51, 99_294_000, said=JEAN)],
    "otel_console/openinference_agent.console.txt": [
        Expected(OI_AGENT, 5, 85, 119_586_000, said=TOOLS)
    ],
    "otel_console/openinference_rag.console.txt": [
        Expected(OI_RAG, 4, 51, 331_828_000, said=JEAN)
    ],
    "pydantic_ai/logfire_pydantic_ai.spans.json": [
        Expected(
            "a(chat gpt-4o-mini weather weather weather chat gpt-4o-mini)", 6, 150, 114_269_000
        )
    ],
    "pydantic_ai/logfire_pydantic_ai_error.spans.json": [
        Expected(
            "a(chat gpt-4o-mini)", 2, None, 1_422_437_000, ("", "chat gpt-4o-mini#1"), "failed"
        )
    ],
    "mlflow_trace/mlflow_haystack_rag.trace.json": [Expected(RAG, 4, 31, 218_067_265)],
    "mlflow_trace/mlflow_haystack_agent.trace.json": [
        Expected(ML_AGENT, 10, 145, 108_338_095, said="Oslo: 21C")
    ],
    "mlflow_trace/mlflow_search_traces.df.json": [
        Expected("manual(inner)", 2, None, 6_895_504),
        Expected(RAG, 4, None, 34_466_777, ("", "llm#1"), "failed"),
        Expected(ML_AGENT, 10, 145, 108_338_095),
        Expected(RAG, 4, 31, 218_067_265),
    ],
    "mlflow_trace/mlflow_search_traces.csv": [
        Expected("manual(inner)", 2, None, 6_895_504),
        Expected(RAG, 4, None, 34_466_777, ("", "llm#1"), "failed"),
        Expected(ML_AGENT, 10, 145, 108_338_095),
        Expected(RAG, 4, 31, 218_067_265),
    ],
    "hayhooks_traces/hayhooks_traces.json": [
        Expected("hayhooks.openai.run(pipeline(prompt_builder llm))", 4, None, 55_000_000),
        Expected("hayhooks.pipeline.run(pipeline(prompt_builder llm))", 4, None, 3_000_000),
        Expected(f"hayhooks.pipeline.run({ML_AGENT})", 11, None, 74_000_000),
        Expected(
            "hayhooks.pipeline.run(pipeline(prompt_builder llm))", 4, None, 46_000_000,
            ("", "pipeline#1", "pipeline#1/llm#1"), "failed", "SERVER_ERROR please",
        ),
        Expected("hayhooks.pipeline.run(pipeline(prompt_builder llm))", 4, None, 180_000_000),
        Expected(
            "hayhooks.pipeline.startup.deploy(hayhooks.pipeline.deploy.prepare "
            "hayhooks.pipeline.deploy.prepare hayhooks.pipeline.deploy.commit "
            "hayhooks.pipeline.deploy.commit)",
            5, None, 1_071_000_000,
        ),
    ],
    "hayhooks_traces/hayhooks_traces_limit3_has_more.json": [
        Expected("hayhooks.openai.run(pipeline(prompt_builder llm))", 4, None, 55_000_000),
        Expected("hayhooks.pipeline.run(pipeline(prompt_builder llm))", 4, None, 3_000_000),
        Expected(f"hayhooks.pipeline.run({ML_AGENT})", 11, None, 74_000_000),
    ],
}  # fmt: skip


class Snapshot(NamedTuple):
    """What a snapshot says.

    Args:
        visits: The components that ran, and how often.
        stopped: Where it stopped: the path of the visit that did not end.
        tokens: Those of the calls whose output is left in it.
        inner: Paths of the agent's calls that ended, where it stopped inside of one.
        outputs: Paths of the visits whose outputs are left.

    """

    visits: dict[str, int]
    stopped: str
    tokens: int | None = None
    inner: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


_TWO = {"retriever": 1, "prompt_builder": 1}
_THREE = {"retriever": 1, "prompt_builder": 1, "llm": 1}
_FROM_LLM = ("retriever#1", "llm#1")
_ANSWERED = Snapshot(_THREE, "answer_builder#1", 60, outputs=_FROM_LLM)
_ASKED = ("agent#1/chat_generator#1",)
_BACK = ("agent#1/chat_generator#1", "agent#1/tool_invoker#1")

SNAPSHOTS: dict[str, Snapshot] = {
    "experimental_0.10.0_llm_breakpoint": Snapshot(_TWO, "llm#1"),
    "hs2.16.1_agent_bp_chatgen_v1": Snapshot({}, "agent#1/chat_generator#2", 56, _BACK),
    "hs2.16.1_agent_bp_component": Snapshot({}, "agent#1"),
    "hs2.16.1_multimodal_bp_llm": Snapshot({}, "llm#1"),
    "hs2.16.1_rag_bp_llm": Snapshot(_TWO, "llm#1"),
    "hs2.18.1_agent_bp_tool": Snapshot({}, "agent#1/tool_invoker#1", 56, _ASKED),
    "hs2.18.1_agent_crash_tool": Snapshot({}, "agent#1/tool_invoker#1", 111, _ASKED),
    "hs2.18.1_rag_bp_llm": Snapshot(_TWO, "llm#1"),
    "hs2.18.1_rag_crash_llm_500": Snapshot(_TWO, "llm#1"),
    "hs2.19.0_agent_crash_llm_500": Snapshot({}, "agent#1/chat_generator#1"),
    "hs2.19.0_agent_crash_tool": Snapshot({}, "agent#1/tool_invoker#1", 111, _ASKED),
    "hs2.19.0_rag_crash_llm_500": Snapshot(_TWO, "llm#1"),
    "hs2.31.0_agent_bp_chatgen_v0": Snapshot({}, "agent#1/chat_generator#1"),
    "hs2.31.0_agent_bp_chatgen_v1": Snapshot({}, "agent#1/chat_generator#2", 56, _BACK),
    "hs2.31.0_agent_bp_component": Snapshot({}, "agent#1"),
    "hs2.31.0_agent_crash_llm_500": Snapshot({}, "agent#1/chat_generator#1"),
    "hs2.31.0_agent_crash_tool": Snapshot({}, "agent#1/tool_invoker#1", 111, _ASKED),
    "hs2.31.0_agent_ok_bp_after": Snapshot({"agent": 1}, "after#1", outputs=("agent#1",)),
    "hs2.31.0_agent_ok_downstream_crash": Snapshot({"agent": 1}, "after#1", outputs=("agent#1",)),
    "hs2.31.0_multimodal_bp_llm": Snapshot({}, "llm#1"),
    "hs2.31.0_rag_bp_answer_builder": Snapshot(_THREE, "answer_builder#1"),
    "hs2.31.0_rag_bp_llm": Snapshot(_TWO, "llm#1"),
    "hs2.31.0_rag_bp_llm_include_outputs": Snapshot(
        _THREE, "answer_builder#1", 70, outputs=_FROM_LLM
    ),
    "hs2.31.0_rag_bp_prompt_builder": Snapshot({"retriever": 1}, "prompt_builder#1"),
    "hs2.31.0_rag_crash_llm_500": Snapshot(_TWO, "llm#1"),
    "hs2.31.0_weird_values_bp_sink": Snapshot({"weird": 1}, "sink#1"),
    "hs3.1.0_rag_bp_llm": Snapshot(_TWO, "llm#1", outputs=("retriever#1", "prompt_builder#1")),
    "hs3.4.1_agent_bp_component": Snapshot({}, "agent#1"),
    "hs3.4.1_agent_crash_llm_500": Snapshot({}, "agent#1"),
    "hs3.4.1_agent_crash_tool": Snapshot({}, "agent#1"),
    "hs3.4.1_agent_ok_downstream_crash": Snapshot(
        {"agent": 1}, "after#1", 90, outputs=("agent#1",)
    ),
    "hs3.4.1_loop_bp_count_visit2": Snapshot(
        {"count": 2, "join": 3}, "count#3", outputs=("join#3",)
    ),
    "hs3.4.1_loop_crash_boom": Snapshot(
        {"count": 4, "join": 4}, "boom#1", outputs=("count#4",)
    ),
    "hs3.4.1_rag_bp_answer_builder": _ANSWERED,
    "hs3.4.1_rag_bp_llm": Snapshot(_TWO, "llm#1", outputs=("retriever#1", "prompt_builder#1")),
    "hs3.4.1_rag_bp_llm_include_outputs": _ANSWERED,
    "hs3.4.1_rag_bp_prompt_builder": Snapshot(
        {"retriever": 1}, "prompt_builder#1", outputs=("retriever#1",)
    ),
    "hs3.4.1_rag_crash_llm_500": Snapshot(
        _TWO, "llm#1", outputs=("retriever#1", "prompt_builder#1")
    ),
    "hs3.4.1_stream_bp_after_llm": Snapshot({"llm": 1}, "ab#1", outputs=("llm#1",)),
    "hs3.4.1_unserializable_crash": Snapshot({"lock": 1}, "use#1"),
}  # fmt: skip

ODD_SNAPSHOTS: dict[str, Snapshot] = {
    "snapshot_crlf": _ANSWERED,
    "snapshot_deep_3000": Snapshot({}, "x#1"),
    "snapshot_inconsistent_visits": Snapshot(
        {**_THREE, "ghost": 3}, "answer_builder#1", 60, outputs=_FROM_LLM
    ),
    "snapshot_missing_fields": _ANSWERED,
    "snapshot_nan_infinity": Snapshot({"weird": 1}, "sink#1", outputs=("weird#1",)),
    "snapshot_utf8_bom": _ANSWERED,
    "trailing_garbage": _ANSWERED,
}
