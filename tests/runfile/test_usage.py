"""What providers report comes out in one set of words, and unknown stays unknown."""

import pytest

from inspector.runfile.load import load_run
from inspector.runfile.usage import FIGURES, Usage, normalise_usage, recorded_usage, total
from tests.runfile.files import by_name, ref, run_file, span

# Who says it, what they say, and what it means. Figures as real services and integrations
# give them; where two of them differ in what a word includes, both are here.
REPORTS = {
    "OpenAI chat completions": (
        {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150,
         "prompt_tokens_details": {"cached_tokens": 100, "audio_tokens": 5},
         "completion_tokens_details": {"reasoning_tokens": 20, "audio_tokens": 2,
                                       "accepted_prediction_tokens": 0}},
        {"input_tokens": 120, "output_tokens": 30, "total_tokens": 150, "cached_input_tokens": 100,
         "reasoning_tokens": 20, "audio_input_tokens": 5, "audio_output_tokens": 2},
    ),
    "OpenAI, no details": (
        {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
        {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
    ),
    "OpenAI, details that are null": (
        {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3,
         "prompt_tokens_details": None, "completion_tokens_details": None},
        {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
    ),
    "OpenAI responses": (
        {"input_tokens": 120, "output_tokens": 30, "total_tokens": 150,
         "input_tokens_details": {"cached_tokens": 64},
         "output_tokens_details": {"reasoning_tokens": 9}},
        {"input_tokens": 120, "output_tokens": 30, "total_tokens": 150, "cached_input_tokens": 64,
         "reasoning_tokens": 9},
    ),
    "OpenAI, a stream without figures": ({}, None),
    "OpenAI, figures that are null": (
        {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None}, None,
    ),
    "Anthropic's own words: cached tokens come on top": (
        {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 200,
         "cache_read_input_tokens": 1000},
        {"input_tokens": 1210, "output_tokens": 5, "total_tokens": 1215,
         "cached_input_tokens": 1000, "cache_write_tokens": 200},
    ),
    "Anthropic's own words, nothing cached": (
        {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0,
         "cache_read_input_tokens": 0},
        {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15, "cached_input_tokens": 0,
         "cache_write_tokens": 0},
    ),
    "Anthropic in Haystack: folded in": (
        {"prompt_tokens": 1210, "completion_tokens": 5, "cache_creation_input_tokens": 200,
         "cache_read_input_tokens": 1000},
        {"input_tokens": 1210, "output_tokens": 5, "total_tokens": 1215,
         "cached_input_tokens": 1000, "cache_write_tokens": 200},
    ),
    "Anthropic in an older Haystack: only renamed": (
        {"prompt_tokens": 10, "completion_tokens": 5, "cache_creation_input_tokens": 200,
         "cache_read_input_tokens": 1000},
        {"input_tokens": 1210, "output_tokens": 5, "total_tokens": 1215,
         "cached_input_tokens": 1000, "cache_write_tokens": 200},
    ),
    "Bedrock": (
        {"inputTokens": 10, "outputTokens": 5, "totalTokens": 115, "cacheReadInputTokens": 80,
         "cacheWriteInputTokens": 20},
        {"input_tokens": 110, "output_tokens": 5, "total_tokens": 115, "cached_input_tokens": 80,
         "cache_write_tokens": 20},
    ),
    "Bedrock in Haystack: outside": (
        {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 115,
         "cache_read_input_tokens": 80, "cache_write_input_tokens": 20},
        {"input_tokens": 110, "output_tokens": 5, "total_tokens": 115, "cached_input_tokens": 80,
         "cache_write_tokens": 20},
    ),
    "Google": (
        {"promptTokenCount": 50, "candidatesTokenCount": 10, "totalTokenCount": 90,
         "thoughtsTokenCount": 30, "cachedContentTokenCount": 40},
        {"input_tokens": 50, "output_tokens": 40, "total_tokens": 90, "cached_input_tokens": 40,
         "reasoning_tokens": 30},
    ),
    "Google's SDK, with a tool's prompt": (
        {"prompt_token_count": 50, "candidates_token_count": 10, "total_token_count": 67,
         "tool_use_prompt_token_count": 7, "thoughts_token_count": None},
        {"input_tokens": 57, "output_tokens": 10, "total_tokens": 67},
    ),
    "Google in Haystack: thoughts stay outside": (
        {"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 90,
         "thoughts_token_count": 30, "cached_content_token_count": 40},
        {"input_tokens": 50, "output_tokens": 40, "total_tokens": 90, "cached_input_tokens": 40,
         "reasoning_tokens": 30},
    ),
    "Cohere": (
        {"billed_units": {"input_tokens": 8.0, "output_tokens": 4.0},
         "tokens": {"input_tokens": 70.0, "output_tokens": 6.0}},
        {"input_tokens": 70, "output_tokens": 6, "total_tokens": 76},
    ),
    "Cohere in Haystack: floats and no total": (
        {"prompt_tokens": 70.0, "completion_tokens": 6.0},
        {"input_tokens": 70, "output_tokens": 6, "total_tokens": 76},
    ),
    "Ollama": (
        {"prompt_eval_count": 26, "eval_count": 298, "total_duration": 4883583458},
        {"input_tokens": 26, "output_tokens": 298, "total_tokens": 324},
    ),
    "DeepSeek": (
        {"prompt_tokens": 26, "completion_tokens": 4, "total_tokens": 30,
         "prompt_cache_hit_tokens": 20, "prompt_cache_miss_tokens": 6},
        {"input_tokens": 26, "output_tokens": 4, "total_tokens": 30, "cached_input_tokens": 20},
    ),
    "an embedder": (
        {"prompt_tokens": 8, "total_tokens": 8}, {"embedding_tokens": 8},
    ),
    "an embedder that tells the total only": ({"total_tokens": 8}, {"embedding_tokens": 8}),
    "an embedder of Cohere": ({"billed_units": {"input_tokens": 8}}, {"embedding_tokens": 8}),
    "an answer of no tokens": (
        {"prompt_tokens": 8, "completion_tokens": 0, "total_tokens": 8},
        {"input_tokens": 8, "output_tokens": 0, "total_tokens": 8},
    ),
    "an answer that was not counted": (
        {"prompt_tokens": 8, "completion_tokens": None}, {"input_tokens": 8},
    ),
    "a total alone beside an unknown answer": (
        {"completion_tokens": None, "total_tokens": 9}, {"total_tokens": 9},
    ),
    "a ranker that counts searches": ({"search_units": 1}, None),
    "nonsense": (
        {"prompt_tokens": "8", "completion_tokens": True, "total_tokens": [1],
         "prompt_tokens_details": 5}, None,
    ),
    "negative and endless": (
        {"prompt_tokens": -8, "completion_tokens": float("nan"), "total_tokens": float("inf")},
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("who", REPORTS)
def test_a_report_means(who):
    raw, meaning = REPORTS[who]
    usage = normalise_usage(raw)
    if meaning is None:
        assert usage is None
        return
    assert {name: getattr(usage, name) for name in FIGURES if getattr(usage, name) is not None} \
        == meaning  # fmt: skip
    assert usage.raw == raw


def test_the_provider_settles_what_the_words_leave_open():
    raw = {"prompt_tokens": 10, "completion_tokens": 5, "cache_read_input_tokens": 4}
    assert normalise_usage(raw, provider="anthropic").input_tokens == 10
    assert normalise_usage(raw, provider="amazon_bedrock").input_tokens == 14
    raw = {"prompt_tokens": 10, "completion_tokens": 5, "reasoning_tokens": 4}
    assert normalise_usage(raw, provider="google_genai").output_tokens == 9
    assert normalise_usage(raw, provider="openai").output_tokens == 5


def test_adding_up_keeps_unknown_unknown():
    assert total([]) is None
    summed = total([Usage(input_tokens=1, reasoning_tokens=2), Usage(input_tokens=3), Usage()])
    assert (summed.input_tokens, summed.reasoning_tokens, summed.output_tokens) == (4, 2, None)


def test_what_was_recorded_counts_before_what_was_said():
    tree = {"input_tokens": 5, "raw": {"prompt_tokens": 7, "completion_tokens": 1}}
    assert recorded_usage(tree).input_tokens == 5
    assert recorded_usage({"raw": tree["raw"]}).input_tokens == 7
    assert not recorded_usage({}).known
    assert not recorded_usage({"raw": 5, "input_tokens": "x"}).known


USED = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}


def test_a_run_counts_leaf_calls_only():
    run = load_run(
        run_file(
            [
                span(1, kind="pipeline", usage=USED),
                span(2, 1, kind="agent", role="agent", usage=USED),
                span(3, 2, kind="llm", usage=USED),
                span(4, 2, kind="llm", usage={**USED, "cached_input_tokens": 4}),
                span(5, 1, role="llm", usage=USED),
            ]
        )
    )
    assert run.usage == {
        "prompt_tokens": 30, "completion_tokens": 15, "total_tokens": 45, "cached_tokens": 4,
        "calls": 3, "unknown_calls": 0,
    }  # fmt: skip


def test_a_call_that_reported_nothing_is_counted_as_unknown_and_not_as_nothing():
    spans = [span(1), span(2, 1, kind="llm"), span(3, 1, role="llm", usage={}), span(4, 1)]
    assert load_run(run_file(spans)).usage == {"calls": 2, "unknown_calls": 2}


def test_a_component_around_a_model_is_no_call_of_its_own():
    spans = [span(1), span(2, 1, role="llm"), span(3, 2, kind="llm", usage=USED)]
    assert load_run(run_file(spans)).usage["calls"] == 1


def test_embedders_have_a_line_of_their_own():
    spans = [
        span(1), span(2, 1, role="embedding", usage={"embedding_tokens": 8}),
        span(3, 1, role="llm", usage=USED),
    ]  # fmt: skip
    usage = load_run(run_file(spans)).usage
    assert (usage["embedding_tokens"], usage["prompt_tokens"], usage["calls"]) == (8, 10, 1)


def test_usage_that_is_kept_once_for_all_calls_counts_for_each():
    spans = [span(1), span(2, 1, kind="llm", usage=ref(USED)), span(3, 1, kind="llm", usage=USED)]
    usage = load_run(run_file(spans, by_name(USED))).usage
    assert (usage["prompt_tokens"], usage["calls"], usage["unknown_calls"]) == (20, 2, 0)


def test_a_run_without_models_has_no_usage():
    assert load_run(run_file([span(1), span(2, 1)])).usage is None


def test_usage_of_the_wrong_type_is_unknown():
    run = load_run(run_file([span(1, kind="llm", usage=[1]), span(2, 1, kind="llm", usage="x")]))
    assert run.usage == {"calls": 1, "unknown_calls": 1}
